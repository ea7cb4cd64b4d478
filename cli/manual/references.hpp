// SPDX-License-Identifier: Apache-2.0
// Where the specification says what a message cites: "spec F15".
#pragma once

#include <string>
#include <string_view>

namespace mx::cli {

/// "specification F15: docs/spec/formats.md#F15"; "" for what is no section: a letter of a page,
/// and a number.
[[nodiscard]] std::string reference_text(std::string_view section);

/// What the pages of the specification are about, and how a message cites them.
[[nodiscard]] std::string specification_text();

}  // namespace mx::cli
