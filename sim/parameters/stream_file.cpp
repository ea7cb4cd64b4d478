// SPDX-License-Identifier: Apache-2.0
#include "sim/parameters/stream_file.hpp"

#include "golden/bytes/json_text.hpp"

namespace mx::sim {
namespace {

using Json = nlohmann::ordered_json;

/// A side of the module, whose ports begin with `prefix`.
Json side_of(const std::string& prefix, Json ports, const Json& keep, std::uint32_t beats) {
  if (!keep.empty()) {
    ports[prefix + "tkeep"] = keep;
    ports[prefix + "tlast"] = {{"last", true}};
  }
  return {{"valid", prefix + "tvalid"},
          {"ready", prefix + "tready"},
          {"beats", beats},
          {"ports", std::move(ports)}};
}

}  // namespace

std::string text_of(const StreamUnit& unit, const RtlParameters& build,
                    const std::vector<std::string>& sources) {
  Json parameter;
  for (std::size_t i = 0; i < build.values.size(); ++i) {
    const RtlParameter& row = build.unit->parameters[i];
    if (!row.is_of_bench) parameter[std::string(row.name)] = build.values[i];
  }
  const std::uint32_t beats = unit.elements / unit.lanes;
  Json keep_in = {{"keep", unit.keep_in}}, keep_out = Json::array();
  if (unit.operands > 1) {
    keep_in = Json::array();
    for (unsigned i = 0; i < unit.operands; ++i) {
      keep_in.push_back({{"keep", unit.keep_in}, {"lanes", unit.lanes}});
    }
  }
  if (unit.keep_out > 0) keep_out = {{"keep", unit.keep_out}};
  Json input = side_of("s_axis_", unit.input, keep_in, beats);
  input["last"] = unit.keep_out > 0 ? "passes" : "ends";
  const Json file = {
      {"device_schema", 1},
      {"sources", sources},
      {"top", build.unit->name},
      {"parameter", parameter},
      {"operation", unit.operation},
      {"configuration", unit.configuration},
      {"lanes", unit.elements},
      {"clock", "clk_i"},
      {"reset", {{"port", "rst_ni"}, {"active", "low"}, {"kind", "asynchronous"}}},
      {"input", input},
      {"output", side_of("m_axis_", unit.output, keep_out, unit.keep_out > 0 ? beats : 1)}};
  return golden::dumped(file, 2) + "\n";
}

}  // namespace mx::sim
