#include "emulators/aimet/simd/products.hpp"

#include <algorithm>
#include <array>

namespace mx::emulators::aimet {
namespace {

constexpr std::size_t kStretch = 64;
using Stretch = std::array<Bits, kStretch>;

/// Is a number normal, its significand one of 8 bits?
bool has_short_significand(Bits x) { return is_normal(x) && (x & 0xFFFF) == 0; }

/// The products of a stretch by such a number as if operands and results were normal; are they? A
/// carry out of the largest binade is infinity.
bool multiply_normals(const Stretch& values, Bits factor, Stretch& products) {
  const std::uint32_t significand = (factor & 0x7FFFFF) >> 16 | 0x80;
  const std::int32_t exponent = exponent_field(factor) - 127;
  const Bits sign = factor & fp32::kSignBit;
  std::uint32_t others = 0;
  for (std::size_t i = 0; i < kStretch; ++i) {
    const std::uint32_t value = values[i];
    const std::uint32_t exact = ((value & 0x7FFFFF) | 0x800000) * significand;  // 31 or 32 bits
    const std::uint32_t above = exact >> 31;
    const std::uint32_t cut = 7 + above;
    const std::uint32_t half_below = (std::uint32_t{1} << (cut - 1)) - 1;
    // The dropped bits by themselves: their sum with the rest would not fit.
    const std::uint32_t dropped = exact & ((std::uint32_t{1} << cut) - 1);
    const std::uint32_t kept = exact >> cut;
    const std::uint32_t rounded = kept + ((dropped + half_below + (kept & 1)) >> cut);
    const auto field = static_cast<std::int32_t>(value >> 23 & 0xFF);
    const std::int32_t sum = field + exponent + static_cast<std::int32_t>(above);
    others |= static_cast<std::uint32_t>((field - 1) | (254 - field) | (sum - 1) | (254 - sum));
    products[i] =
        ((value & fp32::kSignBit) ^ sign) | ((static_cast<std::uint32_t>(sum - 1) << 23) + rounded);
  }
  return others >> 31 == 0;
}

}  // namespace

void multiply_all(std::span<Bits> values, Bits factor, VectorTarget target) {
  if (values.empty()) return;
  // The scales of float16 and bfloat16 are all 1.
  if (std::equal(values.begin() + 1, values.end(), values.begin())) {
    std::fill(values.begin(), values.end(), multiply(values[0], factor));
    return;
  }
  const bool has_lanes = has_short_significand(factor);
  on_vectors(target, [&] {
    Stretch stretch, products;
    for (std::size_t first = 0; first < values.size(); first += kStretch) {
      const std::span<Bits> some = values.subspan(first, std::min(kStretch, values.size() - first));
      stretch.fill(fp32::kOne);
      std::copy(some.begin(), some.end(), stretch.begin());
      if (has_lanes && multiply_normals(stretch, factor, products)) {
        std::copy_n(products.begin(), some.size(), some.begin());
        continue;
      }
      for (Bits& value : some) value = multiply(value, factor);
    }
  });
}

}  // namespace mx::emulators::aimet
