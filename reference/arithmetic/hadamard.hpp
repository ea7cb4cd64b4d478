// Random Hadamard transforms of 16 elements in binary32: spec F25.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "reference/arithmetic/fp32.hpp"

namespace mx {

/// Elements that are transformed together.
inline constexpr int kHadamardSize = 16;

/// y = H D x / 4, or y = D H x / 4: where the signs D meet the elements. Each undoes the other.
enum class HadamardSigns : std::uint8_t { kFirst, kLast };

struct Hadamard {
  std::uint16_t mask = 0;  ///< bit i: element i changes its sign
  HadamardSigns signs = HadamardSigns::kFirst;
  bool operator==(const Hadamard&) const = default;

  /// The transform that goes back.
  [[nodiscard]] constexpr Hadamard inverse() const {
    return {mask, signs == HadamardSigns::kFirst ? HadamardSigns::kLast : HadamardSigns::kFirst};
  }
};

/// "first" or "last".
[[nodiscard]] std::string_view token_of(HadamardSigns signs);
[[nodiscard]] std::optional<HadamardSigns> find_hadamard_signs(std::string_view token);

/// The mask that a seed draws: spec F25.1.
[[nodiscard]] std::uint16_t drawn_hadamard_mask(std::uint64_t seed);

/// Transforms 16 binary32 patterns in place, in the order of spec F25.2.
void transform(const Hadamard& hadamard, std::span<fp32::Bits, kHadamardSize> block);

}  // namespace mx
