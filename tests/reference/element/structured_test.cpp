// Structured FP32 and FP64 inputs: every threshold of the destination and its neighbours, every
// source exponent with walking bits, subnormals, specials and random bits. In `--all` more than
// 2^24 FP32 inputs in all, each under all nine deterministic roundings and one stochastic.
#include <gtest/gtest.h>

#include <iostream>

#include "reference/format/table.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

constexpr std::uint64_t kFp32InputsEach = 1'700'000;
constexpr std::uint64_t kChunk = 16384;

const std::vector<const char*>& destinations() {
  static const std::vector<const char*> all = {"e4m3fn", "e5m2", "e3m2fn", "e2m3fn", "e2m1fn",
                                               "int8",   "e8m0", "fp16",   "bf16",   "tf32"};
  return all;
}

/// Inputs in chunks; each chunk takes the next overflow policy, stochastic variant and N.
template <class Field>
void sweep_rotating(const ElementFormat& source, const ElementFormat& destination,
                    std::span<const std::uint64_t> inputs, const Implementation& implementation,
                    Report& report) {
  constexpr int kRandomBits[] = {1, 3, 8, 16, 23, 31, 32};
  const std::vector<Overflow> overflows = all_overflows();
  std::uint64_t chunk = 0;
  for (std::size_t at = 0; at < inputs.size(); at += kChunk, ++chunk) {
    ElementSweep sweep{source, destination, {}};
    sweep.base.random_bits = kRandomBits[chunk % std::size(kRandomBits)];
    sweep.base.int_min = chunk % 2 == 0 ? IntMin::kClampSymmetric : IntMin::kAllow;
    sweep.overflows = {overflows[chunk % overflows.size()]};
    const auto stochastic = static_cast<Rounding>(static_cast<int>(Rounding::kStochasticA) +
                                                  static_cast<int>(chunk % 4));
    std::erase_if(sweep.roundings, [&](Rounding r) { return is_stochastic(r) && r != stochastic; });
    const std::size_t count = std::min<std::size_t>(kChunk, inputs.size() - at);
    sweep_elements<Field>(sweep, inputs.subspan(at, count), implementation, report);
  }
}

class StructuredInputs : public ::testing::TestWithParam<const char*> {};
class StructuredThresholds : public ::testing::TestWithParam<const char*> {};

// Wider destinations have theirs in the rotating sweep.
TEST_P(StructuredThresholds, Fp32UnderEveryPolicy) {
  const ElementFormat& destination = *find_format(GetParam());
  const std::vector<std::uint64_t> inputs =
      threshold_patterns(formats::fp32, destination, /*divisions=*/4, /*reach=*/1);
  Report report;
  for (const int random_bits : {3, 16}) {
    if (random_bits == 16 && !test::runs_whole()) continue;
    ElementSweep sweep{formats::fp32, destination, {}};
    sweep.base.random_bits = random_bits;
    sweep_elements<TickField>(sweep, inputs, reference_implementation(), report);
    sweep_elements<TickField>(sweep, inputs, array_implementation(), report);
  }
  EXPECT_GE(inputs.size(), 16U * 3 * 7);
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

TEST_P(StructuredInputs, Fp32) {
  const ElementFormat& destination = *find_format(GetParam());
  std::vector<std::uint64_t> inputs = special_patterns(formats::fp32);
  for (const std::uint64_t c : exponent_patterns(formats::fp32)) inputs.push_back(c);
  if (destination.bits <= 16) {
    for (const std::uint64_t c :
         threshold_patterns(formats::fp32, destination, destination.bits <= 8 ? 3 : 1, 1)) {
      inputs.push_back(c);
    }
  }
  ASSERT_LT(inputs.size(), kFp32InputsEach);
  Stream stream(200);
  const std::size_t drawn = test::part(kFp32InputsEach - inputs.size(), 16);
  for (const std::uint64_t c : random_patterns(formats::fp32, destination, drawn, stream)) {
    inputs.push_back(c);
  }
  Report report;
  sweep_rotating<TickField>(formats::fp32, destination, inputs, reference_implementation(), report);
  static_assert(kFp32InputsEach * 10 > 1U << 24, "too few FP32 inputs in all");
  ASSERT_EQ(destinations().size(), 10U);
  EXPECT_GE(report.cases(), inputs.size() * 10);
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  std::cout << inputs.size() << " inputs, " << report.cases() << " comparisons\n";
}

TEST_P(StructuredInputs, Fp64) {
  const ElementFormat& destination = *find_format(GetParam());
  std::vector<std::uint64_t> inputs = special_patterns(formats::fp64);
  const std::vector<std::uint64_t> exponents = exponent_patterns(formats::fp64);
  for (std::size_t i = 0; i < exponents.size(); i += 31) inputs.push_back(exponents[i]);
  if (destination.bits <= 8) {
    for (const std::uint64_t c : threshold_patterns(formats::fp64, destination, 2, 1)) {
      inputs.push_back(c);
    }
  }
  Stream stream(201);
  for (const std::uint64_t c :
       random_patterns(formats::fp64, destination, test::part(30'000, 8), stream)) {
    inputs.push_back(c);
  }
  Report report;
  sweep_rotating<WideTickField>(formats::fp64, destination, inputs, reference_implementation(),
                                report);
  sweep_rotating<WideTickField>(formats::fp64, destination, inputs, array_implementation(), report);
  EXPECT_GE(report.cases(), test::part(500'000, 8));
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

std::string destination_name(const ::testing::TestParamInfo<const char*>& info) {
  return info.param;
}

INSTANTIATE_TEST_SUITE_P(All, StructuredInputs, ::testing::ValuesIn(destinations()),
                         destination_name);

INSTANTIATE_TEST_SUITE_P(All, StructuredThresholds,
                         ::testing::Values("e4m3fn", "e5m2", "e3m2fn", "e2m3fn", "e2m1fn", "int8",
                                           "e8m0"),
                         destination_name);

// The wide destinations from binary64, where most results are rounded ones.
TEST(WideDestinations, Fp64ToFp32AndFp64) {
  Stream stream(202);
  for (const ElementFormat& destination : {formats::fp32, formats::fp64}) {
    std::vector<std::uint64_t> inputs = special_patterns(formats::fp64);
    for (const std::uint64_t c :
         random_patterns(formats::fp64, destination, test::part(15'000, 8), stream)) {
      inputs.push_back(c);
    }
    for (const std::uint64_t c : special_patterns(formats::fp32)) {
      // Each fp32 corner, its fp64 neighbours and the midpoint above it.
      const Real x = value_of(formats::fp32, c);
      if (!x.finite() || x.negative) continue;
      const Ladder<WideTickField> ladder(formats::fp64);
      const std::uint64_t at =
          ladder.step_at_or_below(WideTickField::make(x.significand, x.exponent));
      const std::uint64_t ulp = std::uint64_t{1} << (52 - 23);
      for (const std::uint64_t near :
           {at, at + 1, at + ulp / 2, at + ulp / 2 + 1, at + ulp / 2 - 1}) {
        inputs.push_back(near);
        inputs.push_back(near | std::uint64_t{1} << 63);
      }
    }
    Report report;
    sweep_rotating<WideTickField>(formats::fp64, destination, inputs, reference_implementation(),
                                  report);
    EXPECT_EQ(report.exit_code(), 0) << report.text();
  }
}

}  // namespace
}  // namespace mx::oracle
