// Tensors of a file through a cast of an emulated system.
#pragma once

#include <optional>
#include <string>

#include "cli/options/common.hpp"
#include "cli/systems/system_options.hpp"

namespace mx::cli {

struct CastJob {
  std::string input;
  std::string output;
  std::string cast;  ///< "dmx:MXFP8[E4M3]{32}"
  SystemOptions system;
  std::string tensor = "all";
  std::optional<std::int64_t> axis;  ///< nothing: the system's own
  std::uint64_t seed = 0;
  Names operands;  ///< "scale=w_scale": what a cast reads besides, and the tensor that it is
  bool is_json = false;
  int threads = 1;
};

/// Writes T.values, and T.scale, T.data where the system gives them, for every tensor T. Throws
/// Error as `mxgold quantize` does.
void quantize_by_cast(const CastJob& job);

}  // namespace mx::cli
