// SPDX-License-Identifier: Apache-2.0
// mx_dequantizer: its parameters, and the device file of a build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"
#include "sim/parameters/stream_file.hpp"
#include "sim/parameters/units.hpp"

namespace mx::sim {
namespace of_dequantizer {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// In the order of the module's header; the size of blocks is no parameter of the module.
constexpr std::array kParameters{RtlParameter{"Lanes", 1, 32, 32, true, false},
                                 RtlParameter{"FmtMask", 1, 0x7F, 0x7F, false, true},
                                 RtlParameter{"ResMask", 1, 0x7, 0x7, false, true},
                                 RtlParameter{"BlockSize", 16, 64, 32, true, false, true}};

constexpr std::string_view kTwoLevel = "nvfp4";

/// The block formats by their codes.
Words format_words() {
  Words words;
  for (const std::string_view element : golden::kFormatCodes) {
    for (const BlockFormat& row : mx_block_formats()) {
      if (row.element.name == element) words.emplace_back(row.name);
    }
  }
  words.emplace_back(kTwoLevel);
  return words;
}

Words result_words() { return {golden::kSourceCodes.begin(), golden::kSourceCodes.end()}; }

/// Blocks of nvfp4 have 16 elements.
bool is_offered(const RtlParameters& build, std::string_view format) {
  return format != kTwoLevel || build.of("BlockSize") == 16;
}

/// The words that a mask has, or has not.
Words words_with(const Words& words, std::uint32_t mask, std::uint32_t bit) {
  Words with;
  for (std::size_t code = 0; code < words.size(); ++code) {
    if (((mask >> code) & 1U) == bit) with.push_back(words[code]);
  }
  return with;
}

/// The codes of a list, as a part of a port chooses them.
Json choices(const Words& words) {
  Json values;
  for (std::size_t code = 0; code < words.size(); ++code) values[words[code]] = code;
  return values;
}

Words formats_of(const RtlParameters& build) {
  Words words = words_with(format_words(), build.of("FmtMask"), 1);
  std::erase_if(words, [&](const std::string& each) { return !is_offered(build, each); });
  return words;
}

std::string wrong_together(const RtlParameters& build) {
  const std::uint32_t lanes = build.of("Lanes"), block = build.of("BlockSize");
  if (lanes > block) {
    return fmt::format(
        "Lanes is {} and BlockSize {}: a beat has at most a block; give Lanes={} too", lanes, block,
        block);
  }
  if (formats_of(build).empty())
    return "blocks of nvfp4 have 16 elements; give Lanes=16,BlockSize=16";
  return {};
}

std::string device_file(const RtlParameters& build, const std::vector<std::string>& sources) {
  Words overflows;
  for (const DequantOverflow each : golden::kDequantOverflowCodes) {
    overflows.emplace_back(token_of(each));
  }
  const Words results = words_with(result_words(), build.of("ResMask"), 1);
  Json configuration = {{"format", formats_of(build)},
                        {"result", results},
                        {"rounding", token_of(Rounding::kTiesToEven)},
                        {"dst_ftz", "none"},
                        {"dequant_overflow", overflows},
                        {"block_size", fmt::format("{}", build.of("BlockSize"))}};
  // The module has no tensor scale: those of records are 1.
  if (is_offered(build, kTwoLevel)) configuration["stored_tensor_scale"] = "3f800000";
  const auto width = [](const golden::ConfigWordField& field) { return field.width; };
  namespace f = golden::dequantizer_field;
  const Json word = Json::array(
      {Json{{"field", "a_scale"}, {"width", width(f::kScale)}},
       Json{
           {"select", "format"}, {"width", width(f::kFormat)}, {"values", choices(format_words())}},
       Json{
           {"select", "result"}, {"width", width(f::kResult)}, {"values", choices(result_words())}},
       Json{{"select", "dequant_overflow"},
            {"width", width(f::kOverflow)},
            {"values", choices(overflows)}},
       Json{{"value", 0}, {"width", 1}}});
  const bool has_fp32 = (build.of("ResMask") & 1) != 0;
  return text_of({.operation = "dequantize",
                  .configuration = configuration,
                  .elements = build.of("BlockSize"),
                  .lanes = build.of("Lanes"),
                  .keep_in = 1,
                  .keep_out = has_fp32 ? 4U : 2U,
                  .input = {{"s_axis_tdata", {{"field", "a"}}}, {"s_axis_tuser", word}},
                  .output = {{"m_axis_tdata", {{"field", "code"}}}}},
                 build, sources);
}

std::string left_out(const RtlParameters& build) {
  Words parts;
  const auto add = [&](std::string_view field, const Words& words, std::string_view mask) {
    const Words missing = words_with(words, build.of(mask), 0);
    if (missing.empty()) return;
    parts.push_back(fmt::format("{} {} ({})", field, fmt::join(missing, ", "), mask));
  };
  add("format", format_words(), "FmtMask");
  add("result", result_words(), "ResMask");
  const bool has_two_level = ((build.of("FmtMask") >> golden::kNvfp4Code) & 1U) != 0;
  if (has_two_level && !is_offered(build, kTwoLevel)) {
    parts.push_back(fmt::format("format {} (give BlockSize=16)", kTwoLevel));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace
}  // namespace of_dequantizer

RtlUnit dequantizer_unit() {
  using namespace of_dequantizer;
  return {"mx_dequantizer", "rtl/dequantizer", kParameters, wrong_together, device_file, left_out};
}

}  // namespace mx::sim
