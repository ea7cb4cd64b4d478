// Listing the profiles: for people, for machines, and as the page docs/profiles.md.
#pragma once

#include <string_view>

#include "golden/text/tree.hpp"

namespace mx::cli {

[[nodiscard]] golden::Tree profiles_json();
void print_profiles();
/// The tables of docs/profiles.md, on standard output.
void print_profiles_markdown();

/// What one profile has: its conversions and block formats, with their sources and directions.
/// Error kUsage for an unknown name.
void print_profile(std::string_view name);
[[nodiscard]] golden::Tree profile_json(std::string_view name);

}  // namespace mx::cli
