#include "emulators/common/tensor.hpp"

#include <utility>

#include "emulators/common/number_type.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/element/encode.hpp"

namespace mx::emulators {

std::vector<std::uint32_t> to_fp32(const TensorView& tensor) {
  std::vector<std::uint32_t> values(tensor.size());
  if (tensor.type == TensorType::kFp32) {
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), values.size() * 4);
    return values;
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = widen(tensor.type, word_at(tensor, i));
  return values;
}

Tensor from_fp32(std::string name, TensorType type, Shape shape,
                 std::span<const std::uint32_t> values) {
  Tensor tensor = Tensor::zeros(std::move(name), type, std::move(shape));
  if (type == TensorType::kFp32) {
    if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), values.size() * 4);
    return tensor;
  }
  const std::size_t width = width_of(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    set_word(tensor.bytes, width, i, narrow(type, values[i]));
  }
  return tensor;
}

}  // namespace mx::emulators
