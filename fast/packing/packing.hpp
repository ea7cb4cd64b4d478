// Element codes that share bytes: the layouts of spec F5, packed and unpacked on the CPU, those of
// 4-bit codes by vectors. Other layouts have plans of codes, one a byte, on either side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mx::fast {

/// The packed layouts of the reference (reference/tensor/packing.hpp), by the same names.
enum class CodePacking : std::uint8_t {
  kNibbleLowFirst,   ///< 4-bit codes, element 2j in bits 3:0 of byte j
  kNibbleHighFirst,  ///< 4-bit codes, element 2j in bits 7:4 of byte j
  kSplitHalf,        ///< 4-bit codes of k elements, byte j holds j (low) and j + k/2 (high)
  kDense6            ///< 6-bit codes, 4 in 3 bytes, the first in the low bits
};

/// Bytes that `count` codes take; 0 for an odd count under kSplitHalf.
[[nodiscard]] std::size_t packed_size(CodePacking packing, std::size_t count);

/// Codes, one a byte, to packed bytes; spare bits of the last byte are zero. The spans may be
/// unaligned and may not overlap. False where packed.size() is not packed_size() of the codes, and
/// nothing is written; false, too, where a code has bits above the layout's: then the bytes mean
/// nothing.
[[nodiscard]] bool pack_codes(CodePacking packing, std::span<const std::byte> codes,
                              std::span<std::byte> packed);

/// The way back, for codes.size() codes. Spare bits of the last byte are not looked at. False where
/// the spans do not fit.
[[nodiscard]] bool unpack_codes(CodePacking packing, std::span<const std::byte> packed,
                                std::span<std::byte> codes);

}  // namespace mx::fast
