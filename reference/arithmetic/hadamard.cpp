#include "reference/arithmetic/hadamard.hpp"

#include "reference/number/philox.hpp"

namespace mx {
namespace {

constexpr fp32::Bits kQuarter = 0x3E800000;
constexpr fp32::Bits kNan = 0x7FC00000;

void change_signs(std::uint16_t mask, std::span<fp32::Bits, kHadamardSize> block) {
  for (std::size_t i = 0; i < kHadamardSize; ++i) {
    if ((mask >> i & 1U) != 0) block[i] ^= fp32::kSignBit;
  }
}

}  // namespace

std::string_view token_of(HadamardSigns signs) {
  return signs == HadamardSigns::kFirst ? "first" : "last";
}

std::optional<HadamardSigns> find_hadamard_signs(std::string_view token) {
  for (const HadamardSigns signs : {HadamardSigns::kFirst, HadamardSigns::kLast}) {
    if (token == token_of(signs)) return signs;
  }
  return std::nullopt;
}

std::uint16_t drawn_hadamard_mask(std::uint64_t seed) {
  // No tensor of a file has this index.
  return static_cast<std::uint16_t>(counter_random(seed, 0xFFFFFFFF, 0, kHadamardSize));
}

void transform(const Hadamard& hadamard, std::span<fp32::Bits, kHadamardSize> block) {
  // 1. Signs.
  if (hadamard.signs == HadamardSigns::kFirst) change_signs(hadamard.mask, block);
  // 2. Four stages, every sum and difference rounded.
  for (std::size_t step = 1; step < kHadamardSize; step *= 2) {
    for (std::size_t i = 0; i < kHadamardSize; ++i) {
      if ((i & step) != 0) continue;
      const fp32::Bits a = block[i];
      const fp32::Bits b = block[i + step];
      block[i] = fp32::add(a, b);
      block[i + step] = fp32::subtract(a, b);
    }
  }
  // 3. A quarter, then the signs of the other order.
  for (fp32::Bits& x : block) x = fp32::multiply(x, kQuarter);
  if (hadamard.signs == HadamardSigns::kLast) change_signs(hadamard.mask, block);
  for (fp32::Bits& x : block) x = fp32::is_nan(x) ? kNan : x;
}

}  // namespace mx
