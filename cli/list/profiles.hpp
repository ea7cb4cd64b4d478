// Listing the profiles: for people, for machines, and as the page docs/profiles.md.
#pragma once

#include <nlohmann/json.hpp>

namespace mx::cli {

[[nodiscard]] nlohmann::ordered_json profiles_json();
void print_profiles();
/// The tables of docs/profiles.md, on standard output.
void print_profiles_markdown();

}  // namespace mx::cli
