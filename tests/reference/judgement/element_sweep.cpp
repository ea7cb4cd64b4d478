#include "tests/reference/judgement/element_sweep.hpp"

#include <algorithm>
#include <sstream>

namespace mx::oracle {

std::string describe(const ConversionConfig& conversion) {
  const ElementPolicy& p = conversion.policy;
  std::ostringstream out;
  out << conversion.source.name << "->" << conversion.destination.name << ' '
      << token_of(p.rounding);
  if (is_stochastic(p.rounding)) out << " N=" << p.random_bits;
  out << ' ' << token_of(p.overflow) << " nan=" << token_of(p.nan)
      << " zero=" << token_of(p.zero_sign) << " unsigned=" << token_of(p.unsigned_negative)
      << " zero_in=" << token_of(p.zero_in) << " int_min=" << token_of(p.int_min)
      << " src_ftz=" << token_of(p.src_ftz) << " dst_ftz=" << token_of(p.dst_ftz)
      << " tininess=" << token_of(p.tininess) << " staging=" << token_of(p.staging);
  return out.str();
}

std::string describe_mismatch(const ConversionConfig& conversion, std::uint64_t code,
                              std::uint32_t random, const Encoded& got, const Outcome& want) {
  std::ostringstream out;
  out << describe(conversion) << ": input " << hex(code, conversion.source.bits / 4);
  if (is_stochastic(conversion.policy.rounding)) out << " R=" << random;
  out << ": got " << hex(got.code) << " flags " << hex(got.flags) << ", oracle " << hex(want.code)
      << " flags " << hex(want.flags);
  return out.str();
}

std::vector<std::uint32_t> random_words(Rounding rounding, const Position& gap, int random_bits,
                                        std::uint32_t sample) {
  if (!is_stochastic(rounding)) return {0};
  // The set of R that goes up is an up-set: find its least member by bisection.
  std::uint64_t below = 0;
  std::uint64_t top = std::uint64_t{1} << random_bits;  // 2^N: no R goes up
  while (below < top) {
    const std::uint64_t middle = (below + top) / 2;
    if (goes_up(rounding, false, gap, random_bits, static_cast<std::uint32_t>(middle))) {
      top = middle;
    } else {
      below = middle + 1;
    }
  }
  const std::uint64_t limit = std::uint64_t{1} << random_bits;
  std::vector<std::uint32_t> words = {sample};
  if (top < limit) words.push_back(static_cast<std::uint32_t>(top));
  if (top > 0) words.push_back(static_cast<std::uint32_t>(top - 1));
  return words;
}

}  // namespace mx::oracle
