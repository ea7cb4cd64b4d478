// Operands of dot products: cancellation inside and across blocks, scales near each other and far
// apart, one product alone, specials in codes and scales.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/points/operand_kit.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

/// In `near` and `uniform`, codes and scales lie near 1.0 or anywhere; in `cancel`, neighbours
/// cancel but for a few ulp; `spread` has the ends of the ranges; `special` zeros, infinities and
/// NaN among numbers; `single` one product; `zero` none; `corners` every pair of elements of
/// interest; `scales` every scale, and pairs of them; `aimed` sums at the ends of the formats that
/// they are rounded to; `grown` sums far above their terms; `leftover` two products that cancel and
/// a third; `lengths` every length; `bits` sums of a few powers of two around a last place.
constexpr std::array<std::string_view, 14> kClasses{
    "near",    "uniform", "cancel", "spread", "special",  "single",  "zero",
    "corners", "scales",  "aimed",  "grown",  "leftover", "lengths", "bits"};
enum Class : std::size_t {
  kNear,
  kUniform,
  kCancel,
  kSpread,
  kSpecial,
  kSingle,
  kZero,
  kCorners,
  kScales,
  kAimed,
  kGrown,
  kLeftover,
  kLengths,
  kBits
};
/// Turns of each class.
constexpr std::uint64_t kSmokeTurns = 100;
constexpr std::uint64_t kDirectedTurns = 1000;

/// The codes and scales of one side.
struct Side {
  std::span<std::uint64_t> scales;
  std::span<std::uint64_t> codes;
};

class DotSuite final : public Suite {
 public:
  DotSuite(const DotCase& what, const SuiteOptions& options)
      : what_(what),
        a_(what.dot.a.element),
        b_(what.dot.b.element),
        c_(what.dot.addend),
        a_scale_(what.dot.a.scale),
        b_scale_(what.dot.b.scale),
        a_corners_(a_.corners()),
        b_corners_(b_.corners()),
        a_ends_(a_.number_corners()),
        b_ends_(b_.number_corners()),
        a_scale_corners_(a_scale_.corners()),
        b_scale_corners_(b_scale_.corners()),
        targets_(targets_of(what.dot)),
        seed_(options.seed),
        tag_(suite_tag(fmt::format("dot.{}-{}", what.dot.a.name, what.dot.b.name))) {
    const auto lanes = static_cast<std::uint64_t>(options.lanes);
    size_ = options.kind == SuiteKind::kSmoke ? kSmokeTurns * kClasses.size()
            : options.kind == SuiteKind::kDirected
                ? std::max(kDirectedTurns, std::min(lanes, kWalkedLanes)) * kClasses.size()
                : options.drawn;
    classes_ = taking_turns(kClasses, size_);
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    Draw draw(seed_, tag_, i);
    const std::size_t kind = i % kClasses.size();
    const std::uint64_t turn = i / kClasses.size();
    std::size_t n = batch.lanes(Field::kA);
    if (batch.has(Field::kElements)) {
      const auto all = static_cast<std::uint32_t>(n);
      if (kind == kLengths) {
        n = 1 + turn % all;
      } else if (kind != kScales && kind != kCorners && all > 1 && draw.small(8) == 0) {
        n = 1 + draw.small(all - 1);
      }
      batch.word(Field::kElements, at) = n;
    }
    const Side a = side(batch, Field::kAScale, Field::kA, at, n, what_.dot.a);
    const Side b = side(batch, Field::kBScale, Field::kB, at, n, what_.dot.b);
    fill_scales(draw, kind, what_.dot.a, a.scales);
    fill_scales(draw, kind, what_.dot.b, b.scales);
    for (std::size_t lane = 0; lane < n; ++lane) {
      a.codes[lane] = code(draw, kind, a_, has_specials(a_ends_, a_corners_));
      b.codes[lane] = code(draw, kind, b_, has_specials(b_ends_, b_corners_));
    }
    shape(draw, kind, turn, a, b);
    if (what_.addend == Addend::kPresent) batch.word(Field::kC, at) = addend(draw, kind, a, b);
  }

 private:
  static constexpr std::uint64_t kWalkedLanes = 1025;

  /// Are some of a format's corners no numbers?
  static bool has_specials(const std::vector<std::uint64_t>& numbers,
                           const std::vector<std::uint64_t>& corners) {
    return numbers.size() < corners.size();
  }

