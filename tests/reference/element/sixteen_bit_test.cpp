// BF16 and FP16 inputs (one in 16 by default, every one in `--all`), every destination, every
// rounding, every overflow policy: code and flags of the reference equal the exact-rational
// oracle's.
#include <gtest/gtest.h>

#include <iostream>
#include <numeric>

#include "reference/format/table.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/sample.hpp"

namespace mx::oracle {
namespace {

struct Pair {
  const ElementFormat* source;
  const ElementFormat* destination;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.source->name << " to " << pair.destination->name;
}

std::string name_of(const ::testing::TestParamInfo<Pair>& info) {
  return std::string(info.param.source->name) + "To" + std::string(info.param.destination->name);
}

/// Every row of the format table as a destination.
std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const char* source : {"bf16", "fp16"}) {
    for (const ElementFormat& destination : all_formats()) {
      all.push_back({find_format(source), &destination});
    }
  }
  return all;
}

class SixteenBitInputs : public ::testing::TestWithParam<Pair> {};

void sweep_all(const Pair& pair, const Implementation& implementation) {
  const ElementFormat* source = pair.source;
  const ElementFormat* destination = pair.destination;
  std::vector<std::uint64_t> inputs(65536);
  std::iota(inputs.begin(), inputs.end(), std::uint64_t{0});
  const auto row = static_cast<std::uint64_t>(destination - all_formats().data());
  inputs = test::one_in(16, inputs, row);

  ElementSweep sweep{*source, *destination, {}};
  sweep.base.random_bits = 8;
  Report report;
  // Sorted tables of rationals where they are small; wide destinations by bisection on integers.
  if (destination->bits <= 16) {
    sweep_elements<RationalField>(sweep, inputs, implementation, report);
  } else {
    sweep_elements<WideTickField>(sweep, inputs, implementation, report);
  }
  // Nine deterministic and four stochastic roundings with two or three words, six policies.
  EXPECT_GE(report.cases(), inputs.size() * (9 + 4 * 2) * 6);
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  std::cout << report.cases() << " comparisons\n";
}

TEST_P(SixteenBitInputs, EveryRoundingAndOverflowPolicy) {
  sweep_all(GetParam(), reference_implementation());
}

TEST_P(SixteenBitInputs, OnTheArrayPath) { sweep_all(GetParam(), array_implementation()); }

INSTANTIATE_TEST_SUITE_P(All, SixteenBitInputs, ::testing::ValuesIn(pairs()), name_of);

}  // namespace
}  // namespace mx::oracle
