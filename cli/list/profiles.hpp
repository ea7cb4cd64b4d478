// Listing the profiles: for people, for machines, and as the page docs/profiles.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace mx::cli {

[[nodiscard]] nlohmann::ordered_json profiles_json();
void print_profiles();
/// The tables of docs/profiles.md, on standard output.
void print_profiles_markdown();

/// What one profile has: its conversions and block formats, with their sources and directions.
/// Error kUsage for an unknown name.
void print_profile(std::string_view name);
[[nodiscard]] nlohmann::ordered_json profile_json(std::string_view name);

}  // namespace mx::cli
