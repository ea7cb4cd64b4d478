// Coverpoints of matrix units: operands, where C and the smallest product lie about the largest
// one, what became of the exact sum, and from which other units the answers tell this one. spec
// V10.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/source_points.hpp"
#include "golden/vectors/unit_sides.hpp"
#include "reference/dot/accumulator.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {
namespace {

/// Lanes from this one on share a bin.
constexpr std::size_t kLanesApart = 1024;
/// Binades below the largest product that a unit without a window is looked at in.
constexpr int kUsualWindow = 24;

enum Place : std::size_t { kLevel, kInside, kLast, kBelow, kNone };
constexpr std::array<std::string_view, 5> kSpreads = {"0-1", "inside", "last_two", "below",
                                                      "no_two"};
enum CarryPlace : std::size_t {
  kFarAbove,
  kAbove,
  kNear,
  kUnder,
  kFarUnder,
  kZeroCarry,
  kAlone,
};
constexpr std::array<std::string_view, 7> kCarries = {
    "window+_above", "2+_above", "near", "2+_below", "window+_below", "zero", "no_products"};
enum Outcome : std::size_t { kZeroSum, kSubnormal, kNormal, kInfinity, kNan };
constexpr std::array<std::string_view, 4> kOutcomes = {"zero", "subnormal", "normal", "infinity"};
constexpr std::array<std::string_view, 3> kExactness = {"exact", "nearest", "not_nearest"};

bool is_number(const Unpacked& x) { return x.cls == ValueClass::kFinite; }

/// The exact sum of the products and C, whatever the unit.
class Sum {
 public:
  explicit Sum(const UnitConfig& config)
      : sum_(std::min(lowest(config), config.result.emin() - config.result.man_bits),
             std::max(highest(config), config.result.emax() + 1)) {}
  Unpacked operator()(std::span<const Unpacked> products, const Unpacked& c) {
    sum_.clear();
    for (const Unpacked& each : products) sum_.add(each);
    sum_.add(c);
    return sum_.value();
  }

 private:
  static int lowest(const UnitConfig& config) {
    int exponent = 0;
    for (const UnitSide* side : {&config.a, &config.b}) {
      exponent += side->element.emin() - side->element.man_bits;
      if (side->scale) exponent += side->scale->format.emin() - side->scale->format.man_bits;
    }
    return exponent;
  }
  static int highest(const UnitConfig& config) {
    int exponent = 0;
    for (const UnitSide* side : {&config.a, &config.b}) {
      exponent += side->element.emax() + 1;
      if (side->scale) exponent += side->scale->format.emax() + 1;
    }
    return exponent;
  }

  ExactSum sum_;
};

class UnitCollector final : public Collector {
 public:
  using Collector::sample;
  UnitCollector(const UnitCase& what, std::size_t lanes, Lengths lengths)
      : config_(what.on),
        lanes_(lanes),
        a_classes_(config_.a.element),
        b_classes_(config_.b.element),
        c_classes_(config_.result),
        sum_(config_),
        window_(config_.unit.fraction_bits != 0 ? config_.unit.fraction_bits : kUsualWindow) {
    make_operands(lengths);
    make_places();
    for (const std::string_view name : kExactness) add(exact_, name, Reach::kOpen);
    make_results();
    for (const MatrixUnit& each : matrix_units()) {
      const UnitConfig other{each, config_.a, config_.b, config_.result};
      const bool is_rival = each.name != config_.unit.name && UnitDot::problem(other).empty() &&
                            UnitDot::size_problem(other, lanes).empty();
      if (!is_rival) continue;
      rivals_.push_back(UnitDot::make(other).value());
      add(rival_, each.name, sums_alike(each, config_.unit) ? Reach::kUnreachable : Reach::kOpen);
    }
  }

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    const auto [a, b] = sides_of<DotOperand>(config_, batch, i);
    const std::size_t n = a.codes.size();
    const std::uint64_t code = batch.word(Field::kC, i);
    sample_operands(a, b, decode(config_.result, code));
    if (open.code(0)) return;
    const std::uint64_t result = batch.word(Field::kCode, i);
    sample_result(decode(config_.result, result));
    sample_exactness(decode(config_.result, code), result);
    for (std::size_t k = 0; k < rivals_.size(); ++k) {
      if (!UnitDot::size_problem(rivals_[k].config(), n).empty()) continue;
      const std::uint64_t other = rivals_[k](a, b, code);
      const MatrixUnit& looser =
          config_.unit.open == UnitOpen::kNothing ? rivals_[k].config().unit : config_.unit;
      if (match(looser, config_.result, result, other) == UnitMatch::kDifferent) rival_.hit(k);
    }
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points;
    for (const Coverpoint* point :
         {&pair_, &a_scale_, &b_scale_, &a_bit_, &b_bit_, &length_, &largest_, &spread_, &addend_,
          &carry_, &result_, &exact_, &rival_}) {
      if (!point->bins.empty()) points.push_back(*point);
    }
    return points;
  }

