// SPDX-License-Identifier: Apache-2.0
#include "cli/list/checkpoints.hpp"

#include <fmt/format.h>

#include "cli/checkpoints/layouts.hpp"

namespace mx::cli {
namespace {

using golden::Tree;

std::string_view name_of(LevelNumber number) {
  switch (number) {
    case LevelNumber::kFactor:
      return "factor";
    case LevelNumber::kDivisor:
      return "divisor";
    case LevelNumber::kNone:
      break;
  }
  return "";
}

std::string_view name_of(CodesForm form) {
  switch (form) {
    case CodesForm::kGroups:
      return "groups";
    case CodesForm::kGgml:
      return "ggml";
    case CodesForm::kRows:
      break;
  }
  return "rows";
}

std::string tensors_of(const WeightLayout& layout) {
  if (layout.form == CodesForm::kGgml) return "X";
  const std::string_view joint = layout.joint.empty() ? "" : "._P";
  std::string text = fmt::format("X{0}{1}, X{0}{2}", joint, layout.codes, layout.scales);
  if (!layout.level.empty()) text += fmt::format(", X{}{}", joint, layout.level);
  return text;
}

}  // namespace

Tree checkpoints_json(FormatBook&) {
  Tree list = Tree::list();
  for (const WeightLayout& layout : weight_layouts()) {
    list.push_back({{"writers", layout.writers},
                    {"block", layout.block},
                    {"codes", layout.codes},
                    {"scales", layout.scales},
                    {"level", layout.level},
                    {"weight", layout.original},
                    {"codes_types", layout.codes_types},
                    {"scales_types", layout.scales_types},
                    {"packing", layout.packing},
                    {"number", name_of(layout.number)},
                    {"form", name_of(layout.form)},
                    {"joint", layout.joint},
                    {"never_with", layout.never_with}});
  }
  return list;
}

golden::ListTable checkpoints_table(FormatBook&) {
  golden::ListTable table{
      "Checkpoints, as mxgold inspect, dequantize and identify read them. X: the layer, P: its "
      "parameter",
      {"format", "tensors", "writers"},
      {}};
  for (const WeightLayout& layout : weight_layouts()) {
    table.rows.push_back({std::string(layout.block.empty() ? "by shape" : layout.block),
                          tensors_of(layout), std::string(layout.writers)});
  }
  return table;
}

}  // namespace mx::cli
