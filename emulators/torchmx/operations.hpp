// Operators on MXTensor: moving its dimensions, and the products, which compute on the values.
// spec S6.2.
#pragma once

#include <cstdint>
#include <span>

#include "emulators/torchmx/mx_tensor.hpp"

namespace mx::emulators::torchmx {

/// Two dimensions at most (AssertionError), swapped.
[[nodiscard]] Checked<MXTensor> t(const MXTensor& tensor);

/// Two dimensions swapped, the block dimension with them; compat compares it with the arguments as
/// they stand, so that negative ones leave it behind.
[[nodiscard]] Checked<MXTensor> transpose(const MXTensor& tensor, std::int64_t dim0,
                                          std::int64_t dim1);

/// Another shape of the same values, -1 once for a size that follows. AssertionError unless blocks
/// lie along the last dimension, or the second last of four, and for padded tensors as one
/// dimension.
[[nodiscard]] Checked<MXTensor> view(const MXTensor& tensor, std::span<const std::int64_t> size);

/// Dimensions of size 1 repeated; -1 keeps a size.
[[nodiscard]] Checked<MXTensor> expand(const MXTensor& tensor, std::span<const std::int64_t> size);

/// The same codes for another type of the values: fp16 or bf16 (AssertionError otherwise).
[[nodiscard]] Checked<MXTensor> to_copy(const MXTensor& tensor, TensorType dtype);

/// Sums of values along a dimension, which is dropped; exact, rounded once to the original type.
/// The package adds in an order of its own.
[[nodiscard]] Checked<Tensor> sum(const MXTensor& tensor, std::int64_t dim);

/// a (n, k) times b (k, m) on values in a's original type, each result the exact sum of products
/// rounded once. The package's sums depend on its matrix library; their operands are these.
[[nodiscard]] Checked<Tensor> mm(const MXTensor& a, const MXTensor& b);
/// The same for each of the first dimension's matrices.
[[nodiscard]] Checked<Tensor> bmm(const MXTensor& a, const MXTensor& b);
/// bias + a times b; bias has m values of a's original type.
[[nodiscard]] Checked<Tensor> addmm(const TensorView& bias, const MXTensor& a, const MXTensor& b);
/// x (n, k) times the transpose of weight (m, k), plus bias where there is one.
[[nodiscard]] Checked<Tensor> linear(const MXTensor& x, const MXTensor& weight,
                                     const TensorView* bias = nullptr);

}  // namespace mx::emulators::torchmx
