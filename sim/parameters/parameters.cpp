// SPDX-License-Identifier: Apache-2.0
#include "sim/parameters/parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <optional>
#include <vector>

#include "golden/names/names.hpp"
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

std::string unknown_parameter(std::string_view name) {
  std::vector<std::string_view> known;
  for (const RtlParameter& each : kRtlParameters) known.push_back(each.name);
  return golden::unknown_name("parameter of mx_quantizer", name, known);
}

/// The number of a fault that some build of mx_quantizer shows; 0 for none of that name.
int fault_of(std::string_view token) {
  const RtlFault* const fault = find_rtl_fault(token);
  return fault != nullptr && fault->is_of_quantizer() ? fault->number : 0;
}

/// What stands beside parameters without a value.
std::string not_a_value(std::string_view part, bool is_first) {
  return fmt::format(
      "'{}' is no NAME=VALUE{}; write Lanes=8,InFmtMask=0x4, or a fault and a comma before it "
      "(mxgold list faults)",
      part, is_first ? " and no fault of mx_quantizer" : "");
}

/// The largest values that two parameters have together.
std::string wrong_together(const RtlParameters& build) {
  const std::uint32_t lanes = build.of("Lanes"), block = build.of("BlockSize");
  if (lanes <= block) return {};
  return fmt::format("Lanes is {} and BlockSize {}: a beat has at most a block; give Lanes={} too",
                     lanes, block, block);
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
  const auto* const row = std::ranges::find(kRtlParameters, name, &RtlParameter::name);
  return values.at(static_cast<std::size_t>(row - kRtlParameters.begin()));
}

bool names_rtl_parameters(std::string_view argument) {
  std::error_code ignored;
  return argument.find('=') != std::string_view::npos &&
         !std::filesystem::is_directory(argument, ignored);
}

Checked<RtlParameters> parse_rtl_parameters(std::string_view argument) {
  RtlParameters build;
  for (std::size_t i = 0; i < kRtlParameters.size(); ++i) {
    build.values[i] = kRtlParameters[i].otherwise;
  }
  std::array<bool, kRtlParameters.size()> is_given{};
  bool is_first = true;
  for (const std::string_view part : parts_of(argument)) {
    const std::size_t equals = part.find('=');
    const bool is_fault = is_first && fault_of(part) != 0;
    if (is_fault) build.fault = fault_of(part);
    if (!is_fault && equals == std::string_view::npos) return Problem{not_a_value(part, is_first)};
    is_first = false;
    if (is_fault) continue;
    const std::string_view name = part.substr(0, equals), text = part.substr(equals + 1);
    const auto* const row = std::ranges::find(kRtlParameters, name, &RtlParameter::name);
    if (row == kRtlParameters.end()) return Problem{unknown_parameter(name)};
    const auto number = static_cast<std::size_t>(row - kRtlParameters.begin());
    if (is_given[number]) return Problem{fmt::format("{} is given twice; leave one out", name)};
    is_given[number] = true;
    const std::optional<std::uint32_t> value = number_of(text);
    if (!value || !row->takes(*value)) {
      return Problem{fmt::format(
          "{}={}: give {} (default {})", name, text, row->legal(),
          row->is_mask ? fmt::format("{:#x}", row->otherwise) : fmt::format("{}", row->otherwise))};
    }
    build.values[number] = *value;
  }
  if (std::string why = wrong_together(build); !why.empty()) return Problem{std::move(why)};
  return build;
}

}  // namespace mx::sim
