// Blocks in a row, a scale each: what StepRounding needs of a scale is made for many scales at
// once, by integers without a branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulators/aimet/element/kernel.hpp"
#include "emulators/common/vector_target.hpp"

namespace mx::emulators::aimet {

/// A kernel on binary32 in compat mode, of at most two mantissa bits.
class BlockSimd {
 public:
  /// Elements of a block come in multiples of this.
  static constexpr std::size_t kPiece = 16;

  /// Does a kernel have lanes for blocks of so many elements? Its exponents must leave the largest
  /// results finite.
  [[nodiscard]] static bool applies(const Kernel& kernel, std::size_t block_size);

  explicit BlockSimd(const Kernel& kernel, VectorTarget target = vector_target());

  /// Results of blocks, binary32 both, one scale for each. The numbers of the blocks that it leaves
  /// undone are appended to `rest`: those with another element than zeros and normal quotients, or
  /// with a scale near the ends of binary32.
  void operator()(std::span<const Bits> scales, std::size_t block_size, const std::byte* values,
                  std::byte* results, std::vector<std::size_t>& rest) const;

 private:
  int mantissa_bits_;
  int emin_;
  int emax_;
  std::uint32_t top_count_;  ///< the largest value is top_count_ / 2^mantissa_bits_ * 2^emax_
  VectorTarget target_;
};

}  // namespace mx::emulators::aimet
