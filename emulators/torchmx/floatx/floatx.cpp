#include "emulators/torchmx/floatx/floatx.hpp"

#include <string>

#include "emulators/torchmx/element/fields.hpp"
#include "emulators/torchmx/floatx/binary.hpp"

namespace mx::emulators::torchmx {
namespace {

/// What the calls on all elements share.
template <typename B>
struct Target {
  using Word = typename B::Word;

  int mantissa_bits = 0;
  int least_exponent = 0;  ///< no exponent is below it
  Word least_power = 0;    ///< 2 to the smallest exponent; 2^1.5 where there are no exponent bits
  Word least_normal = 0;   ///< 0: nothing is flushed
  Word max_normal = 0;     ///< rounded to the type
  bool rounds = true;      ///< to even; false: toward zero
  bool keep_subnormals = true;
  bool is_plain = false;  ///< no step of the package's rounds, but the rounding itself
};

template <typename B>
typename B::Word rounded_to_binary(std::uint64_t fp64) {
  constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan};
  const Unpacked x = decode(formats::fp64, fp64);
  return static_cast<typename B::Word>(encode(x, format_of_binary<B>(), kIeee, 0).code);
}

template <typename B>
Target<B> target_of(const Floatx& call) {
  constexpr std::uint64_t kRoot8 = 0x4006A09E667F3BCD;  // 2^1.5
  Target<B> target;
  const int bits = call.exponent_bits;
  target.mantissa_bits = call.mantissa_bits;
  target.least_exponent = bits == 0 ? 2 : 2 - (1 << (bits - 1));
  target.least_power =
      bits == 0 ? rounded_to_binary<B>(kRoot8) : B::power_of_two(target.least_exponent);
  target.least_normal = bits == 0 ? 0 : target.least_power;
  target.max_normal = rounded_to_binary<B>(call.max_normal);
  target.rounds = call.round_mode == FloatxRounding::kRoundToEven;
  target.keep_subnormals = call.keep_subnormals;
  const bool has_sign = (target.max_normal & B::kSign) != 0;
  target.is_plain =
      bits >= 2 && bits <= B::kExponent && call.mantissa_bits < B::kMantissa && !has_sign;
  return target;
}

/// The package's steps one by one, each rounded in the tensor's type.
template <typename B>
class Steps {
 public:
  using Word = typename B::Word;

  [[nodiscard]] Word operator()(Word x, const Target<B>& target) const {
    const Word magnitude = x & ~B::kSign;
    const int exponent = magnitude == 0 ? 0 : B::log2_exponent(magnitude);
    const Word power =
        exponent < target.least_exponent ? target.least_power : B::power_of_two(exponent);
    const Word unit = B::power_of_two(target.mantissa_bits);
    const Word mantissa = multiply(divide(x, power), unit);
    const Word out = multiply(divide(rounded(mantissa, target.rounds), unit), power);
    if (!B::is_nan(target.max_normal) && is_above(magnitude, target.max_normal)) {
      return multiply(sign(x), target.max_normal);
    }
    return out;
  }

 private:
  static constexpr Word kOne = Word{B::kBias} << B::kMantissa;
  static constexpr Word kHalf = Word{B::kBias - 1} << B::kMantissa;

  [[nodiscard]] static bool is_above(Word magnitude, Word limit) {
    return (limit & B::kSign) != 0 ? limit != B::kSign || magnitude != 0 : magnitude > limit;
  }
  /// -1, 0 or 1; 0 for a NaN.
  [[nodiscard]] static Word sign(Word x) {
    if (B::is_nan(x) || (x & ~B::kSign) == 0) return 0;
    return (x & B::kSign) | kOne;
  }
  /// Toward zero to a whole number; x is not negative.
  [[nodiscard]] static Word floor(Word x) {
    const int exponent = static_cast<int>(x >> B::kMantissa) - B::kBias;
    if (exponent < 0) return 0;
    if (exponent >= B::kMantissa) return x;
    return x & ~((B::kHidden >> exponent) - 1);
  }
  /// Is a number 0 or an even whole number? Not negative ones: those are no whole numbers here.
  [[nodiscard]] static bool is_even(Word x) {
    if ((x & ~B::kSign) == 0) return true;
    if ((x & B::kSign) != 0 || B::is_nan(x) || B::is_infinite(x)) return false;
    const int exponent = static_cast<int>(x >> B::kMantissa) - B::kBias;
    if (exponent < 1) return false;
    if (exponent > B::kMantissa) return true;
    return (x & ((B::kHidden >> (exponent - 1)) - 1)) == 0;
  }
  [[nodiscard]] Word rounded(Word mantissa, bool to_even) const {
    const Word magnitude = mantissa & ~B::kSign;
    if (B::is_nan(mantissa)) return B::kNan;
    if (!to_even) return multiply(sign(mantissa), floor(magnitude));
    const Word less = is_even(subtract(magnitude, kHalf)) ? kOne : 0;
    return multiply(sign(mantissa), subtract(floor(add(magnitude, kHalf)), less));
  }

