// Dot products of MX blocks: spec F13.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "reference/dot/accumulator.hpp"
#include "reference/dot/model.hpp"
#include "reference/element/encode.hpp"
#include "reference/policy/checked.hpp"

namespace mx {

/// One side of a dot product: scales[j] belongs to codes[j * k .. (j + 1) * k), the last block may
/// be short (its missing products are absent). Codes hold no bits above their format's.
struct DotOperand {
  std::span<const std::uint64_t> scales;
  std::span<const std::uint64_t> codes;
  std::uint64_t tensor_scale = 0x3F800000;  ///< binary32; two-level formats only
};

/// One rounding on the way to a result, in the order it happened.
struct DotStep {
  enum class What : std::uint8_t {
    kProduct,  ///< product `index`, as it enters the sum
    kCut,      ///< product `index` (or the running sum, index = n) after alignment
    kSum,      ///< a running or partial sum
    kResult    ///< the final one
  } what = What::kSum;
  std::size_t index = 0;  ///< kProduct, kCut: the element; kSum: the step
  Unpacked exact;         ///< before rounding
  Unpacked rounded;
  int unit = 0;  ///< kCut: the term is cut to a multiple of 2^unit
};

/// Dot (one block) and DotGeneral (several). Not shareable between threads: it owns working memory.
class DotProduct {
 public:
  /// The dot product of a configuration, or why it cannot be used: what problem() says.
  [[nodiscard]] static Checked<DotProduct> make(const DotConfig& config);

  /// Why a configuration cannot be used ("" if it can): invalid descriptors, unequal block sizes,
  /// tiles, data whose code of -0 means something else, products of more than 64 significand bits,
  /// an accumulator outside its ranges, stochastic rounding.
  [[nodiscard]] static std::string_view problem(const DotConfig& config);

  /// The code of A * B, or of C + A * B where `addend` is given, and its flags. Both sides hold the
  /// same number of elements, at least one, in ceil(n / k) blocks.
  ///
  /// NaN operands, NaN scales, 0 * Inf and Inf - Inf give the canonical NaN. An exactly zero sum is
  /// +0 where it is exact (exact_once, inside a block, an accumulator's step); binary32 sums are
  /// those of IEEE 754, starting from C or +0 (the tree has no start; C is added to its root).
  /// Flags: the OR of those of all roundings, kFlagInvalid for a signalling NaN and for a NaN that
  /// no operand was.
  [[nodiscard]] Encoded operator()(const DotOperand& a, const DotOperand& b,
                                   std::optional<std::uint64_t> addend = std::nullopt);

  /// The same, and every rounding on the way.
  [[nodiscard]] Encoded operator()(const DotOperand& a, const DotOperand& b,
                                   std::optional<std::uint64_t> addend,
                                   std::vector<DotStep>& trace);

  /// The exact products, scales included: what a sum is of.
  [[nodiscard]] std::vector<Unpacked> products(const DotOperand& a, const DotOperand& b) const;

 private:
  explicit DotProduct(const DotConfig& config);

  struct Evaluation;
  [[nodiscard]] Unpacked product(const Evaluation& evaluation, std::size_t i) const;
  [[nodiscard]] int exponent_sum(const Evaluation& evaluation, std::size_t i) const;
  [[nodiscard]] Unpacked exact(const Evaluation& evaluation, std::size_t first, std::size_t last,
                               const Unpacked& start);
  [[nodiscard]] Unpacked product32(Evaluation& evaluation, std::size_t i) const;
  [[nodiscard]] Unpacked sequential(Evaluation& evaluation) const;
  [[nodiscard]] Unpacked tree(Evaluation& evaluation, std::size_t first, std::size_t last) const;
  [[nodiscard]] Unpacked block_exact(Evaluation& evaluation);
  [[nodiscard]] Unpacked accumulate(Evaluation& evaluation) const;
  [[nodiscard]] Encoded run(Evaluation& evaluation);
  [[nodiscard]] std::size_t block_size(const DotOperand& a) const;

  DotConfig config_;
  ExactSum sum_;
};

}  // namespace mx
