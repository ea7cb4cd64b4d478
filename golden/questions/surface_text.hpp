// SPDX-License-Identifier: Apache-2.0
// Inputs, answers and differences of implementations, for people and for machines.
#pragma once

#include <string>
#include <string_view>

#include "golden/identify/surface.hpp"
#include "golden/names/asking.hpp"
#include "golden/text/tree.hpp"

namespace mx::golden {

/// "3f400000 (0.75)"; blocks: "[3f800000 (1), 0 x 31]", with the random word and the tensor's
/// maximum where there are any.
[[nodiscard]] std::string input_text(const Surface& surface, const BlockInput& input);

/// "2"; blocks: "scale 7f codes 6 2". What is open is dashes, so that it is not read as a
/// difference.
[[nodiscard]] std::string answer_text(const Surface& surface, const BlockAnswer& answer,
                                      const OpenParts& open);

/// "rounding: ties_to_even | ties_to_zero"
[[nodiscard]] std::string causes_text(const Difference& difference);

[[nodiscard]] Tree input_json(const Surface& surface, const BlockInput& input);
[[nodiscard]] Tree answer_json(const Surface& surface, const BlockAnswer& answer,
                               const OpenParts& open);
[[nodiscard]] Tree difference_json(const Surface& surface, const Difference& difference);

/// "cuda-13.0-host" or "cuda-13.0-host:nosat". Refusal with the nearest name for an unknown
/// profile, and for a variant that no surface of the profile has.
[[nodiscard]] Candidate choose_candidate(std::string_view name, Spelling spelling);

/// A surface by the names of its formats. Refusal with the nearest name.
[[nodiscard]] Surface choose_surface(std::string_view source, std::string_view target,
                                     FormatCatalog& catalog);

}  // namespace mx::golden
