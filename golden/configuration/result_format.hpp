// The format of the codes that a configuration answers with.
#pragma once

#include "golden/configuration/configuration.hpp"

namespace mx::golden {

/// nullptr where the codes are those that a system's cast stores.
[[nodiscard]] const ElementFormat* result_format(const Configuration& configuration);

}  // namespace mx::golden
