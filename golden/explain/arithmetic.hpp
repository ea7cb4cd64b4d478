// SPDX-License-Identifier: Apache-2.0
// "Why is this product that code?": one operation of IEEE 754 on codes of one format.
#pragma once

#include <string>
#include <vector>

#include "golden/names/asking.hpp"
#include "golden/names/settings.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

struct ArithmeticQuestion {
  std::string operation;  ///< "multiply", or mul, sub, div for short
  std::string format;
  std::vector<std::string> inputs;  ///< the operands in order: bits of the format, or numbers
  Settings settings = {};           ///< over those of an IEEE machine
  Spelling spelling = Spelling::kNames;
};

/// The operands, the exact result, its rounding, the code and its flags. Throws Refusal for what is
/// no name, no value, no operation that rounds, or another number of operands.
[[nodiscard]] Answer explain_arithmetic(const ArithmeticQuestion& question, FormatCatalog& catalog);

}  // namespace mx::golden
