#include "golden/coverage/dot_rounding_points.hpp"

#include <algorithm>
#include <array>

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 7> kFlagNames = {
    "inexact", "overflow", "saturated", "underflow", "invalid", "to_zero", "divide_by_zero"};
constexpr std::array<std::string_view, 10> kClassNames = {
    "+zero", "+subnormal", "+normal", "+infinity", "+nan",
    "-zero", "-subnormal", "-normal", "-infinity", "-nan"};
constexpr std::array<std::size_t, 5> kCounts = {0, 1, 2, 4, 8};
constexpr std::array<std::string_view, 5> kCountNames = {"0", "1", "2-3", "4-7", "8+"};
enum CarryOut : std::size_t { kZero, kBelow, kNone, kOne, kMore };

Reach reach_if(bool is_reachable) { return is_reachable ? Reach::kOpen : Reach::kUnreachable; }

void add_answers(Coverpoint& point, std::string_view no, std::string_view yes, bool is_reachable) {
  point.bins.push_back({std::string(no), 0, Reach::kOpen});
  point.bins.push_back({std::string(yes), 0, reach_if(is_reachable)});
}

bool is_number(const Unpacked& x) { return x.cls == ValueClass::kFinite; }

DecisionPoint::Signs signs_of(const DotReach& reach) {
  return reach.has_negative ? DecisionPoint::Signs::kBoth : DecisionPoint::Signs::kPositive;
}

ElementPolicy result_policy(const DotCase& what) {
  ElementPolicy policy;
  policy.rounding = what.dot.rounding;
  policy.overflow = what.dot.overflow;
  return policy;
}

bool has_products(const DotCase& what) {
  return what.dot.mode == DotMode::kFp32Seq || what.dot.mode == DotMode::kFp32Tree ||
         what.dot.mode == DotMode::kBlockExactFp32Seq;
}
bool is_accumulator(const DotCase& what) { return what.dot.mode == DotMode::kAccumulator; }

/// Of the products that a point is of; sums of blocks are any number.
std::span<const std::uint64_t> odd_of(const DotCase& what, const DotReach& reach) {
  if (what.dot.mode == DotMode::kBlockExactFp32Seq) return {};
  return reach.odd;
}

const Extent& part_of(const DotCase& what, const DotReach& reach) {
  return what.dot.mode == DotMode::kBlockExactFp32Seq ? reach.block : reach.product;
}

}  // namespace

ResultClassPoint::ResultClassPoint(std::string name, std::string meaning,
                                   const ElementFormat& format)
    : format_(format), point_(std::move(name), std::move(meaning)), seen_(kClassNames.size()) {
  for (const std::string_view each : kClassNames) {
    point_.bins.push_back({std::string(each), 0, Reach::kOpen});
  }
}

std::size_t ResultClassPoint::index_of(const Unpacked& value) const {
  const std::size_t sign = value.negative ? 5 : 0;
  switch (value.cls) {
    case ValueClass::kZero:
      return sign;
    case ValueClass::kInf:
      return sign + 3;
    case ValueClass::kNan:
      return sign + 4;
    case ValueClass::kFinite:
      break;
  }
  const bool is_subnormal = format_.kind == FormatKind::kFloat && value.exponent < format_.emin();
  return sign + (is_subnormal ? 1 : 2);
}

void ResultClassPoint::exclude_the_rest() {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    if (!seen_[i]) point_.bins[i].reach = Reach::kUnreachable;
  }
}