 private:
  static void add(Coverpoint& point, std::string_view name, Reach reach) {
    point.bins.push_back({std::string(name), 0, reach});
  }

  void make_operands(Lengths lengths) {
    for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
      for (std::size_t j = 0; j < SourceClasses::kCount; ++j) {
        const bool is_empty = a_classes_.is_empty(i) || b_classes_.is_empty(j);
        add(pair_, SourceClasses::name(i) + " " + SourceClasses::name(j),
            is_empty ? Reach::kUnreachable : Reach::kOpen);
      }
      add(addend_, SourceClasses::name(i),
          c_classes_.is_empty(i) ? Reach::kUnreachable : Reach::kOpen);
    }
    if (config_.a.scale) {
      for (std::uint64_t code = 0; code <= config_.a.scale->format.code_mask(); ++code) {
        add(a_scale_, fmt::format("{:02x}", code), Reach::kOpen);
      }
      b_scale_.bins = a_scale_.bins;
    }
    const std::size_t group = UnitDot::whole_group(config_.unit);
    for (std::size_t lane = 0; lane < shown(lanes_); ++lane) {
      const std::string name = std::to_string(lane) + (lane == kLanesApart ? "+" : "");
      add(largest_, name, Reach::kOpen);
      make_bits(a_bit_, name, config_.a.element);
      make_bits(b_bit_, name, config_.b.element);
      if (lengths == Lengths::kFull) continue;
      add(length_, std::to_string(lane + 1) + (lane == kLanesApart ? "+" : ""),
          (lane + 1) % group == 0 || lane == kLanesApart ? Reach::kOpen : Reach::kUnreachable);
    }
  }
  /// Elements alone reach so far; scales reach as far as any window.
  void make_places() {
    const ElementFormat& c = config_.result;
    int lowest = 0, highest = 1;
    for (const UnitSide* side : {&config_.a, &config_.b}) {
      lowest += side->element.emin() - side->element.man_bits;
      highest += side->element.emax();
    }
    const auto reach = [&](bool is_reachable) {
      return is_reachable || config_.a.scale ? Reach::kOpen : Reach::kUnreachable;
    };
    for (std::size_t k = 0; k < kSpreads.size(); ++k) {
      const int spread = highest - lowest;
      add(spread_, kSpreads[k],
          reach(k == kLast ? spread >= window_ - 1 : k != kBelow || spread > window_));
    }
    for (std::size_t k = 0; k < kCarries.size(); ++k) {
      add(carry_, kCarries[k],
          reach(k == kFarAbove   ? c.emax() - lowest >= window_
                : k == kFarUnder ? highest - (c.emin() - c.man_bits) >= window_
                                 : true));
    }
  }
  static std::size_t shown(std::size_t lanes) { return std::min(lanes, kLanesApart + 1); }
  static void make_bits(Coverpoint& point, const std::string& lane, const ElementFormat& format) {
    for (int bit = 0; bit < format.bits; ++bit) {
      for (const int value : {0, 1}) {
        add(point, fmt::format("{}.{}={}", lane, bit, value), Reach::kOpen);
      }
    }
  }

  /// Units give -0 only where the sign of zeros is open, and those zeros are not compared.
  void make_results() {
    const bool is_open = config_.unit.open != UnitOpen::kNothing;
    const bool is_flushed = config_.unit.sum == UnitSum::kTree;
    for (const char* sign : {"+", "-"}) {
      for (std::size_t k = 0; k < kOutcomes.size(); ++k) {
        const bool is_never =
            (k == kZeroSum && (is_open || sign[0] == '-')) || (k == kSubnormal && is_flushed);
        add(result_, std::string(sign).append(kOutcomes[k]),
            is_never ? Reach::kUnreachable : Reach::kOpen);
      }
    }
    add(result_, "nan", is_open ? Reach::kUnreachable : Reach::kOpen);
  }

  void sample_operands(const DotOperand& a, const DotOperand& b, const Unpacked& c) {
    for (std::size_t j = 0; j < a.scales.size(); ++j) {
      a_scale_.hit(static_cast<std::size_t>(a.scales[j]));
      b_scale_.hit(static_cast<std::size_t>(b.scales[j]));
    }
    const std::size_t n = a.codes.size();
    if (!length_.bins.empty()) length_.hit(std::min(n - 1, kLanesApart));
    products_.clear();
    for (std::size_t lane = 0; lane < n; ++lane) {
      const Unpacked x = decode(config_.a.element, a.codes[lane]);
      const Unpacked y = decode(config_.b.element, b.codes[lane]);
      pair_.hit(a_classes_.index(x) * SourceClasses::kCount + b_classes_.index(y));
      sample_bits(a_bit_, config_.a.element, lane, a.codes[lane]);
      sample_bits(b_bit_, config_.b.element, lane, b.codes[lane]);
      products_.push_back(multiply(x, y));
      if (!config_.a.scale) continue;
      const std::size_t j = lane / static_cast<std::size_t>(config_.a.scale->block_size);
      const ScaleFormat& scale = config_.a.scale->format;
      products_.back() = multiply(products_.back(),
                                  multiply(decode(scale, a.scales[j]), decode(scale, b.scales[j])));
    }
    addend_.hit(c_classes_.index(c));
    sample_places(c);
  }
  static void sample_bits(Coverpoint& point, const ElementFormat& format, std::size_t lane,
                          std::uint64_t code) {
    const auto width = static_cast<std::size_t>(format.bits);
    const std::size_t first = std::min(lane, kLanesApart) * width;
    for (std::size_t bit = 0; bit < width; ++bit) point.hit(2 * (first + bit) + (code >> bit & 1));
  }

  /// Of records whose products are all numbers or zeros.
  void sample_places(const Unpacked& c) {
    const Unpacked* most = nullptr;
    bool is_alone = false;
    std::size_t count = 0, lane = 0;
    int least = 0;
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const Unpacked& product = products_[i];
      if (product.cls == ValueClass::kZero) continue;
      if (!is_number(product)) return;
      const int order = most == nullptr ? 1 : compare_magnitude(product, *most);
      least = count++ == 0 ? product.exponent : std::min(least, product.exponent);
      is_alone = order > 0 || (order < 0 && is_alone);
      if (order <= 0) continue;
      most = &product;
      lane = i;
    }
    if (most != nullptr && is_alone) largest_.hit(std::min(lane, kLanesApart));
    spread_.hit(count < 2 ? kNone : spread_of(most->exponent - least));
    if (c.cls == ValueClass::kZero) return carry_.hit(kZeroCarry);
    if (!is_number(c)) return;
    carry_.hit(most == nullptr ? kAlone : carry_of(c.exponent - most->exponent));
  }
  [[nodiscard]] std::size_t spread_of(int binades) const {
    return binades < 2             ? kLevel
           : binades < window_ - 1 ? kInside
           : binades <= window_    ? kLast
                                   : kBelow;
  }
  [[nodiscard]] std::size_t carry_of(int above) const {
    return above >= window_   ? kFarAbove
           : above > 1        ? kAbove
           : above >= -1      ? kNear
           : above > -window_ ? kUnder
                              : kFarUnder;
  }

  void sample_result(const Unpacked& x) {
    const std::size_t sign = x.negative ? kOutcomes.size() : 0;
    switch (x.cls) {
      case ValueClass::kNan:
        return result_.hit(2 * kOutcomes.size());
      case ValueClass::kInf:
        return result_.hit(sign + kInfinity);
      case ValueClass::kZero:
        return result_.hit(sign + kZeroSum);
      case ValueClass::kFinite:
        break;
    }
    result_.hit(sign + (x.exponent < config_.result.emin() ? kSubnormal : kNormal));
  }

  /// Whether a result is the exact sum, the nearest number to it, or lost more.
  void sample_exactness(const Unpacked& c, std::uint64_t result) {
    const bool is_sum = std::ranges::all_of(products_, [](const Unpacked& each) {
      return is_number(each) || each.cls == ValueClass::kZero;
    });
    if (!is_sum || !(is_number(c) || c.cls == ValueClass::kZero)) return;
    ElementPolicy nearest;
    nearest.overflow = Overflow::kNoneInfOrNan;
    const Encoded once = encode(sum_(products_, c), config_.result, nearest, 0);
    if (once.code != result) return exact_.hit(2);
    exact_.hit((once.flags & kFlagInexact) != 0 ? 1 : 0);
  }

  UnitConfig config_;
  std::size_t lanes_;
  SourceClasses a_classes_, b_classes_, c_classes_;
  Sum sum_;
  int window_;
  std::vector<Unpacked> products_;
  std::vector<UnitDot> rivals_;
  Coverpoint pair_{"a_x_b", "sign and kind of the two elements of a product"};
  Coverpoint a_scale_{"a_scale", "every scale code of A"};
  Coverpoint b_scale_{"b_scale", "every scale code of B"};
  Coverpoint a_bit_{"a_bit", "each bit of each lane of A, set and clear"};
  Coverpoint b_bit_{"b_bit", "each bit of each lane of B, set and clear"};
  Coverpoint length_{"length", "elements of each side"};
  Coverpoint largest_{"largest_lane", "the lane whose product alone is the largest"};
  Coverpoint spread_{"spread",
                     "binades from the largest product to the smallest, in the aligned window"};
  Coverpoint addend_{"addend", "sign and kind of C"};
  Coverpoint carry_{"carry_place", "C next to the largest product"};
  Coverpoint result_{"result", "sign and kind of D"};
  Coverpoint exact_{"exactness", "D is the exact sum, the nearest number to it, or neither"};
  Coverpoint rival_{"tells_from", "another unit gives a D that differs"};
};

}  // namespace

std::unique_ptr<Collector> make_unit_collector(const UnitCase& what, std::size_t lanes,
                                               Lengths lengths) {
  return std::make_unique<UnitCollector>(what, lanes, lengths);
}

}  // namespace mx::golden
