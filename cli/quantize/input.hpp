// What the input of `mxgold quantize` says of itself, where it holds values that mxgold made.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/quantize/options.hpp"
#include "cli/tensors/origin.hpp"

namespace mx::cli {

/// What has to be said of the codes too: the transform that the values are under, what is open of
/// them. Error kBadInput for a wrong field.
[[nodiscard]] Origin origin_of_input(const QuantizeOptions& options, const TensorFile& file);

/// Codes of values under a transform are under it as well, and going back has to find the same
/// groups. Error kUsage where the recipe transforms them once more, or has not blocks of a multiple
/// of 16 along the axis of the transform.
void keep_transform(const TensorFile& file, const Origin& values,
                    const std::vector<QuantizeJob>& jobs, Recipe& recipe);

}  // namespace mx::cli
