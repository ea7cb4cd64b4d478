#include "cli/quantize/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/base/made.hpp"
#include "cli/quantize/outputs.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/flags.hpp"

namespace mx::cli {
namespace {

nlohmann::ordered_json json_of(const Recipe& recipe, const QuantizeJob& job) {
  nlohmann::ordered_json json = {{"name", job.tensor->name},
                                 {"shape", job.tensor->shape},
                                 {"source", job.tensor->format->name},
                                 {"elements", job.summary.elements},
                                 {"blocks", job.summary.blocks},
                                 {"nan_scales", job.summary.nan_scales},
                                 {"flags", golden::flag_names(job.summary.flags)},
                                 {"open_elements", job.open.elements},
                                 {"open_scales", job.open.scales},
                                 {"open_masks", block_mask_tokens(job.open.masks)}};
  if (recipe.has_tensor_scale()) {
    json["tensor_amax"] = golden::hex_float(decode(formats::fp32, job.level.amax));
    json["tensor_scale"] = golden::hex_float(decode(formats::fp32, job.level.scale));
  }
  return json;
}

}  // namespace

void report_quantized(const QuantizeOptions& options, const Recipe& recipe, const Origin& values,
                      const std::vector<QuantizeJob>& jobs) {
  TensorSummary total;
  auto tensors = nlohmann::ordered_json::array();
  for (const QuantizeJob& job : jobs) {
    total += job.summary;
    tensors.push_back(json_of(recipe, job));
  }
  const OpenCount open = open_of(jobs);
  if (open.masks != 0) {
    fmt::print(stderr,
               "mxgold quantize: profile {} leaves open {}; the codes written there are one choice "
               "of several\n",
               recipe.profile, open_text(open, total.elements, total.blocks));
  }
  if (options.is_json) {
    const nlohmann::ordered_json result = {{"output", options.output},
                                           {"metadata", file_metadata(recipe, values, jobs)},
                                           {"elements", total.elements},
                                           {"blocks", total.blocks},
                                           {"nan_scales", total.nan_scales},
                                           {"flags", golden::flag_names(total.flags)},
                                           {"open_elements", open.elements},
                                           {"open_scales", open.scales},
                                           {"open_masks", block_mask_tokens(open.masks)},
                                           {"tensors", tensors}};
    fmt::print("{}\n", golden::dumped(result, 2));
    return;
  }
  const std::string blocks =
      recipe.format.block == nullptr
          ? ""
          : fmt::format(", {} blocks ({} with a NaN scale)", total.blocks, total.nan_scales);
  fmt::print(report_stream(options.output), "quantized {} tensors, {} values{} to {}: {}\n",
             jobs.size(), total.elements, blocks, recipe.format.name, options.output);
}

}  // namespace mx::cli
