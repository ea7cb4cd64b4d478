// Dot products of MX blocks: formats.md section 13.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mx/accumulator.hpp"
#include "mx/encode.hpp"
#include "mx/format_table.hpp"

namespace mx {

/// In which steps the sum is rounded.
enum class DotMode : std::uint8_t {
  kExactOnce,          ///< the exact sum over all blocks, rounded once (P3109 BlockDotProduct)
  kFp32Seq,            ///< products and sums rounded to binary32, left to right
  kFp32Tree,           ///< the same with pairwise sums
  kBlockExactFp32Seq,  ///< exact inside a block, then binary32 across blocks, left to right
  kAccumulator         ///< a hardware accumulator, described by AccumulatorModel
};
template <>
std::span<const Token<DotMode>> tokens<DotMode>();

/// The order in which an accumulator takes the products of a dot product.
enum class DotOrder : std::uint8_t {
  kSequential,  ///< groups of neighbours: 0..g-1, g..2g-1, ...
  kStrided      ///< group i takes i, i + n, i + 2n, ... with n the number of groups
};
template <>
std::span<const Token<DotOrder>> tokens<DotOrder>();

/// A multiply-accumulate unit that aligns a group of exact products to the largest exponent among
/// them, cuts each to a fixed number of bits, adds them as integers and rounds the sum to the
/// accumulator's format.
struct AccumulatorModel {
  int group = 32;           ///< products added in one step, 1..1024
  int alignment_bits = 24;  ///< bits kept of the largest term, from its leading one down, 2..62
  Rounding cut = Rounding::kTowardZero;  ///< how an aligned term loses its lower bits
  DotOrder order = DotOrder::kSequential;
  /// Whether the running sum is one of the aligned terms of a step, or is added afterwards.
  enum class Carry : std::uint8_t { kAligned, kAfterwards } carry = Carry::kAligned;
  ElementFormat format = formats::fp32;       ///< of the running sum
  Rounding rounding = Rounding::kTiesToEven;  ///< of the running sum
};

/// What is multiplied and how it is summed. Block sizes must be equal; element and scale formats
/// may differ between the sides.
struct DotConfig {
  BlockFormat a;
  BlockFormat b;
  DotMode mode = DotMode::kExactOnce;
  ElementFormat result = formats::fp32;
  Rounding rounding = Rounding::kTiesToEven;  ///< of the final result, and of binary32 steps
  AccumulatorModel accumulator;
};

/// One side of a dot product: scales[j] belongs to codes[j * k .. (j + 1) * k).
struct DotOperand {
  std::span<const std::uint64_t> scales;
  std::span<const std::uint64_t> codes;
};

/// Dot (one block) and DotGeneral (several). Not shareable between threads: it owns working memory.
class DotProduct {
 public:
  /// The configuration must satisfy problem(config).empty().
  explicit DotProduct(const DotConfig& config);

  /// Why a configuration cannot be used ("" if it can): unequal block sizes, products that need
  /// more than 64 significand bits, an accumulator outside its ranges, stochastic rounding.
  [[nodiscard]] static std::string_view problem(const DotConfig& config);

  /// The result code and its flags. Both sides hold the same number of whole blocks, at least one.
  /// A NaN operand or scale, 0 * Inf, or Inf - Inf gives the canonical NaN; an exactly zero sum is
  /// +0.
  [[nodiscard]] Encoded operator()(const DotOperand& a, const DotOperand& b);

 private:
  [[nodiscard]] Unpacked product(const DotOperand& a, const DotOperand& b, std::size_t i) const;
  [[nodiscard]] Unpacked exact(const DotOperand& a, const DotOperand& b, std::size_t first,
                               std::size_t last);
  [[nodiscard]] Unpacked sequential(const DotOperand& a, const DotOperand& b) const;
  [[nodiscard]] Unpacked tree(const DotOperand& a, const DotOperand& b, std::size_t first,
                              std::size_t last) const;
  [[nodiscard]] Unpacked block_exact(const DotOperand& a, const DotOperand& b);
  [[nodiscard]] Unpacked accumulate(const DotOperand& a, const DotOperand& b);

  DotConfig config_;
  ExactSum sum_;
};

}  // namespace mx
