#include "emulators/aimet/simd/scaled_simd.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "emulators/aimet/simd/scaled_rounding.hpp"

namespace mx::emulators::aimet {
namespace {

/// At most so many elements are rounded before the doubtful ones are looked for.
constexpr std::size_t kDoubtStretch = 64;

}  // namespace

bool ScaledSimd::applies(const Kernel& kernel) {
  const FloatInfo& info = kernel.info();
  return kernel.is_by_pattern() && kernel.mode() == Mode::kCompat &&
         kernel.working() == TensorType::kFp32 && !info.unsigned_zero && info.mantissa_bits >= 1 &&
         info.mantissa_bits <= kMostMantissaBits && kernel.emin() >= -126;
}

ScaledSimd::ScaledSimd(const Kernel& kernel, Bits scale, VectorTarget target)
    : kernel_(kernel), scale_(scale), target_(target) {
  const int field = exponent_field(scale);
  if (field < 127 - 60 || field > 127 + 60) return;
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

void ScaledSimd::operator()(const std::byte* values, std::byte* results, std::size_t count) const {
  const std::uint32_t significand = (scale_ & 0x7FFFFF) | 0x800000;
  const int mantissa_bits = kernel_.info().mantissa_bits;
  const auto by = [&](const auto& rounding) {
    on_vectors(target_, [&] { run(rounding, values, results, count); });
  };
  if (mantissa_bits == 1) {
    by(StepRounding<1>(significand));
  } else if (mantissa_bits == 2) {
    by(StepRounding<2>(significand));
  } else if (mantissa_bits <= 6) {
    by(QuotientRounding<false>(significand, mantissa_bits));
  } else {
    by(QuotientRounding<true>(significand, mantissa_bits));
  }
}

template <typename Rounding>
void ScaledSimd::run(const Rounding& rounding, const std::byte* values, std::byte* results,
                     std::size_t count) const {
  std::array<std::uint32_t, kDoubtStretch> doubts;
  for (std::size_t first = 0; first < count; first += kDoubtStretch) {
    const std::size_t some = std::min(kDoubtStretch, count - first);
    const std::byte* const in = values + 4 * first;
    std::byte* const out = results + 4 * first;
    if (round_certain(rounding, in, out, some, doubts.data())) continue;
    // Their places first, without a branch: which ones they are is a coin toss.
    std::array<std::uint8_t, kDoubtStretch> places;
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
template <typename Rounding>
bool ScaledSimd::round_certain(const Rounding& rounding, const std::byte* values,
                               std::byte* results, std::size_t count, std::uint32_t* doubts) const {
  constexpr std::uint32_t kFlip = fp32::kSignBit;  // for an unsigned comparison by a signed one
  const Rounding round = rounding;                 // a copy, which no store can be taken to change
  const std::uint32_t from_least = kFlip - static_cast<std::uint32_t>(least_);
  const auto last = static_cast<std::int32_t>(from_least + 0x7F7FFFFF);
  const std::int32_t top = top_;
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t x = 0;
    std::memcpy(&x, values + 4 * i, 4);
    const std::uint32_t magnitude = x & 0x7FFFFFFF;
    const RoundedLane lane = round(magnitude);
    const auto clamped = static_cast<std::uint32_t>(lane.result < top ? lane.result : top);
    const std::uint32_t outside =
        lane_mask(static_cast<std::int32_t>(magnitude + from_least) > last);
    const std::uint32_t doubt = lane.doubt | (outside & lane_mask(magnitude != 0));
    const std::uint32_t y = (clamped & ~outside) | (x & fp32::kSignBit);
    std::memcpy(results + 4 * i, &y, 4);
    doubts[i] = doubt;
    any |= doubt;
  }
  return any == 0;
}

}  // namespace mx::emulators::aimet
