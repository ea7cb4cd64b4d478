// SPDX-License-Identifier: Apache-2.0
// Policies that a question sets itself, over those of a profile.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/names/asking.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {

/// Names of the taxonomy (spec F15), random_bits among them, each with what was given for it.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Refusal for a name of which there is no policy.
void require_policies(const Settings& settings);

/// Puts them over `policies`, in order. Refusal with the nearest token for one that there is not.
void apply(const Settings& settings, Policies& policies, Spelling spelling);

[[nodiscard]] std::vector<std::string> names_of(const Settings& settings);
/// As given: "--rule floor --overflow sat_finite", "rule=floor, overflow=sat_finite"; "" for none.
[[nodiscard]] std::string text_of(const Settings& settings, Spelling spelling);

/// What may read policies: a conversion of single values, or blocks.
struct PolicyReader {
  ElementFormat element;  ///< what values become
  ElementPolicy policy;
  std::optional<BlockPolicy> block;  ///< nothing: a conversion
};

/// May a policy decide anything for this reader?
[[nodiscard]] bool is_read(std::string_view name, const PolicyReader& reader);

/// Refusal for a policy of `given`, names of the taxonomy, that none of `readers` reads: its
/// rounding does not draw, its format has no such codes, its rule looks elsewhere.
void refuse_unread_policies(std::span<const std::string> given,
                            std::span<const PolicyReader> readers, Spelling spelling);

/// Does a rounding or a rule take random words?
[[nodiscard]] bool draws(const PolicyReader& reader);

/// Refusal for a policy of blocks among `given`: `format` is one of elements.
void refuse_block_policies(std::span<const std::string> given, std::string_view format,
                           Spelling spelling);

/// Does the way back from codes to values depend on the rule?
[[nodiscard]] bool reads_rule_back(const BlockFormat& format, ScaleRule rule);

}  // namespace mx::golden
