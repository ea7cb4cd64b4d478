// Causes of wrong blocks: every fault of the list is named with the clause that it breaks, two
// at once are two, and what nothing explains is said to be unknown.
#include <gtest/gtest.h>

#include "reference/policy/fields.hpp"
#include "sim/block/faulty_model.hpp"
#include "sim/causes/causes.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim::test {
namespace {

/// The causes that a run with such a device prints.
std::vector<Cause> causes_in(const RunResult& result) {
  return causes_of(result.mismatches, result.right, result.configs);
}

RunResult run_smoke(const DutFactory& make) {
  RunOptions options;
  options.keep_mismatches = 64;
  options.stop_after = 64;
  return run(smoke(), make, options);
}

class FaultCause : public testing::TestWithParam<std::string> {};

TEST_P(FaultCause, IsNamedWithItsClause) {
  const Fault* const fault = find_fault(GetParam());
  const RunResult result = run_smoke(reference_with(fault));
  ASSERT_FALSE(result.mismatches.empty());
  const std::vector<Cause> causes = causes_in(result);
  ASSERT_FALSE(causes.empty());
  EXPECT_NE(causes[0].text.find(fault->breaks), std::string::npos)
      << causes_text(causes, 0, "block");
  EXPECT_EQ(causes[0].count, result.mismatches.size()) << causes_text(causes, 0, "block");
  EXPECT_EQ(causes[0].first, result.mismatches[0].index);
}

std::vector<std::string> computing_faults() {
  std::vector<std::string> tokens;
  for (const Fault& fault : all_faults()) {
    if (fault.port == PortFault::kNone) tokens.emplace_back(fault.token);
  }
  return tokens;
}

INSTANTIATE_TEST_SUITE_P(Every, FaultCause, testing::ValuesIn(computing_faults()),
                         [](const auto& test) { return test.param; });

/// Wrong blocks of the smoke suite as `change` makes them.
struct Seen {
  std::vector<Mismatch> wrong, right;
};
template <typename Change>
Seen seen_with(Change change) {
  Seen seen;
  std::vector<BlockIn> blocks(4096);
  smoke().fill(0, blocks);
  ReferenceModel model(smoke().configs());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Mismatch m;
    m.index = i;
    m.block = blocks[i];
    model.answer(m.block, m.expected);
    m.actual = m.expected;
    change(m);
    std::vector<Mismatch>& list = m.actual == m.expected ? seen.right : seen.wrong;
    if (list.size() < 200) list.push_back(m);
  }
  return seen;
}

TEST(Causes, TwoDefectsAreTwoCauses) {
  FaultyModel tie(*find_fault("ties_to_away_for_even"), smoke().configs());
  FaultyModel zero(*find_fault("minus_zero_lost"), smoke().configs());
  const Seen seen = seen_with(
      [&](Mismatch& m) { (m.index % 2 == 0 ? tie : zero).answer(m.block, nullptr, m.actual); });
  const std::vector<Cause> causes = causes_of(seen.wrong, {}, smoke().configs());
  ASSERT_GE(causes.size(), 2U);
  const std::string both = causes[0].text + causes[1].text;
  EXPECT_NE(both.find("ties_to_away for ties_to_even"), std::string::npos) << both;
  EXPECT_NE(both.find("zero_sign flush_positive for keep"), std::string::npos) << both;
  EXPECT_EQ(causes[0].count + causes[1].count, seen.wrong.size());
}

/// Property: two policies at once in every block are one cause that names both.
TEST(Causes, TwoPoliciesAtOnceAreOneCause) {
  const auto both_changed = [](Mismatch& m) {
    QuantizerConfig config = config_at(smoke().configs(), m.block.config);
    if (config.element.rounding == Rounding::kTiesToEven) {
      config.element.rounding = Rounding::kTowardZero;
    }
    if (config.block.rule == ScaleRule::kFloor) config.block.rule = ScaleRule::kCeil;
    const Quantizer quantizer = Quantizer::make(config).value();
    std::array<std::uint64_t, kLanes> source;
    std::array<std::uint64_t, kLanes> codes;
    source_codes(m.block, config.source, source);
    make_answer(m.block, quantizer.quantize_block(source, m.block.random, codes), codes, m.actual);
  };
  const Seen seen = seen_with(both_changed);
  ASSERT_GT(seen.wrong.size(), 50U);
  const std::vector<Cause> causes = causes_of(seen.wrong, seen.right, smoke().configs());
  EXPECT_TRUE(
      causes[0].text.starts_with("as with rounding toward_zero for ties_to_even (spec F15) and "
                                 "rule ceil for floor (spec F15)"))
      << causes_text(causes, 0, "block");
  EXPECT_EQ(causes[0].count, seen.wrong.size());
}

