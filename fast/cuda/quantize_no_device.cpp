// Stands in for quantize_device.cu where no CUDA compiler was found.
#include "combinations.hpp"
#include "mx/fast/quantize.hpp"

namespace mx::fast {

std::string_view device_problem() { return "this build has no device code (nvcc was not found)"; }

Outcome quantize_on_device(const ElementFormat& source, const ElementFormat& element,
                           std::span<const std::byte> words, QuantizedSpans out) {
  if (const Outcome bad = check_call(source, element, words, out); !bad) return bad;
  return {Error::kNoDevice, device_problem()};
}

}  // namespace mx::fast