  static Side side(RecordBatch& batch, Field scale, Field codes, std::size_t at, std::size_t n,
                   const BlockFormat& format) {
    const auto scales = batch.of(scale, at);
    const auto all = batch.of(codes, at);
    const std::size_t blocks = blocks_in(format, n);
    std::ranges::fill(scales.subspan(blocks), 0);
    std::ranges::fill(all.subspan(n), 0);
    return {scales.first(blocks), all.first(n)};
  }

  /// Formats that sums are rounded to.
  static std::vector<ElementFormat> targets_of(const DotConfig& dot) {
    std::vector<ElementFormat> formats{dot.result};
    if (dot.mode == DotMode::kAccumulator) {
      formats.push_back(dot.accumulator.format);
    } else if (dot.mode != DotMode::kExactOnce) {
      formats.push_back(formats::fp32);
    }
    return formats;
  }

  /// Scale codes around 1.0, or anywhere; the bits of sublevels are any.
  static void fill_scales(Draw& draw, std::size_t kind, const BlockFormat& format,
                          std::span<std::uint64_t> scales) {
    const SourceGrid grid(format.scale);
    const std::uint64_t one = grid.floor(unpack_integer(false, 1, 0));
    const std::uint64_t reach =
        kind == kSpread || kind == kCancel || kind == kLeftover || kind == kLengths ? 40 : 4;
    for (std::uint64_t& scale : scales) {
      const std::uint64_t levels = draw.word64() & levels_mask(format);
      std::uint64_t code = draw.word64() & format.scale.code_mask();
      if (kind != kUniform && !(kind == kSpecial && draw.small(4) == 0)) {
        const std::uint64_t low = one - std::min(one, reach);
        code = grid.code(false, draw.between(low, std::min(one + reach, grid.max())));
      }
      scale = code | levels;
    }
  }
  static std::uint64_t levels_mask(const BlockFormat& format) {
    const int bits = format.scale_bits();
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    return mask & ~format.scale.code_mask();
  }

  /// One NaN or infinity hides all other products, so few records have one.
  static std::uint64_t code(Draw& draw, std::size_t kind, const OperandKit& kit, bool has_others) {
    switch (kind) {
      case kNear:
        return kit.middle(draw);
      case kUniform:
        return has_others && draw.small(32) != 0 ? kit.number(draw) : kit.any(draw);
      case kSpecial:
        return draw.small(32) == 0 ? kit.special(draw) : kit.number(draw);
      case kSpread:
        return draw.small(2) == 0 ? kit.extreme(draw) : kit.number(draw);
      default:
        return kit.number(draw);
    }
  }

  void shape(Draw& draw, std::size_t kind, std::uint64_t turn, const Side& a, const Side& b) const {
    switch (kind) {
      case kCancel:
        cancel(draw, a, b);
        break;
      case kSingle:
        alone(draw, turn, a, b);
        break;
      case kZero:
        empty(draw, a, b);
        break;
      case kCorners:
        if (turn % 4 == 0 &&
            (has_specials(a_ends_, a_corners_) || has_specials(b_ends_, b_corners_))) {
          walk_corners(turn / 4, a, b, a_corners_, b_corners_);
        } else {
          walk_corners(turn, a, b, a_ends_, b_ends_);
        }
        break;
      case kScales:
        walk_scales(draw, turn, a, b);
        break;
      case kAimed:
        aim(draw, a, b);
        break;
      case kGrown:
        grow(draw, a, b);
        break;
      case kLeftover:
        leave(draw, turn, a, b);
        break;
      case kBits:
        build(draw, a, b);
        break;
      default:
        break;
    }
  }

  /// A pair of elements of interest in each lane, going on from record to record.
  static void walk_corners(std::uint64_t turn, const Side& a, const Side& b,
                           std::span<const std::uint64_t> of_a,
                           std::span<const std::uint64_t> of_b) {
    for (std::size_t lane = 0; lane < a.codes.size(); ++lane) {
      const std::uint64_t pair = turn * a.codes.size() + lane;
      a.codes[lane] = of_a[pair % of_a.size()];
      b.codes[lane] = of_b[pair / of_a.size() % of_b.size()];
    }
  }

