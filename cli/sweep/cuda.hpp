// The CUDA path as a device of sweeps: it makes the words and compares the codes by itself.
#pragma once

#include <optional>
#include <string>

#include "cli/sweep/devices.hpp"
#include "fast/cuda_judge/judge.hpp"

namespace mx::cli {

/// What --dut says of it.
struct CudaChoice {
  bool on_device = true;
  fast::WordJudge::Encoder encoder = fast::WordJudge::Encoder::kAsBlocks;
};

/// "cuda", "cuda-host", and either with ":general"; nothing for other names. Throws Error kUsage
/// for another word behind the colon, kDut for "cuda" where there is no device.
[[nodiscard]] std::optional<CudaChoice> cuda_choice(const std::string& dut);

/// Why the path has no such conversion, or "".
[[nodiscard]] std::string cuda_problem(const golden::Configuration& configuration,
                                       const SweepSpace& space);

/// Requires cuda_problem() == "".
[[nodiscard]] SweepDevice cuda_device(const golden::Configuration& configuration,
                                      const SweepSpace& space, const CudaChoice& choice);

}  // namespace mx::cli
