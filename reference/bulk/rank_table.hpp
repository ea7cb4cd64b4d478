// A conversion of many elements as two tables. In one binade of the source the destination's
// quantum is constant, so that rounding is a shift, a decision and an addition that give the rank
// of the result: its place among the destination's magnitudes. What a rank becomes (a code, an
// overflow, a zero) and with which flags depends on sign, rank and exactness alone.
//
// Both tables are filled from the descriptor and the policy, whatever they are; the steps are those
// of encode_kernel.hpp. tests/reference compares the two.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/number/rounding.hpp"
#include "reference/policy/policy.hpp"

namespace mx::kernel {

/// One sign and one exponent field of the source.
struct SignBinade {
  std::uint32_t base = 0;        ///< outcome of kept bits 0
  std::uint32_t hidden = 0;      ///< what stands above the trailing significand
  std::uint32_t tiny_below = 0;  ///< trailing significands below this one are tiny
  std::uint8_t shift = 0;        ///< bits discarded, 1..63; 0: specials and binades of several
                                 ///< quanta, which the kernel converts
  std::uint8_t parity = 1;       ///< odd = (outcome & low bit) ^ next bit
  bool negative = false;         ///< the sign that rounding sees
  std::uint8_t near_normal = 0;  ///< stochastic: the random word decides whether a value is tiny
};

/// Code, flags and flags_if_tiny of a result.
struct RankResult {
  std::uint32_t packed = 0;
  [[nodiscard]] std::uint64_t code() const { return packed & 0xFF; }
  [[nodiscard]] std::uint8_t flags(bool tiny) const {
    return static_cast<std::uint8_t>(packed >> 8 |
                                     (packed >> 16 & -static_cast<std::uint32_t>(tiny)));
  }
};

class RankTable {
 public:
  /// Can the tables be made? The source is an IEEE layout of at most 24 bits of precision, the
  /// destination has at most 8 bits, nothing is staged, and results are not flushed by their
  /// unrounded value.
  [[nodiscard]] static bool applies(const ElementFormat& source, const ElementFormat& destination,
                                    const ElementPolicy& policy);

  /// The conversion of x * 2^-scale_exponent.
  RankTable(const ElementFormat& source, const ElementFormat& destination,
            const ElementPolicy& policy, int scale_exponent);

  /// What the loop reads, as a value so that stores cannot be taken to change it.
  struct View {
    const SignBinade* binades;
    const RankResult* outcomes;
    std::uint64_t binade_mask;
    std::uint64_t trailing_mask;
    int man_bits;
    int lift;
  };
  [[nodiscard]] View view() const {
    return {binades_.data(), outcomes_.data(), segment_mask_, trailing_mask_, man_bits_, lift_};
  }

 private:
  struct Maker;
  int man_bits_ = 0;
  int lift_ = 0;  ///< brings significands to 24 bits
  std::uint64_t segment_mask_ = 0;
  std::uint64_t trailing_mask_ = 0;
  std::vector<SignBinade> binades_;
  std::vector<RankResult> outcomes_;  ///< 2 * (base + kept) + inexact
};

/// The result of a code in a binade whose shift is not 0.
struct Converted {
  std::uint64_t code;
  std::uint8_t flags;
};
template <Rounding kRounding>
[[nodiscard]] inline Converted convert_in(const RankTable::View& view, const SignBinade& s,
                                          std::uint64_t source_code, int random_bits,
                                          std::uint32_t random) {
  const std::uint64_t trailing = source_code & view.trailing_mask;
  const std::uint64_t significand = (trailing | s.hidden) << view.lift;
  const std::uint64_t lower = s.base + (significand >> s.shift);
  const Discarded discarded{significand << (64 - s.shift), false};
  const bool odd = ((lower & s.parity & 1) ^ (s.parity >> 1)) != 0;
  const bool up = round_up(kRounding, s.negative, odd, discarded, random_bits, random);
  const std::uint64_t rank = lower + static_cast<std::uint64_t>(up);
  const RankResult out =
      view.outcomes[2 * rank + static_cast<std::uint64_t>(discarded.fraction != 0)];
  bool tiny = trailing < s.tiny_below;
  if constexpr (is_stochastic(kRounding)) {
    // One bit more is kept where the full precision reaches below the subnormals' quantum: not tiny
    // if that rounds to the smallest normal.
    const std::uint64_t finer = significand >> (s.shift - 1);
    const Discarded rest{significand << (65 - s.shift), false};
    const bool up_finer = round_up(kRounding, s.negative, false, rest, random_bits, random);
    const std::uint64_t carries =
        static_cast<std::uint64_t>(up_finer) & (((finer + 1) & finer) == 0);
    tiny = ((s.near_normal & ~carries) | static_cast<std::uint64_t>(tiny)) != 0;
  }
  return {out.code(), out.flags(tiny)};
}

}  // namespace mx::kernel
