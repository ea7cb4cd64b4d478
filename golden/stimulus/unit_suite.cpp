// Operands of matrix units: terms about the last place that an aligned sum keeps, C far above and
// far below the products, sums that cancel, both ends of what operands and results hold, ties,
// specials.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/points/product_kit.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

/// In `near` and `uniform`, codes lie near 1.0 or anywhere; `spread` has the ends of the ranges;
/// `special` zeros, infinities and NaN among numbers; `single` one product; `zero` none; `corners`
/// every pair of elements of interest; `cancel` neighbours that cancel but for a few ulp; `window`
/// one large product and others about the last place kept below it; `carry` C that far away; `low`
/// and `high` sums at the ends of the result, `low` with zeros among them; `bits` a few powers of
/// two about a last place; `lengths` every length; `scales` every scale, and pairs of them.
constexpr std::array<std::string_view, 14> kClasses{
    "near",   "uniform", "spread", "special", "single", "zero", "corners",
    "cancel", "window",  "carry",  "low",     "high",   "bits", "lengths"};
enum Class : std::size_t {
  kNear,
  kUniform,
  kSpread,
  kSpecial,
  kSingle,
  kZero,
  kCorners,
  kCancel,
  kWindow,
  kCarry,
  kLow,
  kHigh,
  kBits,
  kLengths,
  kScales
};
/// Units that take scales have one class more.
constexpr std::array<std::string_view, 15> kScaledClasses = [] {
  std::array<std::string_view, 15> names{};
  std::ranges::copy(kClasses, names.begin());
  names[kScales] = "scales";
  return names;
}();
/// Turns of each class.
constexpr std::uint64_t kSmokeTurns = 100;
constexpr std::uint64_t kDirectedTurns = 1000;
/// Bits below the largest term about which terms lie where a unit has no window: what a sum in
/// binary32 keeps.
constexpr int kUsualWindow = 24;

class UnitSuite final : public Suite {
 public:
  UnitSuite(const UnitCase& what, const SuiteOptions& options)
      : config_(what.on),
        kit_(config_),
        c_(config_.result),
        a_corners_(kit_.a().corners()),
        b_corners_(kit_.b().corners()),
        a_ends_(kit_.a().number_corners()),
        b_ends_(kit_.b().number_corners()),
        names_(config_.a.scale ? std::span<const std::string_view>(kScaledClasses) : kClasses),
        seed_(options.seed),
        tag_(suite_tag(fmt::format("mma.{}.{}-{}", config_.unit.name, config_.a.element.name,
                                   config_.b.element.name))) {
    if (kit_.has_scales()) scale_corners_ = kit_.scale().corners();
    const auto lanes = static_cast<std::uint64_t>(options.lanes);
    const std::uint64_t turns = options.kind == SuiteKind::kSmoke
                                    ? kSmokeTurns
                                    : std::max(kDirectedTurns, std::min(lanes, kWalkedLanes));
    const bool is_drawn = options.kind != SuiteKind::kSmoke && options.kind != SuiteKind::kDirected;
    size_ = is_drawn ? options.drawn : turns * names_.size();
    classes_ = taking_turns(names_, size_);
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    Draw draw(seed_, tag_, i);
    const std::size_t kind = i % names_.size();
    const std::uint64_t turn = i / names_.size();
    std::size_t n = batch.lanes(Field::kA);
    if (batch.has(Field::kElements)) {
      n = length(draw, kind, turn, n);
      batch.word(Field::kElements, at) = n;
    }
    const ProductCodes x{part(batch, Field::kAScale, at, blocks(n)),
                         part(batch, Field::kBScale, at, blocks(n)), part(batch, Field::kA, at, n),
                         part(batch, Field::kB, at, n)};
    for (std::size_t j = 0; j < x.a_scales.size(); ++j) {
      x.a_scales[j] = scale(draw, kind);
      x.b_scales[j] = scale(draw, kind);
    }
    for (std::size_t lane = 0; lane < n; ++lane) {
      x.a[lane] = code(draw, kind, kit_.a());
      x.b[lane] = code(draw, kind, kit_.b());
    }
    // Overflows of both signs make a NaN of nearly every sum of wide formats.
    if (draw.small(4) != 0) kit_.tame(draw, x, config_.result);
    std::uint64_t& c = batch.word(Field::kC, at);
    c = addend(draw, kind, x);
    shape(draw, kind, turn, x, c);
  }

