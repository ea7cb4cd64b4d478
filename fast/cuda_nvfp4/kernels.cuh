// The kernels of NVFP4, there and back. Compiled by nvcc, and by a host compiler in the kernel
// test, which supplies the CUDA names.
#pragma once

#include "fast/cuda/kernels.cuh"
// What the kernels share first.
#include "fast/cuda_nvfp4/block.hpp"

namespace mx::fast::cuda_nvfp4 {

inline constexpr unsigned kThreads = 256;
/// Thread blocks that a multiprocessor shall hold: of rows, and where a lane has a block whole.
inline constexpr unsigned kRowsAtOnce = 5;
inline constexpr unsigned kWholeAtOnce = 4;

/// Any configuration and layout: a thread a block, whose neighbours across an axis are its own.
template <class Source, Coding kCoding>
__global__ void general_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                               const std::uint32_t* tensor, std::size_t blocks) {
  const Tensor shared = tensor_of(mode, tensor);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t block = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; block < blocks;
       block += threads) {
    quantize_block<Source, kCoding>(mode, shared, run, block);
  }
}

/// Rows of whole blocks of 16 without status, in the order of their scales: two lanes a block from
/// fp32, one from 16-bit sources.
/// Not of searches and candidates.
template <class Source, Coding kCoding>
__global__ void __launch_bounds__(kThreads, kRowsAtOnce)
    rows_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                const std::uint32_t* tensor, std::size_t units) {
  constexpr int kInBlock = 16 / cuda::Unit<Source>::kWords;
  const Tensor shared = tensor_of(mode, tensor);
  const std::size_t lead = threadIdx.x % cuda::kWarp;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const auto of_line = static_cast<std::uint32_t>(run.length / 16);
  for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index - lead < units;
       index += threads) {
    const cuda::RowUnit at = cuda::row_unit(run.swizzled, run.outer, of_line, kInBlock / 2, index);
    const bool takes_part = at.exists && index < units;
    cuda::Unit<Source> unit{};
    if (takes_part) {
      unit = cuda::load_unit<Source>(run.source, at.number * cuda::Unit<Source>::kWords);
    }
    const cuda::GroupLanes<kInBlock> lanes{static_cast<int>(index % kInBlock)};
    const std::uint32_t amax = lanes.maximum(magnitude_of<Source>(cuda::largest_of(unit)));
    const std::uint32_t scale = short_scale(mode, shared, amax);
    if (!takes_part) continue;
    const Nibbles codes = encode_unit<Source, kCoding>(mode, shared, run, scale, unit,
                                                       at.number * cuda::Unit<Source>::kWords);
    cuda::store_unit<cuda::Unit<Source>::kWords>(run.out.codes, run.packing, at.number,
                                                 packed(run.packing, codes));
    if (lanes.lane == 0) run.out.scales[at.scale] = static_cast<std::uint8_t>(scale);
  }
}

/// The way back, any layout, a word a thread.
template <class Words>
__global__ void back_kernel(const __grid_constant__ Mode mode,
                            const __grid_constant__ cuda_dequantize::Run run,
                            const std::uint32_t* tensor, std::size_t words) {
  const std::uint32_t number = tensor != nullptr ? *tensor : mode.tensor;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words;
       i += threads) {
    const cuda_dequantize::Place place = cuda_dequantize::place_of(run, mode.block_size, i);
    const std::uint32_t word =
        decode_word<Words>(cuda_dequantize::code_at(run.codes, run.packing, place.code),
                           run.scales[place.scale], number);
    reinterpret_cast<typename Words::Word*>(run.words)[i] = static_cast<typename Words::Word>(word);
  }
}

/// The way back along rows of whole blocks of 16 with packed codes, 16 bytes of words a thread. A
/// thread block decodes each magnitude under each scale once; from 7F on scales are NaN.
template <class Words>
__global__ void rows_back_kernel(const __grid_constant__ Mode mode,
                                 const __grid_constant__ cuda_dequantize::Run run,
                                 const std::uint32_t* tensor, std::size_t units) {
  constexpr int kCodes = cuda_dequantize::CodeUnit<Words>::kCodes;
  constexpr unsigned kWords = (kNanScale + 1) * 8;
  __shared__ typename Words::Word word_of[kWords];
  const std::uint32_t number = tensor != nullptr ? *tensor : mode.tensor;
  for (unsigned i = threadIdx.x; i < kWords; i += blockDim.x) {
    word_of[i] = static_cast<typename Words::Word>(decode_word<Words>(i % 8, i / 8, number));
  }
  __syncthreads();
  const auto of_line = static_cast<std::uint32_t>(run.length / 16);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index < units;
       index += threads) {
    constexpr int kToBlock = 4 - cuda_dequantize::CodeUnit<Words>::kShift;
    const cuda::RowUnit at = cuda::row_unit(run.swizzled, run.outer, of_line, kToBlock, index);
    if (!at.exists) continue;
    const auto codes =
        cuda_dequantize::load_codes<Words, cuda::Packing::kNibbles>(run.codes, at.number);
    const std::uint32_t scale = run.scales[at.scale];
    const bool is_nan = scale >= kNanScale;
    const typename Words::Word* const under = word_of + (is_nan ? kNanScale : scale) * 8;
    cuda_dequantize::WordUnit out{};
    MX_UNROLL
    for (int i = 0; i < kCodes; ++i) {
      const std::uint32_t code = cuda_dequantize::code_of<Words, cuda::Packing::kNibbles>(codes, i);
      const std::uint32_t sign = (code & 8u) != 0 && !is_nan ? Words::kMagnitudeMask + 1 : 0u;
      cuda_dequantize::put_word<Words>(out, i, under[code & 7u] | sign);
    }
    cuda_dequantize::store_words(run.words, at.number, out);
  }
}

}  // namespace mx::fast::cuda_nvfp4