  /// A lane's product becomes a zero.
  static void clear(Draw& draw, const Side& a, const Side& b, std::size_t lane) {
    (draw.small(2) == 0 ? a : b).codes[lane] = 0;
  }

  /// Zeros of any sign, every fourth time -0 alone.
  void empty(Draw& draw, const Side& a, const Side& b) const {
    const bool is_minus = draw.small(4) == 0;
    for (std::size_t lane = 0; lane < a.codes.size(); ++lane) {
      if (!is_minus) {
        clear(draw, a, b, lane);
        continue;
      }
      a.codes[lane] = 0;
      const Unpacked other = decode(what_.dot.b.element, b.codes[lane]);
      if (!other.negative) b.codes[lane] = b_.negated(other);
    }
  }

  /// Neighbours cancel, but for a few ulp.
  void cancel(Draw& draw, const Side& a, const Side& b) const {
    for (std::size_t lane = 1; lane < a.codes.size(); lane += 2) {
      a.codes[lane] = a_.opposite(draw, a.codes[lane - 1]);
      b.codes[lane] = b.codes[lane - 1];
    }
    for (std::uint64_t& scale : a.scales) scale = a.scales[0];
    for (std::uint64_t& scale : b.scales) scale = b.scales[0];
  }

  /// One product, in each lane in turn; every other time of codes of interest.
  void alone(Draw& draw, std::uint64_t turn, const Side& a, const Side& b) const {
    const std::size_t one = turn % a.codes.size();
    for (std::size_t lane = 0; lane < a.codes.size(); ++lane) {
      if (lane != one) clear(draw, a, b, lane);
    }
    if (draw.small(2) == 0) return;
    a.codes[one] = a_corners_[draw.below(a_corners_.size())];
    b.codes[one] = b_corners_[draw.below(b_corners_.size())];
  }

  /// Pairs of scales of interest, and every other time every code of at most 10 bits.
  void walk_scales(Draw& draw, std::uint64_t turn, const Side& a, const Side& b) const {
    constexpr std::uint64_t kCodes = 1024;
    const bool has_codes = std::max(what_.dot.a.scale.bits, what_.dot.b.scale.bits) <= 10;
    for (std::size_t j = 0; j < a.scales.size(); ++j) {
      const std::uint64_t step = (has_codes ? turn / 2 : turn) * a.scales.size() + j;
      if (has_codes && turn % 2 == 0) {
        a.scales[j] = step % kCodes & what_.dot.a.scale.code_mask();
        b.scales[j] =
            (step + step / kCodes * 37 + draw.small(2)) % kCodes & what_.dot.b.scale.code_mask();
        continue;
      }
      const std::size_t n = a_scale_corners_.size();
      a.scales[j] = a_scale_corners_[step % n];
      b.scales[j] = b_scale_corners_[step / n % b_scale_corners_.size()];
    }
  }

  /// Scales that bring products to the ends of a format that sums are rounded to.
  void aim(Draw& draw, const Side& a, const Side& b) const {
    const ElementFormat& f = targets_[draw.below(targets_.size())];
    const std::uint32_t few = draw.small(3);
    if (few == 1) {
      const std::size_t kept = 1 + draw.small(4);
      for (std::size_t lane = kept; lane < a.codes.size(); ++lane) clear(draw, a, b, lane);
    }
    if (few == 2) {
      for (std::size_t lane = 1; lane < a.codes.size(); lane += 2) {
        if (draw.small(4) != 0) a.codes[lane] = a_.opposite(draw, a.codes[lane - 1]);
        b.codes[lane] = b.codes[lane - 1];
      }
    }
    const int low = f.is_fixed() ? -f.frac_bits : f.emin() - f.man_bits;
    const int height = f.is_fixed() ? 6 : f.man_bits + 6;
    const int target =
        draw.small(3) == 0
            ? f.emax() - 5 + static_cast<int>(draw.small(8))
            : low - 3 + static_cast<int>(draw.small(static_cast<std::uint32_t>(height)));
    const Unpacked product =
        multiply(decode(what_.dot.a.element, a.codes[0]), decode(what_.dot.b.element, b.codes[0]));
    const int element = product.cls == ValueClass::kFinite ? product.exponent : 0;
    for (std::size_t j = 0; j < a.scales.size(); ++j) {
      const int lower = draw.small(3) == 0 ? static_cast<int>(draw.small(32)) : 0;
      set_scales(draw, target - element - lower, a.scales[j], b.scales[j]);
    }
  }