 private:
  static constexpr std::uint64_t kWalkedLanes = 1025;

  /// The first words of a field; the others become 0.
  static std::span<std::uint64_t> part(RecordBatch& batch, Field field, std::size_t at,
                                       std::size_t n) {
    const auto all = batch.of(field, at);
    const std::size_t used = std::min(n, all.size());
    std::ranges::fill(all.subspan(used), 0);
    return all.first(used);
  }
  [[nodiscard]] std::size_t blocks(std::size_t n) const {
    return config_.a.scale ? blocks_in(*config_.a.scale, n) : 0;
  }
  /// Whole groups where the unit sums nothing else.
  [[nodiscard]] std::size_t length(Draw& draw, std::size_t kind, std::uint64_t turn,
                                   std::size_t lanes) const {
    const std::size_t group = UnitDot::whole_group(config_.unit);
    const std::size_t most = lanes / group;
    if (kind == kLengths) return group * (1 + turn % most);
    const bool walks = kind == kScales || kind == kCorners;
    if (walks || most == 1 || draw.small(8) != 0) return lanes;
    return group * (1 + draw.below(most - 1));
  }

  /// Around 1.0, or anywhere.
  std::uint64_t scale(Draw& draw, std::size_t kind) const {
    if (kind == kUniform || (kind == kSpecial && draw.small(4) == 0)) return kit_.scale().any(draw);
    const int reach = kind == kSpread || kind == kCancel || kind == kLengths ? 40 : 4;
    const auto away = static_cast<int>(draw.small(static_cast<std::uint32_t>(2 * reach + 1)));
    return kit_.scale().in_binade(draw, away - reach);
  }

  /// One NaN or infinity hides all other products, so few codes are one.
  static std::uint64_t code(Draw& draw, std::size_t kind, const OperandKit& kit) {
    switch (kind) {
      case kNear:
        return kit.middle(draw);
      case kUniform:
        return draw.small(32) == 0 ? kit.any(draw) : kit.number(draw);
      case kSpecial:
        return draw.small(32) == 0 ? kit.special(draw) : kit.number(draw);
      case kSpread:
        return draw.small(2) == 0 ? kit.extreme(draw) : kit.number(draw);
      default:
        return kit.number(draw);
    }
  }

  void shape(Draw& draw, std::size_t kind, std::uint64_t turn, const ProductCodes& x,
             std::uint64_t& c) const {
    switch (kind) {
      case kSingle:
        return alone(draw, turn, x);
      case kZero:
        return empty(draw, x);
      case kCorners:
        return turn % 4 == 0 ? walk_corners(turn / 4, x, a_corners_, b_corners_)
                             : walk_corners(turn, x, a_ends_, b_ends_);
      case kCancel:
        return cancel(draw, x);
      case kWindow:
        return spread_about(draw, x, c);
      case kCarry:
        return carry(draw, x, c);
      case kLow:
      case kHigh:
        return aim(draw, kind, x, c);
      case kBits:
        return build(draw, x, c);
      case kScales:
        return walk_scales(draw, turn, x);
      default:
        return;
    }
  }

  static void walk_corners(std::uint64_t turn, const ProductCodes& x,
                           std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
    for (std::size_t lane = 0; lane < x.size(); ++lane) {
      const std::uint64_t pair = turn * x.size() + lane;
      x.a[lane] = a[pair % a.size()];
      x.b[lane] = b[pair / a.size() % b.size()];
    }
  }

  void alone(Draw& draw, std::uint64_t turn, const ProductCodes& x) const {
    const std::size_t one = turn % x.size();
    for (std::size_t lane = 0; lane < x.size(); ++lane) {
      if (lane != one) ProductKit::clear(draw, x, lane);
    }
    if (draw.small(2) == 0) return;
    x.a[one] = a_corners_[draw.below(a_corners_.size())];
    x.b[one] = b_corners_[draw.below(b_corners_.size())];
  }

