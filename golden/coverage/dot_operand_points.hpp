// Coverpoints of the operands of a dot product, before anything is rounded. spec V10.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "golden/coverage/dot_reach.hpp"
#include "golden/coverpoints/source_points.hpp"
#include "golden/vectors/header.hpp"
#include "reference/dot/dot.hpp"

namespace mx::golden {

/// What a record holds, and the exact values of it.
struct DotOperands {
  DotOperand a, b;
  std::optional<Unpacked> addend = {};
  std::vector<Unpacked> products = {};
  Unpacked of_products;  ///< their exact sum
  Unpacked total;        ///< with C
};

/// The coverpoints
///   a_x_b             sign and kind of the two elements of a product
///   a_scale, b_scale  every scale of at most 10 bits, the kinds of wider ones
///   scale_x_scale     sign and kind of the scales of a product
///   a_bit, b_bit      each bit of each lane, set and clear
///   length            how many elements, where they may be fewer than all
///   largest_lane      the lane whose product alone is the largest
///   spread            binades from the largest product to the smallest that is not zero
///   cancellation      binades from the largest term to the exact sum: below it, above it, zero
///   special           what makes the sum infinite or NaN
///   addend            sign and kind of C
///   addend_place      C next to the sum of the products.
class DotOperandPoints {
 public:
  DotOperandPoints(const DotCase& what, const DotReach& reach, std::size_t lanes, Lengths lengths);

  void sample(const DotOperands& operands);
  void append_to(std::vector<Coverpoint>& points) const;

 private:
  /// A scale's codes, or the kinds of wide ones.
  struct ScalePoint {
    ScalePoint(std::string name, const BlockFormat& format);
    void sample(const BlockFormat& format, std::uint64_t code);
    SourceClasses classes;
    Coverpoint point;
    bool has_codes;
  };

  void make_bits(Coverpoint& point, const ElementFormat& format) const;
  void make_places(const DotReach& reach);
  void make_special(const DotReach& reach);
  void sample_elements(const DotOperands& operands);
  void sample_scales(const DotOperands& operands);
  void sample_products(const DotOperands& operands);
  void sample_addend(const DotOperands& operands);
  [[nodiscard]] std::size_t cause_of(const DotOperands& operands) const;

  DotCase what_;
  std::size_t lanes_;
  SourceClasses a_classes_, b_classes_, c_classes_;
  ScalePoint a_scale_, b_scale_;
  Coverpoint pair_{"a_x_b", "sign and kind of the two elements of a product"};
  Coverpoint scales_{"scale_x_scale", "sign and kind of the two scales of a product"};
  Coverpoint a_bit_{"a_bit", "each bit of each lane of A, set and clear"};
  Coverpoint b_bit_{"b_bit", "each bit of each lane of B, set and clear"};
  Coverpoint length_{"length", "elements of each side"};
  Coverpoint largest_{"largest_lane", "the lane whose product alone is the largest"};
  Coverpoint spread_{"spread", "binades from the largest product to the smallest not zero"};
  Coverpoint cancellation_{"cancellation", "binades from the largest term to the exact sum"};
  Coverpoint special_{"special", "what makes the exact sum infinite or NaN"};
  Coverpoint addend_{"addend", "sign and kind of C"};
  Coverpoint addend_place_{"addend_place", "C next to the exact sum of the products"};
};

}  // namespace mx::golden
