// Random words on the command line: R itself, a counter, or the words that another system is given.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/common.hpp"
#include "golden/explain/model.hpp"
#include "reference/policy/policy.hpp"

namespace mx::cli {

/// The options --random, --random-source with --rbits, and --seed.
struct RandomOptions {
  std::vector<std::uint64_t> random;
  std::string source;              ///< "", "ptx_rs_shared" or "amd_top_bits"
  std::vector<std::string> rbits;  ///< hexadecimal words
  std::uint64_t seed = kDefaultSeed;
};

/// Sets R of each input: the given ones in turn (one alone serves all), those made of the words of
/// --rbits under spec F9.4, else the counter's. Error kUsage where numbers, words,
/// rounding or N do not fit.
void set_random(const RandomOptions& options, const ElementFormat& source,
                const ElementFormat& element, const ElementPolicy& policy,
                std::span<golden::ExplainInput> inputs);

}  // namespace mx::cli