  /// Zeros of any sign, every fourth time -0 alone.
  void empty(Draw& draw, const ProductCodes& x) const {
    const bool is_minus = draw.small(4) == 0;
    for (std::size_t lane = 0; lane < x.size(); ++lane) {
      if (!is_minus) {
        ProductKit::clear(draw, x, lane);
        continue;
      }
      x.a[lane] = 0;
      const Unpacked other = decode(config_.b.element, x.b[lane]);
      if (!other.negative) x.b[lane] = kit_.b().negated(other);
    }
  }

  void cancel(Draw& draw, const ProductCodes& x) const {
    for (std::size_t lane = 1; lane < x.size(); lane += 2) {
      x.a[lane] = kit_.a().opposite(draw, x.a[lane - 1]);
      x.b[lane] = x.b[lane - 1];
    }
    ProductKit::level_scales(x);
  }
  [[nodiscard]] int window() const {
    return config_.unit.fraction_bits != 0 ? config_.unit.fraction_bits : kUsualWindow;
  }
  /// So far below the largest term that its last places may be lost.
  [[nodiscard]] int below(Draw& draw) const {
    const int bits = window();
    if (draw.small(4) == 0) return static_cast<int>(draw.below(static_cast<std::uint64_t>(bits)));
    return bits - 4 + static_cast<int>(draw.small(8));
  }
  /// One large product in any lane, one or all others and C about the last place kept below it;
  /// zeros, too.
  void spread_about(Draw& draw, const ProductCodes& x, std::uint64_t& c) const {
    ProductKit::level_scales(x);
    const auto lane_of_largest = static_cast<std::size_t>(draw.below(x.size()));
    const int lower = below(draw);
    if (x.a_scales.size() > 1 && draw.small(2) == 0) kit_.part_blocks(x, lane_of_largest, lower);
    const int top = kit_.any_exponent(draw) + kit_.scaled_by(x, lane_of_largest);
    const bool is_pair = x.size() > 1 && draw.small(4) == 0;
    for (std::size_t lane = 0; lane < x.size(); ++lane) {
      if (lane == lane_of_largest) {
        kit_.put(draw, x, lane, top);
      } else if (is_pair || draw.small(4) == 0) {
        ProductKit::clear(draw, x, lane);
      } else {
        kit_.put(draw, x, lane, top - below(draw));
      }
    }
    if (is_pair) {
      const std::size_t away = 1 + draw.below(x.size() - 1);
      kit_.put(draw, x, (lane_of_largest + away) % x.size(), top - lower);
    }
    const std::uint32_t choice = draw.small(4);
    if (choice == 0) c = 0;
    if (choice == 1) c = c_.in_binade(draw, top - below(draw));
    if (choice == 2) c = c_.in_binade(draw, top + 1 - static_cast<int>(draw.small(3)));
  }

  /// C far above or far below products near each other.
  void carry(Draw& draw, const ProductCodes& x, std::uint64_t& c) const {
    ProductKit::level_scales(x);
    const int element = kit_.any_exponent(draw);
    const int top = element + kit_.scaled_by(x, 0);
    for (std::size_t lane = 0; lane < x.size(); ++lane) {
      kit_.put(draw, x, lane, top - static_cast<int>(draw.small(3)));
    }
    const int away = below(draw);
    c = c_.in_binade(draw, draw.small(2) == 0 ? top + away : top - away);
  }

