// What _quantize_mx is asked for. spec S7.2.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulators/microxcaling/kernels/formats.hpp"

namespace mx::emulators::microxcaling {

struct BlockConfig {
  int scale_bits = 8;  ///< of the shared exponent with its sign, 1..64
  ElemFormat elem_format = ElemFormat::kFp8E4m3;
  SharedExponentMethod shared_exp_method = SharedExponentMethod::kMax;
  std::vector<std::int64_t> axes = {};  ///< negative ones count from the last
  std::int64_t block_size = 0;          ///< elements along each axis; 0: the whole axis
  RoundingMode round = RoundingMode::kNearest;
  bool flush_fp32_subnorms = false;
  Path path = Path::kPython;

  /// The largest shared exponent's magnitude, 2^(scale_bits - 1) - 1, as far as it matters.
  [[nodiscard]] constexpr int scale_emax() const {
    return scale_bits > 14 ? 1 << 14 : (1 << (scale_bits - 1)) - 1;
  }
};

}  // namespace mx::emulators::microxcaling
