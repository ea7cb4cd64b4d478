// NVFP4 blocks of 16 that one lane has whole, as the kernels of both directions take them.
#pragma once

#include "fast/cuda_nvfp4/block.hpp"

namespace mx::fast::cuda_nvfp4 {

/// One direction of a call.
struct Way {
  Mode mode;
  Run run;
  const std::uint32_t* tensor = nullptr;
};

/// The elements of a block.
using Whole = Elements32<16>;

/// Changes the signs of the elements whose bits the mask has.
MX_HOST_DEVICE inline void change_signs(std::uint32_t mask, Whole& block) {
  MX_UNROLL
  for (int i = 0; i < 16; ++i) block.word[i] ^= mask << (31 - i) & 0x80000000u;
}

/// spec F25.2: every sum is one of binary32, which nvcc's -fmad=false -ftz=false keeps.
MX_HOST_DEVICE inline void transform(const Mode& mode, Whole& block) {
  if (!mode.signs_last) change_signs(mode.mask, block);
  float v[16];
  MX_UNROLL
  for (int i = 0; i < 16; ++i) v[i] = cuda::as_float(block.word[i]);
  MX_UNROLL
  for (int step = 1; step < 16; step *= 2) {
    MX_UNROLL
    for (int i = 0; i < 16; ++i) {
      if ((i & step) != 0) continue;
      const float a = v[i];
      const float b = v[i + step];
      v[i] = a + b;
      v[i + step] = a - b;
    }
  }
  MX_UNROLL
  for (int i = 0; i < 16; ++i) block.word[i] = cuda::as_bits(v[i] * 0.25f);
  if (mode.signs_last) change_signs(mode.mask, block);
}

/// A block as its elements are coded.
[[nodiscard]] MX_HOST_DEVICE inline Whole transformed(const Mode& mode, Whole block) {
  if (mode.transforms) transform(mode, block);
  return block;
}

/// A block's codes, its scale code and its status word.
struct CodedBlock {
  Nibbles codes;
  std::uint32_t scale;
  std::uint32_t status;
};

/// Where a block's random words are: those of elements first, first + stride, ...
struct BlockWords {
  const cuda::RandomWords& words;
  std::size_t first;
  std::size_t stride;

  /// R of elements i .. i + 3 of the block, i a multiple of 4.
  [[nodiscard]] MX_HOST_DEVICE cuda::FourWords of_four(const Mode& mode, std::size_t i) const {
    if (mode.drawing == cuda::Drawing::kNone) return {};
    if (stride == 1) return words.of_four(first + i, mode.random_bits);
    cuda::FourWords four{};
    MX_UNROLL
    for (std::size_t k = 0; k < 4; ++k) {
      four.word[k] = words.of(first + (i + k) * stride, mode.random_bits);
    }
    return four;
  }
};

constexpr std::uint32_t kMagnitude = 0x7FFFFFFF;

/// As the fast kernels have it: `status` is nothing.
template <Coding kCoding>
[[nodiscard]] MX_HOST_DEVICE inline CodedBlock coded(const Mode& mode, const Tensor& tensor,
                                                     Whole block, const BlockWords& words) {
  block = transformed(mode, block);
  std::uint32_t amax = 0;
  MX_UNROLL
  for (const std::uint32_t word : block.word) {
    const std::uint32_t magnitude = word & kMagnitude;
    amax = magnitude > amax ? magnitude : amax;
  }
  const std::uint32_t scale =
      fast_scale<kCoding>(mode, tensor, amax, [&](int i) { return block.word[i] & kMagnitude; });
  const auto draws = [&](int i) { return words.of_four(mode, static_cast<std::size_t>(i)); };
  return {codes_of<kCoding>(mode, tensor, scale, block, draws), scale, 0};
}

/// By the coding's own arithmetic, with its status.
template <Coding kCoding>
[[nodiscard]] MX_HOST_DEVICE inline CodedBlock coded_with_status(const Mode& mode,
                                                                 const Tensor& tensor, Whole block,
                                                                 const BlockWords& words) {
  block = transformed(mode, block);
  std::uint32_t amax = 0;
  std::uint32_t report = 0;
  MX_UNROLL
  for (const std::uint32_t word : block.word) {
    const std::uint32_t magnitude = word & kMagnitude;
    amax = magnitude > amax ? magnitude : amax;
    if (magnitude == kInfBits) report = cuda::kHasInf;
  }
  const BlockScale scale = block_scale<kCoding>(mode, tensor, amax, 16,
                                                [&](int i) { return block.word[i] & kMagnitude; });
  CodedBlock out{{}, scale.code, 0};
  if (scale.code != kNanScale) {
    const Elements elements = block_elements<kCoding>(mode, tensor, scale.code);
    cuda::FourWords random{};
    MX_UNROLL
    for (int i = 0; i < 16; ++i) {
      if (kCoding == Coding::kCarries && i % 4 == 0)
        random = words.of_four(mode, static_cast<std::size_t>(i));
      const std::uint32_t word = block.word[i];
      const cuda::Encoded encoded = encode_by<kCoding>(mode, elements, word & kMagnitude,
                                                       word > kMagnitude, random.word[i % 4]);
      out.codes.word[i / 8] |= encoded.code << (i % 8 * 4);
      report |= encoded.report;
    }
  }
  out.status = scale.code | scale.status | report;
  return out;
}

/// Block number `block` of any layout that has whole blocks: what the general kernel and the host
/// run where blocks are transformed.
template <class Source, Coding kCoding>
MX_HOST_DEVICE inline void quantize_whole(const Mode& mode, const Tensor& tensor, const Run& run,
                                          std::size_t number) {
  const cuda::Place place = cuda::place_of(run, 16, number);
  Whole block;
  MX_UNROLL
  for (int i = 0; i < 16; ++i) {
    const std::size_t at = place.first + static_cast<std::size_t>(i) * run.inner;
    block.word[i] = widened<Source>(cuda::load<Source>(run.source, at));
  }
  const CodedBlock out =
      coded_with_status<kCoding>(mode, tensor, block, {run.random, place.first, run.inner});
  const std::size_t stride = run.blocks_last ? 1 : run.inner;
  for (int quad = 0; quad < 16; quad += 4) {
    const std::uint32_t four = out.codes.word[quad / 8] >> (quad % 8 * 4);
    const std::uint32_t codes[4] = {four & 15u, four >> 4 & 15u, four >> 8 & 15u, four >> 12 & 15u};
    cuda::store_codes(run.out.codes, run.packing,
                      place.code + static_cast<std::size_t>(quad) * stride, stride, codes, 4);
  }
  run.out.scales[place.scale] = static_cast<std::uint8_t>(out.scale);
  if (run.out.status != nullptr) {
    run.out.status[place.status] = static_cast<std::uint16_t>(out.status);
  }
}

/// Stores block number `number`, whose codes follow each other, and its scale.
MX_HOST_DEVICE inline void store_block(const Run& run, const CodedBlock& coded, std::size_t number,
                                       std::size_t scale) {
  cuda::store_unit<16>(run.out.codes, run.packing, number, packed(run.packing, coded.codes));
  run.out.scales[scale] = static_cast<std::uint8_t>(coded.scale);
}

/// The same of block `along` of line `line`, of lines with `blocks` each.
MX_HOST_DEVICE inline void store_whole(const Run& run, const CodedBlock& coded, std::size_t line,
                                       std::size_t along, std::size_t blocks) {
  const std::size_t number = line * blocks + along;
  store_block(run, coded, number,
              run.swizzled ? cuda::swizzled_place(line, along, blocks) : number);
}

}  // namespace mx::fast::cuda_nvfp4
