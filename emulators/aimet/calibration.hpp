// Min-max calibration: what compute_encodings() does with the tensors that it sees. spec S8.6.
#pragma once

#include <vector>

#include "emulators/aimet/element/working.hpp"
#include "emulators/aimet/layout.hpp"

namespace mx::emulators::aimet {

/// The smallest and the largest value for each scale, as binary32 patterns of values of `type`.
struct Range {
  TensorType type = TensorType::kFp32;
  Shape shape;
  std::vector<Bits> min, max;
};

/// The range of one tensor; a NaN makes the range of its scale NaN. RuntimeError where the tensor
/// cannot be reduced to the shape. The tensor is not empty.
[[nodiscard]] Checked<Range> observe(const TensorView& tensor, const Shape& shape,
                                     const BlockSize& block_size, Mode mode);

/// The range of both, of equal shapes; the type is the second one's.
[[nodiscard]] Range merge(const Range& seen, const Range& batch);

/// maxval = max(|min|, |max|) of the range that the package makes of what it saw: zero belongs to
/// it, and one narrower than 2^bitwidth - 1 of the smallest steps is widened at its upper end.
/// Strict widens a range of zeros only (KA7).
[[nodiscard]] std::vector<Bits> maxval_of(const Range& range, int bitwidth, Mode mode);

}  // namespace mx::emulators::aimet
