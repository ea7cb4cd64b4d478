#include "golden/configuration/configuration.hpp"
#include "golden/coverage/collectors.hpp"
#include "golden/coverage/dot_operand_points.hpp"
#include "golden/coverage/dot_rounding_points.hpp"

namespace mx::golden {
namespace {

DotConfig exact_once(const DotCase& what) {
  DotConfig config = what.dot;
  config.mode = DotMode::kExactOnce;
  return config;
}

/// The codes and scales of one side from the last to the first.
struct Reversed {
  explicit Reversed(const DotOperand& side)
      : scales(side.scales.rbegin(), side.scales.rend()),
        codes(side.codes.rbegin(), side.codes.rend()),
        operand{scales, codes, side.tensor_scale} {}
  Reversed(const Reversed&) = delete;
  Reversed& operator=(const Reversed&) = delete;
  ~Reversed() = default;
  std::vector<std::uint64_t> scales, codes;
  DotOperand operand;
};

/// The operands as they are, and every rounding of the reference on the way to its result: what a
/// record's expected answer is where the profile leaves nothing open.
class DotCollector final : public Collector {
 public:
  using Collector::sample;
  DotCollector(const DotCase& what, std::size_t lanes, Lengths lengths)
      : what_(what),
        reach_(what, lanes),
        operands_(what, reach_, lanes, lengths),
        roundings_(what, reach_),
        dot_(DotProduct::make(what.dot).value()),
        exact_(DotProduct::make(exact_once(what)).value()) {}

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    const std::size_t n = batch.elements(Field::kA, i);
    const std::size_t blocks = blocks_in(what_.dot.a, n);
    DotOperands operands;
    operands.a = {batch.of(Field::kAScale, i).first(blocks), batch.of(Field::kA, i).first(n),
                  what_.a_tensor_scale};
    operands.b = {batch.of(Field::kBScale, i).first(blocks), batch.of(Field::kB, i).first(n),
                  what_.b_tensor_scale};
    std::optional<std::uint64_t> addend;
    if (what_.addend == Addend::kPresent) addend = batch.word(Field::kC, i);
    if (addend) operands.addend = decode(what_.dot.addend, *addend);
    operands.products = dot_.products(operands.a, operands.b);
    static_cast<void>(exact_(operands.a, operands.b, {}, steps_));
    operands.of_products = steps_.back().exact;
    const Encoded exact = exact_(operands.a, operands.b, addend, steps_);
    operands.total = steps_.back().exact;
    operands_.sample(operands);
    if (open.code(0)) return;
    sample_roundings(operands, addend, exact.code, open.flags());
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points;
    operands_.append_to(points);
    roundings_.append_to(points);
    return points;
  }

 private:
  void sample_roundings(const DotOperands& operands, std::optional<std::uint64_t> addend,
                        std::uint64_t exact, bool has_open_flags) {
    DotRun run;
    run.has_open_flags = has_open_flags;
    run.exact = exact;
    run.products = operands.products.size();
    // Blocks keep their elements in reverse order where all of them are whole.
    const auto k = static_cast<std::size_t>(what_.dot.a.elements());
    const bool is_whole = what_.dot.a.extent != BlockExtent::kElements || run.products % k == 0;
    if (is_whole && reach_.has_stage) {
      const Reversed a(operands.a), b(operands.b);
      run.reversed = dot_(a.operand, b.operand, addend).code;
    }
    run.result = dot_(operands.a, operands.b, addend, steps_);
    run.steps = steps_;
    roundings_.sample(run);
  }

  DotCase what_;
  DotReach reach_;
  DotOperandPoints operands_;
  DotRoundingPoints roundings_;
  DotProduct dot_, exact_;
  std::vector<DotStep> steps_;
};

}  // namespace

std::unique_ptr<Collector> make_dot_collector(const DotCase& what, std::size_t lanes,
                                              Lengths lengths) {
  return std::make_unique<DotCollector>(what, lanes, lengths);
}

}  // namespace mx::golden
