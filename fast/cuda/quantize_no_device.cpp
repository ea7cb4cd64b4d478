// Stands in for quantize_device.cu where the device code is left out.
#include "fast/cuda/combinations.hpp"
#include "fast/cuda/quantize.hpp"

namespace mx::fast {

std::string_view device_problem() {
  return "this build has no device code (no nvcc 12 or newer, or MXGOLD_CUDA=OFF)";
}

Status quantize_on_device(const ElementFormat& source, const ElementFormat& element,
                          std::span<const std::byte> words, QuantizedSpans out) {
  if (const Status bad = check_call(source, element, words, out); !bad) return bad;
  return {Error::kNoDevice, device_problem()};
}

}  // namespace mx::fast
