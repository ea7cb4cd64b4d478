// SPDX-License-Identifier: Apache-2.0
// Structural causes: what no policy says is found by name in a device that has it, and in no other.
// The devices here compute by themselves, in exact doubles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>

#include "golden/deviation/names.hpp"
#include "golden/structure/structure.hpp"
#include "sim/record/causes.hpp"
#include "tests/golden/set_kit.hpp"
#include "tests/sim/causes/record_kit.hpp"

namespace mx::sim::test::structure_test {
namespace {

using golden::Field;
using golden::RecordBatch;

/// |x| below 2^9 to E4M3: `rounded` makes an integer of quanta.
std::uint64_t to_e4m3(double x, const std::function<double(double quanta, int exponent)>& rounded) {
  const std::uint64_t sign = std::signbit(x) ? 0x80 : 0;
  const double magnitude = std::abs(x);
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), -6);
  const double units = rounded(std::ldexp(magnitude, 3 - exponent), exponent);
  // A carry into the next binade is the same number there.
  const auto code =
      static_cast<std::uint64_t>(units) + (static_cast<std::uint64_t>(exponent + 6) << 3);
  return sign | std::min<std::uint64_t>(code, 0x7E);
}

double to_even(double quanta) {
  const double whole = std::floor(quanta);
  const double rest = quanta - whole;
  const bool odd = std::fmod(whole, 2) != 0;
  return whole + ((rest > 0.5 || (rest == 0.5 && odd)) ? 1 : 0);
}

double guard_alone(double quanta) {
  const double whole = std::floor(quanta);
  const bool odd = std::fmod(whole, 2) != 0;
  return whole + (quanta - whole >= 0.5 && odd ? 1 : 0);
}

double value_of(std::uint64_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code));
}

bool is_special(std::uint64_t code) { return (code & 0x7F800000) == 0x7F800000; }

/// fp32 to E4M3 by the given way to round.
void convert(RecordBatch& batch, std::size_t i, const std::function<double(double, int)>& rounded) {
  const std::uint64_t source = batch.word(Field::kSource, i);
  if (is_special(source) || std::abs(value_of(source)) >= 480) return;
  batch.word(Field::kCode, i) = to_e4m3(value_of(source), rounded);
}

struct Device {
  const char* name;
  golden::Configuration configuration;
  /// Changes the right answer in record i.
  std::function<void(RecordBatch&, std::size_t)> change;
  const char* says;  ///< part of the cause
};

golden::Configuration e4m3() { return golden::conversion(formats::fp32, formats::e4m3fn); }

void swap_pairs(RecordBatch& batch, std::size_t i) {
  const auto codes = batch.of(Field::kCode, i).first(batch.elements(Field::kSource, i));
  for (std::size_t lane = 0; lane + 1 < codes.size(); lane += 2) {
    std::swap(codes[lane], codes[lane + 1]);
  }
}

