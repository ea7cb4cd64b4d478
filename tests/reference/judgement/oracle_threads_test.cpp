// The oracle answers several threads at once as it answers one.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "oracle/element/real.hpp"
#include "reference/format/table.hpp"

namespace mx::oracle {
namespace {

/// The code of x / 7 in every format of at most eight bits, signed or not.
std::vector<std::uint64_t> codes() {
  std::vector<std::uint64_t> found;
  for (const ElementFormat& format : all_formats()) {
    if (format.bits > 8) continue;
    ElementFormat other = format;  // under the same name, so that one takes the other's place
    other.canonical_nan ^= 1;
    for (int numerator = 0; numerator < 20; ++numerator) {
      const Extended x = over(extended(Rational(numerator)), extended(Rational(7)));
      found.push_back(encode_extended(format, x, ElementPolicy{}, 0).code);
      found.push_back(encode_extended(other, x, ElementPolicy{}, 0).code);
    }
  }
  return found;
}

TEST(Oracle, AnswersThreadsAsItAnswersOne) {
  const std::vector<std::uint64_t> wanted = codes();
  ASSERT_GT(wanted.size(), 300U);
  std::vector<std::vector<std::uint64_t>> given(8);
  std::vector<std::thread> threads;
  for (auto& each : given) threads.emplace_back([&each] { each = codes(); });
  for (std::thread& each : threads) each.join();
  for (const auto& each : given) EXPECT_EQ(each, wanted);
}

}  // namespace
}  // namespace mx::oracle
