#include "reference/arithmetic/remainder.hpp"

namespace mx {
namespace {

__extension__ using Uint128 = unsigned __int128;

std::uint64_t product_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  return static_cast<std::uint64_t>(static_cast<Uint128>(a) * b % modulus);
}

/// value * 2^exponent modulo `modulus`, in as many steps as the exponent has bits.
std::uint64_t shifted_modulo(std::uint64_t value, unsigned exponent, std::uint64_t modulus) {
  std::uint64_t result = value % modulus;
  for (std::uint64_t power = 2 % modulus; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = product_modulo(result, power, modulus);
    power = product_modulo(power, power, modulus);
  }
  return result;
}

/// a lies in the binade below that of b: the quotient is 0 or 1.
RealResult below_divisor(const Unpacked& a, const Unpacked& b) {
  // a = m * 2^k, b = 2n * 2^k: 1 is nearest where m is beyond n, and in a tie 0 is the even one.
  if (a.significand <= b.significand) return {a};
  const std::uint64_t rest = b.significand - (a.significand - b.significand);
  return {unpack_integer(!a.negative, rest, a.exponent - 63)};
}

}  // namespace

RealResult exact_remainder(const Unpacked& a, const Unpacked& b) {
  if (const auto nan = propagate_nan({&a, &b})) return *nan;
  if (a.cls == ValueClass::kInf || b.cls == ValueClass::kZero) return invalid_result();
  if (a.cls == ValueClass::kZero || b.cls == ValueClass::kInf) return {a};
  if (a.exponent < b.exponent - 1) return {a};
  if (a.exponent == b.exponent - 1) return below_divisor(a, b);
  // Significands of 63 bits; modulo twice the divisor the quotient's parity is left.
  const std::uint64_t divisor = b.significand >> 1;
  const std::uint64_t rest = shifted_modulo(
      a.significand >> 1, static_cast<unsigned>(a.exponent - b.exponent), 2 * divisor);
  const bool odd = rest >= divisor;
  const std::uint64_t below = odd ? rest - divisor : rest;  // of the quotient cut off
  const std::uint64_t above = divisor - below;              // to the next multiple
  const bool up = below > above || (below == above && odd);
  return {unpack_integer(a.negative != up, up ? above : below, b.exponent - 62)};
}

}  // namespace mx
