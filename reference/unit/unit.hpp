// Matrix units of shipping devices, as data: what each computes for D = A * B + C, by name. Facts
// and evidence: docs/spec/accumulators.md; the arithmetic is in reference/unit/unit_dot.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "reference/format/table.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// How a unit sums the products of one dot product, K of them.
#define MX_UNIT_SUM(X)                                                                           \
  X(kAligned, "aligned")            /* groups with C, terms cut to one alignment: spec U1 */     \
  X(kPairsThenC, "pairs_then_c")    /* two such groups of 32 products, then C: spec U2 */        \
  X(kScaledGroups, "scaled_groups") /* groups of 16 exact, their scales, an alignment: U2 */     \
  X(kExact, "exact") /* groups with C, summed exactly, rounded once: spec U2, mi100 */           \
  X(kTree, "tree")   /* products and pairs rounded to binary32, subnormals flushed: U2, mi200 */ \
  X(kTwoStages, "two_stages") /* products cut, then their sum and C floored: U2, mi300 */        \
  X(kTwoStagesApart, "two_stages_apart") /* the same, even and odd products apart first */
MX_POLICY(UnitSum, MX_UNIT_SUM);

/// Block scales that an instruction takes with its operands: which format, for how many elements.
struct UnitScale {
  ScaleFormat format;
  int block_size = 0;
};

/// What no source settles about a unit's results (spec U4): a comparison leaves it out and says so.
#define MX_UNIT_OPEN(X)  \
  X(kNothing, "nothing") \
  X(kNanAndZero, "nan_code_and_sign_of_zero")
MX_POLICY(UnitOpen, MX_UNIT_OPEN);

/// The code of a NaN result.
#define MX_UNIT_NAN(X)    \
  X(kAllOnes, "all_ones") \
  X(kCanonical, "canonical") /* of the result's format */
MX_POLICY(UnitNan, MX_UNIT_NAN);

/// One row. Widths and exponents are those of spec U1: `group` is L, `fraction_bits` F,
/// `zero_exponent` e_zero, nothing where zeros have no exponent.
struct MatrixUnit {
  std::string_view name;          ///< "h100_f16"
  std::string_view devices;       ///< whose unit it is
  std::string_view instructions;  ///< that are summed so
  std::string_view source;        ///< the section of docs/spec/accumulators.md
  std::span<const ElementFormat> inputs;
  bool takes_mixed = false;  ///< may A and B be of different formats?
  std::span<const UnitScale> scales = {};
  UnitSum sum = UnitSum::kAligned;
  int group = 0;
  int fraction_bits = 0;
  ElementFormat sum32 =
      formats::fp32;      ///< what a binary32 result is rounded to; E8M13 in FP8 units
  bool has_fp16 = false;  ///< results of binary16 too, not for bf16 and tf32
  std::optional<int> zero_exponent32 = std::nullopt;  ///< of binary32 results
  std::optional<int> zero_exponent16 = std::nullopt;
  UnitNan nan = UnitNan::kAllOnes;
  UnitOpen open = UnitOpen::kNothing;
};

/// One side's codes: their format, and the scales of their blocks where the unit takes them.
struct UnitSide {
  ElementFormat element;
  std::optional<UnitScale> scale = std::nullopt;
};

/// A unit with the formats of its operands. C and D are of `result`, binary32 or binary16.
struct UnitConfig {
  MatrixUnit unit;
  UnitSide a, b;
  ElementFormat result = formats::fp32;
};

/// Do two units compute the same, whatever the operands that both take?
[[nodiscard]] bool sums_alike(const MatrixUnit& a, const MatrixUnit& b);

/// Every unit, in the order of listings.
[[nodiscard]] std::span<const MatrixUnit> matrix_units();
/// One by its name; nullptr if there is none.
[[nodiscard]] const MatrixUnit* find_unit(std::string_view name);

/// E8M13, the sums of FP8 units: binary32 without its ten last bits, subnormals too.
inline constexpr ElementFormat kE8M13 = formats::ieee_like("e8m13", 32, 8, 13);

}  // namespace mx
