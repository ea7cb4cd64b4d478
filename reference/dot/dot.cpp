#include "reference/dot/dot.hpp"

#include <algorithm>
#include <cassert>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/block/scaling.hpp"
#include "reference/dot/evaluation.hpp"
#include "reference/element/hif8.hpp"

namespace mx {
namespace {

/// Binary32 steps: IEEE 754, overflow to infinity.
ElementPolicy ieee(Rounding rounding) {
  ElementPolicy policy;
  policy.rounding = rounding;
  policy.overflow = Overflow::kNoneInfOrNan;
  return policy;
}

/// The exponents of one side's smallest and largest values, elements times scales.
struct Range {
  int lowest, highest;
};
Range range_of(const BlockFormat& f) {
  Range range{lowest_exponent(f.element) + lowest_exponent(f.scale),
              f.element.emax() + f.scale.emax() + 2};
  for (const int group : f.sublevels) range.highest += group != 0 ? 1 : 0;
  if (f.tensor_scale != TensorScale::kNone) {
    range.lowest += lowest_exponent(formats::fp32);
    range.highest += formats::fp32.emax() + 1;
  }
  return range;
}

int precision(const BlockFormat& f) {
  return significand_bits(f.element) + significand_bits(f.scale) +
         (f.tensor_scale != TensorScale::kNone ? significand_bits(formats::fp32) : 0);
}

std::string_view side_problem(const BlockFormat& f) {
  if (f.tile_lines != 1) return "a dot product takes blocks along one axis, not tiles";
  if (f.negative_zero != NegativeZeroDatum::kZero)
    return "a dot product takes formats whose code of -0 is a zero";
  return {};
}

std::string_view accumulator_problem(const AccumulatorModel& m) {
  const bool kept = m.normalize == DotNormalize::kAtEnd;
  if (m.group < 1 || m.group > 1024) return "the group lies outside 1..1024";
  if (m.alignment_bits < 2 || m.alignment_bits > 56) return "alignment_bits lies outside 2..56";
  if (kept && m.alignment_bits > 44) return "with normalize at_end alignment_bits is at most 44";
  if (kept && m.carry != DotCarry::kAligned) return "normalize at_end needs carry aligned";
  if (is_stochastic(m.align_rounding) || is_stochastic(m.rounding))
    return "an accumulator rounds deterministically";
  if (m.format.bits > 32) return "the accumulator's format has more than 32 bits";
  if (!m.format.is_signed) return "the accumulator's format has no sign";
  return {};
}

bool is_nan(const Unpacked& x) { return x.cls == ValueClass::kNan; }

/// Is a NaN, or a signalling NaN, among the operands?
struct NanOperands {
  bool any = false;
  bool signaling = false;
  void look_at(const Unpacked& x) {
    any = any || is_nan(x);
    signaling = signaling || (is_nan(x) && x.signaling);
  }
  void look_at(const BlockFormat& f, const DotOperand& side) {
    for (const std::uint64_t code : side.scales)
      look_at(decode(f.scale, code & f.scale.code_mask()));
    for (const std::uint64_t code : side.codes) look_at(decode(f.element, code));
    if (f.tensor_scale != TensorScale::kNone) look_at(decode(formats::fp32, side.tensor_scale));
  }
};

/// The exact value of element i of one side.
Unpacked side_value(const BlockFormat& f, const DotOperand& side, std::size_t block_size,
                    std::size_t i) {
  const std::uint64_t scale_code = side.scales[i / block_size];
  Unpacked scale = decode(f.scale, scale_code & f.scale.code_mask());
  if (scale.cls == ValueClass::kFinite && f.sublevels[0] != 0)
    scale.exponent += sublevel_shift(f, scale_code, i % block_size);
  if (f.tensor_scale != TensorScale::kNone)
    scale = multiply(scale, decode(formats::fp32, side.tensor_scale));
  return multiply(scale, decode(f.element, side.codes[i]));
}

/// Are there as many scales as the elements need, and do all words stand for codes?
[[maybe_unused]] bool is_operand(const BlockFormat& f, const DotOperand& side,
                                 std::size_t block_size) {
  return side.scales.size() == (side.codes.size() + block_size - 1) / block_size &&
         std::ranges::all_of(side.codes, [&](std::uint64_t x) { return f.element.takes(x); }) &&
         std::ranges::all_of(side.scales, [&](std::uint64_t x) { return f.takes_scale(x); });
}

}  // namespace

int lowest_exponent(const ElementFormat& f) {
  if (f.is_fixed()) return -f.frac_bits;
  if (f.kind == FormatKind::kTapered) return kernel::kHif8Smallest;
  return f.emin() - f.man_bits;
}

int significand_bits(const ElementFormat& f) {
  if (f.is_fixed()) return f.bits;
  return f.kind == FormatKind::kTapered ? 4 : f.man_bits + 1;
}

std::string_view DotProduct::problem(const DotConfig& c) {
  if (c.a.block_size != c.b.block_size || c.a.extent != c.b.extent || c.a.block_size < 1)
    return "the block sizes differ";
  for (const BlockFormat* side : {&c.a, &c.b}) {
    if (const std::string_view why = side_problem(*side); !why.empty()) return why;
  }
  for (const ElementFormat* format : {&c.a.element, &c.a.scale, &c.b.element, &c.b.scale, &c.result,
                                      &c.addend, &c.accumulator.format}) {
    if (const std::string_view why = invalid_reason(*format); !why.empty()) return why;
  }
  if (precision(c.a) + precision(c.b) > 64) return "a product needs more than 64 significand bits";
  if (c.result.bits > 32) return "the result format has more than 32 bits";
  if (c.addend.bits > 64) return "the addend format has more than 64 bits";
  if (is_stochastic(c.rounding)) return "a dot product is not rounded stochastically";
  return c.mode == DotMode::kAccumulator ? accumulator_problem(c.accumulator) : std::string_view{};
}

Checked<DotProduct> DotProduct::make(const DotConfig& config) {
  if (const std::string_view reason = problem(config); !reason.empty()) {
    return Problem{std::string(reason)};
  }
  return DotProduct(config);
}

DotProduct::DotProduct(const DotConfig& config)
    : config_(config),
      sum_(std::min(range_of(config.a).lowest + range_of(config.b).lowest,
                    lowest_exponent(config.addend)),
           std::max(range_of(config.a).highest + range_of(config.b).highest,
                    config.addend.emax() + 1)) {}

Unpacked DotProduct::product(const Evaluation& evaluation, std::size_t i) const {
  return multiply(side_value(config_.a, evaluation.a, evaluation.block_size, i),
                  side_value(config_.b, evaluation.b, evaluation.block_size, i));
}

Unpacked DotProduct::exact(const Evaluation& evaluation, std::size_t first, std::size_t last,
                           const Unpacked& start) {
  sum_.clear();
  sum_.add(start);
  for (std::size_t i = first; i < last; ++i) sum_.add(product(evaluation, i));
  return sum_.value();
}

Unpacked DotProduct::product32(Evaluation& evaluation, std::size_t i) const {
  const Unpacked exact = product(evaluation, i);
  const Unpacked rounded = evaluation.round(exact, formats::fp32, ieee(config_.rounding));
  evaluation.note(DotStep::What::kProduct, i, exact, rounded);
  return rounded;
}

Unpacked DotProduct::sequential(Evaluation& evaluation) const {
  const ElementPolicy policy = ieee(config_.rounding);
  Unpacked sum;
  if (evaluation.addend) sum = evaluation.round(*evaluation.addend, formats::fp32, policy);
  for (std::size_t i = 0; i < evaluation.size(); ++i) {
    const Unpacked exact = exact_add(sum, product32(evaluation, i), config_.rounding).value;
    sum = evaluation.round(exact, formats::fp32, policy);
    evaluation.note(DotStep::What::kSum, i, exact, sum);
  }
  return sum;
}

Unpacked DotProduct::tree(Evaluation& evaluation, std::size_t first, std::size_t last) const {
  if (last - first == 1) return product32(evaluation, first);
  const std::size_t middle = first + (last - first + 1) / 2;
  const Unpacked left = tree(evaluation, first, middle);
  const Unpacked right = tree(evaluation, middle, last);
  const Unpacked exact = exact_add(left, right, config_.rounding).value;
  const Unpacked sum = evaluation.round(exact, formats::fp32, ieee(config_.rounding));
  evaluation.note(DotStep::What::kSum, middle, exact, sum);
  return sum;
}

Unpacked DotProduct::block_exact(Evaluation& evaluation) {
  const ElementPolicy policy = ieee(config_.rounding);
  Unpacked sum;
  if (evaluation.addend) sum = evaluation.round(*evaluation.addend, formats::fp32, policy);
  for (std::size_t first = 0; first < evaluation.size(); first += evaluation.block_size) {
    const std::size_t last = std::min(first + evaluation.block_size, evaluation.size());
    const Unpacked exact_block = exact(evaluation, first, last, {});
    const Unpacked block = evaluation.round(exact_block, formats::fp32, policy);
    evaluation.note(DotStep::What::kProduct, first / evaluation.block_size, exact_block, block);
    const Unpacked exact_sum = exact_add(sum, block, config_.rounding).value;
    sum = evaluation.round(exact_sum, formats::fp32, policy);
    evaluation.note(DotStep::What::kSum, first / evaluation.block_size, exact_sum, sum);
  }
  return sum;
}

Encoded DotProduct::run(Evaluation& evaluation) {
  assert(evaluation.size() > 0 && evaluation.a.codes.size() == evaluation.b.codes.size());
  assert(is_operand(config_.a, evaluation.a, evaluation.block_size));
  assert(is_operand(config_.b, evaluation.b, evaluation.block_size));
  Unpacked sum;
  switch (config_.mode) {
    case DotMode::kExactOnce:
      sum = exact(evaluation, 0, evaluation.size(), evaluation.addend.value_or(Unpacked{}));
      break;
    case DotMode::kFp32Seq:
      sum = sequential(evaluation);
      break;
    case DotMode::kFp32Tree:
      sum = tree(evaluation, 0, evaluation.size());
      if (evaluation.addend) {
        const ElementPolicy policy = ieee(config_.rounding);
        const Unpacked start = evaluation.round(*evaluation.addend, formats::fp32, policy);
        const Unpacked exact_sum = exact_add(start, sum, config_.rounding).value;
        sum = evaluation.round(exact_sum, formats::fp32, policy);
        evaluation.note(DotStep::What::kSum, evaluation.size(), exact_sum, sum);
      }
      break;
    case DotMode::kBlockExactFp32Seq:
      sum = block_exact(evaluation);
      break;
    case DotMode::kAccumulator:
      sum = accumulate(evaluation);
      break;
  }
  ElementPolicy policy = ieee(config_.rounding);
  policy.overflow = config_.overflow;
  Encoded result = encode(sum, config_.result, policy, 0);
  evaluation.note(DotStep::What::kResult, 0, sum, decode(config_.result, result.code));
  result.flags |= evaluation.flags;
  if (is_nan(sum)) {
    NanOperands operands;
    operands.look_at(config_.a, evaluation.a);
    operands.look_at(config_.b, evaluation.b);
    if (evaluation.addend) operands.look_at(*evaluation.addend);
    if (operands.signaling || !operands.any) result.flags |= kFlagInvalid;
  }
  return result;
}

std::size_t DotProduct::block_size(const DotOperand& a) const {
  const bool in_blocks = config_.a.extent == BlockExtent::kElements;
  return in_blocks ? static_cast<std::size_t>(config_.a.block_size) : a.codes.size();
}

Encoded DotProduct::operator()(const DotOperand& a, const DotOperand& b,
                               std::optional<std::uint64_t> addend) {
  Evaluation evaluation{a, b, block_size(a), {}, nullptr};
  if (addend) evaluation.addend = decode(config_.addend, *addend);
  return run(evaluation);
}

Encoded DotProduct::operator()(const DotOperand& a, const DotOperand& b,
                               std::optional<std::uint64_t> addend, std::vector<DotStep>& trace) {
  trace.clear();
  Evaluation evaluation{a, b, block_size(a), {}, &trace};
  if (addend) evaluation.addend = decode(config_.addend, *addend);
  return run(evaluation);
}

std::vector<Unpacked> DotProduct::products(const DotOperand& a, const DotOperand& b) const {
  const Evaluation evaluation{a, b, block_size(a), {}, nullptr};
  std::vector<Unpacked> products;
  for (std::size_t i = 0; i < evaluation.size(); ++i) products.push_back(product(evaluation, i));
  return products;
}

}  // namespace mx
