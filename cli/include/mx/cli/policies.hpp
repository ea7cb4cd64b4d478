// Policies as command-line options and as named fields of files: one table for both.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mx/format_table.hpp"
#include "mx/policy.hpp"

namespace CLI {
class App;
}

namespace mx::cli {

/// Everything that decides codes and scales besides the formats.
struct Policies {
  ElementPolicy element;
  BlockPolicy block;
  bool operator==(const Policies&) const = default;
};

/// A named bundle of policies: formats.md section 16.
struct Profile {
  std::string_view name;
  Policies policies;
};
[[nodiscard]] std::span<const Profile> all_profiles();
/// Error kUsage with the nearest name if there is none.
[[nodiscard]] const Profile& require_profile(std::string_view name);

/// One policy of the taxonomy (formats.md section 15).
struct PolicyField {
  std::string_view name;    ///< the taxonomy's field name, used as metadata key: "int_min"
  std::string_view option;  ///< CLI11 names, the first from `name`: "--int-min"
  std::string_view meaning;
  std::vector<std::string_view> (*values)();
  bool (*set)(Policies&, std::string_view token);  ///< false: not a token of this field
  std::string_view (*get)(const Policies&);
};
[[nodiscard]] std::span<const PolicyField> policy_fields();
[[nodiscard]] const PolicyField* find_policy_field(std::string_view name);

/// The options `--profile`, `--random-bits` and one for each policy. The profile sets every
/// policy, an explicit option overrides it. Must stay in place once added, since CLI11 keeps
/// references.
class PolicyOptions {
 public:
  PolicyOptions() = default;
  PolicyOptions(const PolicyOptions&) = delete;
  PolicyOptions& operator=(const PolicyOptions&) = delete;

  void add_to(CLI::App& command);
  /// Throws Error kUsage for an unknown profile or token, with the nearest known one. Where neither
  /// an option nor the profile chooses a rule, a block format's own rule holds.
  [[nodiscard]] Policies resolve(const BlockFormat* block = nullptr) const;
  [[nodiscard]] const std::string& profile() const { return profile_; }

 private:
  std::string profile_ = "mxgold-default";
  std::vector<std::string> texts_;
  int random_bits_ = 16;
};

}  // namespace mx::cli
