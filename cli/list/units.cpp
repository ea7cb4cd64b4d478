#include "cli/list/units.hpp"

#include <fmt/format.h>

#include "reference/unit/unit_dot.hpp"

namespace mx::cli {
namespace {

using golden::Tree;

std::vector<std::string_view> inputs_of(const MatrixUnit& unit) {
  std::vector<std::string_view> names;
  for (const ElementFormat& format : unit.inputs) names.push_back(format.name);
  return names;
}

std::vector<std::string> scales_of(const MatrixUnit& unit) {
  std::vector<std::string> names;
  for (const UnitScale& scale : unit.scales) {
    names.push_back(fmt::format("{}/{}", scale.format.name, scale.block_size));
  }
  return names;
}

std::string_view results_of(const MatrixUnit& unit) {
  return unit.has_fp16 ? "fp32, fp16" : "fp32";
}

Tree number_or_null(const std::optional<int>& number) {
  return number ? Tree(*number) : Tree(nullptr);
}

}  // namespace

Tree units_json(FormatBook&) {
  Tree list = Tree::list();
  for (const MatrixUnit& unit : matrix_units()) {
    list.push_back({{"name", unit.name},
                    {"devices", unit.devices},
                    {"instructions", unit.instructions},
                    {"inputs", inputs_of(unit)},
                    {"takes_mixed", unit.takes_mixed},
                    {"scales", scales_of(unit)},
                    {"results", results_of(unit)},
                    {"sum", token_of(unit.sum)},
                    {"group", unit.group},
                    {"fraction_bits", unit.fraction_bits},
                    {"sum_format", unit.sum32.name},
                    {"zero_exponent_fp32", number_or_null(unit.zero_exponent32)},
                    {"zero_exponent_fp16", number_or_null(unit.zero_exponent16)},
                    {"nan", token_of(unit.nan)},
                    {"open", token_of(unit.open)},
                    {"source", fmt::format("docs/spec/accumulators.md {}", unit.source)}});
  }
  return list;
}

golden::ListTable units_table(FormatBook&) {
  golden::ListTable table{
      "Matrix units (mxgold mma --unit NAME; docs/spec/accumulators.md)",
      {"unit", "devices", "instructions", "operands", "scales", "results", "sum"},
      {}};
  for (const MatrixUnit& unit : matrix_units()) {
    table.rows.push_back({std::string(unit.name), std::string(unit.devices),
                          std::string(unit.instructions),
                          fmt::format("{}{}", fmt::join(inputs_of(unit), ", "),
                                      unit.takes_mixed ? " (mixed too)" : ""),
                          fmt::format("{}", fmt::join(scales_of(unit), ", ")),
                          std::string(results_of(unit)), std::string(token_of(unit.sum))});
  }
  return table;
}

}  // namespace mx::cli
