#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/fixed_table.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {
namespace {

constexpr int kFraction = 32;  // of the fixed-point sums below

/// Values with 2^-9 <= |x * 2^fl| < 2^23, where everything is an integer of at most 56 bits.
class OrdinaryFixed {
 public:
  OrdinaryFixed(const FixedCall& call, Platform platform)
      : fl_(static_cast<int>(call.fl)), limits_(limits_by_rule(call, platform)) {
    takes_ = call.fl >= -100 && call.fl <= 100 && !fp32::is_nan(limits_.least) &&
             !fp32::is_nan(limits_.most);
  }

  [[nodiscard]] bool takes_call() const { return takes_; }

  /// The exponent field of x * 2^fl, where the loop below may go on.
  [[nodiscard]] int field_of(Bits x) const { return exponent_field(x) + fl_; }

  static constexpr int kLeastField = 118;
  static constexpr int kMostField = 149;
  [[nodiscard]] bool takes(Bits x) const {
    const int field = field_of(x);
    return field >= kLeastField && field <= kMostField && exponent_field(x) != 0 &&
           exponent_field(x) != 255;
  }

  [[nodiscard]] bool is_small(Bits x) const { return field_of(x) < kLeastField; }

  /// Nearest of |x * 2^fl| < 2^-9: a zero, negative where the sum is below one half, which begins
  /// beyond -2^-26.
  [[nodiscard]] Bits small_nearest(Bits x) const {
    constexpr int kTieField = 127 - 26;
    const bool is_beyond =
        field_of(x) > kTieField || (field_of(x) == kTieField && (x & 0x007FFFFF) != 0);
    return sign_of(x) != 0 && exponent_field(x) != 0 && is_beyond ? fp32::kSignBit : 0;
  }

  [[nodiscard]] Bits operator()(Bits x, std::int64_t addend) const {
    const Parts parts = parts_of(magnitude_of(x));
    const std::int64_t magnitude = std::int64_t{parts.significand} << (field_of(x) - kLeastField);
    const std::int64_t sum = rounded_sum((sign_of(x) != 0 ? -magnitude : magnitude) + addend);
    const std::int64_t count = below_half(sum);
    if (count == 0) return sum < std::int64_t{1} << (kFraction - 1) ? fp32::kSignBit : 0;
    const auto size = static_cast<std::uint32_t>(count < 0 ? -count : count);
    return (count < 0 ? fp32::kSignBit : 0) | assembled(size, 150 - fl_);
  }

  [[nodiscard]] FixedResult clamped(Bits value) const {
    if (is_below(limits_.most, value)) return {limits_.most, true};
    if (is_below(value, limits_.least)) return {limits_.least, true};
    return {value, false};
  }

 private:
  int fl_;
  FixedLimits limits_;
  bool takes_ = false;
};

/// Nearest of formats with a table: ties to even, but the first value above one half gives 0, since
/// binary32 rounds its sum to 1; a zero is negative where the sum is below one half.
void nearest_by_table(const FixedCall& call, std::span<const Bits> values, std::span<Bits> results,
                      std::span<std::uint8_t> outside) {
  const FixedTable table(call);
  const int fl = static_cast<int>(call.fl);
  const Bits above_half = 0x3F000001 - (static_cast<Bits>(fl) << 23);
  const Bits last_half =
      0x32800000 - (static_cast<Bits>(fl) << 23);  // 2^-26: the sum rounds to 1/2
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Bits x = values[i];
    const std::int64_t code = x == above_half ? 0 : nearest_code(x, fl);
    const bool is_nan = fp32::is_nan(x);
    const FixedResult result = table(code);
    const bool is_negative_zero = code == 0 && magnitude_of(x) > last_half;
    const Bits value = result.value | (is_negative_zero ? sign_of(x) : 0);
    results[i] = is_nan ? x | 0x00400000 : value;
    if (!outside.empty()) outside[i] = result.is_outside && !is_nan ? 1 : 0;
  }
}

/// Stochastic of formats with a table.
class StochasticByTable {
 public:
  StochasticByTable(const FixedCall& call, Platform platform)
      : call_(call), platform_(platform), fl_(static_cast<int>(call.fl)), table_(call) {}

