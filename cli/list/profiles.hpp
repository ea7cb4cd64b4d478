// Listing the profiles: for people, for machines, and as the page docs/profiles.md.
#pragma once

#include <string_view>

#include "golden/names/asking.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {

[[nodiscard]] golden::Tree profiles_json();
void print_profiles();
/// The tables of docs/profiles.md, on standard output.
void print_profiles_markdown();

/// One profile whole; Error kUsage for an unknown name.
[[nodiscard]] golden::Answer one_profile(std::string_view name);

}  // namespace mx::cli
