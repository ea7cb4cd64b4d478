// Policies as command-line options and as named fields of files, and profiles that set them all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/common.hpp"
#include "cli/text/names.hpp"
#include "golden/names/profile_choice.hpp"
#include "golden/names/settings.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::cli {

using golden::ProfileChoice;
using golden::ProfiledFormat;

/// Error kUsage with the nearest name if there is no such profile, or if no row of it has such a
/// variant.
[[nodiscard]] ProfileChoice require_profile(std::string_view name);

/// One policy of the taxonomy (spec F15), all of policy_fields() but random_bits.
struct PolicyOption {
  std::string_view name;    ///< the taxonomy's field name, used as metadata key: "int_min"
  std::string_view option;  ///< CLI11 names, the first from `name`: "--int-min"
  std::string_view meaning;
  std::vector<std::string_view> (*values)();
  bool (*set)(Policies&, std::string_view token);  ///< false: not a token of this field
  std::string (*get)(const Policies&);
};
[[nodiscard]] std::span<const PolicyOption> policy_options();
[[nodiscard]] const PolicyOption* find_policy_option(std::string_view name);
/// The name of the option in messages and command lines: "--int-min".
[[nodiscard]] std::string option_name(const PolicyOption& field);

/// What a policy is where neither a profile nor an option says otherwise.
struct PolicyDefault {
  std::string value;
  std::string with_infinities;  ///< of a single value whose format has infinities

  [[nodiscard]] bool is_one() const { return value == with_infinities; }
  /// "sat_finite; single values to a format with infinities: none_inf_or_nan".
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] PolicyDefault default_of(std::string (*get)(const Policies&));

/// The option of a policy, with one token or with several. What is typed is not checked.
Option policy_option(const Command& app, const PolicyOption& field, std::string& token);
Option policy_option(const Command& app, const PolicyOption& field, Names& tokens);

/// May --profile name several?
enum class ProfileCount : std::uint8_t { kOne, kMany };

/// The options `--profile`, `--random-bits` and one for each policy. The profile sets every
/// policy, an explicit option overrides it. Must stay in place once added, since CLI11 keeps
/// references.
class PolicyOptions {
 public:
  PolicyOptions() = default;
  PolicyOptions(const PolicyOptions&) = delete;
  PolicyOptions& operator=(const PolicyOptions&) = delete;

  void add_to(const Command& command, ProfileCount count = ProfileCount::kOne);

  /// Throws Error kUsage for an unknown profile or token, whatever the format.
  void check() const;

  /// The policies given as options, random_bits among them.
  [[nodiscard]] golden::Settings settings() const;
  /// Their names.
  [[nodiscard]] std::vector<std::string> given() const;

  /// Those options as typed: "--rule floor --overflow sat_finite"; "" for none.
  [[nodiscard]] std::string given_text() const;

  /// The policies for a format and a source. Throws Error kUsage for an unknown profile or token,
  /// with the nearest known one, and where the profile does not speak of the format. `block_size`
  /// 0: the block format's own.
  [[nodiscard]] ProfiledFormat resolve(const FormatChoice& format, const ElementFormat& source,
                                       int block_size = 0) const;
  /// The same under another profile than the one chosen.
  [[nodiscard]] ProfiledFormat resolve(const ProfileChoice& profile, const FormatChoice& format,
                                       const ElementFormat& source, int block_size = 0) const;

  /// The (last) profile's name, as typed.
  [[nodiscard]] const std::string& profile() const { return profiles_.back(); }
  /// All names, as typed; "all" is among them as it stands.
  [[nodiscard]] const Names& profiles() const { return profiles_; }

 private:
  void apply_options(Policies& policies) const;

  Names profiles_ = {"mxgold-default"};
  std::vector<std::string> texts_;
  int random_bits_ = 0;  ///< 0: the profile's
};

/// The policies of a profile for a format and a source; Error kUsage where it does not speak of it,
/// or lists it as not modelled. `block_size` 0: the block format's own.
[[nodiscard]] ProfiledFormat profiled(const ProfileChoice& profile, const FormatChoice& format,
                                      const ElementFormat& source, int block_size = 0);

}  // namespace mx::cli
