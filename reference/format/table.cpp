#include "reference/format/table.hpp"

namespace mx {

std::span<const ElementFormat> all_formats() { return formats::kRows; }

const ElementFormat* find_format(std::string_view name) {
  for (const ElementFormat& row : formats::kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace mx
