#include "tests/fast/backend.hpp"

namespace mx::fast::test {

Backend backend() { return &quantize_on_host; }
StreamRunner stream_backend() { return &run_on_host; }
DecodeRunner decode_backend() { return &decode_on_host; }

}  // namespace mx::fast::test
