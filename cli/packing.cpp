#include "mx/cli/packing.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "mx/cli/error.hpp"
#include "mx/cli/names.hpp"

namespace mx::cli {
namespace {

struct Layout {
  std::string_view name;
  int bits;  ///< of one code
  std::string_view meaning;
};

constexpr std::array kLayouts = {
    Layout{"nibble_low_first", 4, "4-bit codes, element 2j in bits 3:0 of byte j"},
    Layout{"nibble_high_first", 4, "4-bit codes, element 2j in bits 7:4 of byte j"},
    Layout{"dense6", 6, "6-bit codes, 4 in 3 bytes, the first in the low bits"},
    Layout{"byte_padded", 0, "a code a byte, the default"}};

const Layout& layout_of(std::string_view name) {
  return *std::find_if(kLayouts.begin(), kLayouts.end(),
                       [&](const Layout& layout) { return layout.name == name; });
}

/// The bit at which code i begins in the stream of little-endian bits.
std::uint64_t bit_of(const Layout& layout, std::uint64_t i) {
  if (layout.name == "nibble_high_first") return (i ^ 1) * 4;
  return i * static_cast<std::uint64_t>(layout.bits);
}

}  // namespace

std::string packing_help() {
  std::string text = "Dense layout of the codes as flat bytes:";
  for (const Layout& layout : kLayouts) {
    text += fmt::format(" {} ({});", layout.name, layout.meaning);
  }
  text.pop_back();
  return text;
}

std::string require_packing(std::string_view name, const ElementFormat& format) {
  if (name.empty()) return "";
  std::vector<std::string_view> known;
  for (const Layout& layout : kLayouts) known.push_back(layout.name);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw Error(Exit::kUsage, unknown_name("layout", name, known));
  }
  const Layout& layout = layout_of(name);
  if (layout.bits == 0) return "";
  if (layout.bits != format.bits) {
    fail(Exit::kUsage, "layout {} holds codes of {} bits; those of {} have {}", name, layout.bits,
         format.name, format.bits);
  }
  return std::string(name);
}

std::uint64_t packed_bytes(std::string_view name, std::uint64_t elements) {
  const auto bits = static_cast<std::uint64_t>(layout_of(name).bits);
  return (elements * bits + 7) / 8;
}

void pack(std::string_view name, std::span<const std::byte> codes, std::span<std::byte> packed) {
  const Layout& layout = layout_of(name);
  std::fill(packed.begin(), packed.end(), std::byte{0});
  for (std::uint64_t i = 0; i < codes.size(); ++i) {
    const std::uint64_t bit = bit_of(layout, i);
    const unsigned word = std::to_integer<unsigned>(codes[i]) << (bit % 8);
    packed[bit / 8] |= static_cast<std::byte>(word & 0xFF);
    if (word > 0xFF) packed[bit / 8 + 1] |= static_cast<std::byte>(word >> 8);
  }
}

void unpack(std::string_view name, std::span<const std::byte> packed, std::span<std::byte> codes) {
  const Layout& layout = layout_of(name);
  const unsigned mask = (1U << layout.bits) - 1;
  for (std::uint64_t i = 0; i < codes.size(); ++i) {
    const std::uint64_t bit = bit_of(layout, i);
    unsigned word = std::to_integer<unsigned>(packed[bit / 8]) >> (bit % 8);
    if (bit % 8 + static_cast<unsigned>(layout.bits) > 8) {
      word |= std::to_integer<unsigned>(packed[bit / 8 + 1]) << (8 - bit % 8);
    }
    codes[i] = static_cast<std::byte>(word & mask);
  }
}

}  // namespace mx::cli
