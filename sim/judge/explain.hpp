// A mismatch for a person: configuration, block, both answers decoded, why the reference is right.
#pragma once

#include <string>

#include "reference/number/unpacked.hpp"
#include "sim/block/model.hpp"
#include "sim/judge/mismatch.hpp"

namespace mx::sim {

/// The tokens of a configuration word: formats, rounding and rule, then every policy that is not
/// the default, as name=token.
[[nodiscard]] std::string configuration_text(const QuantizerConfig& config);

/// A value with up to nine digits: "3.25", "-0", "inf", "nan".
[[nodiscard]] std::string value_text(const Unpacked& value);

/// Several lines, each ending in a line feed. Shows at most `lanes` differing lanes.
[[nodiscard]] std::string explain(const Mismatch& mismatch, ReferenceModel& model, int lanes = 4);

}  // namespace mx::sim
