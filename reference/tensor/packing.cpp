#include "reference/tensor/packing.hpp"

#include <algorithm>
#include <array>

namespace mx {
namespace {

constexpr std::array kPackings = {
    PackingRow{Packing::kNibbleLowFirst, "nibble_low_first", 4,
               "4-bit codes, element 2j in bits 3:0 of byte j"},
    PackingRow{Packing::kNibbleHighFirst, "nibble_high_first", 4,
               "4-bit codes, element 2j in bits 7:4 of byte j"},
    PackingRow{Packing::kSplitHalf, "split_half", 4,
               "4-bit codes, byte j of a block holds j (low) and j + k/2 (high)"},
    PackingRow{Packing::kDense6, "dense6", 6,
               "6-bit codes, 4 in 3 bytes, the first in the low bits"},
    PackingRow{Packing::kBytePadded, "byte_padded", 8, "a code a byte, the default"}};

const PackingRow& row_of(Packing packing) {
  return *std::ranges::find(kPackings, packing, &PackingRow::packing);
}

/// The bit at which code i of `count` begins, bytes in order, low bits first.
std::size_t bit_of(Packing packing, unsigned bits, std::size_t i, std::size_t count) {
  switch (packing) {
    case Packing::kNibbleHighFirst:
      return (i ^ 1) * 4;
    case Packing::kSplitHalf:
      return i < count / 2 ? i * 8 : (i - count / 2) * 8 + 4;
    default:
      return i * bits;
  }
}

void pack_group(Packing packing, std::span<const std::byte> codes, std::span<std::byte> packed) {
  if (packing == Packing::kBytePadded) return (void)std::ranges::copy(codes, packed.begin());
  const auto bits = static_cast<unsigned>(packed_bits(packing));
  std::ranges::fill(packed, std::byte{0});
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t bit = bit_of(packing, bits, i, codes.size());
    const unsigned word = std::to_integer<unsigned>(codes[i]) << (bit % 8);
    packed[bit / 8] |= static_cast<std::byte>(word);
    if (word > 0xFF) packed[bit / 8 + 1] |= static_cast<std::byte>(word >> 8);
  }
}

void unpack_group(Packing packing, std::span<const std::byte> packed, std::span<std::byte> codes) {
  if (packing == Packing::kBytePadded) return (void)std::ranges::copy(packed, codes.begin());
  const auto bits = static_cast<unsigned>(packed_bits(packing));
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t bit = bit_of(packing, bits, i, codes.size());
    unsigned word = std::to_integer<unsigned>(packed[bit / 8]) >> (bit % 8);
    if (bit % 8 + bits > 8) {
      word |= std::to_integer<unsigned>(packed[bit / 8 + 1]) << (8 - bit % 8);
    }
    codes[i] = static_cast<std::byte>(word & ((1U << bits) - 1));
  }
}

/// Calls work(codes, packed) with the places of each group.
template <typename Work>
void for_each_group(const CodeLayout& layout, std::uint64_t codes, std::uint64_t packed,
                    const Work& work) {
  const std::uint64_t group =
      layout.packing == Packing::kSplitHalf && layout.group != 0 ? layout.group : codes;
  if (group == 0) return;
  const std::uint64_t groups = codes / group;
  for (std::uint64_t i = 0; i < groups; ++i) work(i * group, group, packed / groups);
}

}  // namespace

std::span<const PackingRow> packings() { return kPackings; }

int packed_bits(Packing packing) { return row_of(packing).bits; }

std::string_view packing_name(Packing packing) { return row_of(packing).name; }

std::optional<Packing> parse_packing(std::string_view name) {
  const auto row = std::ranges::find(kPackings, name, &PackingRow::name);
  return row == kPackings.end() ? std::nullopt : std::optional(row->packing);
}

std::string packing_problem(Packing packing, const ElementFormat& format) {
  const PackingRow& row = row_of(packing);
  const bool is_padded = packing == Packing::kBytePadded;
  if (is_padded ? format.storage_bits == 8 : format.bits == row.bits) return {};
  return "layout " + std::string(row.name) + " holds codes of " + (is_padded ? "1 to " : "") +
         std::to_string(row.bits) + " bits; those of " + std::string(format.name) + " have " +
         std::to_string(format.bits);
}

std::optional<std::uint64_t> CodeLayout::bytes(std::uint64_t count) const {
  if (packing == Packing::kSplitHalf) {
    const std::uint64_t each = group == 0 ? count : group;
    if (each % 2 != 0 || (each != 0 && count % each != 0)) return std::nullopt;
    return count / 2;
  }
  const auto bits = static_cast<std::uint64_t>(packed_bits(packing));
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

std::uint64_t CodeLayout::whole(std::uint64_t count) const {
  if (packing != Packing::kSplitHalf) return 8;
  return group == 0 ? count : group;
}

void pack(const CodeLayout& layout, std::span<const std::byte> codes, std::span<std::byte> packed) {
  for_each_group(layout, codes.size(), packed.size(),
                 [&](std::uint64_t first, std::uint64_t count, std::uint64_t bytes) {
                   pack_group(layout.packing, codes.subspan(first, count),
                              packed.subspan(first / count * bytes, bytes));
                 });
}

void unpack(const CodeLayout& layout, std::span<const std::byte> packed,
            std::span<std::byte> codes) {
  for_each_group(layout, codes.size(), packed.size(),
                 [&](std::uint64_t first, std::uint64_t count, std::uint64_t bytes) {
                   unpack_group(layout.packing, packed.subspan(first / count * bytes, bytes),
                                codes.subspan(first, count));
                 });
}

}  // namespace mx
