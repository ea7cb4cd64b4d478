#include <array>
#include <memory>
#include <optional>

#include "golden/coverage/arithmetic_reach.hpp"
#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/result_points.hpp"
#include "golden/coverpoints/source_points.hpp"
#include "golden/coverpoints/whole_points.hpp"
#include "reference/arithmetic/selection.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 7> kFlagNames = {
    "inexact", "overflow", "saturated", "underflow", "invalid", "to_zero", "divide_by_zero"};
constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
constexpr std::array<std::string_view, 3> kNames = {"a", "b", "c"};

/// How two operands are ordered: the coverpoint `relation` of comparisons, minima and maxima.
class RelationPoint {
 public:
  explicit RelationPoint(const ElementFormat& format)
      : point_("relation", "how the two operands are ordered") {
    for (const char* name : {"less", "equal", "greater", "zeros_of_both_signs", "unordered"}) {
      point_.bins.push_back({name, 0, Reach::kOpen});
    }
    if (format.zero != ZeroKind::kPosAndNeg) point_.bins[3].reach = Reach::kUnreachable;
    if (!format.has_nan()) point_.bins[4].reach = Reach::kUnreachable;
  }

  void sample(const Unpacked& a, const Unpacked& b) { point_.hit(index(a, b)); }
  void append_to(std::vector<Coverpoint>& points) const { points.push_back(point_); }

 private:
  static std::size_t index(const Unpacked& a, const Unpacked& b) {
    if (a.cls == ValueClass::kNan || b.cls == ValueClass::kNan) return 4;
    if (compare(ArithmeticOperation::kQuietLess, a, b).holds) return 0;
    if (!compare(ArithmeticOperation::kQuietEqual, a, b).holds) return 2;
    return a.negative == b.negative ? 1 : 3;
  }

  Coverpoint point_;
};

/// Operands of at most so many bits in all are witnessed by all their combinations.
constexpr int kExhaustiveBits = 16;

/// Each operand's classes, the classes of each pair of operands, those of the result, flags; what
/// decides, where an operation compares or rounds to a whole number.
class ArithmeticCollector final : public Collector {
 public:
  using Collector::sample;
  explicit ArithmeticCollector(const ArithmeticCase& what)
      : format_(what.operand()),
        result_format_(what.result()),
        classes_(format_),
        result_classes_(result_format_),
        operands_(operands_of(what.operation)) {
    for (std::size_t a = 0; a < operands_; ++a) {
      for (std::size_t b = a + 1; b < operands_; ++b) pairs_.push_back(make_pair(a, b));
    }
    if (operands_ == 1) pairs_.push_back(make_single());
    for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
      const Reach reach = result_classes_.is_empty(i) ? Reach::kUnreachable : Reach::kOpen;
      result_.kind.bins.push_back({SourceClasses::name(i), 0, reach});
    }
    const OperationKind kind = kind_of(what.operation);
    if (kind == OperationKind::kSelected || kind == OperationKind::kCompared) {
      relation_.emplace(format_);
    }
    const bool is_rounded_whole = what.operation == ArithmeticOperation::kRoundToIntegral;
    if (is_rounded_whole || kind == OperationKind::kToInteger) result_.fraction.emplace();
    if (kind == OperationKind::kToInteger) end_.emplace(format_, result_format_);
    exclude_impossible(what);
  }

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    std::array<Unpacked, 3> values{};
    std::array<std::size_t, 3> seen{};
    for (std::size_t k = 0; k < operands_; ++k) {
      values[k] = decode(format_, batch.word(kOperands[k], i));
      seen[k] = classes_.index(values[k]);
    }
    std::size_t pair = 0;
    for (std::size_t a = 0; a < operands_; ++a) {
      for (std::size_t b = a + 1; b < operands_; ++b) {
        pairs_[pair++].hit(seen[a] * SourceClasses::kCount + seen[b]);
      }
    }
    if (operands_ == 1) pairs_[0].hit(seen[0]);
    if (relation_) relation_->sample(values[0], values[1]);
    if (end_) end_->sample(values[0]);
    if (result_.fraction) result_.fraction->sample(values[0]);
    if (open.code(0) || open.flags()) return;
    sample_result(batch.word(Field::kCode, i), batch.word(Field::kFlags, i), result_);
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points = pairs_;
    if (relation_) relation_->append_to(points);
    if (result_.fraction) result_.fraction->append_to(points);
    if (end_) end_->append_to(points);
    points.push_back(result_.kind);
    result_.flags.append_to(points);
    return points;
  }

 private:
  /// What a result hits, and its operand's rest.
  struct Result {
    Coverpoint kind{"result_class", "sign and kind of the result"};
    FlagsPoint flags{kFlagNames};
    std::optional<FractionPoint> fraction;
  };

  void sample_result(std::uint64_t code, std::uint64_t flags, Result& result) const {
    result.kind.hit(result_classes_.index(decode(result_format_, code)));
    result.flags.sample(flags);
  }

  /// By all operands where there are few, else by what is known of the operation.
  void exclude_impossible(const ArithmeticCase& what) {
    if (static_cast<int>(operands_) * format_.bits <= kExhaustiveBits) {
      const Result all = result_of_all(what);
      result_.kind.exclude_what(all.kind);
      result_.flags.exclude_what(all.flags);
      if (result_.fraction) result_.fraction->exclude_what(*all.fraction);
      return;
    }
    for (Bin& bin : result_.kind.bins) {
      if (!is_possible_result(what, bin.name)) bin.reach = Reach::kUnreachable;
    }
    result_.flags.exclude([&](std::string_view flag) { return !is_possible_flag(what, flag); });
  }

  [[nodiscard]] Result result_of_all(const ArithmeticCase& what) const {
    Result all = result_;
    const std::uint64_t codes = format_.code_mask() + 1;
    const std::uint64_t last = operands_ == 1 ? 1 : codes;
    for (std::uint64_t a = 0; a < codes; ++a) {
      if (all.fraction) all.fraction->sample(decode(format_, a));
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

  ElementFormat format_, result_format_;
  SourceClasses classes_, result_classes_;
  std::size_t operands_;
  std::vector<Coverpoint> pairs_;
  std::optional<RelationPoint> relation_;
  std::optional<EndPoint> end_;
  Result result_;
};

}  // namespace

std::unique_ptr<Collector> make_arithmetic_collector(const ArithmeticCase& what) {
  return std::make_unique<ArithmeticCollector>(what);
}

}  // namespace mx::golden
