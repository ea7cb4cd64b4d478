// Element policies with every field at random.
#pragma once

#include <span>
#include <vector>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {

/// One of the values of a policy.
template <typename E>
[[nodiscard]] E pick(Stream& stream) {
  const std::span<const Token<E>> all = tokens<E>();
  return all[stream.below(all.size())].value;
}

/// One of the roundings that take no random word.
[[nodiscard]] inline Rounding pick_deterministic(Stream& stream) {
  std::vector<Rounding> all;
  for (const Token<Rounding>& token : tokens<Rounding>()) {
    if (!is_stochastic(token.value)) all.push_back(token.value);
  }
  return all[stream.below(all.size())];
}

/// A rounding with every other field but the staging at random.
[[nodiscard]] inline ElementPolicy random_policy(Rounding rounding, Stream& stream) {
  ElementPolicy p;
  p.rounding = rounding;
  p.random_bits = 1 + static_cast<int>(stream.below(32));
  p.overflow = pick<Overflow>(stream);
  p.nan = pick<NanPolicy>(stream);
  p.zero_sign = pick<ZeroSign>(stream);
  p.unsigned_negative = pick<UnsignedNegative>(stream);
  p.zero_in = pick<ZeroIn>(stream);
  p.int_min = pick<IntMin>(stream);
  p.src_ftz = pick<SourceSubnormals>(stream);
  p.dst_ftz = pick<ResultSubnormals>(stream);
  p.tininess = pick<Tininess>(stream);
  return p;
}

/// Combinations that the specification does not define.
[[nodiscard]] inline bool undefined(const ElementFormat& destination, const ElementPolicy& p) {
  const bool wants_nan =
      p.unsigned_negative == UnsignedNegative::kToNan || p.zero_in == ZeroIn::kNan;
  if (destination.nan == NanKind::kNone && wants_nan) {
    return !destination.is_signed || destination.zero == ZeroKind::kNone;
  }
  // Flushing subnormals means nothing where field 0 is an ordinary binade.
  return destination.zero == ZeroKind::kNone && destination.man_bits > 0 &&
         p.dst_ftz != ResultSubnormals::kKeep;
}

}  // namespace mx::oracle
