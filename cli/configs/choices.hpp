// What a list of names chooses: formats, policies in every combination, and what is refused.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/configs/options.hpp"
#include "cli/options/policies.hpp"
#include "golden/configuration/configuration.hpp"

namespace mx::cli {

/// What `all` stands for: the formats, roundings and rules of the default RTL build.
[[nodiscard]] const Names& all_formats();
[[nodiscard]] const Names& all_roundings();
[[nodiscard]] const Names& all_rules();

/// The tokens of a policy, `all` spelled out.
[[nodiscard]] const Names& expand_all(std::string_view field, const Names& tokens);

/// Is it a policy of elements, and not of blocks?
[[nodiscard]] bool is_element_policy(std::string_view name);

/// Every combination of the listed policies over a starting point, the last field fastest.
[[nodiscard]] std::vector<Policies> combinations(const ConfigOptions& options,
                                                 const Policies& start);

/// The policies that were given, by name; the same, a comma between two.
[[nodiscard]] Names given_policies(const ConfigOptions& options);
[[nodiscard]] std::string chosen_text(const ConfigOptions& options);

/// Error kUsage for a policy that was given and that none of these configurations reads.
void refuse_unread(const ConfigOptions& options, std::span<const golden::Configuration> list);

/// Error kUsage for a policy that was given and that an operation has not.
void refuse_policies(const ConfigOptions& options, bool (*has)(std::string_view name),
                     std::string_view operation);

/// The names of --format, `all` spelled out, or `otherwise` where there are none.
[[nodiscard]] const Names& format_names(const ConfigOptions& options, const Names& otherwise);

/// The block format of a name; an element stands for the MX format that has it.
[[nodiscard]] FormatChoice require_block(const ConfigOptions& options, const std::string& name);

/// The format with the size of --block-size, if that is given.
[[nodiscard]] BlockFormat sized(const ConfigOptions& options, const BlockFormat& format);

/// Error kUsage for a profile, of which the operation has none.
void require_default_profile(const ConfigOptions& options);

/// Error kUsage for a configuration that cannot be computed, with the reason.
void require_computable(const golden::Configuration& configuration);

}  // namespace mx::cli
