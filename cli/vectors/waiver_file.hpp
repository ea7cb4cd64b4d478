// The file of --waivers: known deviations, reviewed, each with a reason and a last day.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "golden/answers/waiver.hpp"

namespace mx::cli {

/// The waivers that apply to records of this header, as of today; none for "". Error kBadInput for
/// a file that is not exactly one of waivers.
[[nodiscard]] golden::Waivers read_waivers(const std::string& path,
                                           const golden::VectorHeader& header);

/// What became of each waiver.
[[nodiscard]] nlohmann::ordered_json waivers_json(const golden::Waivers& waivers);

}  // namespace mx::cli
