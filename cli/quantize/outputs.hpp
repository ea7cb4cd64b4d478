// The tensors of a quantized file: announced, filled and written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/quantize/options.hpp"
#include "cli/tensors/origin.hpp"
#include "cli/tensors/plan.hpp"

namespace mx::cli {

/// How much of all tensors the profile leaves open.
[[nodiscard]] OpenCount open_of(const std::vector<QuantizeJob>& jobs);

/// The recipe's metadata, what of the file is open, and what was open of the values in it.
[[nodiscard]] std::map<std::string, std::string> file_metadata(
    const Recipe& recipe, const Origin& values, const std::vector<QuantizeJob>& jobs);

/// Quantizes every job into the output, which takes its name when all of it is written; fills their
/// summaries.
void write_all(const QuantizeOptions& options, const Recipe& recipe, const Origin& values,
               const TensorFile& file, std::vector<QuantizeJob>& jobs);

}  // namespace mx::cli