DotRoundingPoints::DotRoundingPoints(const DotCase& what, const DotReach& reach)
    : what_(what),
      product_decision_("product_decision", "bits of a product (or block) where it is rounded",
                        formats::fp32, part_of(what, reach), signs_of(reach), odd_of(what, reach)),
      sum_decision_("sum_decision", "bits of a running sum where it is rounded", reach.stage,
                    reach.stage_sum, signs_of(reach)),
      result_decision_("result_decision", "bits of the sum where the result is rounded",
                       what.dot.result, reach.result, signs_of(reach)),
      product_class_("product_class", "sign and kind of a product (or block), rounded",
                     formats::fp32),
      sum_class_("sum_class", "sign and kind of a running sum", reach.stage),
      result_class_("result_class", "sign and kind of the result", what.dot.result),
      flags_(kFlagNames),
      has_negative_(reach.has_negative) {
  if (reach.has_stage) make_step_points(what, reach);
  witness_result(what, reach);
  if (!reach.has_stage) return;
  // What rounds once, to the format of the result, is what rounds the exact sum.
  const std::size_t terms_added = reach.steps + (what.addend == Addend::kPresent ? 1 : 0);
  const bool is_once = has_products(what) && terms_added <= 2 && !parts_lose_ &&
                       what.dot.result == reach.stage &&
                       what.dot.overflow == reach.stage_policy.overflow;
  add_answers(against_, "same", "other", (loses_ && !is_once) || sums_.minus_zero);
  // Lanes of sublevels are not alike, and a tree looks the same from either end.
  const bool has_lanes = what.dot.a.sublevels[0] != 0 || what.dot.b.sublevels[0] != 0;
  if (has_lanes || what.dot.mode == DotMode::kFp32Tree) return;
  // A sum of two does not know their order.
  const bool is_ordered = is_accumulator(what)
                              ? reach.steps > 1 && loses_
                              : terms_added > 2 && (sums_.overflows || sum_decision_.loses());
  add_answers(order_, "same", "other", is_ordered);
}

void DotRoundingPoints::make_step_points(const DotCase& what, const DotReach& reach) {
  witness_stage(what, reach);
  if (what.dot.mode != DotMode::kFp32Tree && reach.steps > 1) {
    const bool is_wide = reach.total.width >= std::min(reach.stage.man_bits, reach.bits_kept);
    add_answers(absorbed_, "no", "yes", is_wide || loses_);
  }
  if (!is_accumulator(what)) return;
  make_cut(cut_, {reach.apart, reach.product.width, reach.room}, reach.odd);
  if (reach.carry_width > 0) {
    make_cut(carry_cut_, {reach.carry_apart, reach.carry_width, reach.carry_room}, {});
  }
  const bool by_sum = what.dot.accumulator.align == DotAlign::kExponentSum;
  // Without the running sum the largest product is one of those that are cut, and is whole.
  const bool is_first_whole = reach.carry_width == 0 && !by_sum &&
                              reach.product.width <= what.dot.accumulator.alignment_bits;
  const auto products = static_cast<std::size_t>(
      std::min(reach.most_cut, reach.step_products - (is_first_whole ? 1 : 0)));
  const bool cuts = std::ranges::any_of(cut_.bins, [](const Bin& bin) {
    return bin.reach == Reach::kOpen && bin.name.find("guard0 sticky0") == std::string::npos;
  });
  loses_ = loses_ || cuts;
  for (std::size_t i = 0; i < kCounts.size(); ++i) {
    const bool is_open = kCounts[i] == 0 || (cuts && kCounts[i] <= products);
    cut_terms_.bins.push_back({std::string(kCountNames[i]), 0, reach_if(is_open)});
  }
  if (what.dot.accumulator.carry != DotCarry::kAligned) return;
  const int above = reach.aligned - what.dot.accumulator.alignment_bits;
  const bool cancels = reach.has_negative && reach.step_terms > 1;
  const auto add = [&](std::string_view name, bool is_open) {
    carry_out_.bins.push_back({std::string(name), 0, reach_if(is_open)});
  };
  add("zero", cancels);
  add("below", cancels || by_sum);
  add("0", true);
  add("1", reach.step_terms > 1 || above > 0);
  add("2+", reach.step_terms > 2 || above > 1 || (above > 0 && reach.step_terms > 1));
}

