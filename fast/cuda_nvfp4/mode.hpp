// What the kernels of NVFP4 are told: a rule's chain, how its elements are coded, and what the
// tensor's number makes of it.
#pragma once

#include "fast/cuda/units.hpp"

namespace mx::fast::cuda_nvfp4 {

enum class Chain : std::uint8_t { kExact, kTe, kTorchao, kCublas, kGgml, kFourOverSix };

/// How a kernel codes elements: ties_to_even by thresholds of the block, any other rounding by what
/// carries from one code to the next, nvfp4_ggml by a search, nvfp4_4over6 by two candidates.
enum class Coding : std::uint8_t { kThresholds, kCarries, kSearch, kCandidates };

/// A configuration as the kernels take it, by value.
struct Mode {
  Chain chain = Chain::kExact;
  Coding coding = Coding::kThresholds;
  int block_size = 16;
  std::uint32_t tensor = 0x3F800000;  ///< kTe, kFourOverSix: the tensor's amax; kExact, kTorchao:
                                      ///< its scale
  std::uint32_t nan_code = 0;         ///< of an element that is 0 times infinity
  bool transforms = false;            ///< groups of 16 first, by spec F25
  bool signs_last = false;            ///< D H x / 4 instead of H D x / 4
  std::uint32_t mask = 0;             ///< of the signs
  cuda::Drawing drawing = cuda::Drawing::kNone;  ///< kCarries
  int random_bits = 0;                           ///< 1..32 where the rounding draws
  cpu::RoundingMasks rounding = {};              ///< kCarries that draws nothing
  bool squares = false;                          ///< kFourOverSix: errors are squared
  float top = 2688;  ///< 6 * 448, or 6 * 256 of two kinds of kFourOverSix
};

/// f.operator()<coding>().
template <class Function>
void with_coding(Coding coding, const Function& f) {
  if (coding == Coding::kCarries) return f.template operator()<Coding::kCarries>();
  if (coding == Coding::kSearch) return f.template operator()<Coding::kSearch>();
  if (coding == Coding::kCandidates) return f.template operator()<Coding::kCandidates>();
  f.template operator()<Coding::kThresholds>();
}

inline constexpr std::uint32_t kInfBits = 0x7F800000;
inline constexpr std::uint32_t kOneBits = 0x3F800000;
inline constexpr float kLargest = 0x1.fffffep127F;
inline constexpr std::uint32_t kNanScale = 0x7F;
inline constexpr std::uint32_t kLargestScale = 0x7E;

[[nodiscard]] MX_HOST_DEVICE inline float at_most(float x, float most) {
  return x > most ? most : x;
}

/// What the tensor's number decides for all blocks.
struct Level {
  float to_scale = 1;  ///< kTe: S_enc/6; kTorchao: the divisor; kFourOverSix: S_enc; kExact: about
                       ///< 1 / (6 * tensor scale)
  float decode = 1;    ///< kTe, kFourOverSix: 1/S_enc; kTorchao: 1/tensor scale
};
[[nodiscard]] MX_HOST_DEVICE inline Level level_of(const Mode& mode, std::uint32_t tensor) {
  const float number = cuda::as_float(tensor);
  if (mode.chain == Chain::kExact) return {1.0f / (number * 6.0f), 1};
  if (mode.chain == Chain::kTorchao) return {number, 1.0f / number};
  if (mode.chain != Chain::kTe && mode.chain != Chain::kFourOverSix) return {};
  float encode = tensor == 0 ? 1.0f : at_most(mode.top / number, kLargest);
  if (encode == 0.0f) encode = 1.0f;
  if (mode.chain == Chain::kFourOverSix) return {encode, 1.0f / encode};
  return {encode * (1.0f / 6.0f), 1.0f / encode};
}

/// A block's scale code, and its status bits.
struct BlockScale {
  std::uint32_t code;
  std::uint32_t status;
};

/// The scale of a block with infinities or NaN, by its largest magnitude.
[[nodiscard]] MX_HOST_DEVICE inline BlockScale nan_scale(std::uint32_t amax) {
  return {kNanScale, amax > kInfBits ? cuda::kHasNan : 0u};
}
/// What is said of a block with such a largest magnitude.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t zero_status(std::uint32_t amax) {
  return amax == 0 ? cuda::kZeroBlock : 0u;
}

/// Twice the value of a magnitude code of E2M1, and of the one above the largest: 0 1 2 3 4 6 8 12
/// 16.
[[nodiscard]] MX_HOST_DEVICE constexpr std::uint32_t halves_of(std::uint32_t code) {
  return code < 4 ? code : (4u | (code & 1u) << 1) << (code / 2 - 2);
}

/// The value of a scale code that is a number.
[[nodiscard]] MX_HOST_DEVICE inline float scale_value(std::uint32_t code) {
  return cuda::as_float(code << 20) * 0x1p120f;
}

}  // namespace mx::fast::cuda_nvfp4
