// The policies of a configuration by name, whatever its operation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "golden/configuration/configuration.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {

/// Policies of conversions, blocks, arithmetic and dequantizing, the others default; nothing for
/// dot products and casts.
[[nodiscard]] std::optional<Policies> policies_of(const Configuration& configuration);

/// The policies of its operation and formats where neither a profile nor an option says otherwise.
[[nodiscard]] Policies default_policies(const Configuration& configuration);

/// The configuration with other policies; those that its operation does not have are dropped.
[[nodiscard]] Configuration with_policies(Configuration configuration, const Policies& policies);

/// Does the field concern the operation: blocks have all, conversions and arithmetic those of
/// elements, dequantizing rounding, dst_ftz, dequant_overflow and rule, others none?
[[nodiscard]] bool is_policy_of(Operation operation, const PolicyField& field);

/// In place of a list, of configurations that the suite policy draws.
inline constexpr std::string_view kEveryPolicyDrawn = "every policy, drawn";

/// "" or what in a header's list of chosen policies no option could have set: a name that is no
/// policy of the operation, or one twice.
[[nodiscard]] std::string chosen_problem(Operation operation, std::string_view chosen);

}  // namespace mx::golden
