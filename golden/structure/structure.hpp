// SPDX-License-Identifier: Apache-2.0
// Structures: what a device may do that no policy says. Bits that get lost on the way to the
// rounding, carries, lanes and bytes in another order, codes of another format, a maximum that does
// not see every lane. One table; whoever looks for causes, and waivers by cause, take it from here.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "golden/configuration/configuration.hpp"
#include "golden/structure/elements.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// One of them. What is there of the three functions is done, in their order.
struct Structure {
  std::string_view name;  ///< of several that are alike: "sticky_bits"
  std::string value;      ///< which of them: "8"
  std::string text;       ///< "discarded bits after the first 8 lost (spec F9.1)"
  /// Can it change answers of a configuration?
  std::function<bool(const Configuration&)> is_of;
  std::function<void(Configuration&)> configure = {};
  /// Changes the operands of record 0.
  std::function<void(const Configuration&, RecordBatch&)> operands = {};
  /// Changes the right answer of record 0.
  std::function<void(const Elements&, RecordBatch&)> answer = {};
};

/// Every structure; those of one name stand together.
[[nodiscard]] std::span<const Structure> structures();
/// The structure of a name and a value; nullptr where there is none.
[[nodiscard]] const Structure* find_structure(std::string_view name, std::string_view value);
/// The values of a name, joined by commas; "" where no structure has the name.
[[nodiscard]] std::string structure_values(std::string_view name);

}  // namespace mx::golden
