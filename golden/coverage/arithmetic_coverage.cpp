#include <array>

#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/result_points.hpp"
#include "golden/coverpoints/source_points.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 7> kFlagNames = {
    "inexact", "overflow", "saturated", "underflow", "invalid", "to_zero", "divide_by_zero"};
constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
constexpr std::array<std::string_view, 3> kNames = {"a", "b", "c"};

/// Are overflow, NaN and subnormals those of IEEE 754? Under other policies infinities and NaNs
/// become numbers, and the laws below are not claimed.
bool is_ieee(const ElementPolicy& policy) {
  return policy.overflow == Overflow::kNoneInfOrNan && policy.dst_ftz == ResultSubnormals::kKeep &&
         (policy.nan == NanPolicy::kCanonicalPositive || policy.nan == NanPolicy::kKeepSign);
}

/// Can a result have this flag? Sums and differences of numbers are multiples of the smallest
/// subnormal, so that they are never inexact where they are tiny; a root is never near the ends of
/// the range; only a division has an infinite result that is exact.
bool is_possible(const ArithmeticCase& what, std::string_view flag) {
  using Op = ArithmeticOperation;
  const Op op = what.operation;
  const ElementFormat& format = what.arithmetic.format;
  if (flag == "divide_by_zero") return op == Op::kDivide;
  if (!is_ieee(what.arithmetic.policy)) return true;
  if (flag == "underflow" || flag == "to_zero") {
    return op != Op::kAdd && op != Op::kSubtract && op != Op::kSqrt;
  }
  if (flag == "overflow") return op != Op::kSqrt;
  if (flag == "saturated") {
    // Roundings that never stop at the largest number leave it to infinity or NaN.
    const Rounding rounding = what.arithmetic.policy.rounding;
    const bool has_beyond = format.has_inf() || format.has_nan();
    const bool is_left =
        facts_of(rounding).kind == RoundingKind::kNearest || rounding == Rounding::kAwayFromZero;
    return op != Op::kSqrt && !(has_beyond && is_left);
  }
  if (flag == "invalid") {
    const bool has_signaling = format.nan == NanKind::kIeeeAll && format.man_bits > 1;
    return format.has_inf() || has_signaling || op == Op::kDivide || op == Op::kSqrt;
  }
  return true;
}

/// Can a result be of this class? NaNs are quiet and have the policy's sign, those of an overflow
/// the result's; roots are zeros, or positive and far from the ends of the range.
bool is_result(const ArithmeticCase& what, std::string_view name) {
  if (name.ends_with("signaling_nan")) return false;
  if (!is_ieee(what.arithmetic.policy)) return true;
  const bool is_root = what.operation == ArithmeticOperation::kSqrt;
  if (name == "-quiet_nan") {
    const bool overflows = !is_root && !what.arithmetic.format.has_inf();
    return overflows || what.arithmetic.policy.nan == NanPolicy::kKeepSign;
  }
  if (!is_root) return true;
  return name.ends_with("zero") || name == "+normal" || name == "+infinity" || name == "+quiet_nan";
}

/// Operands of at most so many bits in all are witnessed by all their combinations.
constexpr int kExhaustiveBits = 16;

/// Each operand's classes, the classes of each pair of operands, those of the result, flags.
class ArithmeticCollector final : public Collector {
 public:
  using Collector::sample;
  explicit ArithmeticCollector(const ArithmeticCase& what)
      : format_(what.arithmetic.format), classes_(format_), operands_(operands_of(what.operation)) {
    for (std::size_t a = 0; a < operands_; ++a) {
      for (std::size_t b = a + 1; b < operands_; ++b) pairs_.push_back(make_pair(a, b));
    }
    if (operands_ == 1) pairs_.push_back(make_single());
    for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
      result_.kind.bins.push_back({SourceClasses::name(i), 0, reach(i)});
    }
    exclude_impossible(what);
  }

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    std::array<std::size_t, 3> seen{};
    for (std::size_t k = 0; k < operands_; ++k) {
      seen[k] = classes_.index(decode(format_, batch.word(kOperands[k], i)));
    }
    std::size_t pair = 0;
    for (std::size_t a = 0; a < operands_; ++a) {
      for (std::size_t b = a + 1; b < operands_; ++b) {
        pairs_[pair++].hit(seen[a] * SourceClasses::kCount + seen[b]);
      }
    }
    if (operands_ == 1) pairs_[0].hit(seen[0]);
    if (open.code(0) || open.flags()) return;
    sample_result(batch.word(Field::kCode, i), batch.word(Field::kFlags, i), result_);
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points = pairs_;
    points.push_back(result_.kind);
    result_.flags.append_to(points);
    return points;
  }

 private:
  /// What a result hits.
  struct Result {
    Coverpoint kind{"result_class", "sign and kind of the result"};
    FlagsPoint flags{kFlagNames};
  };

  void sample_result(std::uint64_t code, std::uint64_t flags, Result& result) const {
    result.kind.hit(classes_.index(decode(format_, code)));
    result.flags.sample(flags);
  }

  /// By all operands where there are few, else by what is known of the operation.
  void exclude_impossible(const ArithmeticCase& what) {
    if (static_cast<int>(operands_) * format_.bits <= kExhaustiveBits) {
      const Result all = result_of_all(what);
      result_.kind.exclude_what(all.kind);
      result_.flags.exclude_what(all.flags);
      return;
    }
    for (Bin& bin : result_.kind.bins) {
      if (!is_result(what, bin.name)) bin.reach = Reach::kUnreachable;
    }
    result_.flags.exclude([&](std::string_view flag) { return !is_possible(what, flag); });
  }

  [[nodiscard]] Result result_of_all(const ArithmeticCase& what) const {
    Result all = result_;
    const std::uint64_t codes = format_.code_mask() + 1;
    const std::uint64_t last = operands_ == 1 ? 1 : codes;
    for (std::uint64_t a = 0; a < codes; ++a) {
      for (std::uint64_t b = 0; b < last; ++b) {
        const std::array<std::uint64_t, 2> operands{a, b};
        const Encoded result =
            what.arithmetic(what.operation, std::span(operands).first(operands_));
        sample_result(result.code, result.flags, all);
      }
    }
    return all;
  }

  [[nodiscard]] Reach reach(std::size_t index) const {
    return classes_.is_empty(index) ? Reach::kUnreachable : Reach::kOpen;
  }
  [[nodiscard]] Coverpoint make_single() const {
    Coverpoint point("a", "sign and kind of the operand");
    for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
      point.bins.push_back({SourceClasses::name(i), 0, reach(i)});
    }
    return point;
  }
  [[nodiscard]] Coverpoint make_pair(std::size_t a, std::size_t b) const {
    Coverpoint point(std::string(kNames[a]) + "_x_" + std::string(kNames[b]),
                     "sign and kind of two operands");
    for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
      for (std::size_t j = 0; j < SourceClasses::kCount; ++j) {
        const bool is_empty = classes_.is_empty(i) || classes_.is_empty(j);
        point.bins.push_back({SourceClasses::name(i) + " " + SourceClasses::name(j), 0,
                              is_empty ? Reach::kUnreachable : Reach::kOpen});
      }
    }
    return point;
  }

  ElementFormat format_;
  SourceClasses classes_;
  std::size_t operands_;
  std::vector<Coverpoint> pairs_;
  Result result_;
};

}  // namespace

std::unique_ptr<Collector> make_arithmetic_collector(const ArithmeticCase& what) {
  return std::make_unique<ArithmeticCollector>(what);
}

}  // namespace mx::golden
