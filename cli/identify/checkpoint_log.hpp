// mxgold identify over checkpoints: weights and the blocks that a library made of them, as a log.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/checkpoints/stored_weights.hpp"
#include "golden/identify/implementation_log.hpp"

namespace mx::cli {

struct CheckpointQuestion {
  std::string weights;     ///< the .safetensors file of the weights, or the index of several
  std::string checkpoint;  ///< and what was made of it
  std::string format;      ///< the block format asked about; "": the only one there is
  std::string source;      ///< and the type of the weights; "": the only one
  std::size_t count = 1000;
  ScaleOrder order = ScaleOrder::kAsSaid;
};

/// Blocks of a checkpoint, spread over all weights, and the first of every scale code.
struct CheckpointLog {
  golden::ImplementationLog log;
  std::vector<std::string> notes;  ///< what was taken, and what was not compared
  bool is_swizzled = false;        ///< were scales of any weight read as swizzled?
};

/// Does the file hold weights in blocks, of one of the kinds that are known?
[[nodiscard]] bool is_checkpoint(const std::string& path);

/// The tensor level of each block is the largest magnitude under which a rule stores what the
/// checkpoint stores: that of the weight itself, or, where several weights share a number, of
/// another. Throws Error: kUsage where there are several formats or types and none is chosen,
/// kBadInput where nothing belongs together.
[[nodiscard]] CheckpointLog checkpoint_log(const CheckpointQuestion& question);

}  // namespace mx::cli
