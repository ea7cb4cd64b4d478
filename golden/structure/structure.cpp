// SPDX-License-Identifier: Apache-2.0
#include "golden/structure/structure.hpp"

#include <algorithm>
#include <vector>

#include "golden/structure/families.hpp"

namespace mx::golden {

std::span<const Structure> structures() {
  static const std::vector<Structure> list = [] {
    std::vector<Structure> all;
    add_element_structures(all);
    add_code_structures(all);
    add_operand_structures(all);
    add_scale_structures(all);
    return all;
  }();
  return list;
}

const Structure* find_structure(std::string_view name, std::string_view value) {
  for (const Structure& each : structures()) {
    if (each.name == name && each.value == value) return &each;
  }
  return nullptr;
}

std::string structure_values(std::string_view name) {
  std::string values;
  for (const Structure& each : structures()) {
    if (each.name == name) values += (values.empty() ? "" : ", ") + each.value;
  }
  return values;
}

}  // namespace mx::golden
