// What `quantize` says of its output.
#pragma once

#include <vector>

#include "cli/quantize/options.hpp"
#include "cli/tensors/origin.hpp"
#include "cli/tensors/plan.hpp"

namespace mx::cli {

/// A line, or JSON; what the profile leaves open is told on stderr too.
void report_quantized(const QuantizeOptions& options, const Recipe& recipe, const Origin& values,
                      const std::vector<QuantizeJob>& jobs);

}  // namespace mx::cli
