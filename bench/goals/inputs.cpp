#include "bench/goals/inputs.hpp"

#include <algorithm>
#include <bit>

#include "reference/number/philox.hpp"

namespace mx::goals {

namespace {

constexpr std::uint64_t kSeed = 20;

PhiloxBlock draw(std::size_t i) {
  return philox4x32({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0, 0},
                    kSeed);
}

/// Of four uniform words: mean 0, deviation 1, magnitude at most 3.47.
float bell(const PhiloxBlock& r) {
  const double sum = static_cast<double>(r[0]) + r[1] + r[2] + r[3];
  return static_cast<float>((sum * 0x1p-32 - 2) * 1.7320508);
}

float with_sign(float magnitude, std::uint32_t bit) { return bit != 0 ? -magnitude : magnitude; }

/// A bit pattern of binary32 from its fields.
float from_fields(std::uint32_t sign, std::uint32_t exponent, std::uint32_t fraction) {
  return std::bit_cast<float>(sign << 31 | exponent << 23 | fraction);
}

/// A value in 8 binades below 1 in the middle between two numbers of `man_bits` bits of fraction.
float tie(const PhiloxBlock& r, unsigned man_bits) {
  const std::uint32_t kept = r[1] & ((1U << man_bits) - 1);
  return from_fields(r[0] & 1, 119 + r[2] % 8, kept << (23 - man_bits) | 1U << (22 - man_bits));
}

float subnormal(const PhiloxBlock& r) { return from_fields(r[0] & 1, 0, r[1] & 0x7FFFFF); }

float zero(const PhiloxBlock& r) { return with_sign(0.0F, r[0] & 1); }

/// One value in so many is a zero, and one an fp32 subnormal.
constexpr std::size_t kZeros = 64;
constexpr std::size_t kSubnormals = 1024;

}  // namespace

Array<float> single_values(std::size_t count) {
  const Array<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PhiloxBlock r = draw(i);
    switch (i % 16) {
      case 3:
        values[i] = tie(r, 3);
        break;
      case 5:
        values[i] = from_fields(r[0] & 1, 113 + r[2] % 10, r[1] & 0x7FFFFF);
        break;
      case 9:
        values[i] = from_fields(r[0] & 1, 116 + r[2] % 4, (r[1] & 3) << 21);
        break;
      default:
        values[i] = 100 * bell(r);
    }
    if (i % kZeros == 15) values[i] = zero(r);
    if (i % kSubnormals == 7) values[i] = subnormal(r);
  }
  return values;
}

Array<float> block_values(std::size_t count) {
  const Array<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PhiloxBlock r = draw(i);
    const std::size_t block = i / kBlock;
    const float scale = from_fields(0, static_cast<std::uint32_t>(123 + block % 8), 0);
    switch (i % 16) {
      case 3:
        values[i] = scale * tie(r, 3);
        break;
      case 11:
        values[i] = scale * tie(r, 1);
        break;
      default:
        values[i] = scale * bell(r);
    }
    if (i % kZeros == 15 || block % 64 == 15) values[i] = zero(r);
    if (i % kSubnormals == 7) values[i] = subnormal(r);
    if (block % kSmallBlocks == 31) values[i] = bell(r) * 0x1p-120F;
    if (block % kSmallBlocks == 63) values[i] = subnormal(r);
  }
  return values;
}

Array<std::uint8_t> finite_codes(const ElementFormat& format, std::size_t count) {
  const Array<std::uint8_t> codes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t code = draw(i)[0] & format.code_mask();
    const bool is_finite = (code & format.magnitude_mask()) <= format.max_code;
    codes[i] = static_cast<std::uint8_t>(is_finite ? code : 1);
  }
  return codes;
}

Array<std::uint8_t> middle_scales(std::size_t count) {
  const Array<std::uint8_t> scales(count);
  for (std::size_t i = 0; i < count; ++i)
    scales[i] = static_cast<std::uint8_t>(120 + draw(i)[1] % 15);
  return scales;
}

}  // namespace mx::goals
