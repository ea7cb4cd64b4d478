// SPDX-License-Identifier: Apache-2.0
// mx_nvfp4_quantizer: its parameters, and the device file of a build.
#include <fmt/format.h>

#include <array>

#include "golden/config_word/table.hpp"
#include "reference/policy/fields.hpp"
#include "sim/parameters/stream_file.hpp"
#include "sim/parameters/units.hpp"

namespace mx::sim {
namespace of_nvfp4_quantizer {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

constexpr std::array kParameters{RtlParameter{"InFmtMask", 1, 3, 3, false, true}};

/// Tensor scales that the bench can send: those of suites, 1.0, and both ends of each kind of
/// binary32 number and of its significands.
constexpr std::array<std::uint32_t, 14> kTensorScales = {
    0x3F800000, 0x39C30C31, 0x390C30C3, 0x6BC30C31, 0x07C30C31, 0x00000001, 0x00000003,
    0x007FFFFF, 0x00800000, 0x00FFFFFF, 0x3F800001, 0x3FFFFFFF, 0x3FAAAAAB, 0x7F7FFFFF};

Words sources_of(const RtlParameters& build) {
  Words words;
  for (std::uint32_t code = 0; code < 2; ++code) {
    if (((build.of("InFmtMask") >> code) & 1U) != 0) words.emplace_back(golden::kSourceCodes[code]);
  }
  return words;
}

std::string wrong_together(const RtlParameters& /*build*/) { return {}; }

std::string device_file(const RtlParameters& build, const std::vector<std::string>& sources) {
  Json scales;
  Words words;
  for (const std::uint32_t scale : kTensorScales) {
    words.push_back(fmt::format("{:08x}", scale));
    scales[words.back()] = scale;
  }
  Json configuration = {{"format", "nvfp4"},
                        {"source", sources_of(build)},
                        {"stored_tensor_scale", words},
                        {"block_size", "16"}};
  // Every policy is the default's.
  const Policies standard;
  for (const PolicyField& field : policy_fields()) {
    if (field.name == "random_bits") continue;
    configuration[std::string(field.name)] = std::string(field.read(standard));
  }
  configuration["rule"] = token_of(ScaleRule::kNvfp4Exact);
  namespace f = golden::nvfp4_field;
  const Json word = Json::array(
      {Json{
           {"select", "stored_tensor_scale"}, {"width", f::kTensorScale.width}, {"values", scales}},
       Json{{"select", "source"},
            {"width", f::kSource.width},
            {"values", {{"fp32", 0}, {"bf16", 1}}}}});
  const Json status =
      Json::array({Json{{"field", "scale"}, {"width", 8}}, Json{{"field", "flags"}, {"width", 8}}});
  return text_of({.operation = "block",
                  .configuration = configuration,
                  .elements = 16,
                  .lanes = 16,
                  .keep_in = (build.of("InFmtMask") & 1) != 0 ? 4U : 2U,
                  .keep_out = 1,
                  .input = {{"s_axis_tdata", {{"field", "source"}}}, {"s_axis_tuser", word}},
                  .output = {{"m_axis_tdata", {{"field", "code"}}}, {"m_axis_tuser", status}}},
                 build, sources);
}

std::string left_out(const RtlParameters& build) {
  const Words words = sources_of(build);
  if (words.size() == 2) return {};
  return fmt::format("source {} (InFmtMask)", words.front() == "fp32" ? "bf16" : "fp32");
}

}  // namespace
}  // namespace of_nvfp4_quantizer

RtlUnit nvfp4_quantizer_unit() {
  using namespace of_nvfp4_quantizer;
  return {"mx_nvfp4_quantizer", "rtl/nvfp4", kParameters, wrong_together, device_file, left_out};
}

}  // namespace mx::sim
