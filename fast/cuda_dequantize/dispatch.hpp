// From a call to the kernel that answers it. Included after kernels.cuh by whatever can start
// kernels: nvcc's code, and the kernel test.
#pragma once

#include <algorithm>

#include "fast/cuda_dequantize/plan.hpp"

namespace mx::fast::cuda_dequantize {

/// f.operator()<kind, packing>() for the codes of a call. Packed codes of six and of four bits are
/// numbers in every format that matters; others are the general arithmetic's.
template <class Function>
void with_codes(Codes codes, Packing packing, const Function& f) {
  if (packing != Packing::kBytes) {
    const bool is_plain = codes == Codes::kNumbers;
    if (packing == Packing::kNibbles) {
      return is_plain ? f.template operator()<Codes::kNumbers, Packing::kNibbles>()
                      : f.template operator()<Codes::kAny, Packing::kNibbles>();
    }
    return is_plain ? f.template operator()<Codes::kNumbers, Packing::kDense6>()
                    : f.template operator()<Codes::kAny, Packing::kDense6>();
  }
  switch (codes) {
    case Codes::kNumbers:
      return f.template operator()<Codes::kNumbers, Packing::kBytes>();
    case Codes::kWithSpecials:
      return f.template operator()<Codes::kWithSpecials, Packing::kBytes>();
    case Codes::kTwosComplement:
      return f.template operator()<Codes::kTwosComplement, Packing::kBytes>();
    case Codes::kAny:
      break;
  }
  f.template operator()<Codes::kAny, Packing::kBytes>();
}

/// Thread blocks for `work` items; the kernels' loops take what is left.
[[nodiscard]] inline unsigned thread_blocks(std::size_t work, std::size_t each) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  return static_cast<unsigned>(std::min((work + each - 1) / each, kMost));
}

/// Calls start(kernel, thread blocks, threads, arguments...) once. There is at least one word.
template <class Words, class Start>
void start_kernel(const Mode& mode, const Call& call, const Start& start) {
  const Run& run = call.run;
  const std::size_t words = words_of(run);
  if (call.kernel == Kernel::kRows) {
    const std::size_t units = words / CodeUnit<Words>::kCodes;
    return with_codes(call.codes, run.packing, [&]<Codes kKind, Packing kPacking>() {
      start(&rows_kernel<Words, kKind, kPacking>,
            thread_blocks(units, std::size_t{kUnitsAtOnce} * kThreads), kThreads, mode, run, units);
    });
  }
  if (call.kernel == Kernel::kColumns) {
    const std::size_t tiles = cuda::tiles_of(run, kTileLength, kTileLines);
    return with_codes(call.codes, run.packing, [&]<Codes kKind, Packing kPacking>() {
      start(&tile_kernel<Words, kKind, kPacking>, thread_blocks(tiles, 1), kTileThreads, mode, run,
            tiles);
    });
  }
  start(&general_kernel<Words>, thread_blocks(words, kThreads), kThreads, mode, run, words);
}

}  // namespace mx::fast::cuda_dequantize
