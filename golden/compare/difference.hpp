// What it means that two implementations differ: the settings that make the difference, and how
// agreement was established.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mx::golden {

/// How it is known that two subjects agree, or that no smaller difference exists.
enum class Basis : std::uint8_t {
  kByDefinition,  ///< the configurations are equal but for settings without effect here
  kExhaustive,    ///< every source pattern was converted by both
  kCertificates,  ///< the threshold certificates say the same of every pattern
  kScales,        ///< blocks: all else is equal, and the scale agrees at every block maximum
  kSearched       ///< directed and seeded inputs were tried: no proof
};
/// "by definition", "exhaustive", "certificates", "scales", "searched".
[[nodiscard]] std::string_view to_string(Basis basis);

/// How much of the differences a comparison is asked for.
enum class Detail : std::uint8_t {
  kFirst,    ///< the smallest one
  kPerCause  ///< the smallest one of every set of causes, smallest first
};

/// What kind of input tells two subjects apart, for people.
enum class InputKind : std::uint8_t { kZero, kFinite, kInfinity, kNan };
/// "zero", "finite", "infinity", "nan".
[[nodiscard]] std::string_view to_string(InputKind kind);

}  // namespace mx::golden
