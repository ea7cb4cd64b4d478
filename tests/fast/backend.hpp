// The backend that a test program judges: the same test bodies run on the host and on a device.
#pragma once

#include "tests/fast/cuda/decode_judge.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {

[[nodiscard]] Backend backend();
[[nodiscard]] StreamRunner stream_backend();
[[nodiscard]] DecodeRunner decode_backend();

}  // namespace mx::fast::test
