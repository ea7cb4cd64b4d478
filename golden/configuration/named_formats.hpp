// A name that mxgold knows means the format that it knows: what a header says of a format beside
// its name may not contradict the name.
#pragma once

#include <string>

#include "golden/configuration/configuration.hpp"

namespace mx::golden {

/// "" or which field names a format of mxgold's and describes another: the block size and what the
/// configuration's profile says otherwise of an element aside. A user's own format has a name that
/// mxgold does not know.
[[nodiscard]] std::string named_format_problem(const Configuration& configuration);

}  // namespace mx::golden
