// The codes of a block as patterns: a table that serves every block of one word length.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {

/// Codes -2^(wl-1) .. 2^(wl-1) in quanta of 2^(2-wl) P; the two at the ends are clipped to the next
/// ones. Word lengths 2..12; P = 2^(field - 127) with kLeastField <= field.
class BlockTable {
 public:
  static constexpr int kLeastField = 22;  ///< from here on every code is a normal number

  [[nodiscard]] static constexpr bool takes(std::int64_t wl, int field) {
    return wl >= 2 && wl <= 12 && field >= kLeastField && field <= 254;
  }

  explicit BlockTable(int wl)
      : most_(1 << (wl - 1)), patterns_(2 * static_cast<std::size_t>(most_) + 1) {
    for (int code = 1; code <= most_; ++code) {
      const auto size = static_cast<std::uint32_t>(std::min(code, most_ - 1)) << (23 - wl);
      const Bits pattern = assembled(size, kLeastField + 2) - kBase;
      patterns_[index(code)] = pattern;
      patterns_[index(-code)] = pattern + fp32::kSignBit;
    }
  }

  /// The code, which lies in the table, of a block with P of a field.
  [[nodiscard]] Bits operator()(std::int32_t code, int field) const {
    const Bits pattern = patterns_[index(code)] + (static_cast<Bits>(field) << 23);
    return code == 0 ? 0 : pattern;
  }

 private:
  static constexpr Bits kBase = Bits{kLeastField} << 23;

  [[nodiscard]] std::size_t index(int code) const {
    const int place = code + most_;
    return static_cast<std::size_t>(place);
  }

  int most_;
  std::vector<Bits> patterns_;
};

/// The table, where there are values enough to pay for it.
[[nodiscard]] inline std::optional<BlockTable> block_table(const BlockCall& call,
                                                           std::size_t values) {
  if (!BlockTable::takes(call.wl, BlockTable::kLeastField) || values >> call.wl == 0) return {};
  return BlockTable(static_cast<int>(call.wl));
}

/// x in units of 2^(field - 150), rounded ties to even.
[[nodiscard]] constexpr std::int32_t signed_to_even(Bits x, int field) {
  const Parts parts = parts_of(magnitude_of(x));
  const auto size = static_cast<std::int32_t>(
      shifted_to_even(parts.significand, std::max(field - parts.field, 0)));
  const std::int32_t sign = -static_cast<std::int32_t>(x >> 31);
  return (size ^ sign) - sign;
}

/// The same rounded toward -Inf.
[[nodiscard]] constexpr std::int32_t signed_floor(Bits x, int field) {
  const Parts parts = parts_of(magnitude_of(x));
  const auto size = static_cast<std::int32_t>(parts.significand);
  const std::int32_t sign = -static_cast<std::int32_t>(x >> 31);
  return ((size ^ sign) - sign) >> std::clamp(field - parts.field, 0, 31);
}

}  // namespace mx::emulators::qtorch
