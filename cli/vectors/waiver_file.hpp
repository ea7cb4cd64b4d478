// The file of --waivers: known deviations, reviewed, each with a reason and a last day.
#pragma once

#include <span>
#include <string>

#include "golden/answers/waiver.hpp"

namespace mx::cli {

/// The waivers that apply to an operation under these configurations, as of today; none for "".
/// Error kBadInput for a file that is not exactly one of waivers.
[[nodiscard]] golden::Waivers read_waivers(const std::string& path, golden::Operation op,
                                           std::span<const golden::Configuration> configurations);

}  // namespace mx::cli
