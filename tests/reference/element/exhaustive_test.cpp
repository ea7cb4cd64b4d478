// All 2^32 FP32 inputs. The oracle finds each threshold of the thresholds by bisection and vouches
// for both ends of every binade (rounding is monotone, so it vouches for what lies between); the
// reference must give the binade's code on every single pattern.
// Label exhaustive: about a minute for each destination and rounding.
#include <gtest/gtest.h>

#include <iostream>
#include <numeric>

#include "reference/bulk/bulk.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle {
namespace {

constexpr std::uint64_t kInfinity = 0x7F800000;
constexpr std::uint64_t kChunk = 1 << 16;

struct Segment {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t code = 0;
};

/// The thresholds of the finite magnitudes of one sign.
std::vector<Segment> conversion_thresholds(const ElementOracle<TickField>& judge,
                                           const ElementPolicy& policy, std::uint64_t sign) {
  const auto code_at = [&](std::uint64_t u) {
    return judge.encode(value_of(formats::fp32, u | sign), policy, 0).code;
  };
  std::vector<Segment> binades;
  for (std::uint64_t first = 0; first < kInfinity;) {
    const std::uint64_t code = code_at(first);
    std::uint64_t inside = first;
    std::uint64_t outside = kInfinity;
    while (outside - inside > 1) {
      const std::uint64_t middle = inside + (outside - inside) / 2;
      (code_at(middle) == code ? inside : outside) = middle;
    }
    binades.push_back({first, inside, code});
    first = outside;
  }
  return binades;
}

struct Case {
  const char* destination;
  Rounding rounding;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.destination << ' ' << token_of(c.rounding);
}

class AllFp32 : public ::testing::TestWithParam<Case> {
 protected:
  const Conversion conversion_ = [] {
    ConversionConfig c{formats::fp32, *find_format(GetParam().destination), {}};
    c.policy.rounding = GetParam().rounding;
    c.policy.overflow = Overflow::kNoneInfOrNan;
    return made(c);
  }();
  std::uint64_t compared_ = 0;
  std::uint64_t wrong_ = 0;

  void expect_range(std::uint64_t first, std::uint64_t last, std::uint64_t code) {
    std::vector<std::uint64_t> in(kChunk);
    std::vector<std::uint64_t> out(kChunk);
    for (std::uint64_t at = first; at <= last; at += kChunk) {
      const std::uint64_t count = std::min(kChunk, last - at + 1);
      std::iota(in.begin(), in.end(), at);
      mx::bulk::convert(conversion_, std::span(in).first(count), {}, std::span(out).first(count),
                        {});
      for (std::uint64_t i = 0; i < count; ++i) {
        if (out[i] != code && ++wrong_ <= 5) {
          ADD_FAILURE() << describe(conversion_.config()) << ": input " << hex(in[i], 8) << ": got "
                        << hex(out[i]) << ", certificate " << hex(code);
        }
      }
      compared_ += count;
    }
  }
};

TEST_P(AllFp32, FollowsTheThresholds) {
  const ElementOracle<TickField> judge(conversion_.config().destination);
  std::uint64_t binades = 0;
  for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{0x80000000}}) {
    for (const Segment& binade : conversion_thresholds(judge, conversion_.config().policy, sign)) {
      expect_range(binade.first | sign, binade.last | sign, binade.code);
      ++binades;
    }
    const auto code_of = [&](std::uint64_t pattern) {
      return judge.encode(value_of(formats::fp32, pattern), conversion_.config().policy, 0).code;
    };
    expect_range(kInfinity | sign, kInfinity | sign, code_of(kInfinity | sign));
    expect_range((kInfinity + 1) | sign, 0x7FFFFFFF | sign, code_of((kInfinity + 1) | sign));
  }
  EXPECT_EQ(compared_, std::uint64_t{1} << 32);
  EXPECT_EQ(wrong_, 0U) << reproduce_command();
  EXPECT_GE(binades, 2 * conversion_.config().destination.max_code);
  std::cout << compared_ << " inputs, " << binades << " segments\n";
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* destination : {"e4m3fn", "e5m2", "e3m2fn", "e2m3fn", "e2m1fn", "int8"}) {
    for (const Token<Rounding>& rounding : tokens<Rounding>()) {
      if (!is_stochastic(rounding.value)) all.push_back({destination, rounding.value});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, AllFp32, ::testing::ValuesIn(cases()), [](const auto& param) {
  return std::string(param.param.destination) + "_" + std::string(token_of(param.param.rounding));
});

}  // namespace
}  // namespace mx::oracle