  /// NaN, and the word 0, with which a sum may be a tiny negative number, go by the rule.
  [[nodiscard]] FixedResult operator()(Bits x, std::uint32_t random) const {
    const std::uint32_t word = random & 0x00FFFFFF;
    if (fp32::is_nan(x) || word == 0) return fixed_by_rule(call_, platform_, x, word);
    const std::int64_t sum = rounded_sum(in_units(x, fl_) + addend_of(random));
    const std::int64_t code = below_half(sum);
    FixedResult result = table_(code);
    result.value |= sign_of_zero(code, sum);
    return result;
  }

  /// Many, as if neither what is cut off a sum nor its rounding to binary32 told; is that so of
  /// all of them?
  [[nodiscard]] bool cut(std::span<const Bits> values, std::span<const std::uint32_t> random,
                         std::span<Bits> results) const {
    // Both tell near integers, where the code changes, and near halves, where the sign of zero
    // does. Sums from 2^wl on, which are rounded more coarsely, lie beyond every code.
    const std::uint32_t near = std::uint32_t{1} << (call_.wl + 8);
    const int fl = fl_;
    const std::int64_t least = table_.least(), most = table_.most();
    const Bits* const zero = table_.zero();
    std::uint32_t doubts = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Bits x = values[i];
      const std::int64_t sum = cut_units(x, fl) + addend_of(random[i]);
      const std::int64_t code = sum >> kFraction;
      results[i] = zero[std::max(std::min(code, most), least)] | sign_of_zero(code, sum);
      doubts |= ((static_cast<std::uint32_t>(sum) + near) & 0x7FFFFFFF) <= 2 * near ? 1U : 0U;
      doubts |= magnitude_of(x) > fp32::kInfinity ? 1U : 0U;
    }
    return doubts == 0;
  }

 private:
  [[nodiscard]] static std::int64_t addend_of(std::uint32_t random) {
    return std::int64_t{random & 0x00FFFFFF} << (kFraction - 24);
  }
  [[nodiscard]] static Bits sign_of_zero(std::int64_t code, std::int64_t sum) {
    return code == 0 && sum < std::int64_t{1} << (kFraction - 1) ? fp32::kSignBit : 0;
  }

  const FixedCall& call_;
  Platform platform_;
  int fl_;
  FixedTable table_;
};

void stochastic_by_table(const FixedCall& call, Platform platform, std::span<const Bits> values,
                         std::span<const std::uint32_t> random, std::span<Bits> results,
                         std::span<std::uint8_t> outside) {
  const StochasticByTable quantize(call, platform);
  constexpr std::size_t kStretch = 64;
  for (std::size_t first = 0; first < values.size(); first += kStretch) {
    const std::size_t some = std::min(kStretch, values.size() - first);
    if (outside.empty() && quantize.cut(values.subspan(first, some), random.subspan(first, some),
                                        results.subspan(first, some))) {
      continue;
    }
    for (std::size_t i = first; i < first + some; ++i) {
      const FixedResult result = quantize(values[i], random[i]);
      results[i] = result.value;
      if (!outside.empty()) outside[i] = result.is_outside ? 1 : 0;
    }
  }
}

}  // namespace

void fixed_compat(const FixedCall& call, Platform platform, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results,
                  std::span<std::uint8_t> outside) {
  const bool is_random = call.rounding == Rounding::kStochastic;
  if (FixedTable::takes(call, values.size())) {
    if (is_random) {
      return stochastic_by_table(call, platform, values, random, results, outside);
    }
    if (platform != Platform::kCuda) return nearest_by_table(call, values, results, outside);
  }
  const OrdinaryFixed ordinary(call, platform);
  const bool may_be_ordinary = ordinary.takes_call() && (is_random || platform != Platform::kCuda);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Bits x = values[i];
    const std::uint32_t word = is_random ? random[i] : 0;
    FixedResult result;
    if (may_be_ordinary && ordinary.takes(x)) {
      const std::int64_t addend = is_random ? std::int64_t{word & 0x00FFFFFF} << (kFraction - 24)
                                            : std::int64_t{1} << (kFraction - 1);
      result.value = ordinary(x, addend);
      if (call.clamp) result = ordinary.clamped(result.value);
    } else if (may_be_ordinary && !is_random && ordinary.is_small(x)) {
      result.value = ordinary.small_nearest(x);
      if (call.clamp) result = ordinary.clamped(result.value);
    } else {
      result = fixed_by_rule(call, platform, x, word);
    }
    results[i] = result.value;
    if (!outside.empty()) outside[i] = result.is_outside ? 1 : 0;
  }
}

}  // namespace mx::emulators::qtorch
