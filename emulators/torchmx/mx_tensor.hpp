// MXTensor: codes and scale bytes of a tensor, with the dimension along which its blocks lie.
// spec S6.2, S6.3 (TX-P).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulators/torchmx/dequantize.hpp"
#include "emulators/torchmx/quantize.hpp"

namespace mx::emulators::torchmx {

/// What an MXTensor is made of.
struct MXTensorParts {
  Tensor scale_e8m0;  ///< uint8
  Tensor data;        ///< uint8 or int8; float4_e2m1: two codes a byte along block_dim
  DType elem_dtype = kFloat8E4m3;
  std::int64_t block_size = 32;
  TensorType orig_dtype = TensorType::kBf16;
  std::int64_t padding = 0;                    ///< elements that the last block lacks
  std::optional<std::int64_t> block_dim = {};  ///< nothing: the last one
};

class MXTensor {
 public:
  /// AssertionError unless the scales are uint8, the data uint8 or int8, the type an element type;
  /// IndexError for a block dimension that is not there. strict also refuses (ValueError) numbers
  /// of scales and codes that do not fit; in compat they fail on decoding, if at all.
  [[nodiscard]] static Checked<MXTensor> make(MXTensorParts parts, Mode mode);

  /// Quantizes bf16 along the last dimension, padded with zeros to whole blocks; the codes of the
  /// padding are dropped. compat: AssertionError where an odd block size needs padding.
  [[nodiscard]] static Checked<MXTensor> to_mx(const TensorView& data_hp, const DType& elem_dtype,
                                               std::int64_t block_size = 32,
                                               const Variant& variant = {});

  /// "values" of fp32, bf16, fp16 or fp64, without the padding.
  [[nodiscard]] Checked<Tensor> to_dtype(TensorType target_dtype) const;

  /// The shape of the values.
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Tensor& scale_e8m0() const { return parts_.scale_e8m0; }
  [[nodiscard]] const Tensor& data() const { return parts_.data; }
  [[nodiscard]] const DType& elem_dtype() const { return parts_.elem_dtype; }
  [[nodiscard]] std::int64_t block_size() const { return parts_.block_size; }
  [[nodiscard]] TensorType orig_dtype() const { return parts_.orig_dtype; }
  [[nodiscard]] std::int64_t padding() const { return parts_.padding; }
  [[nodiscard]] std::int64_t block_dim() const { return *parts_.block_dim; }
  [[nodiscard]] const MXTensorParts& parts() const { return parts_; }
  [[nodiscard]] Mode mode() const { return mode_; }

 private:
  MXTensor(MXTensorParts parts, Shape shape, Mode mode)
      : parts_(std::move(parts)), shape_(std::move(shape)), mode_(mode) {}

  /// Stored words along a dimension with those of the padding.
  [[nodiscard]] std::size_t padded_size(std::size_t dim) const;

  MXTensorParts parts_;
  Shape shape_;
  Mode mode_;
};

/// What backward of ToMXConstrFunc gives: the gradient itself.
[[nodiscard]] Tensor to_mx_backward(const TensorView& gradient);

/// What backward of FromMXConstrFunc gives: the gradient itself; compat: ValueError for
/// float4_e2m1 with padding.
[[nodiscard]] Checked<Tensor> from_mx_backward(const MXTensor& tensor, const TensorView& gradient);

/// What backward of NoopFwToMXBw gives: the gradient in MX; quantize_mx()'s problems.
[[nodiscard]] Checked<MXTensor> noop_fw_to_mx_bw_backward(const TensorView& gradient,
                                                          const DType& elem_dtype,
                                                          std::int64_t block_size,
                                                          const Variant& variant = {});

}  // namespace mx::emulators::torchmx
