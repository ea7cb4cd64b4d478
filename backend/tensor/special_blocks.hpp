// SPDX-License-Identifier: Apache-2.0
// Blocks whose bits hang on what a configuration does with NaN, infinities and results below the
// normal numbers of binary32. No vectors know these policies; all other blocks have the same bits
// whatever they are, so that vectors answer for these, and the reference for the few special ones.
#pragma once

#include <cstdint>
#include <functional>

#include "backend/tensor/flag_census.hpp"
#include "backend/tensor/runs.hpp"
#include "fast/cpu/block_plan.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::backend {

/// Finds the special blocks of one configuration. A value type.
class SpecialBlocks {
 public:
  /// Of a rule whose scales are powers of two.
  explicit SpecialBlocks(const QuantizerConfig& config);

  /// Has the configuration blocks of its own at all?
  [[nodiscard]] bool any() const { return has_own_specials_ || scales_in_fp32_; }

  /// The job under which vectors answer for all other blocks, and give each block with a NaN or an
  /// infinity a NaN scale (spec F12.1 steps 4 and 7).
  [[nodiscard]] fast::BlockJob job() const;

  /// What is wanted of a run: a product that binary32 rounds below its normal numbers changes
  /// flags, and codes under few roundings alone.
  enum class Asked : std::uint8_t { kCodes, kFlags };

  /// Calls `work` with the number of each special block of a run that vectors have answered, in C
  /// order of the scales; "" or the first problem that it says.
  using Work = std::function<std::string(std::uint64_t block)>;
  [[nodiscard]] std::string for_each(const QuantizedTensor& tensor, const Run& run, Asked asked,
                                     const Work& work) const;

 private:
  [[nodiscard]] bool is_nan(std::byte scale) const;
  [[nodiscard]] std::uint32_t least_of(std::uint64_t scale, Asked asked) const;
  [[nodiscard]] bool may_be_inexact(std::uint64_t scale, std::uint32_t lowest, Asked asked) const;
  /// What the scales of a run tell of it.
  struct Scales {
    std::uint64_t largest = 0;  ///< that is no NaN
    bool any_nan = false;
    bool any_00 = false;
  };
  [[nodiscard]] Scales scales_of(const QuantizedTensor& tensor, const Run& run) const;
  [[nodiscard]] std::uint32_t lowest_of(const QuantizedTensor& tensor, const Run& run,
                                        std::uint64_t block) const;

  fast::BlockJob job_;
  bool has_own_specials_;           ///< does with NaN and infinities what no vectors do
  bool scales_in_fp32_;             ///< scales elements in binary32
  std::uint64_t last_blind_scale_;  ///< above it, codes tell what binary32 made of tiny products
  bool differs_at_00_;              ///< with another number under scale code 00
  std::size_t word_;                ///< bytes of a source word
};

}  // namespace mx::backend
