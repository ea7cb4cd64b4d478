// The oracle's answer to "which code, which flags": spec F8 to F10, read off a
// Placement. Nothing here computes with numbers.
#pragma once

#include <cstdint>

#include "oracle/element/ladder.hpp"
#include "oracle/number/value.hpp"
#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::oracle {

struct Outcome {
  std::uint64_t code = 0;
  std::uint8_t flags = 0;  ///< OR of mx::Flag
  bool operator==(const Outcome&) const = default;
};

/// Does the magnitude go up? spec F9.1; R is the random word of the stochastic modes.
[[nodiscard]] bool goes_up(Rounding rounding, bool negative, const Position& gap, int random_bits,
                           std::uint32_t random);

/// The code and flags of x, whose magnitude lies at `place` on the ladder of `format`
/// (`place` is ignored for infinities and NaN).
[[nodiscard]] Outcome conclude(const ElementFormat& format, const LadderShape& shape, const Real& x,
                               const Placement& place, const ElementPolicy& policy,
                               std::uint32_t random);

/// One destination format with its ladder: build once, ask often.
template <class Field>
class ElementOracle {
 public:
  explicit ElementOracle(const ElementFormat& destination) : ladder_(destination) {}
  [[nodiscard]] const Ladder<Field>& ladder() const { return ladder_; }

  /// The policy-independent part of encode: cache it per input, conclude for each policy.
  [[nodiscard]] Placement place(const Real& x, int random_bits) const {
    return x.finite() ? ladder_.place(x, random_bits) : Placement{};
  }
  [[nodiscard]] Outcome conclude(const Real& x, const Placement& place, const ElementPolicy& policy,
                                 std::uint32_t random) const {
    return oracle::conclude(ladder_.format(), ladder_.shape(), x, place, policy, random);
  }
  [[nodiscard]] Outcome encode(const Real& x, const ElementPolicy& policy,
                               std::uint32_t random) const {
    const int bits = is_stochastic(policy.rounding) ? policy.random_bits : 0;
    return conclude(x, place(x, bits), policy, random);
  }

 private:
  Ladder<Field> ladder_;
};

/// The value of a source code, flushed (src_ftz): what a block sees of its elements.
[[nodiscard]] Real flushed_value(const ElementFormat& source, const ElementPolicy& policy,
                                 std::uint64_t code);
/// A value after the first rounding that `staging` asks for, if any (spec F9.5).
[[nodiscard]] Real staged(const Real& x, const ElementPolicy& policy,
                          const ElementFormat& destination);
/// Both: what a conversion sees of its source.
[[nodiscard]] Real source_value(const ElementFormat& source, const ElementFormat& destination,
                                const ElementPolicy& policy, std::uint64_t code);

}  // namespace mx::oracle
