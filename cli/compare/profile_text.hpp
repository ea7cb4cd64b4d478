// Inputs, answers and differences of implementations, for people and for machines.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "golden/identify/surface.hpp"

namespace mx::cli {

/// "3f400000 (0.75)"; blocks: "[3f800000 (1), 0 x 31]", with the random word and the tensor's
/// maximum where there are any.
[[nodiscard]] std::string input_text(const golden::Surface& surface,
                                     const golden::BlockInput& input);

/// "2"; blocks: "scale 7f codes 6 2". What is open is dashes, so that it is not read as a
/// difference.
[[nodiscard]] std::string answer_text(const golden::Surface& surface,
                                      const golden::BlockAnswer& answer,
                                      const golden::OpenParts& open);

/// "rounding: ties_to_even | ties_to_zero"
[[nodiscard]] std::string causes_text(const golden::Difference& difference);

[[nodiscard]] nlohmann::ordered_json input_json(const golden::Surface& surface,
                                                const golden::BlockInput& input);
[[nodiscard]] nlohmann::ordered_json answer_json(const golden::Surface& surface,
                                                 const golden::BlockAnswer& answer,
                                                 const golden::OpenParts& open);
[[nodiscard]] nlohmann::ordered_json difference_json(const golden::Surface& surface,
                                                     const golden::Difference& difference);

/// "cuda-13.0-host" or "cuda-13.0-host:nosat". Throws Error kUsage with the nearest name for an
/// unknown profile, and for a variant that no surface of the profile has.
[[nodiscard]] golden::Candidate require_candidate(std::string_view name);

/// A surface by the names of its formats. Throws Error kUsage with the nearest name.
[[nodiscard]] golden::Surface require_surface(std::string_view source, std::string_view target,
                                              FormatCatalog& catalog);

}  // namespace mx::cli
