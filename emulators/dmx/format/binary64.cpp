#include "emulators/dmx/format/binary64.hpp"
#include "emulators/common/interface.hpp"
#include "emulators/dmx/format/joined.hpp"

#include <bit>

namespace mx::emulators::dmx {
namespace {

__extension__ using Uint128 = unsigned __int128;

int width_of(Uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
}

/// x * 2^exponent rounded to 53 bits, ties to even; `sticky` lies below the last bit of x.
struct Rounded {
  std::uint64_t significand;
  int exponent;
};

Rounded rounded(Uint128 x, int exponent, bool sticky) {
  const int shift = width_of(x) - 53;
  if (shift <= 0) return {static_cast<std::uint64_t>(x << -shift), exponent + shift};
  const Uint128 half = Uint128{1} << (shift - 1);
  const Uint128 rest = x & (2 * half - 1);
  auto kept = static_cast<std::uint64_t>(x >> shift);
  if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  if (kept >> 53 != 0) return {kept >> 1, exponent + shift + 1};
  return {kept, exponent + shift};
}

Rounded divided(std::uint64_t numerator, int exponent, std::uint64_t denominator) {
  const Uint128 wide = static_cast<Uint128>(numerator) << 70;
  return rounded(wide / denominator, exponent - 70, wide % denominator != 0);
}

std::string decimal(std::uint64_t digits, int behind_point) {
  std::string all = std::to_string(digits);
  const auto behind = static_cast<std::size_t>(behind_point);
  if (behind == 0) return all.append(".0");
  if (all.size() <= behind) all = std::string(behind + 1 - all.size(), '0').append(all);
  const std::string_view shown = all;
  return joined({shown.substr(0, all.size() - behind), ".", shown.substr(all.size() - behind)});
}

}  // namespace

Binary64 Binary64::ratio(std::uint64_t numerator, std::uint64_t denominator) {
  const auto [significand, exponent] = divided(numerator, 0, denominator);
  return {significand, exponent};
}

Binary64 Binary64::over(std::uint64_t denominator) const {
  const auto [significand, exponent] = divided(significand_, exponent_, denominator);
  return {significand, exponent};
}

Binary64 Binary64::operator+(const Binary64& other) const {
  const Binary64& big = exponent_ >= other.exponent_ ? *this : other;
  const Binary64& small = exponent_ >= other.exponent_ ? other : *this;
  const int gap = big.exponent_ - small.exponent_;
  // Beyond 60 places the smaller one is but a sticky bit.
  const int shown = gap < 60 ? gap : 60;
  const int lost = gap - shown;
  const Uint128 low = lost > 63 ? 0 : small.significand_ >> lost;
  const bool sticky = lost > 63 || (low << lost) != small.significand_;
  const auto [significand, exponent] = rounded(
      (static_cast<Uint128>(big.significand_) << shown) + low, big.exponent_ - shown, sticky);
  return {significand, exponent};
}

std::string Binary64::text() const {
  // More and more places behind the point, until the digits lie within half a unit in the last
  // place. Everything in units of 2^-73 and 5^places: exact.
  std::uint64_t five = 1;
  for (int places = 0; places <= 22; ++places, five *= 5) {
    const Uint128 value = static_cast<Uint128>(significand_) * five;
    // digits = value * 2^(exponent + places), rounded.
    const int shift = -(exponent_ + places);
    if (shift <= 0) {
      const auto digits = static_cast<std::uint64_t>(value << -shift);
      return decimal(digits, places);
    }
    if (shift > 120) continue;
    const Uint128 half = Uint128{1} << (shift - 1);
    const Uint128 digits = (value + half) >> shift;
    const Uint128 back = digits << shift;
    const Uint128 error = back > value ? back - value : value - back;
    if (2 * error < five && width_of(digits) < 64) {
      return decimal(static_cast<std::uint64_t>(digits), places);
    }
  }
  return {};
}

}  // namespace mx::emulators::dmx
