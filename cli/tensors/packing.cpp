#include "cli/tensors/packing.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/base/byte_view.hpp"
#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "reference/tensor/packing.hpp"

namespace mx::cli {
namespace {

struct Layout {
  Packing packing;
  std::string_view meaning;
};

constexpr std::array kLayouts = {
    Layout{Packing::kNibbleLowFirst, "4-bit codes, element 2j in bits 3:0 of byte j"},
    Layout{Packing::kNibbleHighFirst, "4-bit codes, element 2j in bits 7:4 of byte j"},
    Layout{Packing::kSplitHalf, "4-bit codes, byte j of a block holds j (low) and j + k/2 (high)"},
    Layout{Packing::kDense6, "6-bit codes, 4 in 3 bytes, the first in the low bits"},
    Layout{Packing::kBytePadded, "a code a byte, the default"}};

Packing packing_of(std::string_view name) { return *parse_packing(name); }

/// The group of split_half, everything at once otherwise.
std::uint64_t group_of(Packing packing, std::uint64_t codes, std::uint64_t group) {
  return packing == Packing::kSplitHalf && group != 0 ? group : codes;
}

}  // namespace

std::string packing_help() {
  std::string text = "Dense layout of the codes as flat bytes:";
  for (const Layout& layout : kLayouts) {
    text += fmt::format(" {} ({});", packing_name(layout.packing), layout.meaning);
  }
  text.pop_back();
  return text;
}

std::string require_packing(std::string_view name, const ElementFormat& format) {
  if (name.empty()) return "";
  std::vector<std::string_view> known;
  for (const Layout& layout : kLayouts) known.push_back(packing_name(layout.packing));
  const auto packing = parse_packing(name);
  if (!packing) throw Error(Exit::kUsage, unknown_name("layout", name, known));
  if (*packing == Packing::kBytePadded) return "";
  if (packed_bits(*packing) != format.bits) {
    fail(Exit::kUsage, "layout {} holds codes of {} bits; those of {} have {}", name,
         packed_bits(*packing), format.name, format.bits);
  }
  return std::string(name);
}

std::uint64_t packed_bytes(std::string_view name, std::uint64_t elements) {
  return mx::packed_bytes(packing_of(name), elements);
}

void pack(std::string_view name, std::span<const std::byte> codes, std::span<std::byte> packed,
          std::uint64_t group) {
  const Packing packing = packing_of(name);
  const std::uint64_t step = group_of(packing, codes.size(), group);
  const std::uint64_t bytes = step == 0 ? 0 : mx::packed_bytes(packing, step);
  for (std::uint64_t i = 0; i < codes.size(); i += step) {
    mx::pack(packing, bytes_of(codes.subspan(i, step)),
             bytes_of(packed.subspan(i / step * bytes, bytes)));
  }
}

void unpack(std::string_view name, std::span<const std::byte> packed, std::span<std::byte> codes,
            std::uint64_t group) {
  const Packing packing = packing_of(name);
  const std::uint64_t step = group_of(packing, codes.size(), group);
  const std::uint64_t bytes = step == 0 ? 0 : mx::packed_bytes(packing, step);
  for (std::uint64_t i = 0; i < codes.size(); i += step) {
    mx::unpack(packing, bytes_of(packed.subspan(i / step * bytes, bytes)),
               bytes_of(codes.subspan(i, step)));
  }
}

}  // namespace mx::cli
