// Properties as sentences: a law in words, a generator aimed at bits, a seed that is printed, and
// classes of inputs that must have occurred. RapidCheck's own float and integer generators make no
// NaN, Inf, subnormal or -0 and few large values, so none of them is used.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

#include <cstdint>
#include <iostream>
#include <ostream>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {

/// Source patterns of one block, or of one value; shown in hexadecimal.
struct Patterns {
  std::vector<std::uint64_t> codes;
};

inline std::ostream& operator<<(std::ostream& out, const Patterns& patterns) {
  for (const std::uint64_t code : patterns.codes) out << hex(code, 8) << ' ';
  return out;
}

/// Smaller patterns of binary32: zero lanes, positive ones, fewer significand bits, exponents
/// closer to 2^0.
[[nodiscard]] inline rc::Seq<Patterns> shrink_fp32(const Patterns& patterns) {
  std::vector<Patterns> smaller;
  const auto offer = [&](std::size_t lane, std::uint64_t code) {
    if (code == patterns.codes[lane]) return;
    smaller.push_back(patterns);
    smaller.back().codes[lane] = code;
  };
  for (std::size_t lane = 0; lane < patterns.codes.size(); ++lane) {
    const std::uint64_t code = patterns.codes[lane];
    if (code == 0) continue;
    offer(lane, 0);
    offer(lane, code & 0x7FFFFFFF);
    const std::uint64_t lowest = code & (~code + 1);
    if ((code & 0x007FFFFF) != 0) offer(lane, code & ~lowest);
    const std::uint64_t field = code >> 23 & 0xFF;
    if (field > 127 && field < 255) offer(lane, code - (std::uint64_t{1} << 23));
    if (field < 127) offer(lane, code + (std::uint64_t{1} << 23));
  }
  return rc::seq::fromContainer(std::move(smaller));
}

/// A generator from a function of a Stream: the whole input comes from one lambda, which is what
/// makes it fast and uniform.
template <class Make>
[[nodiscard]] rc::Gen<Patterns> patterns_from(Make make) {
  const rc::Gen<Patterns> whole([make](const rc::Random& random, int) {
    rc::Random source(random);
    Stream stream(700, source.next());
    return rc::shrinkable::just(Patterns{make(stream)});
  });
  return rc::gen::shrink(rc::gen::noShrink(whole),
                         [](const Patterns& patterns) { return shrink_fp32(patterns); });
}

/// Searches `cases` inputs for a counterexample to a law.
template <class Property>
[[nodiscard]] rc::detail::TestResult search_law(const std::string& law, int cases,
                                                Property&& property) {
  rc::detail::TestMetadata metadata;
  metadata.id = law;
  metadata.description = law;
  rc::detail::TestParams params;
  params.seed = test_seed();
  params.maxSuccess = cases;
  // A listener of our own: the default one announces a seed of its own that plays no part here.
  rc::detail::TestListenerAdapter silent;
  return rc::detail::checkTestable(std::forward<Property>(property), metadata, params, silent,
                                   std::unordered_map<std::string, rc::detail::Reproduce>{});
}

/// Checks a law on `cases` inputs under MX_TEST_SEED.
template <class Property>
void expect_property(const std::string& law, int cases, Property&& property) {
  const auto result = search_law(law, cases, std::forward<Property>(property));
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>())
      << "law: " << law << '\n'
      << text.str() << "\nreproduce: " << reproduce_command();
  std::cout << "law: " << law << " (" << cases << " inputs, seed " << test_seed() << ")\n";
}

}  // namespace mx::oracle
