// What the element-wise functions of microxcaling are asked for. spec S7.2.
#pragma once

#include <string>

#include "emulators/common/machine.hpp"
#include "emulators/common/tensor.hpp"
#include "emulators/microxcaling/kernels/formats.hpp"

namespace mx::emulators::microxcaling {

/// The parameters of _quantize_elemwise_core under its defaults.
struct ElementConfig {
  int bits = 0;                ///< sign, hidden bit and stored significand bits, 0..62
  int exp_bits = 0;            ///< 0: an integer of `bits` bits, worth 2^-(bits - 2)
  std::uint64_t max_norm = 0;  ///< binary64 pattern, not negative
  RoundingMode round = RoundingMode::kNearest;
  bool saturate_normals = false;
  bool allow_denorm = true;
  Path path = Path::kPython;

  constexpr bool operator==(const ElementConfig&) const = default;

  [[nodiscard]] constexpr bool is_integer() const { return exp_bits == 0; }
  /// Exponent of the smallest normal number; 0 for integers.
  [[nodiscard]] constexpr int min_exponent() const {
    if (is_integer()) return 0;
    return exp_bits > 16 ? -(1 << 15) : 2 - (1 << (exp_bits - 1));
  }
};

/// The configuration of a named format.
[[nodiscard]] inline ElementConfig element_config(ElemFormat format) {
  const FormatParams params = get_format_params(format);
  return {.bits = params.mbits, .exp_bits = params.ebits, .max_norm = params.max_norm};
}

/// Does the path compute with its own kernels? Dither stays in Python whatever the path.
[[nodiscard]] constexpr bool uses_kernels(Path path, RoundingMode round) {
  return path != Path::kPython && round != RoundingMode::kDither;
}

}  // namespace mx::emulators::microxcaling