  using Bits = std::vector<int>;
  /// Some of: a leading one, the last place of a format, the bit below it, one of those below that;
  /// among the subnormals or above. Descending.
  static Bits bits_at(Draw& draw, const ElementFormat& f) {
    const bool is_low = f.is_fixed() || draw.small(2) == 0;
    const int stored = f.is_fixed() ? f.emax() + f.frac_bits : f.man_bits;
    const int lowest = f.is_fixed() ? -f.frac_bits : f.emin() - f.man_bits;
    const auto normals = static_cast<std::uint64_t>(std::max(1, f.emax() - f.emin() + 1));
    const int place = is_low ? lowest : lowest + static_cast<int>(draw.below(normals));
    const int above = is_low && stored > 1
                          ? 1 + static_cast<int>(draw.below(static_cast<std::uint64_t>(stored)))
                          : stored;
    const int below = 2 + static_cast<int>(draw.small(draw.small(2) == 0 ? 3 : 40));
    const std::uint32_t pattern = draw.small(16) | (is_low ? 0U : 1U);
    Bits bits;
    if ((pattern & 1) != 0 && above > 0) bits.push_back(place + above);
    if ((pattern & 2) != 0) bits.push_back(place);
    if ((pattern & 4) != 0) bits.push_back(place - 1);
    if ((pattern & 8) != 0) bits.push_back(place - below);
    return bits;
  }

  /// Powers of two of one sign, a product each; zeros elsewhere.
  void build(Draw& draw, const Side& a, const Side& b) const {
    const ElementFormat& f = targets_[draw.below(targets_.size())];
    for (std::size_t lane = 0; lane < a.codes.size(); ++lane) a.codes[lane] = b.codes[lane] = 0;
    for (std::size_t j = 0; j < a.scales.size(); ++j) {
      a.scales[j] &= what_.dot.a.scale.code_mask();
      b.scales[j] &= what_.dot.b.scale.code_mask();
    }
    const Bits bits = bits_at(draw, f);
    const bool is_negative = draw.small(2) != 0;
    std::size_t lane = 0;
    for (const int bit : bits) {
      if (lane < a.codes.size()) lane = put_power(draw, bit, is_negative, lane, a, b);
    }
  }

  /// 2^exponent as the product of a lane from `first` on, whose block's scales are chosen where it
  /// is the first of its block or cannot be made; the lane behind it.
  std::size_t put_power(Draw& draw, int exponent, bool is_negative, std::size_t first,
                        const Side& a, const Side& b) const {
    const std::size_t k = block_of(a);
    const auto scale_exponent = [&](std::size_t j) {
      return decode(what_.dot.a.scale, a.scales[j]).exponent +
             decode(what_.dot.b.scale, b.scales[j]).exponent;
    };
    const int most = a_powers_.highest + b_powers_.highest;
    const int least = a_powers_.lowest + b_powers_.lowest;
    std::size_t lane = first;
    const auto reaches = [&](std::size_t j) {
      const int rest = exponent - scale_exponent(j);
      return rest >= least && rest <= most;
    };
    if (lane != 0 && lane % k != 0 && !reaches(lane / k)) lane = (lane / k + 1) * k;
    if (lane >= a.codes.size()) return lane;
    const std::size_t j = lane / k;
    if (lane % k == 0) {
      const auto room = static_cast<std::uint32_t>(std::min(most - least, 3) + 1);
      set_powers(exponent - most + static_cast<int>(draw.small(room)), a.scales[j], b.scales[j]);
    }
    const int rest = exponent - scale_exponent(j);
    if (rest < least || rest > most) return lane;
    const int low = std::max(a_powers_.lowest, rest - b_powers_.highest);
    const int high = std::min(a_powers_.highest, rest - b_powers_.lowest);
    const int ours = low + static_cast<int>(draw.below(static_cast<std::uint64_t>(high - low) + 1));
    a.codes[lane] = a_.power(ours);
    b.codes[lane] = b_.power(rest - ours);
    if (is_negative) a.codes[lane] = a_.negated(unpack_integer(false, 1, ours));
    return lane + 1;
  }

