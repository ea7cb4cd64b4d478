// The format descriptor: everything that is a fact about a number format, and what follows from it.
//
// A format is data. decode(), encode() and the oracle read these fields and nothing else; every
// derived quantity (largest value, sign bit, smallest exponent, ...) is computed, never typed
// twice. Source of the fields and of all rows: spec F3, F4 and F6.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <tuple>

namespace mx {

/// How the bits of a code carry a value.
enum class FormatKind : std::uint8_t {
  kFloat,           ///< sign, exponent field, trailing significand (exponent-only formats too)
  kTwosComplement,  ///< integer i in two's complement (or unsigned), value i * 2^-frac_bits
  kSignMagnitude,   ///< sign and integer magnitude, value +-m * 2^-frac_bits
  kTapered          ///< a variable-length exponent: HiF8, read through its own tables
};

/// Which zeros a format can represent.
enum class ZeroKind : std::uint8_t { kPosAndNeg, kPosOnly, kNone };

/// Which codes are infinities.
enum class InfKind : std::uint8_t {
  kNone,
  kIeeeTop,  ///< exponent field all ones, trailing significand zero
  kP3109Top  ///< the code below the top (unsigned), the top magnitude (signed)
};

/// Which codes are NaN.
enum class NanKind : std::uint8_t {
  kNone,
  kIeeeAll,          ///< exponent field all ones, trailing significand not zero
  kOuterOnePerSign,  ///< the all-ones magnitude of either sign (OFP8 E4M3)
  kNegZeroSlot,      ///< the code that would be -0
  kTopCode           ///< the all-ones code (unsigned formats)
};

/// Storage bits above the significant ones when a code is read.
enum class UnusedBits : std::uint8_t { kMustBeZero, kIgnored };

/// What "even" means at a tie: spec F9.3.
enum class Parity : std::uint8_t {
  kCodeLsb,     ///< least significant bit of the magnitude code of the lower candidate
  kImplicitOdd  ///< formats without stored significand bits: the hidden bit, so always odd
};

/// A number format. Element formats and scale formats use the same descriptor.
///
/// `bits` significant code bits sit in the low end of a `storage_bits` wide word; the unused high
/// bits are zero. Float kinds use exp_bits, man_bits and bias; fixed kinds use frac_bits.
struct ElementFormat {
  std::string_view name = {};
  int bits = 0;          ///< 1..64
  int storage_bits = 0;  ///< 8, 16, 32 or 64
  FormatKind kind = FormatKind::kFloat;
  bool is_signed = true;
  int exp_bits = 0;
  int man_bits = 0;  ///< stored significand bits; the precision is man_bits + 1
  int bias = 0;
  int frac_bits = 0;
  bool has_subnormal = true;
  ZeroKind zero = ZeroKind::kPosAndNeg;
  InfKind inf = InfKind::kNone;
  NanKind nan = NanKind::kNone;
  std::uint64_t max_code = 0;       ///< magnitude code of the largest finite value
  std::uint64_t canonical_nan = 0;  ///< meaningful when nan != kNone
  Parity parity = Parity::kCodeLsb;
  UnusedBits unused_bits = UnusedBits::kMustBeZero;

  /// All ones in the significant code bits.
  [[nodiscard]] constexpr std::uint64_t code_mask() const {
    return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }
  /// Does a word stand for a code: without bits above its width, unless those are ignored?
  [[nodiscard]] constexpr bool takes(std::uint64_t word) const {
    return (word & ~code_mask()) == 0 || unused_bits == UnusedBits::kIgnored;
  }
  /// The sign bit of a code, 0 where the format is unsigned.
  [[nodiscard]] constexpr std::uint64_t sign_bit() const {
    return is_signed ? std::uint64_t{1} << (bits - 1) : 0;
  }
  /// All ones in the magnitude part of a code.
  [[nodiscard]] constexpr std::uint64_t magnitude_mask() const {
    return is_signed ? sign_bit() - 1 : code_mask();
  }
  [[nodiscard]] constexpr std::uint64_t man_mask() const {
    return (std::uint64_t{1} << man_bits) - 1;
  }
  /// Exponent of the smallest normal value (the smallest value at all where there is no zero).
  [[nodiscard]] constexpr int emin() const { return zero == ZeroKind::kNone ? -bias : 1 - bias; }
  /// floor(log2(largest finite value)): 8 for e4m3fn, 2 for e2m1fn, 0 for int8.
  [[nodiscard]] constexpr int emax() const {
    if (is_fixed()) return static_cast<int>(std::bit_width(max_code)) - 1 - frac_bits;
    if (kind == FormatKind::kTapered) return 15;
    const std::uint64_t field = max_code >> man_bits;
    if (field == 0 && zero != ZeroKind::kNone) {  // the largest value is a subnormal
      return static_cast<int>(std::bit_width(max_code)) - man_bits - bias;
    }
    return static_cast<int>(field) - bias;
  }
  /// Number of significand bits below the leading one of the largest value: man_bits for floats,
  /// frac_bits + emax for fixed point (6 for int8). The even scale rules use it.
  [[nodiscard]] constexpr int rule_man_bits() const {
    return is_fixed() ? frac_bits + emax() : man_bits;
  }
  [[nodiscard]] constexpr bool is_fixed() const {
    return kind == FormatKind::kTwosComplement || kind == FormatKind::kSignMagnitude;
  }
  [[nodiscard]] constexpr bool has_nan() const { return nan != NanKind::kNone; }
  [[nodiscard]] constexpr bool has_inf() const { return inf != InfKind::kNone; }
  /// The magnitude code of +Inf; meaningful when inf != kNone.
  [[nodiscard]] constexpr std::uint64_t inf_code() const {
    if (kind == FormatKind::kTapered) return max_code + 1;
    if (inf == InfKind::kP3109Top) return is_signed ? magnitude_mask() : code_mask() - 1;
    return ((std::uint64_t{1} << exp_bits) - 1) << man_bits;
  }
  /// True where a NaN of either sign has its own code.
  [[nodiscard]] constexpr bool nan_has_sign() const {
    return nan == NanKind::kIeeeAll || nan == NanKind::kOuterOnePerSign;
  }
  /// Formats are equal if their facts are: a name is a label, whatever a user writes on it.
  constexpr bool operator==(const ElementFormat& other) const {
    const auto facts = [](const ElementFormat& f) {
      return std::tie(f.bits, f.storage_bits, f.kind, f.is_signed, f.exp_bits, f.man_bits, f.bias,
                      f.frac_bits, f.has_subnormal, f.zero, f.inf, f.nan, f.max_code,
                      f.canonical_nan, f.parity, f.unused_bits);
    };
    return facts(*this) == facts(other);
  }
};

using ScaleFormat = ElementFormat;

}  // namespace mx
