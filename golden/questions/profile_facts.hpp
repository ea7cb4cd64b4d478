// SPDX-License-Identifier: Apache-2.0
// One profile whole: what it has rows for, and under which policies.
#pragma once

#include <string_view>
#include <vector>

#include "golden/names/asking.hpp"
#include "golden/text/tree.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {

/// Name, system, version, source, description; "elements" and "blocks", its rows: formats, sources,
/// policies, variants, and what is open.
[[nodiscard]] Tree facts_of(const Profile& profile);

/// What is open under masks, for people.
[[nodiscard]] std::vector<std::string_view> open_texts(Masks masks);

/// The facts of a profile by name. Refusal for an unknown one.
[[nodiscard]] Answer profile_facts(std::string_view name, Spelling spelling);

}  // namespace mx::golden
