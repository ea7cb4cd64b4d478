// What mxgold expects of one conversion, as the words that a device leaves in its register.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/element/encode.hpp"

namespace mx::device {

using Code = std::uint64_t;

/// What no policy of mxgold says and no profile describes, as an H100 gives it. A device that does
/// otherwise is reported as a mismatch with the words it gave.
namespace seen {
/// NaN of either sign, quiet or signalling, in fp16 and bf16.
inline constexpr Code kNanOfHalves = 0x7FFF;
/// The same in the 32 bits of a tf32 register, of `cvt.rn` and `cvt.rz`. `cvt.rna` cuts a NaN, so
/// that one whose payload lies in the lowest 13 bits is Inf; `cvt.rna.satfinite` takes one from
/// what is cut, which makes Inf the largest number and that NaN as well.
inline constexpr Code kNanOfTf32Register = 0x7FFFE000;
/// Bits below a tf32 number in its register, which are 0.
inline constexpr int kBitsBelowTf32 = 13;
/// `.relu`: every number whose result has a sign, -0 and -Inf included, gives +0; a NaN of either
/// sign gives the NaN that it gives without.
inline constexpr Code kReluOfNegative = 0;
}  // namespace seen

/// Numbers with a sign as they are, or `.relu`.
enum class Clamp : std::uint8_t { kNone, kRelu };

/// The kinds of input that a difference is counted for.
enum class Kind : std::uint8_t { kNumber, kZero, kInfinity, kNan };
inline constexpr std::string_view kKinds[] = {"numbers", "zeros", "Inf", "NaN"};

class Rule {
 public:
  /// The default of a profile, or one of its variants, which must exist.
  static Rule of_profile(std::string_view profile, const ElementFormat& source,
                         const ElementFormat& destination, std::string_view variant = {});
  /// To fp16, bf16 or tf32, of which no profile speaks.
  static Rule wide(const ElementFormat& source, const ElementFormat& destination, Rounding rounding,
                   Overflow overflow = Overflow::kNoneInfOrNan);

  /// A rule that is not this one: ties go elsewhere, directed roundings to the nearest; exact
  /// conversions take a neighbouring code.
  [[nodiscard]] Rule wrong() const;

  [[nodiscard]] const ElementFormat& source() const { return config_.source; }
  [[nodiscard]] const ElementFormat& destination() const { return config_.destination; }
  [[nodiscard]] int source_digits() const { return (config_.source.bits + 3) / 4; }
  [[nodiscard]] int word_digits() const { return (word_bits() + 3) / 4; }
  [[nodiscard]] Kind kind(Code input) const;

  /// The words for some inputs.
  void answer(std::span<const Code> inputs, std::span<Code> words) const;
  /// The word under `.relu`, from the one without.
  [[nodiscard]] Code relu(Code input, Code word) const;
  /// Do two words hold the same number, and differ in bits that belong to none?
  [[nodiscard]] bool is_same_code(Code a, Code b) const { return a >> below_ == b >> below_; }

 private:
  [[nodiscard]] int word_bits() const { return config_.destination.bits + below_; }
  [[nodiscard]] bool is_nan(Code input) const;

  ConversionConfig config_;
  [[nodiscard]] Code word_of_nan(Code input) const;

  int below_ = 0;          ///< bits below the code in its word
  int payload_bit_ = -1;   ///< bit of a NaN that becomes its code's lowest
  bool is_exact_ = false;  ///< from a narrow format: rounding has no part in it
  Code flipped_ = 0;       ///< of the input, in a wrong rule
};

}  // namespace mx::device
