// Tensors as casts take and give them: a type, a shape, little-endian words in C order.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// What a word of a tensor is: its bytes, and what torch's messages call it as a scalar and as a
/// dtype. The 8-bit types carry codes, scales and masks.
#define MX_TENSOR_TYPE(X)                           \
  X(kFp32, "fp32", 4, "Float", "torch.float32")     \
  X(kBf16, "bf16", 2, "BFloat16", "torch.bfloat16") \
  X(kFp16, "fp16", 2, "Half", "torch.float16")      \
  X(kFp64, "fp64", 8, "Double", "torch.float64")    \
  X(kUint8, "uint8", 1, "Byte", "torch.uint8")      \
  X(kInt8, "int8", 1, "Char", "torch.int8")         \
  X(kInt32, "int32", 4, "Int", "torch.int32")       \
  X(kInt64, "int64", 8, "Long", "torch.int64")
MX_POLICY(TensorType, MX_TENSOR_TYPE);

}  // namespace mx

namespace mx::casts {

struct TensorTypeFacts {
  std::size_t width = 0;  ///< bytes of one word
  std::string_view scalar;
  std::string_view dtype;
};

#define MX_TENSOR_FACTS(name, text, width, scalar, dtype) {width, scalar, dtype},
inline constexpr TensorTypeFacts kTensorFacts[] = {MX_TENSOR_TYPE(MX_TENSOR_FACTS)};

[[nodiscard]] constexpr const TensorTypeFacts& facts_of(TensorType type) {
  return kTensorFacts[static_cast<std::size_t>(type)];
}

/// Bytes of one word.
[[nodiscard]] constexpr std::size_t width_of(TensorType type) { return facts_of(type).width; }

/// Sizes of the axes; none is a 0-dimensional tensor of one element.
using Shape = std::vector<std::size_t>;

[[nodiscard]] constexpr std::size_t elements_of(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  return count;
}

/// Leaves new bytes as they are, for results that are written whole: a pass over memory less.
/// Builds with assertions give them a value, so that one which is not written shows.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
  using std::allocator<T>::allocator;

  template <typename U>
  void construct([[maybe_unused]] U* place) noexcept {
#ifndef NDEBUG
    *place = U{0xA5};
#endif
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};
using TensorBytes = std::vector<std::byte, UnsetAllocator<std::byte>>;

/// A tensor of its own. `name` tells results apart ("values", "scale", "data", "mask").
struct Tensor {
  std::string name = "values";
  TensorType type = TensorType::kFp32;
  Shape shape;
  TensorBytes bytes;  ///< elements * width

  /// Whose bytes have any value: each must be written.
  [[nodiscard]] static Tensor unset(std::string name, TensorType type, Shape shape) {
    const std::size_t bytes = elements_of(shape) * width_of(type);
    return {std::move(name), type, std::move(shape), TensorBytes(bytes)};
  }
  [[nodiscard]] static Tensor zeros(std::string name, TensorType type, Shape shape) {
    Tensor tensor = unset(std::move(name), type, std::move(shape));
    if (!tensor.bytes.empty()) std::memset(tensor.bytes.data(), 0, tensor.bytes.size());
    return tensor;
  }
};

/// Tensors in a row, moved there: a list in braces would copy each.
template <std::same_as<Tensor>... Tensors>
[[nodiscard]] std::vector<Tensor> listed(Tensors... tensors) {
  std::vector<Tensor> all;
  all.reserve(sizeof...(tensors));
  (all.push_back(std::move(tensors)), ...);
  return all;
}

/// A tensor that somebody else owns; its words need not be aligned.
struct TensorView {
  std::string_view name = "values";
  TensorType type = TensorType::kFp32;
  Shape shape;
  std::span<const std::byte> bytes;

  TensorView() = default;
  TensorView(std::string_view its_name, TensorType its_type, Shape its_shape,
             std::span<const std::byte> its_bytes)
      : name(its_name), type(its_type), shape(std::move(its_shape)), bytes(its_bytes) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a tensor is seen wherever one is read.
  TensorView(const Tensor& tensor)
      : name(tensor.name), type(tensor.type), shape(tensor.shape), bytes(tensor.bytes) {}

  [[nodiscard]] std::size_t size() const { return elements_of(shape); }
};

/// The word at an index, zero-extended.
[[nodiscard]] inline std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t width,
                                           std::size_t index) {
  return load_word(bytes.data() + index * width, width);
}

inline void set_word(std::span<std::byte> bytes, std::size_t width, std::size_t index,
                     std::uint64_t word) {
  store_word(bytes.data() + index * width, width, word);
}

[[nodiscard]] inline std::uint64_t word_at(const TensorView& tensor, std::size_t index) {
  return word_at(tensor.bytes, width_of(tensor.type), index);
}

/// The format of the words of a floating type.
[[nodiscard]] const ElementFormat& format_of(TensorType type);

}  // namespace mx::casts