  [[nodiscard]] Word add(Word a, Word b) const { return word(ieee_.add(a, b)); }
  [[nodiscard]] Word subtract(Word a, Word b) const { return word(ieee_.subtract(a, b)); }
  [[nodiscard]] Word multiply(Word a, Word b) const { return word(ieee_.multiply(a, b)); }
  [[nodiscard]] Word divide(Word a, Word b) const { return word(ieee_.divide(a, b)); }
  [[nodiscard]] static Word word(const Encoded& x) { return static_cast<Word>(x.code); }

  Arithmetic ieee_ = Arithmetic::ieee(format_of_binary<B>());
};

/// significand * 2^exponent as a word; it has at most kMantissa + 1 bits and lies on the type's
/// grid.
template <typename B>
typename B::Word composed(typename B::Word significand, int exponent) {
  if (significand == 0) return 0;
  const int top = exponent + static_cast<int>(std::bit_width(significand)) - 1;
  if (top > B::kBias) return B::kInfinity;
  const int unit = (top < B::kLeastExponent ? B::kLeastExponent : top) - B::kMantissa;
  const typename B::Word aligned =
      exponent >= unit ? significand << (exponent - unit) : significand >> (unit - exponent);
  if (top < B::kLeastExponent) return aligned;
  return (aligned & (B::kHidden - 1)) | static_cast<typename B::Word>(top + B::kBias)
                                            << B::kMantissa;
}

template <typename B>
struct Significand {
  typename B::Word bits = 0;
  int exponent = 0;  ///< of its last bit
};

template <typename B>
Significand<B> significand_of(typename B::Word magnitude) {
  const auto field = static_cast<int>(magnitude >> B::kMantissa);
  const typename B::Word trailing = magnitude & (B::kHidden - 1);
  if (field == 0) return {trailing, B::kLeastExponent - B::kMantissa};
  return {trailing | B::kHidden, field - B::kBias - B::kMantissa};
}

/// The significand in units of 2^(exponent + shift), 1 <= shift.
template <typename B>
typename B::Word shifted(typename B::Word significand, int shift, bool rounds) {
  if (shift > B::kMantissa + 2) return 0;
  const auto whole = static_cast<std::int64_t>(significand);
  return static_cast<typename B::Word>(rounds ? round_to_even(whole, shift) : whole >> shift);
}

template <typename B>
typename B::Word compat_floatx(typename B::Word x, const Target<B>& target, const Steps<B>& steps) {
  using Word = typename B::Word;
  Word magnitude = x & ~B::kSign;
  if (B::is_nan(x)) return B::kNan;
  if (magnitude == B::kInfinity) return x;
  if (!target.keep_subnormals && magnitude < target.least_normal) x = magnitude = 0;
  if (!target.is_plain) return steps(x, target);
  if (magnitude == 0) return 0;
  const Word sign = x & B::kSign;
  if (!B::is_nan(target.max_normal) && magnitude > target.max_normal) {
    return sign | target.max_normal;
  }
  int exponent = B::log2_exponent(magnitude);
  if (exponent > B::kBias) return steps(x, target);
  if (exponent < target.least_exponent) exponent = target.least_exponent;
  const Significand<B> significand = significand_of<B>(magnitude);
  const int unit = exponent - target.mantissa_bits;
  const int shift = unit - significand.exponent;
  Word code = shifted<B>(significand.bits, shift, target.rounds);
  // The largest value below one half: one half more is rounded up to one.
  const bool is_just_below_half =
      shift == B::kMantissa + 2 && significand.bits == 2 * B::kHidden - 1;
  if (is_just_below_half && target.rounds) code = 1;
  return sign | composed<B>(code, unit);
}

/// The value that strict saturates at.
template <typename B>
typename B::Word largest_of(const Target<B>& target) {
  return target.max_normal < B::kInfinity ? target.max_normal : B::kInfinity - 1;
}

template <typename B>
typename B::Word strict_floatx(typename B::Word x, const Target<B>& target) {
  using Word = typename B::Word;
  if (B::is_nan(x)) return B::kNan;
  const Word sign = x & B::kSign;
  const Word magnitude = x & ~B::kSign;
  const Word largest = largest_of<B>(target);
  if (magnitude == 0) return x;
  if (magnitude > largest) return sign | largest;
  int exponent = B::floor_exponent(magnitude);
  if (target.keep_subnormals && exponent < target.least_exponent) exponent = target.least_exponent;
  const Significand<B> significand = significand_of<B>(magnitude);
  const int unit = exponent - target.mantissa_bits;
  const int shift = unit - significand.exponent;
  Word result = magnitude;
  if (shift > 0) result = composed<B>(shifted<B>(significand.bits, shift, target.rounds), unit);
  if (result > largest) return sign | largest;
  if (!target.keep_subnormals && result < target.least_normal) return sign;
  return sign | result;
}

/// The range of magnitudes whose patterns are rounded where they stand: normal numbers of the
/// format, far enough from powers of two that no misread exponent shows.
template <typename B>
struct PatternRange {
  using Word = typename B::Word;

