// What the products, sums and roundings of a dot product can be, from its formats alone: bounds
// that no operand exceeds. The bins that they rule out are unreachable.
#pragma once

#include <cstddef>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "golden/coverpoints/decision_point.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

struct DotReach {
  DotReach(const DotCase& what, std::size_t lanes);

  bool has_negative = false;  ///< products, or C
  bool has_infinite_factor = false;
  bool has_infinity = false;  ///< a factor, or C
  bool has_zero = false;      ///< a product
  bool has_both_infinities = false;
  bool has_nan_product = false;
  bool has_nan = false;      ///< a sum
  bool has_invalid = false;  ///< a signalling NaN, or a NaN that no operand is
  std::size_t terms = 1;     ///< products and C
  std::size_t steps = 1;     ///< sums one after the other
  int spread = 0;            ///< binades from the largest to the smallest product that is not zero
  int block_spread = 0;      ///< the same inside a block
  int block_room = 0;        ///< bits from the largest product of a block to its last place
  int depth = 0;             ///< binades from the largest term to the smallest sum at most
  Extent product;
  /// The products without their powers of two, where they are few; nothing where they are not.
  std::vector<std::uint64_t> odd;
  Extent block;     ///< the exact sum of a block
  Extent products;  ///< the exact sum of all products
  Extent total;     ///< the exact sum of all terms
  Extent start;     ///< C

  // What the sums of the mode are rounded from and to, none of exact_once:
  bool has_stage = false;
  ElementFormat stage;
  ElementPolicy stage_policy;
  Extent stage_sum;  ///< before a running sum is rounded
  // Of an accumulator's step:
  int step_products = 1;
  int most_cut = 1;  ///< products that can lose bits
  int step_terms = 1;
  int bits_kept = 1024;  ///< of a term that is aligned
  int aligned = 0;       ///< bits that a term has above the place that it is cut at, at the most
  int apart = 0;         ///< binades that a product lies below what terms are aligned to
  int carry_apart = 0;   ///< the same of the running sum, where it is a term
  int room = 0;          ///< bits of products below the highest place that they are cut at
  int carry_room = 0;
  int carry_width = 0;  ///< its bits; 0 where it is no term

  Extent result;  ///< before the last rounding

  /// Numbers that stand for all where the class of a result is asked: each power of two of the
  /// extent and the largest numbers below the next, of either sign.
  [[nodiscard]] std::vector<Unpacked> numbers(const Extent& extent) const;
  enum class Of : std::uint8_t { kProduct, kSum };
  /// Zero, and the infinities and NaN that a product or a sum can be.
  [[nodiscard]] std::vector<Unpacked> specials(Of of) const;

 private:
  void reach_nan(const DotCase& what);
  [[nodiscard]] bool saturates(bool negative) const;
  void reach_steps(const DotCase& what, std::size_t lanes);
  void reach_accumulator(const DotCase& what, std::size_t lanes);
};

}  // namespace mx::golden
