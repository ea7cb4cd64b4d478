#include "emulators/dmx/kernel/asymmetric.hpp"

#include <algorithm>

#include "emulators/dmx/compat.hpp"

namespace mx::emulators::dmx {
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
  if (shift > 31) return kIntMin;
  const std::int64_t magnitude = shift >= 0 ? std::int64_t{m} << shift : std::int64_t{m} >> -shift;
  const std::int64_t code = sign_of(x) != 0 ? -magnitude : magnitude;
  return code < kIntMin || code >= -kIntMin ? kIntMin : code;
}

Bits pattern_of(std::int64_t code) {
  return fp32::round(
      unpack_integer(code < 0, static_cast<std::uint64_t>(code < 0 ? -code : code), 0));
}

/// The exponent of a row's last place.
int last_place(std::span<const Bits> row, int bits) {
  const Bits most = largest_magnitude(row);
  if (most >= fp32::kInfinity || most == 0) {
    int exponent = -200;
    for (const Bits x : row) exponent = std::max(exponent, frexp_exponent(x));
    return exponent - bits + 1;
  }
  return frexp_exponent(most) - bits + 1;
}

/// A row of a block kernel's results whose codes are normal numbers: each is its code times the
/// last place, so that an edge code is one pattern.
bool is_ordinary(Bits most) { return most >= 0x0D800000 && most < fp32::kInfinity; }  // 2^-100

}  // namespace

std::int64_t AsymmetricRule::edge() const {
  return bits < 1 ? kIntMin - 1 : -((std::int64_t{1} << (bits - 1)) - 1);
}

Bits AsymmetricRule::edge_pattern(Bits most) const {
  const auto magnitude = static_cast<Bits>(-edge());
  return exact_pattern(fp32::kSignBit, magnitude, frexp_exponent(most) - bits + 1);
}

bool AsymmetricRule::has_edge(std::span<const Bits> row) const {
  const Bits most = largest_magnitude(row);
  if (is_ordinary(most)) {
    const Bits sought = edge_pattern(most);
    Bits found = 0;
    for (const Bits x : row) found |= x == sought ? 1 : 0;
    return found != 0;
  }
  return has_edge_code(row);
}

bool AsymmetricRule::has_edge_code(std::span<const Bits> row) const {
  const int exponent = last_place(row, bits);
  return std::any_of(row.begin(), row.end(),
                     [&](Bits x) { return code_of(x, exponent, machine.platform) == edge(); });
}

void AsymmetricRule::rebuild(std::span<const Bits> values, std::span<Bits> row) const {
  const Bits most = largest_magnitude(row);
  if (!is_ordinary(most)) return rebuild_codes(values, row);
  const Bits sought = edge_pattern(most);
  const int exponent = last_place(row, bits);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == sought) row[i] = rebuilt(edge(), row[i], values[i], power_of_two(exponent));
  }
}

void AsymmetricRule::rebuild_codes(std::span<const Bits> values, std::span<Bits> row) const {
  const int exponent = last_place(row, bits);
  const Bits step = power_of_two(exponent);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = rebuilt(code_of(row[i], exponent, machine.platform), row[i], values[i], step);
  }
}

Bits AsymmetricRule::rebuilt(std::int64_t code, Bits quantized, Bits value, Bits step) const {
  if (code == edge()) {
    const Bits error = machine.subtract(quantized, value);
    const Bits candidate = machine.subtract(error, step);
    const bool has_nan = fp32::is_nan(error) || fp32::is_nan(candidate);
    if (!has_nan && magnitude_of(candidate) <= magnitude_of(error)) --code;
  }
  return machine.multiply(pattern_of(code), step);
}

std::vector<Bits> make_mantissa_asymmetric(std::span<const Bits> quantized,
                                           std::span<const Bits> values, std::size_t columns,
                                           int mantissa_bits, Platform platform) {
  const AsymmetricRule rule{mantissa_bits, SoftMachine{platform}};
  std::vector<Bits> out(quantized.begin(), quantized.end());
  bool has_edge = false;
  for (std::size_t i = 0; i < out.size() && !has_edge; i += columns) {
    has_edge = rule.has_edge_code(quantized.subspan(i, columns));
  }
  for (std::size_t i = 0; i < out.size() && has_edge; i += columns) {
    rule.rebuild_codes(values.subspan(i, columns), std::span(out).subspan(i, columns));
  }
  return out;
}

}  // namespace mx::emulators::dmx
