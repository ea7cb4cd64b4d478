// AMD's second matrix unit: binary32 products and a tree of binary32 sums, without subnormals: spec
// U2, mi200.
#include <array>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/unit/terms.hpp"

namespace mx::unit {
namespace {

constexpr std::size_t kMost = 4;  ///< products of a tree

/// A subnormal operand, and -0, count as +0.
Unpacked normal_or_zero(const ElementFormat& format, std::uint64_t code) {
  const Unpacked x = decode(format, code);
  const bool is_below = x.cls == ValueClass::kFinite && x.exponent < format.emin();
  return is_below || x.cls == ValueClass::kZero ? Unpacked{} : x;
}

std::uint64_t flushed_start(const ElementFormat& format, std::uint64_t c) {
  const Unpacked x = normal_or_zero(format, c);
  return x.cls == ValueClass::kZero ? 0 : c;
}

}  // namespace

std::uint64_t sum_tree(const UnitConfig& config, const DotOperand& a, const DotOperand& b,
                       std::uint64_t c) {
  Arithmetic fp32 = Arithmetic::ieee(formats::fp32);
  fp32.policy.dst_ftz = ResultSubnormals::kFlushAfterRounding;
  const auto group = static_cast<std::size_t>(config.unit.group);
  c = flushed_start(config.result, c);
  for (std::size_t at = 0; at + group <= a.codes.size(); at += group) {
    std::array<std::uint64_t, kMost> sums{};
    for (std::size_t i = 0; i < group; ++i) {
      const Unpacked product = multiply(normal_or_zero(config.a.element, a.codes[at + i]),
                                        normal_or_zero(config.b.element, b.codes[at + i]));
      sums[i] = encode(product, formats::fp32, fp32.policy, 0).code;
    }
    for (std::size_t width = group; width > 1; width /= 2) {
      for (std::size_t i = 0; i < width / 2; ++i) {
        sums[i] = fp32.add(sums[2 * i], sums[2 * i + 1]).code;
      }
    }
    c = fp32.add(c, sums[0]).code;
  }
  return c;
}

}  // namespace mx::unit
