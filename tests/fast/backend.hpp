// The backend that a test program judges: the same test bodies run on the host and on a device.
#pragma once

#include "tests/fast/judge.hpp"

namespace mx::fast::test {

[[nodiscard]] Backend backend();

}  // namespace mx::fast::test