  /// Sums at an end of the result's range: single ones, many, and ones that cancel.
  void aim(Draw& draw, std::size_t kind, const ProductCodes& x, std::uint64_t& c) const {
    const ElementFormat& f = config_.result;
    const int low = f.emin() - f.man_bits;
    const int target = kind == kHigh ? f.emax() - 5 + static_cast<int>(draw.small(8))
                                     : low - 3 +
                                           static_cast<int>(draw.small(static_cast<std::uint32_t>(
                                               draw.small(2) == 0 ? 6 : f.man_bits + 8)));
    for (std::size_t j = 0; j < x.a_scales.size(); ++j) kit_.set_scales(draw, target, x, j);
    const std::uint32_t pattern = draw.small(4);
    const std::size_t kept = pattern == 0 ? 1 + draw.small(4) : x.size();
    for (std::size_t lane = 0; lane < x.size(); ++lane) {
      const int lower = draw.small(4) == 0 ? static_cast<int>(draw.small(8)) : 0;
      if (lane >= kept || (kind == kLow && draw.small(16) == 0)) {
        ProductKit::clear(draw, x, lane);
      } else {
        kit_.put(draw, x, lane, target - lower);
      }
      if (pattern == 1 && lane % 2 == 1) {
        x.a[lane] = kit_.a().opposite(draw, x.a[lane - 1]);
        x.b[lane] = x.b[lane - 1];
      }
    }
    if (draw.small(2) == 0) c = c_.in_binade(draw, target - static_cast<int>(draw.small(3)));
  }
  /// Powers of two of one sign, a product each, or C: a leading one, the last place of the result,
  /// the bit below it, one of those below that; zeros elsewhere.
  void build(Draw& draw, const ProductCodes& x, std::uint64_t& c) const {
    const ElementFormat& f = config_.result;
    ProductKit::level_scales(x);
    std::ranges::fill(x.a, 0);
    std::ranges::fill(x.b, 0);
    c = 0;
    const bool is_negative = draw.small(2) != 0;
    const int lead = kit_.any_exponent(draw) + kit_.scaled_by(x, 0);
    const int place = std::max(lead - f.man_bits, f.emin() - f.man_bits);
    const int rest = place - 2 - static_cast<int>(draw.small(draw.small(2) == 0 ? 3 : 40));
    const std::uint32_t pattern = 1 + draw.small(15);
    const std::array<int, 4> bits{lead, place, place - 1, rest};
    const bool has_carry = draw.small(2) == 0;
    for (std::size_t k = 0; k < bits.size(); ++k) {
      if ((pattern >> k & 1) == 0) continue;
      if (has_carry && k == 0) {
        c = is_negative ? c_.negated(unpack_integer(false, 1, lead)) : c_.power(lead);
      } else {
        kit_.put_power(draw, x, draw.below(x.size()), bits[k], is_negative);
      }
    }
  }

  /// Pairs of scales of interest, and every other time every code of a scale.
  void walk_scales(Draw& draw, std::uint64_t turn, const ProductCodes& x) const {
    const std::uint64_t codes = kit_.scale().format().code_mask() + 1;
    for (std::size_t j = 0; j < x.a_scales.size(); ++j) {
      const std::uint64_t step = turn / 2 * x.a_scales.size() + j;
      if (turn % 2 == 0) {
        x.a_scales[j] = step % codes;
        x.b_scales[j] = (step + step / codes * 37 + draw.small(2)) % codes;
        continue;
      }
      const std::size_t n = scale_corners_.size();
      x.a_scales[j] = scale_corners_[step % n];
      x.b_scales[j] = scale_corners_[step / n % n];
    }
  }

  /// C: none, of interest, near 1.0, near the first product, or what takes it away.
  std::uint64_t addend(Draw& draw, std::size_t kind, const ProductCodes& x) const {
    const std::uint32_t choice = draw.small(16);
    if (choice < 3) return choice == 0 ? c_.format().sign_bit() : 0;
    if (kind == kUniform) return c_.any(draw);
    if (choice < 5) return c_.special(draw);
    if (choice < 8) return c_.middle(draw);
    const Unpacked product = kit_.product(x, 0);
    if (product.cls != ValueClass::kFinite) return c_.number(draw);
    if (choice < 11 && !kit_.has_scales()) return c_.negated(product);
    const int reach = choice < 13 ? 2 : window() + 4;
    const auto away = static_cast<int>(draw.small(static_cast<std::uint32_t>(2 * reach + 1)));
    return c_.in_binade(draw, product.exponent + kit_.scaled_by(x, 0) + away - reach);
  }

  UnitConfig config_;
  ProductKit kit_;
  OperandKit c_;
  std::vector<std::uint64_t> a_corners_, b_corners_;
  std::vector<std::uint64_t> a_ends_, b_ends_;  ///< the corners that are numbers
  std::vector<std::uint64_t> scale_corners_;
  std::span<const std::string_view> names_;
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t size_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_unit_suite(const UnitCase& what, const SuiteOptions& options) {
  return std::make_unique<const UnitSuite>(what, options);
}

}  // namespace mx::golden
