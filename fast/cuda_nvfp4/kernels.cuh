// The kernels of NVFP4, there and back. Compiled by nvcc, and by a host compiler in the kernel
// test, which supplies the CUDA names.
#pragma once

#include "fast/cuda/kernels.cuh"
// What the kernels share first.
#include "fast/cuda_nvfp4/block.hpp"

namespace mx::fast::cuda_nvfp4 {

inline constexpr unsigned kThreads = 256;

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

/// Rows of whole blocks of 16: two lanes a block from fp32, one from 16-bit sources. Not of
/// searches and candidates.
template <class Source, Coding kCoding>
__global__ void rows_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                            const std::uint32_t* tensor, std::size_t units) {
  constexpr int kInBlock = 16 / cuda::Unit<Source>::kWords;
  const Tensor shared = tensor_of(mode, tensor);
  const std::size_t lead = threadIdx.x % cuda::kWarp;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const auto of_line = static_cast<std::uint32_t>(run.length / 16);
  for (std::size_t number = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
       number - lead < units; number += threads) {
    const bool takes_part = number < units;
    cuda::Unit<Source> unit{};
    if (takes_part) {
      unit = cuda::load_unit<Source>(run.source, number * cuda::Unit<Source>::kWords);
    }
    const cuda::GroupLanes<kInBlock> lanes{static_cast<int>(number % kInBlock)};
    const std::uint32_t amax = lanes.maximum(magnitude_of<Source>(cuda::largest_of(unit)));
    const BlockScale scale = scale_of(mode, shared.level, shared.number, amax);
    const cuda::EncodedUnit encoded = encode_unit<Source, kCoding>(
        mode, shared, run, scale, unit, takes_part ? number * cuda::Unit<Source>::kWords : 0);
    std::uint32_t report = 0;
    if (run.out.status != nullptr) report = lanes.unite(encoded.report);
    if (!takes_part) continue;
    cuda::store_unit<cuda::Unit<Source>::kWords>(run.out.codes, run.packing, number,
                                                 encoded.packed);
    if (lanes.lane != 0) continue;
    const std::size_t block = number / kInBlock;
    std::size_t place = block;
    if (run.swizzled) {
      // The launch keeps these numbers within 32 bits.
      const std::uint32_t line = static_cast<std::uint32_t>(block) / of_line;
      place =
          cuda::swizzled_place(line, static_cast<std::uint32_t>(block) - line * of_line, of_line);
    }
    run.out.scales[place] = static_cast<std::uint8_t>(scale.code);
    if (run.out.status != nullptr) {
      run.out.status[block] = static_cast<std::uint16_t>(scale.code | scale.status | report);
    }
  }
}

/// The way back, any layout, a word a thread.
template <class Words>
__global__ void back_kernel(const __grid_constant__ Mode mode,
                            const __grid_constant__ cuda_decode::Run run,
                            const std::uint32_t* tensor, std::size_t words) {
  const std::uint32_t number = tensor != nullptr ? *tensor : mode.tensor;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words;
       i += threads) {
    const cuda_decode::Place place = cuda_decode::place_of(run, mode.block_size, i);
    const std::uint32_t word = decode_word<Words>(
        cuda_decode::code_at(run.codes, run.packing, place.code), run.scales[place.scale], number);
    reinterpret_cast<typename Words::Word*>(run.words)[i] = static_cast<typename Words::Word>(word);
  }
}

/// The way back along rows of whole blocks of 16 with packed codes, 16 bytes of words a thread.
template <class Words>
__global__ void rows_back_kernel(const __grid_constant__ Mode mode,
                                 const __grid_constant__ cuda_decode::Run run,
                                 const std::uint32_t* tensor, std::size_t units) {
  constexpr int kCodes = cuda_decode::CodeUnit<Words>::kCodes;
  const std::uint32_t number = tensor != nullptr ? *tensor : mode.tensor;
  const auto of_line = static_cast<std::uint32_t>(run.length / 16);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t unit = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; unit < units;
       unit += threads) {
    const auto codes = cuda_decode::load_codes<Words, cuda::Packing::kNibbles>(run.codes, unit);
    const std::size_t block = unit * kCodes / 16;
    std::size_t place = block;
    if (run.swizzled) {
      const std::uint32_t line = static_cast<std::uint32_t>(block) / of_line;
      place =
          cuda::swizzled_place(line, static_cast<std::uint32_t>(block) - line * of_line, of_line);
    }
    const std::uint32_t scale = run.scales[place];
    cuda_decode::WordUnit out{};
    MX_UNROLL
    for (int i = 0; i < kCodes; ++i) {
      const std::uint32_t code = cuda_decode::code_of<Words, cuda::Packing::kNibbles>(codes, i);
      cuda_decode::put_word<Words>(out, i, decode_word<Words>(code, scale, number));
    }
    cuda_decode::store_words(run.words, unit, out);
  }
}

}  // namespace mx::fast::cuda_nvfp4
