#include "emulators/common/grid_simd.hpp"
#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "emulators/qtorch/kernels/block_layout.hpp"
#include "emulators/qtorch/kernels/block_table.hpp"
#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {
namespace {

constexpr Bits kSix = 0x40C00000;

/// Blocks whose sums x + 6 P stay in one binade, in units of 2^-21 P: integers below 2^23.
class Ordinary {
 public:
  Ordinary(const BlockCall& call, int field)
      : field_(field),
        mask_((std::int32_t{1} << (23 - call.wl)) - 1),
        largest_(call.wl == 1 ? 1 << 21 : (1 << 22) - (1 << (23 - call.wl))) {}

  [[nodiscard]] static bool takes(const BlockCall& call, int field) {
    const int most = call.rounding == Rounding::kStochastic ? 23 : 22;
    return call.wl >= 1 && call.wl <= most && field >= 1 && field <= 252;
  }

  [[nodiscard]] Bits mask() const { return static_cast<Bits>(mask_); }

  [[nodiscard]] Bits operator()(Bits x, Bits increment) const {
    const Parts parts = parts_of(magnitude_of(x));
    const auto magnitude =
        static_cast<std::int32_t>(shifted_to_even(parts.significand, field_ + 2 - parts.field));
    const std::int32_t count = sign_of(x) != 0 ? -magnitude : magnitude;
    const std::int32_t rounded = (count + static_cast<std::int32_t>(increment)) & ~mask_;
    if (rounded == 0) return 0;
    const bool is_negative = rounded < 0;
    std::int32_t size = is_negative ? -rounded : rounded;
    if (size >= 1 << 22) size = largest_;
    return (is_negative ? fp32::kSignBit : 0) |
           assembled(static_cast<std::uint32_t>(size), field_ + 2);
  }

 private:
  int field_;  ///< exponent field of P
  std::int32_t mask_;
  std::int32_t largest_;
};

}  // namespace

Bits block_by_rule(const BlockCall& call, Platform platform, Bits largest, Bits x, Bits random) {
  const SoftMachine machine{platform};
  const Bits power = largest & 0x7F800000;
  const Bits base = machine.multiply(power, kSix);
  const Bits mask = one_shifted(23 - call.wl, platform) - 1;
  const Bits increment =
      call.rounding == Rounding::kStochastic ? random & mask : one_shifted(22 - call.wl, platform);
  const Bits rounded = (machine.add(x, base) + increment) & ~mask;
  const Bits result = machine.subtract(rounded, base);
  if ((result & 0x7F800000) <= power) return result;
  return sign_of(result) | power | cleared_below(25 - call.wl, platform);
}

void block_compat(const BlockCall& call, const BlockLayout& layout, Platform platform,
                  std::span<const Bits> values, std::span<const std::uint32_t> random,
                  std::span<Bits> results) {
  const std::vector<Bits> maxima = block_maxima(layout, values);
  const bool is_random = call.rounding == Rounding::kStochastic;
  const std::optional<BlockTable> table = block_table(call, values.size());
  for_each_run(layout, [&](std::size_t block, std::size_t first, std::size_t size) {
    const int field = exponent_field(maxima[block]);
    if (!Ordinary::takes(call, field)) {
      for (std::size_t i = first; i < first + size; ++i) {
        results[i] =
            block_by_rule(call, platform, maxima[block], values[i], is_random ? random[i] : 0);
      }
      return;
    }
    using Lanes = GridSimd<GridRounding::kTwiceUp>;
    const int kept = static_cast<int>(call.wl) - 2;
    if (!is_random && Lanes::takes(field, kept)) {
      Lanes(field, kept)(values.subspan(first, size), results.subspan(first, size));
      return;
    }
    if (is_random && table && BlockTable::takes(call.wl, field)) {
      const int dropped = 23 - static_cast<int>(call.wl);
      const std::int32_t mask = (1 << dropped) - 1;
      for (std::size_t i = first; i < first + size; ++i) {
        const std::int32_t addend = static_cast<std::int32_t>(random[i]) & mask;
        results[i] = (*table)((signed_to_even(values[i], field + 2) + addend) >> dropped, field);
      }
      return;
    }
    const Ordinary quantize(call, field);
    if (is_random) {
      for (std::size_t i = first; i < first + size; ++i) {
        results[i] = quantize(values[i], random[i] & quantize.mask());
      }
      return;
    }
    const Bits half = (quantize.mask() + 1) / 2;
    for (std::size_t i = first; i < first + size; ++i) results[i] = quantize(values[i], half);
  });
}

Bits block_sim_by_rule(const BlockCall& call, Bits largest, Bits x, std::uint32_t random) {
  const std::int64_t exponent = exponent_field(largest) - 126;
  const FixedCall fixed = {.wl = 1,
                           .fl = call.wl - 1 - exponent,
                           .clamp = false,
                           .symmetric = false,
                           .rounding = call.rounding};
  return fixed_by_rule(fixed, Platform::kCuda, x, random).value;
}

}  // namespace mx::emulators::qtorch
