// SPDX-License-Identifier: Apache-2.0
// mx_dot: its parameters, and the device file of a build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "golden/config_word/table.hpp"
#include "reference/dot/fields.hpp"
#include "reference/format/table.hpp"
#include "sim/parameters/stream_file.hpp"
#include "sim/parameters/units.hpp"

namespace mx::sim {
namespace of_dot {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// In the order of the module's header; how many beats a product has is no parameter of it.
constexpr std::array kParameters{RtlParameter{"Lanes", 8, 32, 32, true, false},
                                 RtlParameter{"FmtMask", 1, 0x7F, 0x7F, false, true},
                                 RtlParameter{"AlignBits", 15, 40, 24, false, false},
                                 RtlParameter{"Beats", 1, 16, 4, false, false, true}};

constexpr std::uint32_t kFp8 = 3;  ///< e4m3fn and e5m2, with which nvfp4 does not go
constexpr std::string_view kTwoLevel = "nvfp4";

bool has_two_level(const RtlParameters& build) {
  return ((build.of("FmtMask") >> golden::kNvfp4Code) & 1U) != 0;
}

/// Blocks of nvfp4 are beats of 16 lanes.
bool is_two_level_offered(const RtlParameters& build) {
  return has_two_level(build) && build.of("Lanes") == 16 && (build.of("FmtMask") & kFp8) == 0;
}

/// The block formats that are sent, with their codes.
Json formats_of(const RtlParameters& build) {
  Json formats = Json::object();
  for (std::size_t code = 0; code < golden::kFormatCodes.size(); ++code) {
    if (((build.of("FmtMask") >> code) & 1U) == 0) continue;
    for (const BlockFormat& row : mx_block_formats()) {
      if (row.element.name == golden::kFormatCodes.at(code)) formats[std::string(row.name)] = code;
    }
  }
  if (is_two_level_offered(build)) formats[std::string(kTwoLevel)] = golden::kNvfp4Code;
  return formats;
}

std::string wrong_together(const RtlParameters& build) {
  if (!formats_of(build).empty()) return {};
  return "blocks of nvfp4 have 16 elements; give Lanes=16";
}

std::string device_file(const RtlParameters& build, const std::vector<std::string>& sources) {
  const std::uint32_t lanes = build.of("Lanes");
  const Json formats = formats_of(build);
  Words names;
  for (const auto& [name, code] : formats.items()) names.push_back(name);
  Json configuration = {{"a_format", names},
                        {"b_format", names},
                        {"a_block_size", fmt::format("{}", lanes)},
                        {"b_block_size", fmt::format("{}", lanes)},
                        {"result", "fp32"},
                        {"rounding", "ties_to_even"},
                        {"overflow", "none_inf_or_nan"},
                        {"addend", "given"},
                        {"addend_format", "fp32"},
                        {"mode", "accumulator"}};
  if (is_two_level_offered(build)) {
    configuration["a_stored_tensor_scale"] = configuration["b_stored_tensor_scale"] = "3f800000";
  }
  AccumulatorModel model;
  model.group = static_cast<int>(lanes);
  model.alignment_bits = static_cast<int>(build.of("AlignBits"));
  model.carry = DotCarry::kAfterwards;
  model.align = DotAlign::kExponentSum;
  visit_fields(model, [&](const AccumulatorField& field, const auto& member) {
    configuration[std::string(field.in_headers)] = member_text(member);
  });
  namespace f = golden::dot_field;
  const auto select = [&](const char* field, const golden::ConfigWordField& place) {
    return Json{{"select", field}, {"width", place.width}, {"values", formats}};
  };
  constexpr int kGap = f::kAddend.lsb - f::kFormatB.lsb - f::kFormatB.width;
  const Json word =
      Json::array({Json{{"field", "a_scale"}, {"width", f::kScaleA.width}, {"lanes", 1}},
                   Json{{"field", "b_scale"}, {"width", f::kScaleB.width}, {"lanes", 1}},
                   select("a_format", f::kFormatA), select("b_format", f::kFormatB),
                   Json{{"value", 0}, {"width", kGap}},
                   Json{{"field", "c"}, {"width", f::kAddend.width}, {"beats", "first"}}});
  const auto codes = [&](const char* field) {
    return Json{{"field", field}, {"slot", 8}, {"lanes", lanes}};
  };
  return text_of(
      {.operation = "dot",
       .configuration = configuration,
       .elements = lanes * build.of("Beats"),
       .lanes = lanes,
       .keep_in = 1,
       .keep_out = 0,
       .operands = 2,
       .input = {{"s_axis_tdata", Json::array({codes("a"), codes("b")})}, {"s_axis_tuser", word}},
       .output = {{"m_axis_tdata", {{"field", "code"}}}}},
      build, sources);
}

std::string left_out(const RtlParameters& build) {
  Words missing;
  const Json formats = formats_of(build);
  for (const std::string_view element : golden::kFormatCodes) {
    for (const BlockFormat& row : mx_block_formats()) {
      if (row.element.name == element && !formats.contains(std::string(row.name))) {
        missing.emplace_back(row.name);
      }
    }
  }
  Words parts;
  if (!missing.empty())
    parts.push_back(fmt::format("format {} (FmtMask)", fmt::join(missing, ", ")));
  if (!is_two_level_offered(build)) {
    parts.push_back("format nvfp4 (Lanes=16 and a FmtMask without e4m3fn and e5m2: 0x7c)");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace
}  // namespace of_dot

RtlUnit dot_unit() {
  using namespace of_dot;
  return {"mx_dot", "rtl/dot", kParameters, wrong_together, device_file, left_out};
}

}  // namespace mx::sim
