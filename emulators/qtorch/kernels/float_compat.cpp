#include "emulators/qtorch/kernels/float_kernel.hpp"
#include "emulators/qtorch/kernels/float_loop.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {
namespace {

/// 2^(exp - 1) as the C source's int: wrapped.
std::uint32_t half_range(const FloatCall& call, Platform platform) {
  return one_shifted(call.exp - 1, platform);
}

/// The clipping of S3.2 with the sign of `x`, the pattern before its rounding.
Bits clipped(const FloatCall& call, Platform platform, Bits x, Bits rounded) {
  if (rounded == 0) return rounded;
  const auto limit = static_cast<std::int32_t>(half_range(call, platform) + 127);
  if (exponent_field(rounded) <= limit) return rounded;
  const Bits significand = cleared_below(23 - call.man, platform);
  return sign_of(x) | (static_cast<Bits>(limit) << 23) | significand;
}

/// RB with the shifts of the platform.
struct RawRounding {
  Bits mask = 0;
  Bits half = 0;
  bool is_random = false;

  RawRounding(const FloatCall& call, Platform platform)
      : mask(one_shifted(23 - call.man, platform) - 1),
        half(one_shifted(22 - call.man, platform)),
        is_random(call.rounding == Rounding::kStochastic) {}

  [[nodiscard]] Bits operator()(Bits u, Bits random) const {
    return (u + (is_random ? random & mask : half)) & ~mask;
  }
};

/// Formats with ordinary parameters: no addition rounds anything but the value below the smallest
/// normal, to a multiple of 2^(emin - 23).
class OrdinaryFloat {
 public:
  explicit OrdinaryFloat(const FloatCall& call)
      : mask_((Bits{1} << (23 - call.man)) - 1),
        least_normal_(129 - (1 << (call.exp - 1))),
        limit_(static_cast<Bits>(127 + (1 << (call.exp - 1))) << 23),
        largest_(limit_ | (0x007FFFFF & ~mask_)) {}

  [[nodiscard]] static bool takes(const FloatCall& call) {
    const int most = call.rounding == Rounding::kStochastic ? 23 : 22;
    return call.exp >= 1 && call.exp <= 8 && call.man >= 0 && call.man <= most;
  }

  [[nodiscard]] Bits mask() const { return mask_; }

  [[nodiscard]] Bits least() const { return static_cast<Bits>(least_normal_) << 23; }

  [[nodiscard]] Bits normal(Bits x, Bits increment) const {
    const Bits rounded = (x + increment) & ~mask_;
    return (rounded & 0x7F800000) > limit_ ? sign_of(x) | largest_ : rounded;
  }

  [[nodiscard]] Bits below(Bits x, Bits increment) const {
    const Parts parts = parts_of(magnitude_of(x));
    const int shift = std::max(least_normal_ - parts.field, 0);
    const std::uint32_t count = shifted_to_even(parts.significand, shift);
    const std::uint32_t rounded = (count + increment) & ~mask_;
    const Bits sign = rounded == 0 ? 0 : sign_of(x);
    return sign | assembled(rounded, least_normal_);
  }

 private:
  Bits mask_;
  int least_normal_;  ///< exponent field of 2^emin
  Bits limit_;        ///< the largest exponent field, in place
  Bits largest_;
};

}  // namespace

Bits float_by_rule(const FloatCall& call, Platform platform, Bits x, Bits random) {
  const RawRounding round(call, platform);
  const SoftMachine machine{platform};
  const auto emin = static_cast<std::int32_t>(2 - half_range(call, platform));
  if (exponent_field(x) - 127 >= emin) return clipped(call, platform, x, round(x, random));
  const Bits shift = sign_of(x) | static_cast<Bits>(emin + 127) << 23;
  return machine.subtract(round(machine.add(x, shift), random), shift);
}

void float_compat(const FloatCall& call, Platform platform, std::span<const Bits> values,
                  std::span<const std::uint32_t> random, std::span<Bits> results) {
  const bool is_random = call.rounding == Rounding::kStochastic;
  if (!OrdinaryFloat::takes(call)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      results[i] = float_by_rule(call, platform, values[i], is_random ? random[i] : 0);
    }
    return;
  }
  const OrdinaryFloat format(call);
  const Bits mask = format.mask();
  if (is_random) {
    const auto word = [&](std::size_t i) { return random[i] & mask; };
    return quantize_floats(format, values, word, results);
  }
  const Bits half = (mask + 1) / 2;
  // At exp 8 NaNs keep their payloads: no two results a step.
  if (call.exp == 8) {
    return quantize_floats(
        format, values, [=](std::size_t) { return half; }, results);
  }
  quantize_steps<Unsigned::kZeros>(format, half, static_cast<int>(call.man) + 1, values, results);
}

}  // namespace mx::emulators::qtorch