/// A bit is lost where the last one of a term of `width` bits lies below the place of the cut, and
/// its leading one at most `apart` binades below the largest term's.
void DotRoundingPoints::make_cut(Coverpoint& point, const Cut& cut,
                                 std::span<const std::uint64_t> odd) const {
  const int kept = what_.dot.accumulator.alignment_bits;
  for (std::size_t i = 0; i < 16; ++i) {
    const Decision d{false, (i & 8) != 0, (i & 4) != 0, (i & 2) != 0, (i & 1) != 0};
    const int last = d.sticky ? 2 : d.guard ? 1 : d.lsb ? 0 : -1;
    const int first = d.lsb ? 0 : d.guard ? 1 : d.sticky ? 2 : -1;
    // The leading one stands above the place, or is the first bit of the pattern.
    const bool is_above = cut.width >= last + 2 && cut.apart >= kept + last - cut.width;
    const bool is_first = cut.width >= last - first + 1 && cut.apart >= kept - 1 + first;
    std::string name = d.negative ? "- " : "+ ";
    name += d.lsb ? "lsb1 " : "lsb0 ";
    name += d.guard ? "guard1 " : "guard0 ";
    name += d.sticky ? "sticky1" : "sticky0";
    const bool is_product = odd.empty() || is_decision_of(d, odd, {});
    const bool has_sign = !d.negative || has_negative_;
    const bool has_room = last <= 0 || cut.room >= last;
    const bool is_open = has_sign && is_product && has_room && (last < 0 || is_above || is_first);
    point.bins.push_back({std::move(name), 0, reach_if(is_open)});
  }
}

namespace {

/// Can a product be -0?
bool has_negative_zero(const DotCase& what, const DotReach& reach) {
  const auto is_signed = [](const BlockFormat& f) {
    return f.element.is_signed || f.scale.is_signed;
  };
  return reach.has_zero && (is_signed(what.dot.a) || is_signed(what.dot.b));
}

/// Is a running sum of -0 possible that was zero before it was rounded? Exact sums of zero are +0,
/// but those of an accumulator by IEEE 754; `has_part`: parts of a sum can be -0.
bool has_minus_zero(const DotCase& what, const DotReach& reach, bool has_part) {
  const bool has_start = what.addend == Addend::kPresent && what.dot.addend.is_signed &&
                         what.dot.addend.zero == ZeroKind::kPosAndNeg;
  switch (what.dot.mode) {
    case DotMode::kFp32Tree:
      return has_part && (what.addend == Addend::kAbsent || has_start);
    case DotMode::kFp32Seq:
    case DotMode::kBlockExactFp32Seq:
      return (what.dot.rounding == Rounding::kTowardNegative && reach.has_negative) ||
             (has_start && has_part);
    case DotMode::kAccumulator: {
      const AccumulatorModel& m = what.dot.accumulator;
      if (m.zero_sign == DotZeroSign::kPositive) return false;
      return (m.rounding == Rounding::kTowardNegative && reach.has_negative) ||
             (has_start && has_negative_zero(what, reach));
    }
    case DotMode::kExactOnce:
      break;
  }
  return false;
}

}  // namespace

/// Rounds to the format of running sums what stands for all, and notes what it becomes.
void DotRoundingPoints::witness(const DotReach& reach, const Unpacked& x, ResultClassPoint& point,
                                Stage& stage) {
  const Encoded code = encode(x, reach.stage, reach.stage_policy, 0);
  const Unpacked value = decode(reach.stage, code.code);
  point.witness(value);
  possible_flags_ |= code.flags;
  loses_ = loses_ || (code.flags & kFlagOverflow) != 0 || value.cls != x.cls;
  stage.overflows = stage.overflows || (code.flags & kFlagOverflow) != 0;
  stage.infinity = stage.infinity || value.cls == ValueClass::kInf;
  stage.nan = stage.nan || value.cls == ValueClass::kNan;
  stage.makes_nan = stage.makes_nan || (value.cls == ValueClass::kNan && x.cls != ValueClass::kNan);
  stage.minus_zero = stage.minus_zero || (value.cls == ValueClass::kZero && value.negative);
}

