// microxcaling's CUDA kernel for blocks along the innermost axis, compiled from its checkout.
#pragma once

#include <cstddef>
#include <string_view>

namespace mx::bench {

/// The commit of the checkout, or "" in a build without one.
[[nodiscard]] std::string_view microxcaling_commit();

/// Values of e4m3fn under 8-bit scales, ties to even, in blocks of 32, as fp32: launched on the
/// default stream as its PyTorch function launches it. Both arrays lie on the device. Requires a
/// build with it.
void microxcaling_mxfp8(const float* from, float* to, std::size_t count);

}  // namespace mx::bench
