// Whole rows of floating-point casts to nearest, without a branch for an element: what compilers
// turn into vector code. Where a value lies below the smallest normal one the result is a step
// function of the magnitude, whose steps are found by the plain cast itself.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "emulators/dmx/kernel/patterns.hpp"

namespace mx::emulators::dmx {

/// What FloatSimd must know of a cast of magnitudes (patterns without a sign).
struct LaneFacts {
  int mantissa_bits = 0;  ///< 0..22
  Bits least_normal = 0;  ///< pattern of the smallest normal value
  Bits most = 0;          ///< results beyond this pattern become `beyond`; 0x7FFFFFFF: none do
  Bits beyond = 0;
  bool zero_keeps_sign = false;
  bool nan_is_canonical = false;
};

/// y = cast(x * 2^-shift) * 2^shift for many x.
class FloatSimd {
 public:
  static constexpr int kSteps = 8;

  /// `below(m)` is the plain cast of a magnitude m below the smallest normal value; it must not
  /// fall. Where it has more than kSteps steps, operator() leaves these elements to patch().
  template <typename Below>
  FloatSimd(const LaneFacts& facts, Below below) : facts_(facts) {
    if (facts.mantissa_bits > 22 || facts.least_normal == 0) return;
    Bits reached = below(0);
    Bits start = 0;
    const Bits top = below(facts.least_normal - 1);
    while (reached != top) {
      if (steps_ == kSteps) {
        steps_ = 0;
        patches_ = true;
        break;
      }
      Bits low = start;  // below(low) == reached, below(high) is more
      Bits high = facts.least_normal - 1;
      while (high - low > 1) {
        const Bits middle = low + (high - low) / 2;
        (below(middle) == reached ? low : high) = middle;
      }
      const Bits next = below(high);
      from_[static_cast<std::size_t>(steps_)] = static_cast<std::int32_t>(high);
      rise_[static_cast<std::size_t>(steps_)] = next - reached;
      reached = next;
      start = high;
      ++steps_;
    }
    usable_ = true;
  }
  FloatSimd() = default;

  [[nodiscard]] bool usable() const { return usable_; }

  /// Can blocks of this shift take the lanes: do no subnormals of binary32 matter, no results leave
  /// its normal range?
  [[nodiscard]] bool takes(int shift) const {
    const int least = exponent_field(facts_.least_normal) - 127 - facts_.mantissa_bits;
    return usable_ && !patches_ && shift >= -60 && shift <= 100 && least >= -60 &&
           least + shift >= -126;
  }

  /// Without a shift.
  void operator()(std::span<const Bits> x, std::span<Bits> out) const { run(x, 0, out); }
  /// Gives the elements that operator() could not do: out = plain(x).
  template <typename Plain>
  void patch(std::span<const Bits> x, Plain plain, std::span<Bits> out) const {
    if (!patches_) return;
    const auto least = static_cast<std::int32_t>(facts_.least_normal);
    constexpr std::size_t kChunk = 64;
    for (std::size_t first = 0; first < x.size(); first += kChunk) {
      const std::size_t end = first + kChunk < x.size() ? first + kChunk : x.size();
      std::int32_t found = 0;
      for (std::size_t i = first; i < end; ++i) {
        found |= static_cast<std::int32_t>(x[i] & 0x7FFFFFFF) < least ? 1 : 0;
      }
      for (std::size_t i = first; i < end && found != 0; ++i) {
        if (static_cast<std::int32_t>(x[i] & 0x7FFFFFFF) < least) out[i] = plain(x[i]);
      }
    }
  }
  /// `shift` one that takes() says yes to; x finite and |x| * 2^-shift within the format's binades.
  void operator()(std::span<const Bits> x, int shift, std::span<Bits> out) const {
    run(x, shift, out);
  }

 private:
  void run(std::span<const Bits> x, int shift, std::span<Bits> out) const {
    switch (steps_) {
      case 0:
        return lanes<0>(x, shift, out);
      case 1:
        return lanes<1>(x, shift, out);
      case 2:
        return lanes<2>(x, shift, out);
      case 3:
      case 4:
        return lanes<4>(x, shift, out);
      default:
        return lanes<8>(x, shift, out);
    }
  }

  template <int kCount>
  void lanes(std::span<const Bits> x, int shift, std::span<Bits> out) const {
    const int dropped = 23 - facts_.mantissa_bits;
    const Bits half = (Bits{1} << (dropped - 1)) - 1;
    const Bits kept = ~((Bits{1} << dropped) - 1);
    const auto least = static_cast<std::int32_t>(facts_.least_normal);
    const auto most = static_cast<std::int32_t>(facts_.most);
    const Bits beyond = facts_.beyond;
    const Bits moved = static_cast<Bits>(shift) << 23;
    const Bits zero_sign = facts_.zero_keeps_sign ? fp32::kSignBit : 0;
    const Bits nan_bits = facts_.nan_is_canonical ? 0x7FC00000 : 0;
    std::array<std::int32_t, 8> from = from_;
    std::array<Bits, 8> rise = rise_;
    const Bits* const in = x.data();
    Bits* const to = out.data();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Bits u = in[i];
      const Bits m = (u & 0x7FFFFFFF) - moved;
      const Bits sign = u & fp32::kSignBit;
      const Bits rounded = (m + half + (m >> dropped & 1)) & kept;
      const Bits over = mask(static_cast<std::int32_t>(rounded) > most);
      const Bits normal = (rounded & ~over) | (beyond & over);
      Bits small = 0;
      for (int k = 0; k < kCount; ++k) {
        const auto at = static_cast<std::size_t>(k);
        small += rise[at] & mask(static_cast<std::int32_t>(m) >= from[at]);
      }
      const Bits below = mask(static_cast<std::int32_t>(m) < least);
      const Bits y = (small & below) | (normal & ~below);
      const Bits zero = mask(y == 0);
      // A carry out of a NaN meets the sign: added, not joined.
      const Bits value = (((y + moved) ^ sign) & ~zero) | (sign & zero_sign & zero);
      const Bits nan =
          mask(static_cast<std::int32_t>(u & 0x7FFFFFFF) > 0x7F800000) & mask(nan_bits != 0);
      to[i] = (value & ~nan) | (nan_bits & nan);
    }
  }

  static constexpr Bits mask(bool yes) { return yes ? ~Bits{0} : 0; }

  LaneFacts facts_;
  bool usable_ = false;
  bool patches_ = false;
  int steps_ = 0;
  std::array<std::int32_t, 8> from_ = filled();
  std::array<Bits, 8> rise_ = {};

  static constexpr std::array<std::int32_t, 8> filled() {
    std::array<std::int32_t, 8> all{};
    for (std::int32_t& each : all) each = 0x7FFFFFFF;
    return all;
  }
};

}  // namespace mx::emulators::dmx