/// Products and running sums that stand for all, through the format that they are rounded to.
void DotRoundingPoints::witness_stage(const DotCase& what, const DotReach& reach) {
  Stage parts;
  if (has_products(what)) {
    for (const Unpacked& x : reach.numbers(part_of(what, reach))) {
      witness(reach, x, product_class_, parts);
    }
    const bool in_blocks = what.dot.mode == DotMode::kBlockExactFp32Seq;
    const auto of =
        in_blocks && reach.has_both_infinities ? DotReach::Of::kSum : DotReach::Of::kProduct;
    for (const Unpacked& x : reach.specials(of)) witness(reach, x, product_class_, parts);
    // A product has its sign also where it is zero; the exact sum of a block has none.
    if (reach.has_negative && !in_blocks) {
      witness(reach, {.cls = ValueClass::kZero, .negative = true}, product_class_, parts);
    }
  }
  // C is rounded first.
  if (what.addend == Addend::kPresent) {
    for (const Unpacked& x : reach.numbers(reach.start)) {
      const Encoded code = encode(x, reach.stage, reach.stage_policy, 0);
      possible_flags_ |= code.flags;
      loses_ = loses_ || (code.flags & kFlagInexact) != 0;
    }
  }
  parts_lose_ = loses_ || (has_products(what) && product_decision_.loses());
  for (const Unpacked& x : reach.numbers(reach.stage_sum)) witness(reach, x, sum_class_, sums_);
  for (const Unpacked& x : reach.specials(DotReach::Of::kSum)) {
    witness(reach, x, sum_class_, sums_);
  }
  const bool is_infinite = sums_.infinity || parts.infinity;
  if (is_infinite) witness(reach, {.cls = ValueClass::kInf}, sum_class_, sums_);
  if (is_infinite && reach.has_negative) {
    witness(reach, {.cls = ValueClass::kInf, .negative = true}, sum_class_, sums_);
    // Infinities that overflows made meet as parts; an accumulator's parts are exact.
    meets_infinities_ = has_products(what) && reach.steps > 1;
  }
  sums_.makes_nan = sums_.makes_nan || parts.makes_nan;
  if (meets_infinities_ || parts.nan) witness(reach, {.cls = ValueClass::kNan}, sum_class_, sums_);
  if (has_minus_zero(what, reach, parts.minus_zero)) {
    witness(reach, {.cls = ValueClass::kZero, .negative = true}, sum_class_, sums_);
  }
  product_class_.exclude_the_rest();
  sum_class_.exclude_the_rest();
  loses_ = loses_ || (has_products(what) && product_decision_.loses()) || sum_decision_.loses();
}

void DotRoundingPoints::witness_result(const DotCase& what, const DotReach& reach) {
  const auto look = [&](const Unpacked& x) {
    const Unpacked sum =
        reach.has_stage ? decode(reach.stage, encode(x, reach.stage, reach.stage_policy, 0).code)
                        : x;
    const Encoded code = encode(sum, what.dot.result, result_policy(what), 0);
    result_class_.witness(decode(what.dot.result, code.code));
    possible_flags_ |= code.flags;
  };
  for (const Unpacked& x : reach.numbers(reach.result)) look(x);
  for (const Unpacked& x : reach.specials(DotReach::Of::kSum)) look(x);
  if (sums_.minus_zero) look({.cls = ValueClass::kZero, .negative = true});
  if (sums_.infinity) look({.cls = ValueClass::kInf});
  if (sums_.infinity && reach.has_negative) look({.cls = ValueClass::kInf, .negative = true});
  if (sums_.nan) look({.cls = ValueClass::kNan});
  result_class_.exclude_the_rest();
  if (loses_ || result_decision_.loses()) possible_flags_ |= kFlagInexact;
  if (meets_infinities_ || sums_.makes_nan || reach.has_invalid) possible_flags_ |= kFlagInvalid;
  flags_.exclude([&](std::string_view name) {
    const auto bit = std::ranges::find(kFlagNames, name) - kFlagNames.begin();
    return (possible_flags_ >> bit & 1) == 0;
  });
}

/// A step under way.
struct DotRoundingPoints::Step {
  int unit = 0;
  std::size_t cut = 0;       ///< products that lost bits
  std::size_t products = 0;  ///< that are not zero
  bool is_aligned = false;   ///< has a term that was cut to `unit`
  std::optional<Unpacked> before;
};

