#include "reference/tensor/packing.hpp"

#include <algorithm>
#include <array>

namespace mx {
namespace {

struct Layout {
  Packing packing;
  std::string_view name;
  unsigned bits;
};

constexpr std::array kLayouts = {Layout{Packing::kBytePadded, "byte_padded", 8},
                                 Layout{Packing::kNibbleLowFirst, "nibble_low_first", 4},
                                 Layout{Packing::kNibbleHighFirst, "nibble_high_first", 4},
                                 Layout{Packing::kSplitHalf, "split_half", 4},
                                 Layout{Packing::kDense6, "dense6", 6}};

static_assert([] {
  for (std::size_t i = 0; i < kLayouts.size(); ++i) {
    if (static_cast<std::size_t>(kLayouts[i].packing) != i) return false;
  }
  return true;
}());

const Layout& layout_of(Packing packing) { return kLayouts[static_cast<std::size_t>(packing)]; }

/// The bit at which code i of `count` begins, bytes in order, low bits first.
std::size_t bit_of(Packing packing, std::size_t i, std::size_t count) {
  switch (packing) {
    case Packing::kNibbleHighFirst:
      return (i ^ 1) * 4;
    case Packing::kSplitHalf:
      return i < count / 2 ? i * 8 : (i - count / 2) * 8 + 4;
    default:
      return i * layout_of(packing).bits;
  }
}

constexpr std::size_t kTileRows = 128;
constexpr std::size_t kTileBlocks = 4;
constexpr std::size_t kTileBytes = kTileRows * kTileBlocks;

std::size_t tiles(std::size_t count, std::size_t tile) { return (count + tile - 1) / tile; }

}  // namespace

int packed_bits(Packing packing) { return static_cast<int>(layout_of(packing).bits); }

std::string_view packing_name(Packing packing) { return layout_of(packing).name; }

std::optional<Packing> parse_packing(std::string_view name) {
  for (const Layout& layout : kLayouts) {
    if (layout.name == name) return layout.packing;
  }
  return std::nullopt;
}

std::size_t packed_bytes(Packing packing, std::size_t count) {
  if (packing == Packing::kSplitHalf && count % 2 != 0) return 0;
  return (count * layout_of(packing).bits + 7) / 8;
}

void pack(Packing packing, std::span<const std::uint8_t> codes, std::span<std::uint8_t> packed) {
  std::fill(packed.begin(), packed.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t bit = bit_of(packing, i, codes.size());
    const unsigned word = static_cast<unsigned>(codes[i]) << (bit % 8);
    packed[bit / 8] = static_cast<std::uint8_t>(packed[bit / 8] | (word & 0xFF));
    if (word > 0xFF) {
      packed[bit / 8 + 1] = static_cast<std::uint8_t>(packed[bit / 8 + 1] | word >> 8);
    }
  }
}

void unpack(Packing packing, std::span<const std::uint8_t> packed, std::span<std::uint8_t> codes) {
  const unsigned bits = layout_of(packing).bits;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t bit = bit_of(packing, i, codes.size());
    unsigned word = static_cast<unsigned>(packed[bit / 8]) >> (bit % 8);
    if (bit % 8 + bits > 8) word |= static_cast<unsigned>(packed[bit / 8 + 1]) << (8 - bit % 8);
    codes[i] = static_cast<std::uint8_t>(word & ((1U << bits) - 1));
  }
}

std::size_t Swizzle128x4::bytes() const {
  return tiles(outer, kTileRows) * tiles(inner, kTileBlocks) * kTileBytes;
}

std::size_t Swizzle128x4::offset(std::size_t row, std::size_t block) const {
  const std::size_t tile = row / kTileRows * tiles(inner, kTileBlocks) + block / kTileBlocks;
  const std::size_t in_tile_row = row % kTileRows;
  return tile * kTileBytes + in_tile_row % 32 * 16 + in_tile_row / 32 * 4 + block % kTileBlocks;
}

Swizzle128x4::Place Swizzle128x4::place(std::size_t offset) const {
  const std::size_t tile = offset / kTileBytes, rest = offset % kTileBytes;
  const std::size_t across = tiles(inner, kTileBlocks);
  return {tile / across * kTileRows + rest % 16 / 4 * 32 + rest / 16,
          tile % across * kTileBlocks + rest % 4};
}

void swizzle(const Swizzle128x4& layout, std::span<const std::uint8_t> scales,
             std::span<std::uint8_t> swizzled) {
  std::fill(swizzled.begin(), swizzled.end(), std::uint8_t{0});
  for (std::size_t row = 0; row < layout.outer; ++row) {
    for (std::size_t block = 0; block < layout.inner; ++block) {
      swizzled[layout.offset(row, block)] = scales[row * layout.inner + block];
    }
  }
}

void unswizzle(const Swizzle128x4& layout, std::span<const std::uint8_t> swizzled,
               std::span<std::uint8_t> scales) {
  for (std::size_t row = 0; row < layout.outer; ++row) {
    for (std::size_t block = 0; block < layout.inner; ++block) {
      scales[row * layout.inner + block] = swizzled[layout.offset(row, block)];
    }
  }
}

}  // namespace mx