  Word first = 0;
  Word size = 0;   ///< 0: there is none
  Word limit = 0;  ///< of the results
  Word last_mantissa = B::kHidden - 1;
  Word half = 0;  ///< just below one half of the last kept bit
  int dropped = 0;
  bool rounds = true;

  /// Rounds x, or leaves it and answers false.
  [[nodiscard]] bool round(Word& x) const {
    const Word magnitude = x & ~B::kSign;
    if (magnitude - first >= size) return false;
    if ((magnitude & (B::kHidden - 1)) > last_mantissa) return false;
    const Word carry = rounds ? half + (magnitude >> dropped & 1) : 0;
    const Word rounded = (magnitude + carry) >> dropped << dropped;
    x = (x & B::kSign) | (rounded > limit ? limit : rounded);
    return true;
  }
};

template <typename B>
PatternRange<B> pattern_range(const Target<B>& target, Mode mode) {
  using Word = typename B::Word;
  constexpr Word kMisread = B::kMostMisread;
  PatternRange<B> range;
  const int dropped = B::kMantissa - target.mantissa_bits;
  const bool is_strict = mode == Mode::kStrict;
  // A misread exponent doubles the last kept bit: it does not show where half of that is above
  // every N(k), nor in results cut short of the values that are misread.
  const bool drops = dropped > 0 && Word{1} << (dropped - 1) > kMisread;
  const bool hides = is_strict || !target.rounds || drops;
  const bool is_usable = target.is_plain && target.mantissa_bits > 0 && hides;
  const bool has_limit = target.max_normal != 0 && target.max_normal <= B::kInfinity;
  if (!is_usable || !has_limit) return range;
  range.rounds = target.rounds;
  range.dropped = dropped;
  range.half = (Word{1} << (dropped - 1)) - 1;
  const Word top = B::kInfinity - kMisread;
  const Word end = target.max_normal < top ? target.max_normal + 1 : top;
  range.first = B::power_of_two(target.least_exponent);
  range.size = end > range.first ? end - range.first : 0;
  range.limit = is_strict ? largest_of<B>(target) : B::kInfinity;
  if (!is_strict && !target.rounds) range.last_mantissa = B::kHidden - 1 - kMisread;
  return range;
}

template <typename B>
Tensor cast_all(const TensorView& data, const Floatx& call, Mode mode) {
  using Word = typename B::Word;
  const Target<B> target = target_of<B>(call);
  const PatternRange<B> range = pattern_range<B>(target, mode);
  const Steps<B> steps;
  Tensor values = Tensor::zeros("values", data.type, data.shape);
  const std::byte* from = data.bytes.data();
  std::byte* to = values.bytes.data();
  for (std::size_t left = data.size(); left > 0; --left) {
    Word x = 0;
    std::memcpy(&x, from, sizeof(Word));
    if (!range.round(x)) {
      x = mode == Mode::kStrict ? strict_floatx<B>(x, target) : compat_floatx<B>(x, target, steps);
    }
    std::memcpy(to, &x, sizeof(Word));
    from += sizeof(Word);
    to += sizeof(Word);
  }
  return values;
}

std::string problem_of(TensorType type, const Floatx& call, Mode mode) {
  if (type != TensorType::kFp32 && type != TensorType::kFp64) {
    return "AssertionError: Invalid data type: " + std::string(token_of(type));
  }
  if (call.mantissa_bits > 63) return "OverflowError: int too big to convert";
  if (call.mantissa_bits < 0) return "ValueError: mantissa_bits must lie in 0..63";
  const int least = mode == Mode::kStrict ? 1 : 0;
  if (call.exponent_bits < least || call.exponent_bits > 16) {
    return "ValueError: exponent_bits must lie in " + std::to_string(least) + "..16";
  }
  const Unpacked largest = decode(formats::fp64, call.max_normal);
  const bool is_positive =
      !largest.negative && largest.cls != ValueClass::kNan && largest.cls != ValueClass::kZero;
  if (mode == Mode::kStrict && !is_positive) return "ValueError: max_normal must be positive";
  return {};
}

}  // namespace

Checked<Tensor> hp_to_floatx(const TensorView& hp_data, const Floatx& call, Mode mode) {
  if (std::string problem = problem_of(hp_data.type, call, mode); !problem.empty()) {
    return Problem{problem};
  }
  return hp_data.type == TensorType::kFp32 ? cast_all<Binary32>(hp_data, call, mode)
                                           : cast_all<Binary64>(hp_data, call, mode);
}

}  // namespace mx::emulators::torchmx
