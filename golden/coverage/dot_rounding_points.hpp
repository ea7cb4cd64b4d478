// Coverpoints of what a dot product makes of its operands: every rounding on the way, and the
// result. spec V10.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "golden/coverage/dot_reach.hpp"
#include "golden/coverpoints/result_points.hpp"
#include "reference/dot/dot.hpp"

namespace mx::golden {

/// One dot product, computed.
struct DotRun {
  Encoded result;
  std::span<const DotStep> steps;
  std::uint64_t exact = 0;                     ///< the code of the exact sum, rounded once
  std::optional<std::uint64_t> reversed = {};  ///< of the operands from the last to the first
  std::size_t products = 0;
  bool has_open_flags = false;  ///< flags are not compared
};

/// Sign and kind of results: zero, subnormal, normal, infinity, NaN.
class ResultClassPoint {
 public:
  ResultClassPoint(std::string name, std::string meaning, const ElementFormat& format);
  void sample(const Unpacked& value) { point_.hit(index_of(value)); }
  void witness(const Unpacked& value) { seen_[index_of(value)] = true; }
  /// What no witness was is unreachable.
  void exclude_the_rest();
  void append_to(std::vector<Coverpoint>& points) const { points.push_back(point_); }

 private:
  [[nodiscard]] std::size_t index_of(const Unpacked& value) const;

  ElementFormat format_;
  Coverpoint point_;
  std::vector<bool> seen_;
};

/// The coverpoints, where the mode has the step,
///   product_decision, product_class   products (of block_exact_fp32_seq sums of blocks) rounded
///   cut_decision, carry_cut   sign x lsb x guard x sticky of products and the running sum cut
///   cut_terms                 products of a step that lose bits
///   carry_out                 binades from the largest term of a step to its total
///   sum_decision, sum_class   running sums rounded
///   absorbed                  does a product that is not zero leave a running sum as it is
///   result_decision, result_class, flags
///   against_exact             is the result that of the exact sum
///   order                     is it that of the operands in reverse order.
class DotRoundingPoints {
 public:
  DotRoundingPoints(const DotCase& what, const DotReach& reach);

  void sample(const DotRun& run);
  void append_to(std::vector<Coverpoint>& points) const;

 private:
  struct Step;
  /// What roundings to the format of running sums can give.
  struct Stage {
    bool overflows = false, infinity = false, nan = false, minus_zero = false;
    bool makes_nan = false;  ///< of what is none
  };
  void make_step_points(const DotCase& what, const DotReach& reach);
  /// Bounds of the terms that are cut: DotReach.
  struct Cut {
    int apart, width, room;
  };
  void make_cut(Coverpoint& point, const Cut& cut, std::span<const std::uint64_t> odd) const;
  void witness(const DotReach& reach, const Unpacked& x, ResultClassPoint& point, Stage& stage);
  void witness_stage(const DotCase& what, const DotReach& reach);
  void witness_result(const DotCase& what, const DotReach& reach);
  void sample_cut(const DotStep& cut, std::size_t products, Step& step);
  void sample_sum(const DotStep& sum, bool is_last, const Step& step);

  DotCase what_;
  DecisionPoint product_decision_, sum_decision_, result_decision_;
  ResultClassPoint product_class_, sum_class_, result_class_;
  Coverpoint cut_{"cut_decision", "bits of a product that is cut: kept, first lost, others"};
  Coverpoint carry_cut_{"carry_cut", "the same of the running sum"};
  Coverpoint cut_terms_{"cut_terms", "products of a step that lose bits"};
  Coverpoint carry_out_{"carry_out", "binades from the largest term of a step to its total"};
  Coverpoint absorbed_{"absorbed", "does a product leave a running sum as it is"};
  Coverpoint against_{"against_exact", "is the result that of the exact sum rounded once"};
  Coverpoint order_{"order", "is the result that of the operands in reverse order"};
  FlagsPoint flags_;
  bool has_negative_;
  bool parts_lose_ = false;  ///< products, or blocks, can round
  unsigned possible_flags_ = 0;
  bool loses_ = false;  ///< a step before the result can round
  Stage sums_;
  bool meets_infinities_ = false;  ///< that overflows made, of both signs
};

}  // namespace mx::golden