void DotRoundingPoints::sample(const DotRun& run) {
  Step step;
  std::size_t sums = 0;
  for (const DotStep& each : run.steps) sums += each.what == DotStep::What::kSum ? 1U : 0U;
  for (const DotStep& each : run.steps) {
    switch (each.what) {
      case DotStep::What::kProduct:
        product_decision_.sample(each.exact);
        product_class_.sample(each.rounded);
        step.products += is_number(each.exact) ? 1U : 0U;
        break;
      case DotStep::What::kCut:
        sample_cut(each, run.products, step);
        break;
      case DotStep::What::kSum:
        sample_sum(each, --sums == 0, step);
        step = {.before = each.rounded};
        break;
      case DotStep::What::kResult:
        result_decision_.sample(each.exact);
        break;
    }
  }
  result_class_.sample(decode(what_.dot.result, run.result.code));
  if (!run.has_open_flags) flags_.sample(run.result.flags);
  if (!against_.bins.empty()) against_.hit(run.result.code == run.exact ? 0 : 1);
  if (!order_.bins.empty() && run.reversed) order_.hit(run.result.code == *run.reversed ? 0 : 1);
}

void DotRoundingPoints::sample_cut(const DotStep& cut, std::size_t products, Step& step) {
  const Unpacked& x = cut.exact;
  step.unit = cut.unit;
  step.is_aligned = true;
  const std::size_t bin = (x.negative ? 8U : 0U) | (bit_at(x, cut.unit) ? 4U : 0U) |
                          (bit_at(x, cut.unit - 1) ? 2U : 0U) |
                          (has_ones_below(x, cut.unit - 1) ? 1U : 0U);
  if (cut.index == products) {
    carry_cut_.hit(bin);
    return;
  }
  cut_.hit(bin);
  ++step.products;
  step.cut += (bin & 3U) != 0 ? 1U : 0U;
}

void DotRoundingPoints::sample_sum(const DotStep& sum, bool is_last, const Step& step) {
  // Sums that are kept between steps are rounded after the last.
  const bool is_kept =
      is_accumulator(what_) && what_.dot.accumulator.normalize == DotNormalize::kAtEnd && !is_last;
  if (!is_kept) {
    sum_decision_.sample(sum.exact);
    sum_class_.sample(sum.rounded);
  }
  // One product alone, so that it does not cancel against others of its step.
  const bool is_alone = step.products == 1 && step.before && is_number(*step.before);
  if (!absorbed_.bins.empty() && is_alone && is_number(sum.rounded)) {
    absorbed_.hit(sum.rounded == *step.before ? 1 : 0);
  }
  if (!step.is_aligned) return;
  const auto above = std::ranges::upper_bound(kCounts, step.cut);
  cut_terms_.hit(static_cast<std::size_t>(above - kCounts.begin()) - 1);
  if (carry_out_.bins.empty()) return;
  if (sum.exact.cls == ValueClass::kZero) carry_out_.hit(kZero);
  if (!is_number(sum.exact)) return;
  const int more = sum.exact.exponent - (step.unit + what_.dot.accumulator.alignment_bits - 1);
  carry_out_.hit(more < 0 ? kBelow : more == 0 ? kNone : more == 1 ? kOne : kMore);
}

void DotRoundingPoints::append_to(std::vector<Coverpoint>& points) const {
  const auto add = [&](const Coverpoint& point) {
    if (!point.bins.empty()) points.push_back(point);
  };
  if (has_products(what_)) {
    product_decision_.append_to(points);
    product_class_.append_to(points);
  }
  add(cut_);
  add(carry_cut_);
  add(cut_terms_);
  add(carry_out_);
  if (what_.dot.mode != DotMode::kExactOnce) {
    sum_decision_.append_to(points);
    sum_class_.append_to(points);
  }
  add(absorbed_);
  result_decision_.append_to(points);
  result_class_.append_to(points);
  flags_.append_to(points);
  add(against_);
  add(order_);
}

}  // namespace mx::golden
