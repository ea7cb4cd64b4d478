// The class of the package: a type, the largest magnitudes seen, and what follows from them.
// spec S8.1, S8.6.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulators/aimet/calibration.hpp"
#include "emulators/aimet/element/float_info.hpp"
#include "emulators/aimet/layout.hpp"
#include "emulators/common/interface.hpp"

namespace mx {

/// How a quantizer comes to its range: from the tensors it sees, or fixed at scale 1. By default
/// types of less than 16 bits are calibrated.
#define MX_AIMET_ANALYZER(X) \
  X(kMinMax, "minmax")       \
  X(kFixed, "fixed")
MX_POLICY(AimetAnalyzer, MX_AIMET_ANALYZER);

/// How a scale follows from the largest magnitude: the quotient of the public class, the power of
/// two of the private MXFP4 class.
#define MX_AIMET_SCALE_KIND(X) \
  X(kQuotient, "quotient")     \
  X(kMxfp4, "mxfp4")
MX_POLICY(AimetScaleKind, MX_AIMET_SCALE_KIND);

}  // namespace mx

namespace mx::emulators::aimet {

using Analyzer = AimetAnalyzer;
using ScaleKind = AimetScaleKind;

/// What a constructor is given, checked.
struct QuantizerConfig {
  FloatInfo info;
  Shape shape;           ///< of the scales; () is one for the tensor
  BlockSize block_size;  ///< empty: none
  std::optional<Analyzer> analyzer;
  ScaleKind kind = ScaleKind::kQuotient;
};

/// FloatEncoding: a type and scales. `granularity` and `maxval` follow.
struct FloatEncoding {
  FloatInfo info;
  Tensor scale;
  BlockSize block_size;

  [[nodiscard]] int bitwidth() const { return info.bitwidth(); }
  /// "pertensor", "blockwise", "perchannel" or "unknown".
  [[nodiscard]] std::string_view granularity() const;
  /// fl(scale * max).
  [[nodiscard]] Tensor maxval() const;

  [[nodiscard]] Checked<Tensor> quantize(const TensorView& tensor, Mode mode) const;
  [[nodiscard]] Checked<Tensor> dequantize(const TensorView& tensor, Mode mode) const;
  [[nodiscard]] Checked<Tensor> quantize_dequantize(const TensorView& tensor, Mode mode,
                                                    int threads = 1,
                                                    Platform platform = Platform::kX86) const;
};

class FloatQuantizeDequantize {
 public:
  /// A quantizer whose maxval is the type's maximum, so that its scale is 1.
  FloatQuantizeDequantize(const QuantizerConfig& config, Mode mode);

  /// One that keeps the encoding's scales; compat recomputes them from maxval, unless the only one
  /// is 1, and so changes most of them (KA15).
  [[nodiscard]] static FloatQuantizeDequantize from_encodings(const FloatEncoding& encoding,
                                                              Mode mode);

  [[nodiscard]] const QuantizerConfig& config() const { return config_; }
  [[nodiscard]] Mode mode() const { return mode_; }
  [[nodiscard]] int bitwidth() const { return config_.info.bitwidth(); }
  [[nodiscard]] int exponent_bits() const { return config_.info.exponent_bits; }
  [[nodiscard]] int mantissa_bits() const { return config_.info.mantissa_bits; }
  /// They replace the type and keep maxval, so that the scale changes.
  void set_exponent_bits(int bits) { config_.info.exponent_bits = bits; }
  void set_mantissa_bits(int bits) { config_.info.mantissa_bits = bits; }
  [[nodiscard]] bool is_float16() const { return config_.info == info_of(Dtype::kFloat16); }
  [[nodiscard]] bool is_bfloat16() const { return config_.info == info_of(Dtype::kBfloat16); }
  [[nodiscard]] bool is_calibrated() const;

  /// binary32 patterns, as many as the shape has elements. Compat truncates them to integers where
  /// the type has no mantissa bits (KA13).
  [[nodiscard]] const std::vector<Bits>& maxval() const { return maxval_; }
  void set_maxval(std::vector<Bits> maxval);

  [[nodiscard]] Tensor get_scale() const;
  [[nodiscard]] FloatEncoding get_encodings() const;

  /// Quantized and dequantized; tensors of integers are returned as they are.
  [[nodiscard]] Checked<Tensor> forward(const TensorView& tensor) const;

  /// compute_encodings(): forward() of each tensor under its own range, which is remembered; the
  /// end stores the range of all. A quantizer without an analyzer observes nothing.
  void begin_encodings() { seen_.reset(); }
  [[nodiscard]] Checked<Tensor> observe_and_forward(const TensorView& tensor);
  void end_encodings();

 private:
  QuantizerConfig config_;
  Mode mode_;
  std::vector<Bits> maxval_;
  std::vector<Bits> scales_;  ///< strict, from encodings: the scales themselves
  std::optional<Range> seen_;
};

}  // namespace mx::emulators::aimet
