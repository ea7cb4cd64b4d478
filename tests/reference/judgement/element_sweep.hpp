// One comparison of element conversions with the oracle, used for the reference and, as its
// negative control, for deliberately wrong references.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "oracle/element/encode.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/element/encode.hpp"
#include "tests/support/made.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {

/// A conversion under judgement: source code and random word to code and flags.
using Convert = std::function<Encoded(std::uint64_t code, std::uint32_t random)>;
/// What is judged: makes the conversion of a configuration.
using Implementation = std::function<Convert(const ConversionConfig&)>;

/// The reference itself.
[[nodiscard]] inline Implementation reference_implementation() {
  return [](const ConversionConfig& config) -> Convert {
    return [conversion = made(config)](std::uint64_t code, std::uint32_t random) {
      return conversion(code, random);
    };
  };
}

/// The reference's array path, one element at a time.
[[nodiscard]] inline Implementation array_implementation() {
  return [](const ConversionConfig& config) -> Convert {
    return [conversion = made(config)](std::uint64_t code, std::uint32_t random) {
      std::uint64_t out = 0;
      std::uint8_t flags = 0;
      mx::bulk::convert(conversion, {&code, 1}, {&random, 1}, {&out, 1}, {&flags, 1});
      return Encoded{out, flags};
    };
  };
}

[[nodiscard]] inline std::vector<Rounding> all_roundings() {
  std::vector<Rounding> all;
  for (const Token<Rounding>& token : tokens<Rounding>()) all.push_back(token.value);
  return all;
}

[[nodiscard]] inline std::vector<Overflow> all_overflows() {
  std::vector<Overflow> all;
  for (const Token<Overflow>& token : tokens<Overflow>()) all.push_back(token.value);
  return all;
}

/// "bf16 -> e4m3fn ties_to_even sat_finite ..."
[[nodiscard]] std::string describe(const ConversionConfig& conversion);

/// One mismatch with everything needed to look at it.
[[nodiscard]] std::string describe_mismatch(const ConversionConfig& conversion, std::uint64_t code,
                                            std::uint32_t random, const Encoded& got,
                                            const Outcome& want);

/// The random words worth asking at one place: the smallest R that goes up, the one below it, and
/// a few others. Deterministic roundings need one.
[[nodiscard]] std::vector<std::uint32_t> random_words(Rounding rounding, const Position& gap,
                                                      int random_bits, std::uint32_t sample);

/// What to compare: every rounding with every overflow policy on top of `base`.
struct ElementSweep {
  ElementFormat source;
  ElementFormat destination;
  ElementPolicy base;
  std::vector<Rounding> roundings = all_roundings();
  std::vector<Overflow> overflows = all_overflows();
};

/// Compares every input under every configuration. The oracle places each input once; code and
/// flags of every policy are compared.
template <class Field>
void sweep_elements(const ElementSweep& sweep, std::span<const std::uint64_t> inputs,
                    const Implementation& implementation, Report& report) {
  const ElementOracle<Field> judge(sweep.destination);
  struct Configured {
    ConversionConfig conversion;
    Convert convert;
  };
  std::vector<std::vector<Configured>> by_rounding;
  for (const Rounding rounding : sweep.roundings) {
    std::vector<Configured>& list = by_rounding.emplace_back();
    for (const Overflow overflow : sweep.overflows) {
      ConversionConfig conversion{sweep.source, sweep.destination, sweep.base};
      conversion.policy.rounding = rounding;
      conversion.policy.overflow = overflow;
      list.push_back({conversion, implementation(conversion)});
    }
  }
  const int random_bits = sweep.base.random_bits;
  for (const std::uint64_t input : inputs) {
    const Real x = source_value(sweep.source, sweep.destination, sweep.base, input);
    const Placement place = judge.place(x, random_bits);
    // A sample word that depends on the input alone.
    const std::uint32_t sample =
        static_cast<std::uint32_t>((input * 0x9E3779B97F4A7C15) >> 32) >> (32 - random_bits);
    for (const std::vector<Configured>& list : by_rounding) {
      const Rounding rounding = list.front().conversion.policy.rounding;
      for (const std::uint32_t r : random_words(rounding, place.gap, random_bits, sample)) {
        for (const Configured& configured : list) {
          const Outcome want = judge.conclude(x, place, configured.conversion.policy, r);
          const Encoded got = configured.convert(input, r);
          report.check(got.code == want.code && got.flags == want.flags, [&] {
            return describe_mismatch(configured.conversion, input, r, got, want);
          });
        }
      }
    }
  }
}

}  // namespace mx::oracle
