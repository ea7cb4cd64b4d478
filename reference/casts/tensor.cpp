#include "reference/casts/tensor.hpp"

#include "reference/format/rows.hpp"

namespace mx::casts {

const ElementFormat& format_of(TensorType type) {
  switch (type) {
    case TensorType::kBf16:
      return formats::bf16;
    case TensorType::kFp16:
      return formats::fp16;
    case TensorType::kFp64:
      return formats::fp64;
    default:
      return formats::fp32;
  }
}

}  // namespace mx::casts
