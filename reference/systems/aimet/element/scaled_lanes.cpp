#include "reference/systems/aimet/element/scaled_lanes.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace mx::systems::aimet {

bool ScaledLanes::applies(const Kernel& kernel) {
  const FloatInfo& info = kernel.info();
  return kernel.is_by_pattern() && kernel.mode() == Mode::kCompat &&
         kernel.working() == TensorType::kFp32 && !info.unsigned_zero && info.mantissa_bits >= 1 &&
         info.mantissa_bits <= kMostMantissaBits && kernel.emin() >= -126;
}

ScaledLanes::ScaledLanes(const Kernel& kernel, Bits scale)
    : kernel_(kernel), scale_(scale), mantissa_bits_(kernel.info().mantissa_bits) {
  const int field = exponent_field(scale);
  if (field < 127 - 60 || field > 127 + 60) return;
  significand_ = (scale & 0x7FFFFF) | 0x800000;
  const std::uint64_t reciprocal = (std::uint64_t{1} << 55) / significand_;
  reciprocal_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(reciprocal, 0xFFFFFFFF));
  // The scale times the type's least normal value; from 2^-125 on no rounding of the quotient makes
  // a result subnormal.
  constexpr std::int32_t kLeast = 2 << 23;
  const int least_field = field + kernel.emin();
  const Bits least = static_cast<Bits>(least_field) << 23 | (scale & 0x7FFFFF);
  least_ = least_field < 2 ? kLeast : static_cast<std::int32_t>(least);
  const Bits top = kernel.dequantize(kernel.bound(), magnitude_of(scale));
  top_ = static_cast<std::int32_t>(top);
  is_valid_ = true;
}

void ScaledLanes::operator()(const std::byte* values, std::byte* results, std::size_t count) const {
  if (mantissa_bits_ <= 6) return run<false>(values, results, count);
  run<true>(values, results, count);
}

template <bool kWide>
void ScaledLanes::run(const std::byte* values, std::byte* results, std::size_t count) const {
  std::array<std::uint32_t, kStretch> doubts;
  for (std::size_t first = 0; first < count; first += kStretch) {
    const std::size_t some = std::min(kStretch, count - first);
    const std::byte* const in = values + 4 * first;
    std::byte* const out = results + 4 * first;
    if (round_certain<kWide>(in, out, some, doubts.data())) continue;
    // Their places first, without a branch: which ones they are is a coin toss.
    std::array<std::uint8_t, kStretch> places;
    std::size_t found = 0;
    for (std::size_t i = 0; i < some; ++i) {
      places[found] = static_cast<std::uint8_t>(i);
      found += doubts[i] & 1;
    }
    for (std::size_t k = 0; k < found; ++k) {
      const std::size_t at = std::size_t{4} * places[k];
      Bits x = 0;
      std::memcpy(&x, in + at, 4);
      x = kernel_(x, scale_);
      std::memcpy(out + at, &x, 4);
    }
  }
}

/// The results that are certain, and ones in `doubts` for the others; are there none?
template <bool kWide>
bool ScaledLanes::round_certain(const std::byte* values, std::byte* results, std::size_t count,
                                std::uint32_t* doubts) const {
  constexpr auto mask = [](bool yes) { return yes ? ~std::uint32_t{0} : 0; };
  // Quotients have 31 bits, of which binary32 would keep 24, and may be short by 3: what lies so
  // near to a tie of the type that either matters is doubtful.
  constexpr std::uint32_t kAround = 64 + 4;
  constexpr std::uint32_t kFlip = fp32::kSignBit;  // for an unsigned comparison by a signed one
  const int m = mantissa_bits_, dropped = 30 - m;
  const std::uint32_t half = std::uint32_t{1} << (dropped - 1), rest = 2 * half - 1;
  const std::uint32_t significand = significand_, reciprocal = reciprocal_;
  const std::uint32_t from_least = kFlip - static_cast<std::uint32_t>(least_);
  const auto last = static_cast<std::int32_t>(from_least + 0x7F7FFFFF);
  const std::int32_t top = top_;
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t x = 0;
    std::memcpy(&x, values + 4 * i, 4);
    const std::uint32_t magnitude = x & 0x7FFFFFFF;
    // The quotient of the significands, doubled where it is below 1. (GCC 12 makes vector code of
    // the upper half of a product as long as nothing but shifts and unsigned arithmetic uses it.)
    const std::uint32_t numerator = ((magnitude & 0x7FFFFF) | 0x800000) << 7;
    const auto cut = static_cast<std::uint32_t>(std::uint64_t{numerator} * reciprocal >> 32);
    const std::uint32_t below = (cut >> 30) - 1;  // 0 or -1
    const std::uint32_t quotient = cut + (cut & below);
    const std::uint32_t kept = (quotient + half) >> dropped;
    const auto from_tie = static_cast<std::int32_t>((quotient - (half - kAround)) & rest);
    // Times the scale: 30 or 31 bits, what lies below them joined to the last one.
    std::uint32_t product = 0;
    if constexpr (kWide) {
      const std::uint64_t wide = std::uint64_t{kept << (30 - m)} * (significand << 8);
      const std::uint32_t lost = kept * significand & ((1U << (m - 6)) - 1);
      product = static_cast<std::uint32_t>(wide >> 32) | (lost + ((1U << (m - 6)) - 1)) >> (m - 6);
    } else {
      product = (kept << (6 - m)) * significand;
    }
    const std::uint32_t short_by_one = (product >> 30) - 1;
    const std::uint32_t normal = product + (product & short_by_one);
    const std::uint32_t rounded = (normal + 63 + (normal >> 7 & 1)) >> 7;
    const auto result = static_cast<std::int32_t>((magnitude & 0x7F800000) +
                                                  ((short_by_one + below) << 23) + rounded);
    const std::uint32_t clamped = static_cast<std::uint32_t>(result < top ? result : top);
    const std::uint32_t outside = mask(static_cast<std::int32_t>(magnitude + from_least) > last);
    const std::uint32_t doubt =
        mask(from_tie <= static_cast<std::int32_t>(2 * kAround)) | (outside & mask(magnitude != 0));
    const std::uint32_t y = (clamped & ~outside) | (x & fp32::kSignBit);
    std::memcpy(results + 4 * i, &y, 4);
    doubts[i] = doubt;
    any |= doubt;
  }
  return any == 0;
}

}  // namespace mx::systems::aimet
