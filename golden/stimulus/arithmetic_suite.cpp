// Operands of arithmetic: specials with each other, cancellation, ties, ends of the range.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/points/operand_kit.hpp"
#include "golden/stimulus/scalar_corners.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 7> kClasses{"uniform", "special", "sparse", "near",
                                                   "cancel",  "extreme", "middle"};
constexpr std::uint64_t kSmokeTurns = 256;
constexpr std::uint64_t kDirectedTurns = 4096;

class ArithmeticSuite final : public Suite {
 public:
  ArithmeticSuite(const ArithmeticCase& what, const SuiteOptions& options)
      : count_(operands_of(what.operation)),
        kit_(what.arithmetic.format),
        corners_(kit_.corners()),
        more_(what, kit_),
        seed_(options.seed),
        tag_(suite_tag(
            fmt::format("arith.{}.{}", token_of(what.operation), what.arithmetic.format.name))) {
    const bool is_drawn = options.kind == SuiteKind::kRandom || options.kind == SuiteKind::kPolicy;
    // Every combination of one operand of each class comes first.
    products_ = is_drawn ? 0 : 1;
    for (std::size_t k = 0; k < count_ && !is_drawn; ++k) products_ *= corners_.size();
    if (options.kind == SuiteKind::kSmoke) products_ = std::min<std::uint64_t>(products_, 2048);
    std::vector<std::string_view> names(kClasses.begin(), kClasses.end());
    names.insert(names.end(), more_.names().begin(), more_.names().end());
    turning_ = names.size();
    drawn_ = is_drawn
                 ? options.drawn
                 : turning_ * (options.kind == SuiteKind::kSmoke ? kSmokeTurns : kDirectedTurns);
    classes_ = taking_turns(names, drawn_);
    if (products_ != 0) classes_.insert(classes_.begin(), {"special_pairs", products_});
  }

  [[nodiscard]] std::uint64_t size() const override { return products_ + drawn_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    std::array<std::uint64_t, 3> operands{};
    if (i < products_) {
      combination(i, operands);
    } else {
      draw_operands(i, operands);
    }
    constexpr std::array kOperands{Field::kA, Field::kB, Field::kC};
    for (std::size_t k = 0; k < count_; ++k) batch.word(kOperands[k], at) = operands[k];
  }

 private:
  void combination(std::uint64_t i, std::array<std::uint64_t, 3>& operands) const {
    const std::uint64_t n = corners_.size();
    // Smoke takes some of all combinations: a step that shares no factor with their number.
    std::uint64_t number = i;
    for (std::size_t k = 0; k < count_; ++k) {
      operands[k] = corners_[(number + i * 7 * k) % n];
      number /= n;
    }
  }

  void draw_operands(std::uint64_t i, std::array<std::uint64_t, 3>& operands) const {
    Draw draw(seed_, tag_, i);
    const std::size_t kind = i % turning_;
    if (kind >= kClasses.size()) {
      more_.fill(kind - kClasses.size(), i / turning_, draw, operands);
      return;
    }
    operands[0] = one(draw, kind, 0, 0);
    operands[1] = one(draw, kind, 1, operands[0]);
    operands[2] = one(draw, kind, 2, operands[draw.small(2)]);
    if (draw.small(2) != 0) std::swap(operands[0], operands[1]);
  }

  [[nodiscard]] std::uint64_t one(Draw& draw, std::size_t kind, std::size_t place,
                                  std::uint64_t other) const {
    switch (kind) {
      case 0:
        return kit_.any(draw);
      case 1:
        return draw.small(2) == 0 ? kit_.special(draw) : kit_.any(draw);
      case 2:
        return kit_.sparse(draw);
      case 3:
        return place == 0 ? kit_.sparse(draw) : kit_.near(draw, other, 2 + kit_.format().man_bits);
      case 4:
        return place == 0 ? kit_.any(draw) : kit_.opposite(draw, other);
      case 5:
        return kit_.extreme(draw);
      default:
        return kit_.middle(draw);
    }
  }

  std::size_t count_;
  OperandKit kit_;
  std::vector<std::uint64_t> corners_;
  ScalarCorners more_;
  std::size_t turning_ = 0;  ///< classes that take turns
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t products_ = 0;
  std::uint64_t drawn_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_arithmetic_suite(const ArithmeticCase& what,
                                                   const SuiteOptions& options) {
  if (what.operation == ArithmeticOperation::kFromInteger) {
    return make_from_integer_suite(what, options);
  }
  return std::make_unique<const ArithmeticSuite>(what, options);
}

}  // namespace mx::golden