/// |x| of E2M1, to the nearest, ties to even, saturating.
std::uint64_t to_e2m1(double x) {
  constexpr std::array kValues = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  const double magnitude = std::min(std::abs(x), kValues.back());
  std::uint64_t best = 0;
  for (std::uint64_t code = 1; code < kValues.size(); ++code) {
    const double now = std::abs(magnitude - kValues[best]);
    const double other = std::abs(magnitude - kValues[code]);
    if (other < now || (other == now && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(x) ? 8 : 0);
}

/// MXFP4 under the floor rule, with the maximum of the first half.
void under_first_half(RecordBatch& batch, std::size_t i) {
  const auto source = batch.of(Field::kSource, i).first(batch.elements(Field::kSource, i));
  if (std::ranges::any_of(source, is_special)) return;
  double most = 0;
  for (const std::uint64_t code : source.first(source.size() / 2)) {
    most = std::max(most, std::abs(value_of(code)));
  }
  const int scale = most == 0 ? -127 : std::max(std::ilogb(most) - 2, -127);
  batch.word(Field::kScale, i) = static_cast<std::uint64_t>(scale + 127);
  for (std::size_t lane = 0; lane < source.size(); ++lane) {
    batch.of(Field::kCode, i)[lane] = to_e2m1(std::ldexp(value_of(source[lane]), -scale));
  }
}

std::vector<Device> devices() {
  return {
      {"GuardAlone", e4m3(),
       [](RecordBatch& b, std::size_t i) {
         convert(b, i, [](double quanta, int) { return guard_alone(quanta); });
       },
       "sticky bits lost: rounding sees the guard bit alone"},
      {"StickyOfThreeBits", e4m3(),
       [](RecordBatch& b, std::size_t i) {
         convert(b, i, [](double quanta, int) { return to_even(std::floor(quanta * 8) / 8); });
       },
       "these inputs do not tell sticky_bits 2 from 3"},
      {"SourceBitsDropped", e4m3(),
       [](RecordBatch& b, std::size_t i) {
         const std::uint64_t source = b.word(Field::kSource, i);
         if (is_special(source) || std::abs(value_of(source)) >= 480) return;
         const double cut = value_of(source & ~std::uint64_t{0xFF});
         b.word(Field::kCode, i) = to_e4m3(cut, [](double q, int) { return to_even(q); });
       },
       // For the rounding that is the same.
       "sticky bits lost: rounding sees the first"},
      {"CarryLostAtBinadeEnd", e4m3(),
       [](RecordBatch& b, std::size_t i) {
         convert(b, i, [](double quanta, int exponent) {
           const double units = to_even(quanta);
           if (quanta < 8 || units != 16) return units;
           return exponent > 8 ? 0.0 : 8.0;
         });
       },
       "the carry into the exponent lost at a binade's end"},
      {"SubnormalsZeroed", e4m3(),
       [](RecordBatch& b, std::size_t i) {
         convert(b, i, [](double quanta, int) { return quanta < 8 ? 0.0 : to_even(quanta); });
       },
       "dst_ftz pre"},
      {"BeforeDenormalising", e4m3(),
       [](RecordBatch& b, std::size_t i) {
         convert(b, i, [](double quanta, int) {
           const int below = 3 - std::ilogb(quanta);
           if (below <= 0) return to_even(quanta);
           return to_even(std::ldexp(to_even(std::ldexp(quanta, below)), -below));
         });
       },
       "staging via_unbounded"},
      {"TwiceRounded", golden::conversion(formats::bf16, formats::e4m3fn),
       [](RecordBatch& b, std::size_t i) {
         const std::uint64_t source = b.word(Field::kSource, i) << 16;
         if (is_special(source) || std::abs(value_of(source)) >= 480) return;
         b.word(Field::kCode, i) = to_e4m3(
             value_of(source), [](double quanta, int) { return to_even(to_even(quanta * 4) / 4); });
       },
       "these inputs do not tell rounded_first 1_bits from 1_significant_bits, 2_bits"},
      {"BytesSwapped", golden::conversion(formats::fp32, formats::bf16),
       [](RecordBatch& b, std::size_t i) {
         std::uint64_t& code = b.word(Field::kCode, i);
         code = (code & 0xFF) << 8 | code >> 8;
       },
       "bytes of codes in the opposite order"},
      {"OtherBias", golden::conversion(formats::e4m3fn, formats::fp32),
       // FNUZ has twice the bias step: the same bits mean half the value; 80 is its one NaN.
       [](RecordBatch& b, std::size_t i) {
         const std::uint64_t source = b.word(Field::kSource, i);
         const std::uint64_t magnitude = source & 0x7F;
         double value = magnitude < 8 ? std::ldexp(static_cast<double>(magnitude), -10)
                                      : std::ldexp(8.0 + static_cast<double>(magnitude & 7),
                                                   static_cast<int>(magnitude >> 3) - 11);
         if ((source & 0x80) != 0) value = -value;
         b.word(Field::kCode, i) =
             source == 0x80 ? 0x7FC00000 : std::bit_cast<std::uint32_t>(static_cast<float>(value));
         b.word(Field::kFlags, i) = 0;
       },
       "source codes read as e4m3fnuz"},
      {"NibblesSwapped", golden::block(formats::fp32, "nvfp4"), swap_pairs,
       "codes exchanged with their neighbours, pair by pair"},
      {"LanesShifted", golden::block(formats::bf16, "mxfp8_e4m3"),
       [](RecordBatch& b, std::size_t i) {
         const auto codes = b.of(Field::kCode, i).first(b.elements(Field::kSource, i));
         std::rotate(codes.begin(), codes.begin() + 1, codes.end());
       },
       "codes taken from the next lane"},
      {"MaximumOfFirstHalf", golden::block(formats::fp32, "mxfp4"), under_first_half,
       "the maximum of the first half of the lanes alone"},
      {"ScaleOffByOne", golden::block(formats::fp32, "mxfp4"),
       [](RecordBatch& b, std::size_t i) {
         if (b.word(Field::kScale, i) < 0xFE) ++b.word(Field::kScale, i);
       },
       "scale off by +1"}};
}

golden::GoldenSet set_of(const Device& device) {
  return golden::golden_set({device.configuration}, golden::SuiteKind::kSmoke);
}

/// The device, for records of which `is_broken` says so.
RecordRun run_device(const golden::GoldenSet& set, const Device& device,
                     const std::function<bool(std::uint64_t source)>& is_broken) {
  const auto right = reference_under(set.header, set.header.configs);
  MadeDevice made([&](RecordBatch& batch, std::size_t i) {
    right(batch, i);
    if (is_broken(batch.of(Field::kSource, i)[0])) device.change(batch, i);
  });
  RecordRunOptions options;
  options.observed = golden::Observed::all_but({});
  return run_set(set, made, options);
}

/// Flags follow from codes in ways of their own: they are not compared.
std::vector<RecordMismatch> without_flags(std::vector<RecordMismatch> list) {
  for (RecordMismatch& each : list) each.open.flags = true;
  std::erase_if(list, [](const RecordMismatch& each) {
    const auto right = each.expected.of(Field::kCode, 0);
    const auto given = each.actual.of(Field::kCode, 0);
    return std::ranges::equal(right, given) &&
           (!each.expected.has(Field::kScale) ||
            each.expected.word(Field::kScale, 0) == each.actual.word(Field::kScale, 0));
  });
  return list;
}

std::vector<RecordMismatch> open_flags(std::vector<RecordMismatch> list) {
  for (RecordMismatch& each : list) each.open.flags = true;
  return list;
}

class StructuralCause : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static Device device() { return devices()[GetParam()]; }
};

TEST_P(StructuralCause, IsNamedInADeviceThatHasIt) {
  const Device device = this->device();
  const golden::GoldenSet set = set_of(device);
  const RecordRun run = run_device(set, device, [](std::uint64_t) { return true; });
  const auto wrong = without_flags(run.mismatches);
  ASSERT_FALSE(wrong.empty());
  const auto causes = record_causes(set.header, wrong, open_flags(run.right));
  ASSERT_FALSE(causes.empty());
  EXPECT_NE(causes[0].text.find(device.says), std::string::npos)
      << causes_text(causes, wrong.size(), "record");
  EXPECT_EQ(causes[0].count, wrong.size()) << causes_text(causes, wrong.size(), "record");
}

/// Control: where the device is right as often, right answers contradict the cause.
TEST_P(StructuralCause, IsNotNamedWhereRightAnswersContradictIt) {
  const Device device = this->device();
  const golden::GoldenSet set = set_of(device);
  const RecordRun run =
      run_device(set, device, [](std::uint64_t source) { return std::popcount(source) % 2 == 0; });
  const auto wrong = without_flags(run.mismatches);
  ASSERT_FALSE(wrong.empty());
  for (const Cause& cause : record_causes(set.header, wrong, open_flags(run.right))) {
    EXPECT_EQ(cause.text.find("as with"), std::string::npos) << cause.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, StructuralCause, testing::Range<std::size_t>(0, devices().size()),
                         [](const auto& test) { return devices()[test.param].name; });

/// A device with a policy of another kind is told that policy, and no structure.
TEST(StructuralCauses, AreNoOthersThanPoliciesWhereThesePass) {
  const golden::GoldenSet set = golden::golden_set({e4m3()}, golden::SuiteKind::kSmoke);
  for (const Rounding rounding :
       {Rounding::kTowardZero, Rounding::kTiesToAway, Rounding::kTowardPositive}) {
    MadeDevice device(reference_under(
        set.header, {golden::conversion(formats::fp32, formats::e4m3fn, rounding)}));
    const RecordRun run = run_set(set, device);
    const auto causes = record_causes(set.header, run.mismatches, run.right);
    ASSERT_EQ(causes.size(), 1U);
    EXPECT_TRUE(causes[0].text.starts_with("as with rounding ")) << causes[0].text;
    EXPECT_GT(causes[0].right, 8U);
  }
}

/// Every name of the table can be written in a waiver, and nothing else.
TEST(StructuralCauses, AreNamesOfWaivers) {
  for (const golden::Structure& each : golden::structures()) {
    const golden::Deviation deviation{std::string(each.name), "", each.value};
    EXPECT_EQ(golden::problem_of(deviation, golden::Operation::kBlock), "");
    EXPECT_EQ(golden::find_structure(each.name, each.value), &each) << each.name << each.value;
    golden::Deviation other = deviation;
    other.to += "?";
    EXPECT_NE(golden::problem_of(other, golden::Operation::kBlock), "");
  }
}

/// A device of records that takes the scale of the block before.
TEST(StructuralCauses, TheScaleOfTheNeighbor) {
  const golden::GoldenSet set =
      golden::golden_set({golden::block(formats::fp32, "mxfp4")}, golden::SuiteKind::kSmoke);
  const auto right = reference_under(set.header, set.header.configs);
  std::uint64_t before = 0xFF;
  MadeDevice device([&](RecordBatch& batch, std::size_t i) {
    right(batch, i);
    const std::uint64_t scale = std::exchange(before, batch.word(Field::kScale, i));
    if (scale == 0xFF || before == 0xFF) return;
    batch.word(Field::kScale, i) = scale;
    const auto source = batch.of(Field::kSource, i).first(batch.elements(Field::kSource, i));
    for (std::size_t lane = 0; lane < source.size(); ++lane) {
      const double value = value_of(source[lane]);
      batch.of(Field::kCode, i)[lane] = to_e2m1(std::ldexp(value, 127 - static_cast<int>(scale)));
    }
  });
  const RecordRun run = run_set(set, device);
  const auto wrong = without_flags(run.mismatches);
  ASSERT_FALSE(wrong.empty());
  const auto causes = record_causes(set.header, wrong, open_flags(run.right));
  ASSERT_FALSE(causes.empty());
  EXPECT_NE(causes[0].text.find("as scale_of_previous_block does"), std::string::npos)
      << causes_text(causes, wrong.size(), "record");
  EXPECT_EQ(causes[0].count, wrong.size());
}

/// A device without flags is told the option that leaves them out, and its other fault.
TEST(ConstantFields, AreToldFirst) {
  const golden::GoldenSet set =
      golden::golden_set({golden::block(formats::fp32, "mxfp4")}, golden::SuiteKind::kSmoke);
  const auto right = reference_under(set.header, set.header.configs);
  for (const bool has_fault : {false, true}) {
    MadeDevice device([&](RecordBatch& batch, std::size_t i) {
      right(batch, i);
      batch.word(Field::kFlags, i) = 0;
      if (has_fault) swap_pairs(batch, i);
    });
    const RecordRun run = run_set(set, device);
    const auto causes = record_causes(set.header, run.mismatches, run.right);
    ASSERT_EQ(causes.size(), has_fault ? 2U : 1U);
    EXPECT_TRUE(causes[0].text.starts_with("flags 00 in every answer")) << causes[0].text;
    EXPECT_NE(causes[0].text.find("--observe scale,code"), std::string::npos) << causes[0].text;
    if (has_fault) {
      EXPECT_NE(causes[1].text.find("exchanged with their neighbours"), std::string::npos);
    }
  }
}

/// A device that never sets one flag is told which.
TEST(ConstantFields, AFlagThatIsNeverSet) {
  const golden::GoldenSet set = golden::golden_set({e4m3()}, golden::SuiteKind::kSmoke);
  const auto right = reference_under(set.header, set.header.configs);
  MadeDevice device([&](RecordBatch& batch, std::size_t i) {
    right(batch, i);
    batch.word(Field::kFlags, i) &= ~std::uint64_t{1};
  });
  const RecordRun run = run_set(set, device);
  const auto causes = record_causes(set.header, run.mismatches, run.right);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_TRUE(causes[0].text.starts_with("as with flags 01 never set")) << causes[0].text;
  EXPECT_EQ(causes[0].waiver, R"("as": {"flags_missing": "01"})");
}

}  // namespace
}  // namespace mx::sim::test::structure_test
