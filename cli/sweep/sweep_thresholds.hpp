// What a sweep is judged by: a certificate's thresholds, brought to the scale of the sweep.
#pragma once

#include <string>

#include "cli/sweep/space.hpp"
#include "golden/certificates/certificate.hpp"

namespace mx::cli {

struct SweepJudge {
  golden::ConversionThresholds thresholds;
  std::string name;  ///< "certificate SHA256", the digest of its JSON
};

/// Under scale 1 the certificate of the conversion itself; else that of its destination from fp32,
/// whose thresholds are exact numbers (sim/judge/scaled_thresholds.hpp). Requires space_problem()
/// ==
/// "".
[[nodiscard]] SweepJudge sweep_judge(const ConversionConfig& config, const SweepSpace& space);

}  // namespace mx::cli
