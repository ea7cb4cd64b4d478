// NVIDIA's units: every term of a group, C too, is cut to the alignment of the largest, and the sum
// is rounded once: spec U1; FP8 on mma.sync of sm_90 and later: spec U2.
#include <vector>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/unit/terms.hpp"

namespace mx::unit {
namespace {

constexpr std::size_t kPairOfGroups = 32;  ///< products of FP8 mma.sync between two additions of C
constexpr int kFp16Emin = formats::fp16.emin();

/// The scales of product i: its exponent and its weight move by theirs.
void apply_scales(const UnitConfig& config, const DotOperand& a, const DotOperand& b, std::size_t i,
                  Terms& terms, bool is_number) {
  if (!config.a.scale) return;
  const std::size_t block = i / static_cast<std::size_t>(config.a.scale->block_size);
  const Unpacked one = decode(config.a.scale->format, a.scales[block]);
  const Unpacked other = decode(config.b.scale->format, b.scales[block]);
  if (one.cls == ValueClass::kNan || other.cls == ValueClass::kNan) terms.has_nan = true;
  if (!is_number) return;
  terms.numbers.back().exponent += one.exponent + other.exponent;
  terms.numbers.back().last += one.exponent + other.exponent;
}

}  // namespace

std::uint64_t sum_aligned(const UnitConfig& config, const DotOperand& a, const DotOperand& b,
                          std::uint64_t c) {
  const auto group = static_cast<std::size_t>(config.unit.group);
  for (std::size_t at = 0; at < a.codes.size(); at += group) {
    Terms terms;
    add_code(config.result, c, terms);
    for (std::size_t i = at; i < std::min(at + group, a.codes.size()); ++i) {
      const std::size_t before = terms.numbers.size();
      add_product(config, a, b, i, std::nullopt, terms);
      apply_scales(config, a, b, i, terms, terms.numbers.size() > before);
    }
    c = add_terms(config, terms);
  }
  return c;
}

std::uint64_t sum_pairs_then_c(const UnitConfig& config, const DotOperand& a, const DotOperand& b,
                               std::uint64_t c) {
  Arithmetic addition = Arithmetic::ieee(config.result);
  for (std::size_t at = 0; at < a.codes.size(); at += kPairOfGroups) {
    const std::size_t end = std::min(at + kPairOfGroups, a.codes.size());
    std::uint64_t sum = 0;
    for (const std::size_t half : {std::size_t{0}, std::size_t{2}}) {
      Terms terms;
      add_code(config.result, sum, terms);
      for (std::size_t i = at; i < end; ++i) {
        if ((i & 2) == half) add_product(config, a, b, i, kFp16Emin, terms);
      }
      sum = add_terms(config, terms);
    }
    c = addition.add(c, sum).code;
    if (decode(config.result, c).cls == ValueClass::kNan) c = ones(config.result);
  }
  return c;
}

}  // namespace mx::unit
