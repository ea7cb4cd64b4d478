// The policies by name: every field of ElementPolicy and BlockPolicy as (name, token). Options of
// the program, headers of vector files, metadata and the C ABI all go through this one list.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/policy/policy.hpp"

namespace mx {

/// Both policies of a configuration.
struct Policies {
  ElementPolicy element;
  BlockPolicy block;
  constexpr bool operator==(const Policies&) const = default;
};

/// Whether a field concerns single values or only blocks.
enum class FieldScope : std::uint8_t { kElement, kBlock };

/// What set() found.
enum class FieldError : std::uint8_t { kNone, kUnknownField, kUnknownValue };

/// One field: its name in spec F15, how to read and write it, its legal values.
struct PolicyField {
  std::string_view name;
  FieldScope scope = FieldScope::kElement;
  std::string_view summary;                             ///< a half sentence for help texts
  std::vector<std::string_view> (*values)() = nullptr;  ///< tokens; empty for random_bits (1..32)
  bool (*write)(Policies&, std::string_view) = nullptr;
  std::string (*read)(const Policies&) = nullptr;
};

/// All fields: rounding, random_bits, overflow, nan, zero_sign, ..., rule, scale_sat, ...
[[nodiscard]] std::span<const PolicyField> policy_fields();

/// The field of a name, or nullptr.
[[nodiscard]] const PolicyField* find_policy_field(std::string_view name);

/// Sets one field from its token ("rounding", "ties_to_away"). On an error nothing changes.
[[nodiscard]] FieldError set_policy(Policies& policies, std::string_view name,
                                    std::string_view value);

}  // namespace mx