  /// Powers of two as scales, whose exponents add up to `sum` or come near to it.
  void set_powers(int sum, std::uint64_t& a, std::uint64_t& b) const {
    const int first = std::clamp(sum / 2, a_binades_.lowest, a_binades_.highest);
    const int ours = std::clamp(
        first, std::clamp(sum - b_binades_.highest, a_binades_.lowest, a_binades_.highest),
        std::clamp(sum - b_binades_.lowest, a_binades_.lowest, a_binades_.highest));
    a = a_scale_.power(ours);
    b = b_scale_.power(std::clamp(sum - ours, b_binades_.lowest, b_binades_.highest));
  }

  [[nodiscard]] std::size_t block_of(const Side& side) const {
    return what_.dot.a.extent == BlockExtent::kElements
               ? static_cast<std::size_t>(what_.dot.a.elements())
               : side.codes.size();
  }

  /// Scales whose exponents add up to `sum`, or come near to it.
  void set_scales(Draw& draw, int sum, std::uint64_t& a, std::uint64_t& b) const {
    const int low = std::clamp(sum - b_binades_.highest, a_binades_.lowest, a_binades_.highest);
    const int high = std::clamp(sum - b_binades_.lowest, low, a_binades_.highest);
    const int first =
        low + static_cast<int>(draw.below(static_cast<std::uint64_t>(high - low) + 1));
    a = a_scale_.in_binade(draw, first) | (a & levels_mask(what_.dot.a));
    b = b_scale_.in_binade(draw, sum - first) | (b & levels_mask(what_.dot.b));
  }

  /// Products of one sign: equal ones in some lanes, or large ones in all.
  void grow(Draw& draw, const Side& a, const Side& b) const {
    const bool is_equal = draw.small(2) == 0;
    const std::size_t kept = 1 + draw.below(a.codes.size());
    const bool is_negative = draw.small(2) != 0;
    for (std::size_t lane = 0; lane < a.codes.size(); ++lane) {
      if (is_equal && lane >= kept) {
        clear(draw, a, b, lane);
        continue;
      }
      const bool is_small = lane != 0 && draw.small(8) == 0;
      a.codes[lane] = is_equal ? a.codes[0] : is_small ? a_.smallest(draw) : a_.largest(draw);
      b.codes[lane] = is_equal ? b.codes[0] : is_small ? b_.smallest(draw) : b_.largest(draw);
      const bool is_product_negative = decode(what_.dot.a.element, a.codes[lane]).negative !=
                                       decode(what_.dot.b.element, b.codes[lane]).negative;
      if (is_product_negative == is_negative) continue;
      const Unpacked value = decode(what_.dot.a.element, a.codes[lane]);
      if (const std::uint64_t code = a_.negated(value); code != 0) a.codes[lane] = code;
    }
    if (draw.small(4) == 0) {
      a.scales[0] = a_scale_corners_[draw.below(a_scale_corners_.size())];
      return;
    }
    const bool is_falling = draw.small(2) == 0;
    const int high = static_cast<int>(draw.small(20));
    for (std::size_t j = 0; j < a.scales.size(); ++j) {
      a.scales[j] = a.scales[0];
      b.scales[j] = b.scales[0];
    }
    if (!is_falling || a.scales.size() < 2) return;
    // Small sums of blocks meet a large one, the first or the last.
    const std::size_t first = draw.small(2) == 0 ? 0 : a.scales.size() - 1;
    const std::uint32_t reach = draw.small(2) == 0 ? 32 : 64;
    for (std::size_t j = 0; j < a.scales.size(); ++j) {
      const int lower = static_cast<int>(draw.small(reach));
      set_scales(draw, j == first ? high : high - lower, a.scales[j], b.scales[j]);
    }
  }

