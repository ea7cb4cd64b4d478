// Builds one dot product from exponents: the words that the classes of stimuli are written in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/device/accumulators/random.hpp"
#include "tests/device/matrix/instructions.hpp"

namespace mx::probe {

/// What follows the leading one of a number.
enum class Fraction : std::uint8_t { kRandom, kZero };

inline constexpr int kPlus = 0;
inline constexpr int kMinus = 1;

class DotMaker {
 public:
  DotMaker(const Instruction& instruction, std::uint64_t key)
      : random(key),
        a(static_cast<std::size_t>(instruction.k)),
        b(static_cast<std::size_t>(instruction.k)),
        it_(instruction),
        low_bits_(random.one_in(2)) {}

  Random random;
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::uint32_t c = 0;

  int k() const { return it_.k; }
  const Format& output() const { return it_.output; }
  const Format& format_a() const { return it_.a; }
  const Format& format_b() const { return it_.b; }
  bool writes_fp16() const { return it_.output.exponent_bits == 5; }
  /// Are the inputs as wide as fp32? Then products leave the range of the result at both ends.
  bool is_wide() const { return it_.a.exponent_bits == 8; }
  int lowest_product() const { return it_.a.lowest() + it_.b.lowest(); }
  int highest_product() const { return it_.a.emax() + it_.b.emax(); }
  int sign() { return random.below(2); }
  int lane() { return random.below(it_.k); }

  /// A code of about 2^exponent, brought into the range; below emin subnormal, its last bits cut.
  std::uint32_t code(const Format& format, int sign, int exponent, Fraction fraction) {
    exponent = std::clamp(exponent, format.lowest(), format.emax());
    const int stored = format.fraction_bits;
    std::uint32_t significand = 1u << stored;
    if (fraction == Fraction::kRandom) significand |= random.word() >> (32 - stored);
    const std::uint32_t dropped = (1u << (stored - format.kept_bits)) - 1;
    if (!low_bits_ || fraction == Fraction::kZero) significand &= ~dropped;
    if (exponent < format.emin()) {
      significand >>= format.emin() - exponent;
      exponent = format.emin();
    }
    std::uint32_t word =
        significand + (static_cast<std::uint32_t>(exponent - format.emin()) << stored);
    if (!format.has_inf && word == 0x7f) word = 0x7e;
    return word | sign_bit(format, sign);
  }
  std::uint32_t sign_bit(const Format& format, int sign) const {
    return static_cast<std::uint32_t>(sign) << (format.exponent_bits + format.fraction_bits);
  }

  void set_a(int at, std::uint32_t word) { a[static_cast<std::size_t>(at)] = word; }
  void set_b(int at, std::uint32_t word) { b[static_cast<std::size_t>(at)] = word; }

  /// Lane `at` gets a product whose factors' exponents add to `exponent`, brought into the range.
  void product(int at, int sign, int exponent, Fraction fraction) {
    exponent = std::clamp(exponent, lowest_product(), highest_product());
    const int low = std::max(it_.a.lowest(), exponent - it_.b.emax());
    const int high = std::min(it_.a.emax(), exponent - it_.b.lowest());
    const int of_a = random.between(low, high);
    const int sign_a = this->sign();
    set_a(at, code(it_.a, sign_a, of_a, fraction));
    set_b(at, code(it_.b, sign ^ sign_a, exponent - of_a, fraction));
  }
  void products(int low, int high) {
    for (int at = 0; at < k(); ++at) {
      product(at, sign(), random.between(low, high), Fraction::kRandom);
    }
  }
  /// Lane `to` becomes minus lane `from`.
  void negate(int from, int to) {
    set_a(to, a[static_cast<std::size_t>(from)] ^ sign_bit(it_.a, 1));
    set_b(to, b[static_cast<std::size_t>(from)]);
  }
  /// A zero of random sign times a finite number, which is zero too now and then.
  void zero_product(int at) {
    const std::uint32_t zero_a = sign_bit(it_.a, sign());
    const std::uint32_t zero_b = sign_bit(it_.b, sign());
    const int which = random.below(3);
    const int range_a = random.between(it_.a.lowest(), it_.a.emax());
    const int range_b = random.between(it_.b.lowest(), it_.b.emax());
    set_a(at, which == 1 ? code(it_.a, sign(), range_a, Fraction::kRandom) : zero_a);
    set_b(at, which == 2 ? code(it_.b, sign(), range_b, Fraction::kRandom) : zero_b);
  }
  void zero_products() {
    for (int at = 0; at < k(); ++at) zero_product(at);
  }

  void carry(int sign, int exponent, Fraction fraction) {
    c = code(it_.output, sign, exponent, fraction);
  }
  void zero_carry() { c = sign_bit(it_.output, sign()); }

 private:
  const Instruction& it_;
  bool low_bits_;  // tf32: does the word say more than the format?
};

}  // namespace mx::probe
