// What the tests of the emulated torchmx share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "emulators/torchmx/mx_tensor.hpp"

namespace mx::emulators::torchmx {

inline constexpr Variant kStrictly = {Mode::kStrict, Path::kSimulated};
inline constexpr Variant kSim = {Mode::kCompat, Path::kSimulated};
inline constexpr Variant kHw = {Mode::kCompat, Path::kHwExact};

using Words = std::vector<std::uint64_t>;

inline Tensor tensor_of(TensorType type, Shape shape, const Words& words) {
  Tensor tensor = Tensor::zeros("values", type, std::move(shape));
  for (std::size_t i = 0; i < words.size(); ++i) {
    set_word(tensor.bytes, width_of(type), i, words[i]);
  }
  return tensor;
}

inline Tensor bf16s(const Words& words) {
  return tensor_of(TensorType::kBf16, {words.size()}, words);
}

inline Tensor bytes_of(const Words& words) {
  return tensor_of(TensorType::kUint8, {words.size()}, words);
}

inline Words words_of(const Tensor& tensor) {
  Words words;
  for (std::size_t i = 0; i < elements_of(tensor.shape); ++i) words.push_back(word_at(tensor, i));
  return words;
}

/// The scale bytes and the codes of one call, or its problem alone.
struct Outcome {
  Words scale;
  Words data;
  std::string problem;
  bool operator==(const Outcome&) const = default;
};

inline void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << outcome.problem << std::hex << " scales";
  for (const std::uint64_t byte : outcome.scale) *out << " " << byte;
  *out << ", codes";
  for (const std::uint64_t byte : outcome.data) *out << " " << byte;
}

inline Outcome quantized(const Tensor& data, std::string_view name, std::int64_t block_size,
                         const Variant& variant) {
  const Checked<Quantized> result = quantize_mx(data, name, block_size, variant);
  if (!result) return {{}, {}, std::string(result.problem())};
  return {words_of(result->scale), words_of(result->data), ""};
}

/// The words of a dequantization, of one block along the only dimension.
inline Words decoded(const Words& codes, const Words& scales, std::string_view name,
                     TensorType target, Mode mode) {
  const bool packs = name == "float4_e2m1";
  const std::size_t elements = codes.size() * (packs ? 2 : 1);
  Tensor data = bytes_of(codes);
  if (name == "int8") data.type = TensorType::kInt8;
  const Checked<Tensor> values =
      dequantize_mx(data, bytes_of(scales),
                    {.elem_dtype_name = name,
                     .block_size = static_cast<std::int64_t>(elements / scales.size()),
                     .target_dtype = target,
                     .block_dim = 0},
                    mode);
  EXPECT_EQ(values.problem(), "");
  return values ? words_of(*values) : Words{};
}

/// The exception that a problem names.
inline std::string exception_of(std::string_view problem) {
  return std::string(problem.substr(0, problem.find(':')));
}

}  // namespace mx::emulators::torchmx
