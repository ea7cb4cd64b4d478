// The file of --waivers: known deviations, reviewed, each with a reason and a last day.
#pragma once

#include <string>

#include "golden/deviation/waiver.hpp"

namespace mx::cli {

/// The waivers that apply to records of a header, as of today; none for "". Error kBadInput for a
/// file that is not exactly one of waivers.
[[nodiscard]] golden::Waivers read_waivers(const std::string& path,
                                           const golden::VectorHeader& header);

}  // namespace mx::cli
