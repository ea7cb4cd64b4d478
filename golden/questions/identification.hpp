// SPDX-License-Identifier: Apache-2.0
// "Which system made these bits?", of a log of inputs and outputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "golden/identify/implementation_log.hpp"
#include "golden/names/asking.hpp"

namespace mx::golden {

/// The profiles, and those with policies changed, that explain a log; the verdict holds where one
/// explains every record. The text is an answer of at most five lines, `notes`, an empty line, and
/// all that was found. Refusal where no profile speaks of
/// the formats, VectorError for a log of which nothing could be compared.
[[nodiscard]] Answer identified(const ImplementationLog& log, int threads, Spelling spelling,
                                const std::vector<std::string>& notes = {});

struct TellingQuestion {
  std::string source = "fp32";
  std::string format;
  std::size_t count = 1000;
  bool is_stochastic = false;  ///< tells stochastic roundings apart too, by random words
  Spelling spelling = Spelling::kNames;
};

/// Inputs that tell the profiles of a surface and their deviations apart, at most `count`: "inputs"
/// as data, and the text form of a log without outputs. Refusal where no profile speaks of it.
[[nodiscard]] Answer telling_inputs(const TellingQuestion& question, FormatCatalog& catalog);

}  // namespace mx::golden
