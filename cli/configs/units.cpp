// D = A * B + C on named matrix units.
#include <fmt/format.h>

#include "cli/base/error.hpp"
#include "cli/configs/choices.hpp"
#include "cli/configs/operations.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

using golden::Configuration;

const MatrixUnit& require_unit(const std::string& name) {
  if (const MatrixUnit* const found = find_unit(name)) return *found;
  if (name.empty()) fail(Exit::kUsage, "--op mma: give --unit; mxgold list units names them");
  std::vector<std::string_view> known;
  for (const MatrixUnit& unit : matrix_units()) known.push_back(unit.name);
  throw Error(Exit::kUsage, unknown_name("value of --unit", name, known));
}

/// Of the unit's scales the first one that fits what was asked for.
UnitScale scale_of(const ConfigOptions& options, const MatrixUnit& unit) {
  for (const UnitScale& each : unit.scales) {
    const bool is_format = options.scale_format.empty() || options.scale_format == each.format.name;
    const bool is_size = options.block_size == 0 || options.block_size == each.block_size;
    if (is_format && is_size) return each;
  }
  std::vector<std::string> known;
  for (const UnitScale& each : unit.scales) {
    known.push_back(fmt::format("{} for {} elements", each.format.name, each.block_size));
  }
  fail(Exit::kUsage, "--unit {}: takes scales of {}", unit.name, fmt::join(known, ", "));
}

/// A block format brings its scales.
UnitSide side_of(const ConfigOptions& options, const MatrixUnit& unit, const std::string& name) {
  const FormatChoice choice = options.book->require(name);
  const bool is_asked = !options.scale_format.empty() || options.block_size != 0;
  if (choice.block != nullptr && !is_asked) {
    if (unit.scales.empty()) {
      fail(Exit::kUsage, "--unit {}: takes no scales; give an element format, not {}", unit.name,
           name);
    }
    return {choice.block->element, UnitScale{choice.block->scale, choice.block->block_size}};
  }
  const ElementFormat& element = choice.block != nullptr ? choice.block->element : *choice.element;
  if (!unit.scales.empty()) return {element, scale_of(options, unit)};
  if (is_asked) {
    fail(Exit::kUsage, "--scale-format, --block-size: unit {} takes no scales", unit.name);
  }
  return {element, {}};
}

}  // namespace

void add_mma(const ConfigOptions& options, std::vector<Configuration>& list) {
  refuse_policies(
      options, [](std::string_view) { return false; }, "mma");
  require_default_profile(options);
  const MatrixUnit& unit = require_unit(options.unit);
  const Names defaults{std::string(unit.inputs.front().name)};
  const Names& names = format_names(options, defaults);
  if (names.size() > 2) fail(Exit::kUsage, "--format: give one format, or A's and B's");
  golden::UnitCase what;
  what.on = {unit, side_of(options, unit, names.front()), side_of(options, unit, names.back()),
             options.book->require_element("value of --result", options.dot.result)};
  const Configuration configuration{what, {"mxgold-default", "", 0}};
  require_computable(configuration);
  list.push_back(configuration);
}

}  // namespace mx::cli