/// Property: a policy that would change a right answer is no cause.
TEST(Causes, ARightAnswerRulesAPolicyOut) {
  FaultyModel tie(*find_fault("ties_to_away_for_even"), smoke().configs());
  Seen seen = seen_with([&](Mismatch& m) { tie.answer(m.block, nullptr, m.actual); });
  // Every fourth block that the policy would change is right.
  std::erase_if(seen.wrong, [&](Mismatch& m) {
    if (m.index % 4 != 0) return false;
    m.actual = m.expected;
    seen.right.push_back(m);
    return true;
  });
  ASSERT_FALSE(seen.wrong.empty());
  const auto names_it = [](const std::vector<Cause>& causes) {
    return causes[0].text.find("ties_to_away for ties_to_even") != std::string::npos;
  };
  EXPECT_TRUE(names_it(causes_of(seen.wrong, {}, smoke().configs())));
  EXPECT_FALSE(names_it(causes_of(seen.wrong, seen.right, smoke().configs())));
}

struct Difference {
  const char* name;
  void (*change)(Mismatch&);
  const char* says;
};

void PrintTo(const Difference& difference, std::ostream* out) { *out << difference.name; }

class DifferenceCause : public testing::TestWithParam<Difference> {};

TEST_P(DifferenceCause, IsSaid) {
  const Seen seen = seen_with(GetParam().change);
  ASSERT_GT(seen.wrong.size(), 20U);
  const std::vector<Cause> causes = causes_of(seen.wrong, seen.right, smoke().configs());
  EXPECT_NE(causes[0].text.find(GetParam().says), std::string::npos)
      << causes_text(causes, 0, "block");
}

INSTANTIATE_TEST_SUITE_P(
    All, DifferenceCause,
    testing::Values(Difference{"constant_offset",
                               [](Mismatch& m) {
                                 if (m.expected.scale() < 250) m.actual.status += 3;
                               },
                               "scale code off by +3; codes are those of the right scale"},
                    Difference{"status_bit", [](Mismatch& m) { m.actual.status |= 1 << 13; },
                               "only status bits: saturated set"},
                    Difference{"one_lane", [](Mismatch& m) { m.actual.codes[7] ^= 1; },
                               "only the code of lane 7"},
                    Difference{"keep", [](Mismatch& m) { m.actual.keep ^= 1; }, "keep or last"},
                    Difference{"noise",
                               [](Mismatch& m) {
                                 for (std::size_t i = 0; i < kLanes; ++i) {
                                   m.actual.codes[i] ^=
                                       static_cast<std::uint8_t>((m.index * 37 + i * 11) & 7);
                                 }
                               },
                               "no cause known"}),
    [](const auto& test) { return test.param.name; });

/// Property: what the device does not give is in no cause.
TEST(Causes, AreOfWhatIsObserved) {
  Seen seen = seen_with([](Mismatch& m) {
    m.open.observed = {.scale = false, .codes = true, .flags = false, .keep = false, .last = false};
    m.actual.codes[7] ^= 1;
    m.actual.keep ^= 0xFF;
    m.actual.status ^= 0xA5A5;
    m.actual.last = !m.actual.last;
  });
  const std::vector<Cause> causes = causes_of(seen.wrong, {}, smoke().configs());
  EXPECT_NE(causes[0].text.find("only the code of lane 7"), std::string::npos)
      << causes_text(causes, 0, "block");
}

/// Property: whatever the policies are, a wrong block has causes or none known; looking for them is
/// no error. Every value of every policy, beside the default of the others.
TEST(Causes, AreLookedForUnderEveryPolicy) {
  std::size_t tried = 0;
  for (const PolicyField& field : policy_fields()) {
    for (const std::string_view value : field.values()) {
      Policies policies;
      ASSERT_EQ(set_policy(policies, field.name, value), FieldError::kNone);
      const QuantizerConfig config{formats::fp32, *find_block_format("mxfp4"), policies.element,
                                   policies.block};
      if (!Quantizer::problem(config).empty()) continue;
      const Configurations configs = {{config, {}}};
      ReferenceModel model(configs);
      std::vector<Mismatch> wrong(3);
      for (Mismatch& m : wrong) {
        m.block.source[5] = 0x3F9ABCDE + static_cast<std::uint32_t>(&m - wrong.data());
        model.answer(m.block, m.expected);
        m.actual = m.expected;
        m.actual.codes[5] ^= 3;
      }
      EXPECT_FALSE(causes_of(wrong, {}, configs).empty()) << field.name << ' ' << value;
      ++tried;
    }
  }
  EXPECT_GT(tried, 60U);
}

TEST(Causes, OfNothingAreNone) {
  EXPECT_TRUE(causes_of({}, {}, smoke().configs()).empty());
  EXPECT_EQ(causes_text({}, 0, "block"), "");
}

}  // namespace
}  // namespace mx::sim::test
