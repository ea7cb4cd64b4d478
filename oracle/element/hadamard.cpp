#include "oracle/element/hadamard.hpp"

#include "oracle/element/real.hpp"
#include "reference/format/table.hpp"

namespace mx::oracle {
namespace {

using Values = std::vector<Extended>;

/// H of the order 2^stages, of the elements from `first` on, as the text has it: the sums and the
/// differences of what the two halves become.
Values transformed(std::span<const Extended> x) {
  if (x.size() == 1) return {x[0]};
  const std::size_t half = x.size() / 2;
  const Values low = transformed(x.first(half));
  const Values high = transformed(x.last(half));
  Values y(x.size());
  for (std::size_t i = 0; i < half; ++i) {
    y[i] = fl32(plus(low[i], high[i]));
    y[half + i] = fl32(plus(low[i], negated(high[i])));
  }
  return y;
}

}  // namespace

std::vector<std::uint32_t> hadamard(const ElementFormat& source,
                                    std::span<const std::uint64_t> codes, std::uint16_t mask,
                                    bool signs_last) {
  const auto with_sign = [&](const Extended& x, std::size_t i) {
    return (mask >> i) % 2 != 0 ? negated(x) : x;
  };
  Values x;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Extended value = extended(value_of(source, codes[i]));
    x.push_back(signs_last ? value : with_sign(value, i));
  }
  const Extended quarter = extended(dyadic(1, -2));
  std::vector<std::uint32_t> out;
  const Values y = transformed(x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Extended scaled = fl32(times(y[i], quarter));
    const Extended result = signs_last ? with_sign(scaled, i) : scaled;
    if (result.nan()) {
      out.push_back(0x7FC00000);
      continue;
    }
    ElementPolicy policy;
    policy.overflow = Overflow::kNoneInfOrNan;
    out.push_back(static_cast<std::uint32_t>(encode_extended(formats::fp32, result, policy).code));
  }
  return out;
}

}  // namespace mx::oracle
