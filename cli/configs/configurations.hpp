// What options describe, as whole configurations.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/configs/options.hpp"
#include "cli/options/policies.hpp"
#include "golden/configuration/configuration.hpp"

namespace mx::cli {

/// Every configuration that the lists of the options span, formats slowest, the last policy
/// fastest. Error kUsage for one that cannot be, naming what is in the way.
[[nodiscard]] std::vector<golden::Configuration> configurations(const ConfigOptions& options,
                                                                const ElementFormat& source);

/// The configurations of the suite policy: every policy that the RTL can be told, drawn.
[[nodiscard]] std::vector<golden::Configuration> drawn_configurations(const ConfigOptions& options,
                                                                      const ElementFormat& source,
                                                                      std::uint64_t seed,
                                                                      std::size_t count);

/// The same configuration under another profile, its default policies and masks; formats, block
/// size, tensor level and N of the random words stay. Error kUsage where the profile does not speak
/// of it.
[[nodiscard]] golden::Configuration under_profile(const golden::Configuration& configuration,
                                                  const ProfileChoice& profile);

}  // namespace mx::cli
