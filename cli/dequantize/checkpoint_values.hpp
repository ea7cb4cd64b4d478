// SPDX-License-Identifier: Apache-2.0
// Checkpoints of other libraries as values: what `mxgold dequantize` does with weights that lie in
// codes and scales under the names of their writers.
#pragma once

#include "cli/checkpoints/stored_weights.hpp"
#include "cli/dequantize/stored_values.hpp"

namespace mx::cli {

/// Writes the values of the weights, binary32 or rounded from there, and the tensors that are no
/// part of a weight as they are; reports. Throws Error: kUsage for an unknown name, kBadInput for a
/// weight whose parts do not fit.
void dequantize_checkpoint(const TensorFiles& files, const CheckpointMaker& maker,
                           const StoredWeights& stored, const StoredRequest& request);

}  // namespace mx::cli
