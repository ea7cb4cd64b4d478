// One comparison of dot products with the oracle, for the reference and for wrong ones, and the
// operands it asks about.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dot/dot.hpp"
#include "reference/dot/dot.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {

/// Operands that live somewhere.
struct DotOperands {
  std::vector<std::uint64_t> a_scales, a_codes, b_scales, b_codes;
  std::uint64_t a_tensor = 0x3F800000;
  std::uint64_t b_tensor = 0x3F800000;
  std::optional<std::uint64_t> addend;

  [[nodiscard]] DotOperand a() const { return {a_scales, a_codes, a_tensor}; }
  [[nodiscard]] DotOperand b() const { return {b_scales, b_codes, b_tensor}; }
};

using DotImplementation = std::function<Encoded(const DotConfig&, const DotOperands&)>;
[[nodiscard]] DotImplementation reference_dot();

/// What operands are made for.
enum class DotClass : std::uint8_t {
  kRandom,        ///< any codes, any scales
  kNear,          ///< finite codes, scales near 1
  kCancellation,  ///< pairs of opposite products and little else
  kTie,           ///< a large product and halves of its last place
  kGap,           ///< blocks far apart
  kTiny,          ///< results among the subnormals
  kHuge,          ///< results at the end of the range
  kZeros,         ///< zeros of both signs
  kSpecials       ///< NaN, Inf, NaN scales, 0 * Inf, Inf - Inf
};
inline constexpr int kDotClasses = 9;
[[nodiscard]] std::string name_of(DotClass what);

/// `elements` elements a side.
[[nodiscard]] DotOperands make_operands(DotClass what, const DotConfig& config,
                                        std::size_t elements, Stream& stream);

/// Compares one dot product and counts what it was.
void check_dot(const DotConfig& config, const DotOperands& operands,
               const DotImplementation& implementation, Report& report);

/// A block format of two formats by name, `block_size` elements.
[[nodiscard]] BlockFormat block_of(std::string_view element, std::string_view scale,
                                   int block_size = 8);

/// An accumulator with every field at random.
[[nodiscard]] AccumulatorModel random_accumulator(Stream& stream);

}  // namespace mx::oracle
