// block_quantize on patterns, one block after another. spec S4.4 (rule QP-B), ST10.
#pragma once

#include <cstdint>
#include <span>

#include "emulators/common/machine.hpp"
#include "emulators/qtorch/number.hpp"

namespace mx::emulators::qtorch {

/// `random` below holds one word an element where the rounding is stochastic; its low 23 - wl bits
/// are read.
struct BlockCall {
  std::int64_t wl = 0;
  Rounding rounding = Rounding::kNearest;
};

/// Which elements share an exponent: those with the same index on the middle one of three axes, the
/// sizes of which multiply to the tensor's.
struct BlockLayout {
  std::size_t outer = 1;
  std::size_t blocks = 1;
  std::size_t inner = 1;

  [[nodiscard]] constexpr std::size_t block_of(std::size_t index) const {
    return index / inner % blocks;
  }
};

/// Rule QP-B as it stands, for an element of a block of which `largest` is the maximum magnitude's
/// pattern.
[[nodiscard]] Bits block_by_rule(const BlockCall& call, Platform platform, Bits largest, Bits x,
                                 Bits random);

/// The same for a tensor, by integer arithmetic alone where the parameters and the block are
/// ordinary.
void block_compat(const BlockCall& call, const BlockLayout& layout, Platform platform,
                  std::span<const Bits> values, std::span<const std::uint32_t> random,
                  std::span<Bits> results);

/// Strict (ST10): quantum 2^(e - wl + 2) with e = floor(log2 max), ties to even or stochastic
/// upward, codes within +-(2^(wl-1) - 1), zeros +0; a block with a NaN or Inf is all NaN. wl >= 1.
/// Stochastic: the leading 23 - wl bits of the fraction carry with as many random ones (31 from wl
/// 23 on).
void block_strict(const BlockCall& call, const BlockLayout& layout, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results);

/// The kernels block_quantize_sim_nearest and _stochastic of the CUDA module, which Python cannot
/// reach: one exponent, no clipping. `random` as that of fixed_point_quantize.
[[nodiscard]] Bits block_sim_by_rule(const BlockCall& call, Bits largest, Bits x,
                                     std::uint32_t random);

}  // namespace mx::emulators::qtorch
