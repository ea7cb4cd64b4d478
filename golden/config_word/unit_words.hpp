// SPDX-License-Identifier: Apache-2.0
// s_axis_tuser of every RTL unit, as fields with names: what `mxgold word` writes and reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/config_word/table.hpp"

namespace mx::golden {

/// A field of a unit's word. `name` is that of the policy or of the option that sets it.
struct UnitField {
  std::string_view name;
  ConfigWordField place;
  std::vector<std::string_view> values;  ///< by their codes; none: the field is a number

  /// "9:7", "16".
  [[nodiscard]] std::string bits() const;
  [[nodiscard]] std::uint64_t code_of(std::uint64_t word) const;
};

/// The word of a unit, lowest field first; bits that no field has are zero.
struct UnitWord {
  std::string_view unit;
  int width = 0;  ///< of its s_axis_tuser
  std::vector<UnitField> fields;

  [[nodiscard]] const UnitField* field(std::string_view name) const;
  /// "" if the unit takes the word, else the bits, what they hold and what they may hold.
  [[nodiscard]] std::string problem(std::uint64_t word) const;
};

/// What the code of the stochastic roundings is called: which variant it is, the build says.
inline constexpr std::string_view kStochasticName = "stochastic";

/// mx_quantizer first.
[[nodiscard]] std::span<const UnitWord> unit_words();

}  // namespace mx::golden
