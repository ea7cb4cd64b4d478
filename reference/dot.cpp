#include "mx/dot.hpp"

#include <algorithm>
#include <array>

#include "mx/arithmetic.hpp"

namespace mx {
namespace {

constexpr std::array kDotModes = {
    Token<DotMode>{DotMode::kExactOnce, "exact_once"},
    Token<DotMode>{DotMode::kFp32Seq, "fp32_seq"}, Token<DotMode>{DotMode::kFp32Tree, "fp32_tree"},
    Token<DotMode>{DotMode::kBlockExactFp32Seq, "block_exact_fp32_seq"},
    Token<DotMode>{DotMode::kAccumulator, "accumulator"}};
constexpr std::array kDotOrders = {Token<DotOrder>{DotOrder::kSequential, "sequential"},
                                   Token<DotOrder>{DotOrder::kStrided, "strided"}};

/// The exponent of a format's smallest positive value.
int lowest_exponent(const ElementFormat& f) {
  if (f.is_fixed()) return -f.frac_bits;
  if (f.kind == FormatKind::kTapered) return f.emin();
  return f.emin() - f.man_bits;
}

int precision(const ElementFormat& f) {
  if (f.is_fixed()) return f.bits;
  return f.kind == FormatKind::kTapered ? 4 : f.man_bits + 1;
}

/// Rounds to a format and comes back, overflowing to infinity.
Unpacked round_to(const Unpacked& x, const ElementFormat& format, Rounding rounding) {
  ElementPolicy policy;
  policy.rounding = rounding;
  policy.overflow = Overflow::kNoneInfOrNan;
  return decode(format, encode(x, format, policy, 0).code);
}

Unpacked add_rounded(const Unpacked& a, const Unpacked& b, const ElementFormat& format,
                     Rounding rounding) {
  return round_to(exact_add(a, b, rounding).value, format, rounding);
}

/// Keeps the bits of a finite term from 2^unit upwards.
Unpacked cut_term(const Unpacked& x, int unit, Rounding rounding) {
  if (x.cls != ValueClass::kFinite) return x;
  // A fixed-point format whose step is the unit, wide enough for every term that is aligned to it.
  const ElementFormat grid{.bits = 64,
                           .storage_bits = 64,
                           .kind = FormatKind::kTwosComplement,
                           .frac_bits = -unit,
                           .zero = ZeroKind::kPosOnly,
                           .max_code = ~std::uint64_t{0} >> 1};
  ElementPolicy policy;
  policy.rounding = rounding;
  return decode(grid, encode(x, grid, policy, 0).code);
}

}  // namespace

template <>
std::span<const Token<DotMode>> tokens<DotMode>() {
  return kDotModes;
}
template <>
std::span<const Token<DotOrder>> tokens<DotOrder>() {
  return kDotOrders;
}

std::string_view DotProduct::problem(const DotConfig& c) {
  if (c.a.block_size != c.b.block_size || c.a.block_size < 1) return "the block sizes differ";
  if (precision(c.a.element) + precision(c.b.element) + precision(c.a.scale) +
          precision(c.b.scale) >
      64) {
    return "a product needs more than 64 significand bits";
  }
  if (is_stochastic(c.rounding)) return "a dot product is not rounded stochastically";
  const AccumulatorModel& m = c.accumulator;
  if (c.mode == DotMode::kAccumulator) {
    if (m.group < 1 || m.group > 1024) return "the group lies outside 1..1024";
    if (m.alignment_bits < 2 || m.alignment_bits > 62) return "alignment_bits lies outside 2..62";
    if (is_stochastic(m.cut) || is_stochastic(m.rounding))
      return "an accumulator rounds deterministically";
  }
  return {};
}

DotProduct::DotProduct(const DotConfig& config)
    : config_(config),
      sum_(lowest_exponent(config.a.element) + lowest_exponent(config.b.element) +
               lowest_exponent(config.a.scale) + lowest_exponent(config.b.scale),
           config.a.element.emax() + config.b.element.emax() + config.a.scale.emax() +
               config.b.scale.emax() + 4) {}

Unpacked DotProduct::product(const DotOperand& a, const DotOperand& b, std::size_t i) const {
  const std::size_t block = i / static_cast<std::size_t>(config_.a.block_size);
  const Unpacked scale =
      multiply(decode(config_.a.scale, a.scales[block]), decode(config_.b.scale, b.scales[block]));
  const Unpacked element =
      multiply(decode(config_.a.element, a.codes[i]), decode(config_.b.element, b.codes[i]));
  return multiply(scale, element);
}

Unpacked DotProduct::exact(const DotOperand& a, const DotOperand& b, std::size_t first,
                           std::size_t last) {
  sum_.clear();
  for (std::size_t i = first; i < last; ++i) sum_.add(product(a, b, i));
  return sum_.value();
}

Unpacked DotProduct::sequential(const DotOperand& a, const DotOperand& b) const {
  Unpacked sum;
  for (std::size_t i = 0; i < a.codes.size(); ++i) {
    const Unpacked term = round_to(product(a, b, i), formats::fp32, config_.rounding);
    sum = add_rounded(sum, term, formats::fp32, config_.rounding);
  }
  return sum;
}

Unpacked DotProduct::tree(const DotOperand& a, const DotOperand& b, std::size_t first,
                          std::size_t last) const {
  if (last - first == 1) return round_to(product(a, b, first), formats::fp32, config_.rounding);
  const std::size_t middle = first + (last - first + 1) / 2;
  return add_rounded(tree(a, b, first, middle), tree(a, b, middle, last), formats::fp32,
                     config_.rounding);
}

Unpacked DotProduct::block_exact(const DotOperand& a, const DotOperand& b) {
  const auto k = static_cast<std::size_t>(config_.a.block_size);
  Unpacked sum;
  for (std::size_t first = 0; first < a.codes.size(); first += k) {
    const Unpacked block = round_to(exact(a, b, first, first + k), formats::fp32, config_.rounding);
    sum = add_rounded(sum, block, formats::fp32, config_.rounding);
  }
  return sum;
}

Unpacked DotProduct::accumulate(const DotOperand& a, const DotOperand& b) {
  const AccumulatorModel& m = config_.accumulator;
  const bool aligned_carry = m.carry == AccumulatorModel::Carry::kAligned;
  const std::size_t n = a.codes.size();
  const auto g = static_cast<std::size_t>(m.group);
  const std::size_t groups = (n + g - 1) / g;
  std::array<Unpacked, 1025> terms;
  Unpacked sum;
  for (std::size_t step = 0; step < groups; ++step) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < g; ++j) {
      const std::size_t i = m.order == DotOrder::kSequential ? step * g + j : step + j * groups;
      if (i < n) terms[count++] = product(a, b, i);
    }
    if (aligned_carry) terms[count++] = sum;
    int largest = 0;
    bool any = false;
    for (std::size_t j = 0; j < count; ++j) {
      if (terms[j].cls != ValueClass::kFinite) continue;
      largest = any ? std::max(largest, terms[j].exponent) : terms[j].exponent;
      any = true;
    }
    // Aligned terms are multiples of one unit below 2^(largest + 1): their sum is exact.
    const int unit = largest - m.alignment_bits + 1;
    ExactSum aligned(unit, largest + 1);
    for (std::size_t j = 0; j < count; ++j) aligned.add(cut_term(terms[j], unit, m.cut));
    const Unpacked total = aligned.value();
    sum = aligned_carry ? round_to(total, m.format, m.rounding)
                        : add_rounded(sum, total, m.format, m.rounding);
  }
  return sum;
}

Encoded DotProduct::operator()(const DotOperand& a, const DotOperand& b) {
  Unpacked sum;
  switch (config_.mode) {
    case DotMode::kExactOnce:
      sum = exact(a, b, 0, a.codes.size());
      break;
    case DotMode::kFp32Seq:
      sum = sequential(a, b);
      break;
    case DotMode::kFp32Tree:
      sum = tree(a, b, 0, a.codes.size());
      break;
    case DotMode::kBlockExactFp32Seq:
      sum = block_exact(a, b);
      break;
    case DotMode::kAccumulator:
      sum = accumulate(a, b);
      break;
  }
  ElementPolicy policy;
  policy.rounding = config_.rounding;
  policy.overflow = Overflow::kNoneInfOrNan;
  return encode(sum, config_.result, policy, 0);
}

}  // namespace mx
