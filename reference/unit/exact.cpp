// AMD's first matrix unit: groups of products with C, summed exactly and rounded once: spec U2,
// mi100.
#include "reference/element/encode.hpp"
#include "reference/unit/terms.hpp"

namespace mx::unit {

std::uint64_t sum_exactly(const UnitConfig& config, const DotOperand& a, const DotOperand& b,
                          std::uint64_t c) {
  const auto group = static_cast<std::size_t>(config.unit.group);
  // All products and all of C.
  const int lowest = 2 * (formats::bf16.emin() - formats::bf16.man_bits);
  ExactSum sum(lowest, 2 * (formats::bf16.emax() + 1));
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  for (std::size_t at = 0; at < a.codes.size(); at += group) {
    sum.clear();
    sum.add(decode(config.result, c));
    for (std::size_t i = at; i < std::min(at + group, a.codes.size()); ++i) {
      sum.add(multiply(decode(config.a.element, a.codes[i]), decode(config.b.element, b.codes[i])));
    }
    c = encode(sum.value(), config.result, policy, 0).code;
  }
  return c;
}

}  // namespace mx::unit
