#include "emulators/dmx/kernel/float_cast.hpp"

#include <algorithm>

namespace mx::emulators::dmx {

FloatSimd lanes_of(const FloatKernel& kernel) {
  const int least = kernel.least_field();
  if (!kernel.is_nearest() || kernel.mantissa_bits > 22 || least < 1 || least > 253) return {};
  const int limit = 127 + (1 << std::min(kernel.exponent_bits - 1, 8));
  const Bits most = (static_cast<Bits>(limit) << 23) |
                    (kFraction & ~((Bits{1} << (23 - kernel.mantissa_bits)) - 1));
  const bool has_most = limit < 255;
  const LaneFacts facts{.mantissa_bits = kernel.mantissa_bits,
                        .least_normal = static_cast<Bits>(least) << 23,
                        .most = has_most ? most : 0x7FFFFFFF,
                        .beyond = has_most ? most : 0};
  if (kernel.flush) return {facts, [](Bits) { return Bits{0}; }};
  return {facts, [&](Bits m) { return kernel.below_normal(m, 0); }};
}

void run_kernel(const FloatKernel& kernel, const FloatSimd& lanes, std::span<const Bits> x,
                Words& words, std::span<Bits> out) {
  if (lanes.usable()) {
    lanes(x, out);
    return lanes.patch(
        x, [&](Bits each) { return kernel(each, words); }, out);
  }
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = kernel(x[i], words);
}

void FloatCast::operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
  if (passes_) {
    std::copy(x.begin(), x.end(), out.begin());
  } else {
    run_kernel(kernel_, lanes_, x, words, out);
  }
  if (!is_float16_ && !is_unsigned_) return;
  for (Bits& y : out) y = finished(y);
}

}  // namespace mx::emulators::dmx
