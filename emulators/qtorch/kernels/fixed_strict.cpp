#include <algorithm>

#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/fixed_table.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {
namespace {

/// The magnitude count * 2^exponent cut toward zero to what binary32 holds; count below 2^62.
Bits cut_down(std::uint64_t count, std::int64_t exponent) {
  if (count == 0) return 0;
  const int leading = static_cast<int>(std::bit_width(count)) - 1;
  const std::int64_t top = exponent + leading;
  if (top > 127) return fp32::kMax;
  if (top < -149) return 0;
  const std::int64_t unit = std::max<std::int64_t>(top - 23, -149);
  const auto shift = static_cast<int>(unit - exponent);
  const std::uint64_t cut = shift >= 0 ? count >> shift : count << -shift;
  return assembled(static_cast<std::uint32_t>(cut), static_cast<int>(unit + 150));
}

/// 2^bits - 1 counts of 2^-fl; beyond 40 bits binary32 does not see the difference.
Bits largest_of(std::int64_t bits, std::int64_t fl) {
  if (bits <= 40) return cut_down((std::uint64_t{1} << bits) - 1, -fl);
  return cut_down((std::uint64_t{1} << 40) - 1, bits - 40 - fl);
}

class Grid {
 public:
  explicit Grid(const FixedCall& call)
      : call_(call),
        field_(static_cast<int>(std::clamp<std::int64_t>(150 - call.fl, -200, 600))),
        most_(largest_of(call.wl - 1, call.fl)),
        least_(call.symmetric ? negative(most_) : negative(cut_down(1, call.wl - 1 - call.fl))) {}

  [[nodiscard]] FixedResult operator()(Bits x, std::uint32_t random) const {
    if (fp32::is_nan(x)) return {kQuietNan, false};
    const Bits value = rounded(x, random);
    if (!call_.clamp) return {value, false};
    if (is_below(most_, value)) return {most_, true};
    if (is_below(value, least_)) return {least_, true};
    return {value, false};
  }

 private:
  static Bits negative(Bits magnitude) { return magnitude == 0 ? 0 : magnitude | fp32::kSignBit; }

  [[nodiscard]] Bits rounded(Bits x, std::uint32_t random) const {
    const Bits magnitude = magnitude_of(x);
    if (magnitude == 0) return 0;
    if (magnitude == fp32::kInfinity) return x;
    const Parts parts = parts_of(magnitude);
    const int shift = field_ - parts.field;
    if (shift <= 0) return x;
    const bool is_negative = sign_of(x) != 0;
    if (call_.rounding == Rounding::kStochastic) {
      const std::int64_t size = parts.significand;
      std::int64_t count = is_negative ? -size : size;
      count = shift <= 24 ? count << (24 - shift) : count >> std::min(shift - 24, 63);
      return assemble((count + (random & 0x00FFFFFF)) >> 24);
    }
    std::int64_t count = shifted_to_even(parts.significand, shift);
    if (call_.rounding == Rounding::kDocLiteral) {
      count = shifted_to_lower(parts.significand, shift, is_negative);
    }
    return assemble(is_negative ? -count : count);
  }

  /// Ties toward -Inf: those of magnitudes go down, or up where the value is negative.
  static std::int64_t shifted_to_lower(std::uint32_t significand, int shift, bool is_negative) {
    if (shift > 25) return 0;
    const std::uint32_t half = std::uint32_t{1} << (shift - 1);
    return (significand + half - (is_negative ? 0 : 1)) >> shift;
  }

  [[nodiscard]] Bits assemble(std::int64_t count) const {
    if (count == 0) return 0;
    const auto size = static_cast<std::uint32_t>(count < 0 ? -count : count);
    return (count < 0 ? fp32::kSignBit : 0) | assembled(size, field_);
  }

  FixedCall call_;
  int field_;  ///< the quantum is 2^(field - 150)
  Bits most_;
  Bits least_;
};

std::int64_t stochastic_code(Bits x, int fl, std::uint32_t word) {
  const Parts parts = parts_of(magnitude_of(x));
  const int shift = std::clamp(150 - parts.field - fl, 1, 63);
  const std::int64_t size = std::int64_t{parts.significand} << 24;
  const std::int64_t sign = -static_cast<std::int64_t>(x >> 31);
  return ((((size ^ sign) - sign) >> shift) + (word & 0x00FFFFFF)) >> 24;
}

void by_table(const FixedCall& call, std::span<const Bits> values,
              std::span<const std::uint32_t> random, std::span<Bits> results,
              std::span<std::uint8_t> outside) {
  const FixedTable table(call);
  const bool is_random = call.rounding == Rounding::kStochastic;
  const int fl = static_cast<int>(call.fl);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Bits x = values[i];
    const FixedResult result =
        table(is_random ? stochastic_code(x, fl, random[i]) : nearest_code(x, fl));
    const bool is_nan = fp32::is_nan(x);
    results[i] = is_nan ? kQuietNan : result.value;
    if (!outside.empty()) outside[i] = result.is_outside && !is_nan ? 1 : 0;
  }
}

}  // namespace

void fixed_strict(const FixedCall& call, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results,
                  std::span<std::uint8_t> outside) {
  if (FixedTable::takes(call, values.size())) {
    return by_table(call, values, random, results, outside);
  }
  const Grid quantize(call);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const FixedResult result = quantize(values[i], random.empty() ? 0 : random[i]);
    results[i] = result.value;
    if (!outside.empty()) outside[i] = result.is_outside ? 1 : 0;
  }
}

}  // namespace mx::emulators::qtorch
