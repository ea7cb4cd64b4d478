// Which tensors the functions take, and which elements of one share an exponent: as torch says it.
#pragma once

#include <string>

#include "emulators/common/interface.hpp"
#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::qtorch {

/// "" for fp32, in strict mode also bf16 and fp16; else "RuntimeError: expected scalar type ...".
[[nodiscard]] std::string type_problem(const TensorView& x, const Setting& setting);

/// The layout of `dim`, -1 being the whole tensor. "IndexError: ..." for an axis that is not there,
/// "RuntimeError: ..." or "IndexError: ..." for an empty tensor.
[[nodiscard]] Checked<BlockLayout> block_layout(const Shape& shape, std::int64_t dim);

}  // namespace mx::emulators::qtorch
