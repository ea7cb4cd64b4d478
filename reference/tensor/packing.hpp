// Layouts of element codes in memory: spec F5. Pure functions on bytes; nothing here knows what a
// code means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/format/format.hpp"

namespace mx {

/// How element codes share bytes.
enum class Packing : std::uint8_t {
  kBytePadded,       ///< a code a byte, unused high bits zero
  kNibbleLowFirst,   ///< 4-bit codes, element 2j in bits 3:0 of byte j
  kNibbleHighFirst,  ///< 4-bit codes, element 2j in bits 7:4 of byte j
  kSplitHalf,        ///< 4-bit codes of k elements, byte j holds j (low) and j + k/2 (high)
  kDense6            ///< 6-bit codes, 4 in 3 bytes, the first in the low bits
};

/// A packing as lists and helps show it. Names end in NUL.
struct PackingRow {
  Packing packing;
  std::string_view name;
  int bits;  ///< that a code occupies; 8 for byte_padded
  std::string_view meaning;
};

/// nibble_low_first, nibble_high_first, split_half, dense6, byte_padded.
[[nodiscard]] std::span<const PackingRow> packings();

[[nodiscard]] int packed_bits(Packing packing);
[[nodiscard]] std::string_view packing_name(Packing packing);
[[nodiscard]] std::optional<Packing> parse_packing(std::string_view name);

/// "layout dense6 holds codes of 6 bits; those of e2m1fn have 4"; "" where it holds them.
[[nodiscard]] std::string packing_problem(Packing packing, const ElementFormat& format);

/// A packing of many codes. split_half packs group after group of `group` codes, an even number
/// that divides their count; 0 stands for one group of all. Other packings do not read it.
struct CodeLayout {
  Packing packing = Packing::kBytePadded;
  std::uint64_t group = 0;

  /// Bytes that `count` codes take; spare bits of the last byte are zero. Nothing where the groups
  /// of split_half do not fit.
  [[nodiscard]] std::optional<std::uint64_t> bytes(std::uint64_t count) const;
  /// Codes after which a byte begins, so that the parts can be packed one by one.
  [[nodiscard]] std::uint64_t whole(std::uint64_t count) const;
};

/// One code a byte to the layout, and back. packed.size() is bytes(codes.size()), which is
/// something; codes fit the bits of the packing. Spare bits are not looked at on the way back.
void pack(const CodeLayout& layout, std::span<const std::byte> codes, std::span<std::byte> packed);
void unpack(const CodeLayout& layout, std::span<const std::byte> packed,
            std::span<std::byte> codes);

}  // namespace mx
