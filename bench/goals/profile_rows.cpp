// SPDX-License-Identifier: Apache-2.0
// C13: blocks as named systems make them beside mxgold's own default. A system's policies may cost
// at most as much again.
#include <array>
#include <string>

#include "backend/tensor/tensor_quantizer.hpp"
#include "bench/goals/inputs.hpp"
#include "bench/goals/rows.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::goals {

namespace {

/// A named system and one of its formats.
struct Named {
  const char* profile;
  const char* format;
};

/// One call of a profile's quantizer on its own results.
Contestant contestant(const char* profile, const char* format, const Array<float>& values) {
  const NamedProfile named = named_profile(profile);
  const QuantizerConfig config =
      block_config(*named.profile, *find_block_format(format), formats::fp32, named.variant)
          .value();
  const auto quantizer = backend::TensorQuantizer::make(config, backend::Choice::kAuto).value();
  const BlockedShape shape =
      BlockedShape::make(std::array<std::uint64_t, 1>{values.size()}, 0, config.format).value();
  const Array<std::uint8_t> codes(values.size());
  const Array<std::uint8_t> scales(shape.scales);
  return {profile, [=] {
            (void)quantizer.quantize_all(shape, values.bytes(), {}, codes.bytes(), scales.bytes(),
                                         nullptr, 1);
          }};
}

Row beside_default(const Setting& setting, Named named) {
  const Array<float> values = block_values(setting.small);
  Row row{.id = "C13",
          .what = std::string("fp32 to ") + named.format + " under " + named.profile +
                  " / mxgold-default, " + std::to_string(setting.small) + " elements",
          .goal = 0.5};
  row.items = static_cast<double>(setting.small);
  row.ours = contestant(named.profile, named.format, values);
  row.theirs = {contestant("mxgold-default", named.format, values)};
  row.difference = [] { return std::string(); };
  row.mask = "outputs: the systems differ";
  return row;
}

}  // namespace

std::vector<RowPlan> profile_rows() {
  constexpr std::array kNamed = {Named{"te", "mxfp8_e4m3"},
                                 Named{"te", "nvfp4"},
                                 Named{"torchao-0.18", "mxfp8_e4m3"},
                                 Named{"torchao-0.18:rceil", "mxfp4"},
                                 Named{"cublas-13", "mxfp8_e4m3"},
                                 Named{"triton-kernels-3.5", "mxfp4"},
                                 Named{"modelopt-0.47", "mxfp8_e4m3"},
                                 Named{"modelopt-0.47", "nvfp4"},
                                 Named{"microxcaling-1.1.0/py-f32", "mxfp8_e4m3"},
                                 Named{"microxcaling-1.1.0/py-f32", "mxfp6_e2m3"}};
  std::vector<RowPlan> rows;
  for (const Named& named : kNamed) {
    rows.push_back({.id = "C13", .make = [named](const Setting& setting) {
                      return beside_default(setting, named);
                    }});
  }
  return rows;
}

}  // namespace mx::goals
