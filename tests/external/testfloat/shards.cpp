#include "tests/external/testfloat/shards.hpp"

namespace mx::external {

std::string TestfloatShard::text() const {
  if (!function.is_rounded) return "any";
  std::string text(mode.option);
  if (function.has_tininess) {
    text += tininess == Tininess::kBeforeRounding ? " before" : " after";
  }
  return text;
}

std::vector<TestfloatShard> testfloat_shards(const TestfloatFunction& function,
                                             const Options& options) {
  std::vector<TestfloatShard> shards;
  for (const Tininess tininess : testfloat_tininess(function)) {
    if (options.tininess && *options.tininess != tininess) continue;
    for (const TestfloatMode& mode : testfloat_modes(function)) {
      if (options.mode.empty() || options.mode == mode.option) {
        shards.push_back({function, mode, tininess});
      }
    }
  }
  return shards;
}

}  // namespace mx::external
