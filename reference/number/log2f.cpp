#include "reference/number/log2f.hpp"

#include <array>
#include <bit>
#include <cstdlib>

namespace mx::log2f {
namespace {

/// floor(ln 2 * 2^j) for j = -1 .. 10.
constexpr std::array kLn2 = {0, 0, 1, 2, 5, 11, 22, 44, 88, 177, 354, 709};
/// floor(2^p * (1 - 2^(-2^(j - p)))) for j = -1 .. 7: where p is so small that the curvature
/// counts.
constexpr std::array kBf16 = {0, 0, 1, 2, 5, 10, 21, 40, 74};
constexpr std::array kBinary16 = {0, 0, 1, 2, 5, 11};

constexpr int ln2_scaled(int j) {
  const int index = j + 1;
  return kLn2[static_cast<std::size_t>(index)];
}

/// 2^k for k = -149 .. 128; the last is the pattern of infinity, one past the largest number.
std::uint32_t power_pattern(int k) {
  return k >= -126 ? static_cast<std::uint32_t>(k + 127) << 23 : std::uint32_t{1} << (k + 149);
}

/// floor(log2 a).
int exponent_of(std::uint32_t a) {
  const auto field = static_cast<int>(a >> 23);
  return field != 0 ? field - 127 : static_cast<int>(std::bit_width(a)) - 1 - 149;
}

/// j with 2^j <= n < 2^(j+1), n >= 1.
int floor_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1; }
/// j with 2^j < n <= 2^(j+1), n >= 1; -1 for n = 1.
int below_log2(int n) { return n == 1 ? -1 : floor_log2(n - 1); }

/// N+(k): how many just above. The spacing there is that of the binade of 2^k itself.
int misread_above(int k) {
  if (k == 0) return 0;
  const int j = k > 0 ? floor_log2(k) : below_log2(-k);
  const int count = ln2_scaled(j < 0 ? -1 : j - 1);
  return k < -126 ? count >> (-126 - k) : count;
}

/// The fraction from which on a number 2^e (1 + fraction / 2^23) has a rounded logarithm of at
/// least e + 1/2: 2^23 (sqrt(2) 2^-h - 1), rounded up, where h is half the spacing of binary32
/// below e + 1/2: 2^(j - 24) for 2^j <= |e + 1/2| < 2^(j + 1), j = -1 .. 7. Adding one half is
/// exact but for e = 0, where 1/2 - 2^-25 becomes 1 and h therefore is 3 * 2^-26: the same first
/// fraction.
constexpr std::array<std::uint32_t, 9> kHalfWay = {0x3504F3, 0x3504F3, 0x3504F3, 0x3504F2, 0x3504F0,
                                                   0x3504EC, 0x3504E4, 0x3504D4, 0x3504B5};

std::uint32_t half_way(int e) {
  const int whole = e >= 0 ? e : -e - 1;  // floor |e + 1/2|
  return kHalfWay[static_cast<std::size_t>(whole == 0 ? 0 : floor_log2(whole) + 1)];
}

}  // namespace

int misread_below(const Type& type, int k) {
  if (k == 0) return 0;
  const auto index = static_cast<std::size_t>(k > 0 ? below_log2(k) : floor_log2(-k)) + 1;
  const int count = type.precision == 8    ? kBf16[index]
                    : type.precision == 11 ? kBinary16[index]
                                           : kLn2[index];
  return k <= type.emin ? count >> (type.emin + 1 - k) : count;
}

int floor_exponent(std::uint32_t a) {
  const int e = exponent_of(a);
  const auto distance = static_cast<int>(power_pattern(e + 1) - a);
  return distance <= misread_below({}, e + 1) ? e + 1 : e;
}

int ceil_exponent(std::uint32_t a) {
  const int e = exponent_of(a);
  const auto distance = static_cast<int>(a - power_pattern(e));
  return distance <= misread_above(e) ? e : e + 1;
}

int nearest_exponent(std::uint32_t a) {
  const int e = exponent_of(a);
  // The fraction as that of a normal number.
  const std::uint32_t significand = a < (1U << 23) ? a << (-126 - e) : a;
  return e + ((significand & 0x7FFFFF) >= half_way(e) ? 1 : 0);
}

}  // namespace mx::log2f
