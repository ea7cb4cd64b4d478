#include "emulators/aimet/element/ladder.hpp"

#include <bit>
#include <cstring>
#include <limits>

namespace mx::emulators::aimet {
namespace {

/// A magnitude significand * 2^exponent, the significand odd.
struct Dyadic {
  std::uint32_t significand = 0;
  int exponent = 0;
};

Dyadic dyadic_of(Bits magnitude) {
  if (magnitude == 0) return {};
  const Unpacked x = fp32::value(magnitude);
  const int zeros = std::countr_zero(x.significand);
  return {static_cast<std::uint32_t>(x.significand >> zeros), x.exponent - 63 + zeros};
}

/// The middle of two neighbours, the lower one possibly 0.
Dyadic middle_of(Bits lower, Bits upper) {
  const Dyadic a = dyadic_of(lower), b = dyadic_of(upper);
  const int exponent = a.significand == 0 ? b.exponent : std::min(a.exponent, b.exponent);
  const auto at = [&](const Dyadic& x) {
    return x.significand == 0 ? 0 : x.significand << (x.exponent - exponent);
  };
  const std::uint32_t sum = at(a) + at(b);
  const int zeros = std::countr_zero(sum);
  return {sum >> zeros, exponent - 1 + zeros};
}

}  // namespace

LadderPlan::LadderPlan(const Kernel& kernel) {
  if (!kernel.is_by_pattern() || kernel.working() != TensorType::kFp32) return;
  const FloatInfo& info = kernel.info();
  if (info.unsigned_zero || info.exponent_bits + info.mantissa_bits > 3) return;
  // Every value is found by rounding: each is the next grid point above the one before.
  Bits value = 0;
  std::size_t count = 0;
  while (value < info.max_fp32()) {
    // The next one is at most twice as far, or the quantum.
    Bits below = value, above = info.max_fp32();
    while (above - below > 1) {
      const Bits middle = below + (above - below) / 2;
      (kernel.quantize(middle, fp32::kOne) > value ? above : below) = middle;
    }
    const Bits next = kernel.quantize(above, fp32::kOne);
    if (next <= value || count == kMostRungs) return;
    const Dyadic middle = middle_of(value, next);
    const Bits tie = fp32::round(unpack_integer(false, middle.significand, middle.exponent));
    const bool goes_up = kernel.quantize(tie, fp32::kOne) > value;
    const bool is_compat = kernel.mode() == Mode::kCompat;
    // Compat rounds the quotient to 24 bits first: what rounds to the middle counts as the middle.
    const int width = 32 - std::countl_zero(middle.significand);
    const bool is_power = middle.significand == 1;
    const int extra = is_compat ? 25 - width + (is_power ? 1 : 0) : 0;
    Middle& found = middles_[count];
    found.significand = middle.significand << extra;
    found.exponent = middle.exponent - extra;
    found.open = !goes_up;
    if (is_compat) {
      // Half a last place of binary32: below a power of two it is half of that above.
      const std::uint32_t half = goes_up || !is_power ? 1 : 2;
      found.significand = goes_up ? found.significand - half : found.significand + half;
    }
    values_[count++] = next;
    value = next;
  }
  count_ = count;
}

Ladder::Ladder(const LadderPlan& plan, Bits scale) {
  const int exponent = exponent_field(scale) - 127;
  if (sign_of(scale) != 0 || exponent < -100 || exponent > 100) return;
  const std::uint64_t significand = (scale & 0x7FFFFF) | 0x800000;
  Bits before = 0;
  from_.fill(std::numeric_limits<std::int32_t>::max());
  for (std::size_t j = 0; j < plan.count_; ++j) {
    const auto& middle = plan.middles_[j];
    const std::uint64_t exact = middle.significand * significand;
    const int excess = 40 - std::countl_zero(exact);  // bits beyond 24
    const std::uint64_t kept = excess > 0 ? exact >> excess : exact << -excess;
    const bool rest = excess > 0 && (exact & ((std::uint64_t{1} << excess) - 1)) != 0;
    const int field = middle.exponent + exponent - 23 + excess + 23 + 127;
    const Bits least = static_cast<Bits>(field - 1) << 23;
    from_[j] =
        static_cast<std::int32_t>(least + static_cast<Bits>(kept) + (rest || middle.open ? 1 : 0));
    const Bits result = multiply(plan.values_[j], scale);
    rises_[j] = result - before;
    before = result;
  }
  is_valid_ = true;
}

void Ladder::operator()(const std::byte* values, std::byte* results, std::size_t count) const {
  // Copies, so that no store can be taken to change them.
  const std::array<std::int32_t, kMostRungs> from = from_;
  const std::array<std::uint32_t, kMostRungs> rises = rises_;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t x = 0;
    std::memcpy(&x, values + 4 * i, 4);
    const auto magnitude = static_cast<std::int32_t>(x & 0x7FFFFFFF);
    std::uint32_t y = 0;
    for (std::size_t j = 0; j < kMostRungs; ++j) y += magnitude >= from[j] ? rises[j] : 0;
    y = magnitude > 0x7F800000 ? kNan : y | (x & fp32::kSignBit);
    std::memcpy(results + 4 * i, &y, 4);
  }
}

}  // namespace mx::emulators::aimet
