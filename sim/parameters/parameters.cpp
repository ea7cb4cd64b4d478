// SPDX-License-Identifier: Apache-2.0
#include "sim/parameters/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

#include "golden/names/names.hpp"
#include "sim/parameters/units.hpp"
#include "sim/rtl/faults.hpp"

namespace mx::sim {
namespace {

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// A whole number, decimal or with 0x before hexadecimal digits.
std::optional<std::uint32_t> number_of(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint32_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string unknown_parameter(const RtlUnit& unit, std::string_view name) {
  std::vector<std::string_view> known;
  for (const RtlParameter& each : unit.parameters) known.push_back(each.name);
  return golden::unknown_name(fmt::format("parameter of {}", unit.name), name, known);
}

const RtlUnit* find_unit(std::string_view name) {
  const auto found = std::ranges::find(rtl_units(), name, &RtlUnit::name);
  return found == rtl_units().end() ? nullptr : &*found;
}

/// The number of a fault that some build of the unit shows; 0 for none of that name.
int fault_of(const RtlUnit& unit, std::string_view token) {
  const RtlFault* const fault = find_rtl_fault(token);
  return fault != nullptr && fault->unit() == unit.name ? fault->number : 0;
}

/// What stands beside parameters without a value.
std::string not_a_value(const RtlUnit& unit, std::string_view part, bool is_first) {
  return fmt::format(
      "'{}' is no NAME=VALUE{}; write Lanes=8,FmtMask=0x4, or a fault and a comma before it "
      "(mxgold list faults)",
      part, is_first ? fmt::format(" and no fault of {}", unit.name) : "");
}

/// Takes `NAME=VALUE` into a build: "" or what is wrong.
std::string take_value(RtlParameters& build, std::vector<bool>& is_given, std::string_view part) {
  const std::size_t equals = part.find('=');
  const std::string_view name = part.substr(0, equals), text = part.substr(equals + 1);
  const std::span<const RtlParameter> rows = build.unit->parameters;
  const auto row = std::ranges::find(rows, name, &RtlParameter::name);
  if (row == rows.end()) return unknown_parameter(*build.unit, name);
  const auto number = static_cast<std::size_t>(row - rows.begin());
  if (is_given[number]) return fmt::format("{} is given twice; leave one out", name);
  is_given[number] = true;
  const std::optional<std::uint32_t> value = number_of(text);
  if (!value || !row->takes(*value)) {
    return fmt::format(
        "{}={}: give {} (default {})", name, text, row->legal(),
        row->is_mask ? fmt::format("{:#x}", row->otherwise) : fmt::format("{}", row->otherwise));
  }
  build.values[number] = *value;
  return {};
}

}  // namespace

bool RtlParameter::takes(std::uint32_t value) const {
  return value >= least && value <= most && (!is_power_of_two || std::has_single_bit(value));
}

std::string RtlParameter::legal() const {
  if (is_mask) return fmt::format("{:#x} to {:#x}", least, most);
  if (!is_power_of_two) return fmt::format("{} to {}", least, most);
  std::vector<std::uint32_t> values;
  for (std::uint32_t value = least; value < most; value *= 2) values.push_back(value);
  return fmt::format("{} or {}", fmt::join(values, ", "), most);
}

std::uint32_t RtlParameters::of(std::string_view name) const {
  const auto row = std::ranges::find(unit->parameters, name, &RtlParameter::name);
  return values.at(static_cast<std::size_t>(row - unit->parameters.begin()));
}

std::span<const RtlUnit> rtl_units() {
  static const std::array units{quantizer_unit(), dequantizer_unit(), nvfp4_quantizer_unit(),
                                dot_unit()};
  return units;
}

bool names_rtl_parameters(std::string_view argument) {
  std::error_code ignored;
  if (std::filesystem::is_directory(argument, ignored)) return false;
  return argument.find('=') != std::string_view::npos ||
         find_unit(argument.substr(0, argument.find(','))) != nullptr;
}

Checked<RtlParameters> parse_rtl_parameters(std::string_view argument) {
  std::vector<std::string_view> parts = parts_of(argument);
  RtlParameters build{.unit = find_unit(parts.front()), .fault = 0, .values = {}};
  if (build.unit != nullptr) {
    parts.erase(parts.begin());
  } else {
    build.unit = &rtl_units().front();
  }
  for (const RtlParameter& each : build.unit->parameters) build.values.push_back(each.otherwise);
  if (!parts.empty()) build.fault = fault_of(*build.unit, parts.front());
  std::vector<bool> is_given(build.values.size());
  for (std::size_t i = build.fault == 0 ? 0 : 1; i < parts.size(); ++i) {
    if (parts[i].find('=') == std::string_view::npos) {
      return Problem{not_a_value(*build.unit, parts[i], i == 0)};
    }
    if (std::string why = take_value(build, is_given, parts[i]); !why.empty()) {
      return Problem{std::move(why)};
    }
  }
  if (std::string why = build.unit->wrong_together(build); !why.empty()) {
    return Problem{std::move(why)};
  }
  return build;
}

}  // namespace mx::sim