  /// x, -x and a third product that may be much smaller; zeros elsewhere.
  void leave(Draw& draw, std::uint64_t turn, const Side& a, const Side& b) const {
    const std::size_t n = a.codes.size();
    const std::uint64_t large_a = a_.largest(draw), large_b = b_.largest(draw);
    const std::uint64_t small_a = draw.small(2) == 0 ? a_.smallest(draw) : a_.number(draw);
    const std::uint64_t small_b = draw.small(2) == 0 ? b_.smallest(draw) : b_.number(draw);
    for (std::size_t lane = 0; lane < n; ++lane) clear(draw, a, b, lane);
    if (n < 3) return;
    const std::size_t first = turn % (n - 1);
    const auto put = [&](std::size_t lane, std::uint64_t x, std::uint64_t y) {
      a.codes[lane] = x;
      b.codes[lane] = y;
    };
    put(first, large_a, large_b);
    if (draw.small(4) != 0) {
      put(first + 1, a_.negated(decode(what_.dot.a.element, large_a)), large_b);
    }
    const std::size_t last = draw.small(2) == 0 ? n - 1 : 0;
    if (last != first && last != first + 1) put(last, small_a, small_b);
    if (draw.small(2) == 0 || a.scales.size() < 2) return;
    // Scales at both ends of what there is.
    const std::size_t far = last == 0 ? 0 : a.scales.size() - 1;
    for (std::size_t j = 0; j < a.scales.size(); ++j) {
      set_scales(draw, j == far ? -draw_wide(draw) : draw_wide(draw), a.scales[j], b.scales[j]);
    }
  }
  static int draw_wide(Draw& draw) { return static_cast<int>(draw.small(160)); }

  /// C: of interest, near 1.0, near the first product that is not zero, or what takes it away.
  std::uint64_t addend(Draw& draw, std::size_t kind, const Side& a, const Side& b) const {
    if (kind == kBits) return draw.small(2) == 0 ? 0 : built_addend(draw, a, b);
    if (kind == kZero && draw.small(2) == 0) return c_.format().sign_bit();
    const bool is_left = kind == kLeftover && draw.small(2) == 0;
    if (is_left && draw.small(2) == 0) return c_.number(draw);
    const std::uint32_t choice = is_left ? 4 : draw.small(8);
    if (choice < 2) return c_.special(draw);
    if (choice < 4) return c_.middle(draw);
    Unpacked product;
    for (std::size_t lane = 0; lane < a.codes.size() && product.cls == ValueClass::kZero; ++lane) {
      product = first_of(a, b, lane);
    }
    if (product.cls != ValueClass::kFinite) return c_.number(draw);
    if (is_left || kind == kSingle || choice == 4) return c_.negated(product);
    const int reach = choice == 5 ? 1 : choice == 6 ? 32 : 96;
    const int away = static_cast<int>(draw.small(static_cast<std::uint32_t>(2 * reach + 1)));
    return c_.in_binade(draw, product.exponent + away - reach);
  }
  /// The bits of a rounding in C, where it has room for them; no products.
  std::uint64_t built_addend(Draw& draw, const Side& a, const Side& b) const {
    std::ranges::fill(a.codes, 0);
    std::ranges::fill(b.codes, 0);
    const Bits bits = bits_at(draw, targets_[draw.below(targets_.size())]);
    std::uint64_t magnitude = 0;
    for (const int bit : bits) {
      if (bit - bits.back() < 63) magnitude |= std::uint64_t{1} << (bit - bits.back());
    }
    if (bits.empty()) return 0;
    return c_.negated(unpack_integer(draw.small(2) != 0, magnitude, bits.back()));
  }
  [[nodiscard]] Unpacked first_of(const Side& a, const Side& b, std::size_t lane) const {
    const std::size_t k = block_of(a);
    const auto value = [&](const BlockFormat& f, const Side& side) {
      return multiply(decode(f.scale, side.scales[lane / k] & f.scale.code_mask()),
                      decode(f.element, side.codes[lane]));
    };
    return multiply(value(what_.dot.a, a), value(what_.dot.b, b));
  }

  DotCase what_;
  OperandKit a_, b_, c_, a_scale_, b_scale_;
  std::vector<std::uint64_t> a_corners_, b_corners_;
  std::vector<std::uint64_t> a_ends_, b_ends_;  ///< the corners that are numbers
  std::vector<std::uint64_t> a_scale_corners_, b_scale_corners_;
  std::vector<ElementFormat> targets_;
  Binades a_binades_{what_.dot.a.scale}, b_binades_{what_.dot.b.scale};
  Binades a_powers_{what_.dot.a.element}, b_powers_{what_.dot.b.element};
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t size_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_dot_suite(const DotCase& what, const SuiteOptions& options) {
  return std::make_unique<const DotSuite>(what, options);
}

}  // namespace mx::golden
