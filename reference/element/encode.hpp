// From a value to a code: the procedure of spec F8, for any descriptor.
#pragma once

#include <cstdint>
#include <span>

#include "reference/format/format.hpp"
#include "reference/number/rounding.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

struct Encoded {
  std::uint64_t code = 0;
  std::uint8_t flags = 0;  ///< OR of Flag
  constexpr bool operator==(const Encoded&) const = default;
};

/// Why a value became its code.
struct Trace {
  enum class Step : std::uint8_t {
    kNan,
    kInfinity,
    kZero,
    kUnsignedNegative,
    kRounded,
    kOverflowed,
    kFlushed
  };
  Step step = Step::kRounded;
  bool odd = false;         ///< parity of the lower candidate
  bool rounded_up = false;  ///< the decision of round_up
  Discarded discarded;      ///< what was cut off
  std::uint64_t lower = 0;  ///< magnitude code of the neighbour at or below |x|
  std::uint64_t upper = 0;  ///< magnitude code of the next neighbour (may exceed max_code)
  bool has_neighbours = false;
};

/// Rounds x once into `format`. Staging and source flushing are the caller's (see Conversion).
/// `random` is R of the stochastic modes, R < 2^policy.random_bits.
[[nodiscard]] Encoded encode(const Unpacked& x, const ElementFormat& format,
                             const ElementPolicy& policy, std::uint32_t random);

/// The same, and why.
[[nodiscard]] Encoded encode(const Unpacked& x, const ElementFormat& format,
                             const ElementPolicy& policy, std::uint32_t random, Trace& trace);

/// One element conversion: source code to destination code.
struct Conversion {
  ElementFormat source;
  ElementFormat destination;
  ElementPolicy policy;
  /// Only for destinations like e8m0: what other systems' casts do below 2^(emin + 1),
  /// spec F11.5.
  E8m0Quirk e8m0_quirk = E8m0Quirk::kNone;

  /// Decodes, flushes (src_ftz), stages (staging), encodes.
  [[nodiscard]] Encoded operator()(std::uint64_t source_code, std::uint32_t random = 0) const;
  [[nodiscard]] Encoded operator()(std::uint64_t source_code, std::uint32_t random,
                                   Trace& trace) const;
};

/// The value of a source code as the policy lets the conversion see it: decoded, subnormals flushed
/// if src_ftz says so, rounded to the staging format if there is one.
[[nodiscard]] Unpacked decode_source(const ElementFormat& source, const ElementPolicy& policy,
                                     std::uint64_t code);

}  // namespace mx
