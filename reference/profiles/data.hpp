// The rows of the profiles, by family of vendors.
#pragma once

#include <span>

#include "reference/profiles/profile.hpp"

namespace mx::profile_data {

[[nodiscard]] std::span<const Profile> profiles();

[[nodiscard]] std::span<const Profile> standards();    ///< mxgold, OCP, P3109
[[nodiscard]] std::span<const Profile> nvidia();       ///< CUDA, PTX, cuBLAS, TransformerEngine
[[nodiscard]] std::span<const Profile> pytorch();      ///< torchao, FBGEMM, triton_kernels
[[nodiscard]] std::span<const Profile> gpu_casts();    ///< PyTorch, Triton and JAX on a GPU
[[nodiscard]] std::span<const Profile> checkpoints();  ///< ModelOpt, compressed-tensors
[[nodiscard]] std::span<const Profile> libraries();    ///< ONNX, ml_dtypes, Intel, ggml, gfloat
[[nodiscard]] std::span<const Profile> amd();          ///< AMD's HIP headers, Quark
[[nodiscard]] std::span<const Profile> microxcaling();
[[nodiscard]] std::span<const Profile> seeds();        ///< torchmx, dmx, QPyTorch, AIMET
[[nodiscard]] std::span<const Profile> tenstorrent();  ///< tt-metal

}  // namespace mx::profile_data
