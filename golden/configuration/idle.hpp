// SPDX-License-Identifier: Apache-2.0
// Fields of a configuration that nothing reads in what its other fields say: a tensor's scale of a
// format without one, an accumulator where sums are exact.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "golden/configuration/configuration.hpp"
#include "golden/configuration/text.hpp"

namespace mx::golden {

/// Why nothing reads a field: "mxfp4 has no scale of the tensor"; "" where something does.
[[nodiscard]] std::string idle_reason(const Configuration& configuration, std::string_view field);

/// The first field that nothing reads and that does not have its default, or nothing.
[[nodiscard]] std::optional<FieldProblem> idle_field(const Configuration& configuration);

}  // namespace mx::golden
