// make_mantissa_asymmetric(): the code -2^(n-1) after a symmetric cast. Rule DX-BA, spec S5.5.
#include <algorithm>

#include "reference/systems/dmx/compat.hpp"
#include "reference/systems/dmx/kernels.hpp"

namespace mx::systems::dmx {
namespace {

constexpr std::int64_t kIntMin = -(std::int64_t{1} << 31);

/// What frexp() calls the exponent; that of a zero is one that no other value has.
int frexp_exponent(Bits x) {
  const Bits m = magnitude_of(x);
  if (m == 0) return -200;
  if (m >= fp32::kInfinity) return 0;
  const int field = exponent_field(x);
  return field != 0 ? field - 126 : static_cast<int>(std::bit_width(m)) - 149;
}

/// trunc(x / 2^exponent) as a 32-bit integer; what has none becomes the smallest on x86.
std::int64_t code_of(Bits x, int exponent, Platform platform) {
  const int field = exponent_field(x);
  if (field == 255) {
    if (platform == Platform::kX86) return kIntMin;
    if (fp32::is_nan(x)) return 0;
    return sign_of(x) != 0 ? kIntMin : -kIntMin - 1;
  }
  const Bits m = (x & kFraction) | (field != 0 ? kHidden : 0);
  const int shift = (field != 0 ? field : 1) - 150 - exponent;
  if (m == 0 || shift <= -24) return 0;
  if (shift > 8) return kIntMin;
  const std::int64_t magnitude = shift >= 0 ? std::int64_t{m} << shift : std::int64_t{m} >> -shift;
  const std::int64_t code = sign_of(x) != 0 ? -magnitude : magnitude;
  return code < kIntMin || code >= -kIntMin ? kIntMin : code;
}

Bits pattern_of(std::int64_t code) {
  return fp32::round(
      unpack_integer(code < 0, static_cast<std::uint64_t>(code < 0 ? -code : code), 0));
}

}  // namespace

std::vector<Bits> make_mantissa_asymmetric(std::span<const Bits> quantized,
                                           std::span<const Bits> values, std::size_t columns,
                                           int mantissa_bits, Platform platform) {
  const SoftMachine machine{platform};
  const std::size_t rows = columns == 0 ? 0 : quantized.size() / columns;
  const std::int64_t edge =
      mantissa_bits < 1 ? kIntMin - 1 : -((std::int64_t{1} << (mantissa_bits - 1)) - 1);
  std::vector<int> exponents(rows);
  std::vector<std::int64_t> codes(quantized.size());
  bool has_edge = false;
  for (std::size_t row = 0; row < rows; ++row) {
    int most = -200;
    const auto q = quantized.subspan(row * columns, columns);
    for (const Bits x : q) most = std::max(most, frexp_exponent(x));
    exponents[row] = most - mantissa_bits + 1;
    for (std::size_t i = 0; i < columns; ++i) {
      std::int64_t& code = codes[row * columns + i];
      code = code_of(q[i], exponents[row], platform);
      has_edge = has_edge || code == edge;
    }
  }
  if (!has_edge) return {quantized.begin(), quantized.end()};
  std::vector<Bits> out(quantized.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Bits step = power_of_two(exponents[i / columns]);
    std::int64_t code = codes[i];
    if (code == edge) {
      const Bits error = machine.subtract(quantized[i], values[i]);
      const Bits candidate = machine.subtract(error, step);
      const bool has_nan = fp32::is_nan(error) || fp32::is_nan(candidate);
      if (!has_nan && magnitude_of(candidate) <= magnitude_of(error)) --code;
    }
    out[i] = machine.multiply(pattern_of(code), step);
  }
  return out;
}

}  // namespace mx::systems::dmx
