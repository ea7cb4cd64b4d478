// Random words of a question: R itself, a counter, or the words that another system is given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/explain/model.hpp"
#include "golden/names/asking.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {

/// The arguments random, random_source with rbits, and seed.
struct RandomGiven {
  std::vector<std::uint64_t> random;
  std::string source;              ///< "", "ptx_rs_shared" or "amd_top_bits"
  std::vector<std::string> rbits;  ///< hexadecimal words
  std::optional<std::uint64_t> seed;
};

/// Sets R of each input: the given ones in turn (one alone serves all), those made of the words of
/// rbits under spec F9.4, else the counter's. Refusal where numbers, words, rounding or N do not
/// fit.
void set_random(const RandomGiven& given, const ElementFormat& source, const ElementFormat& element,
                const ElementPolicy& policy, std::span<ExplainInput> inputs, Spelling spelling);

}  // namespace mx::golden
