// Waivers by cause: a device that deviates in one thing is green, whatever the operation; with
// one wrong bit more it is red; a device that does so only now and then is no device that does so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "golden/deviation/names.hpp"
#include "golden/deviation/waiver_judge.hpp"
#include "sim/block/fault.hpp"
#include "sim/causes/causes.hpp"
#include "sim/judge/block_record.hpp"
#include "sim/record/causes.hpp"
#include "tests/golden/set_kit.hpp"
#include "tests/sim/causes/record_kit.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim::test {
namespace {

using golden::Configuration;
using golden::Deviation;
using golden::Field;
using golden::RecordBatch;
using golden::VectorHeader;

/// What is wrong with a device besides.
struct Flaw {
  std::uint64_t flipped = ~std::uint64_t{0};     ///< one bit of this record
  std::uint64_t right_from = ~std::uint64_t{0};  ///< from this record on it is right
};

/// The reference under another configuration, with a flaw.
MadeDevice::Answer flawed(const VectorHeader& header, const Configuration& configuration,
                          const Flaw& flaw) {
  const MadeDevice::Answer wrong = reference_under(header, {configuration});
  const MadeDevice::Answer right = reference_under(header, header.configs);
  return
      [wrong, right, flaw, number = std::uint64_t{0}](RecordBatch& batch, std::size_t i) mutable {
        (number < flaw.right_from ? wrong : right)(batch, i);
        // A bit that is compared, whatever the answer, and that makes no wrong answer right.
        if (number++ != flaw.flipped) return;
        if (batch.has(Field::kFlags)) batch.word(Field::kFlags, i) ^= 0x40;
        if (!batch.has(Field::kFlags)) batch.of(Field::kCode, i)[0] ^= 2;
      };
}

RecordRun run_waived(const golden::GoldenSet& set, MadeDevice::Answer answer,
                     const std::vector<golden::Waiver>& waivers) {
  RecordRunOptions options;
  options.waivers = golden::Waivers(waivers, set.header, "2020-01-01", golden::waiver_judge());
  MadeDevice device(std::move(answer));
  return run_set(set, device, options);
}

golden::Waiver waiver_as(const VectorHeader& header, std::vector<Deviation> changes) {
  golden::Waiver waiver;
  waiver.id = "W";
  waiver.expires = "2999-01-01";
  waiver.op = header.op;
  waiver.as = std::move(changes);
  return waiver;
}

/// Property: every changed policy is waived by its own name, in every operation that has policies,
/// and nothing else is. One more wrong bit is a mismatch, in the first record that was waived too;
/// a device that is right in some records that the cause would make wrong contradicts it.
TEST(CauseWaivers, CoverOnePolicyAndNothingElse) {
  const std::vector<Configuration> bases = {
      golden::conversion(formats::fp32, formats::e4m3fn),
      golden::conversion(formats::fp16, formats::int8),
      golden::block(formats::fp32, "nvfp4"),
      golden::block(formats::bf16, "mxfp8_e5m2"),
      golden::arith(ArithmeticOperation::kMultiply, formats::fp16),
      golden::dequantize("mxfp8_e5m2", formats::fp32)};
  std::size_t waived = 0, contradicted = 0;
  for (const Configuration& base : bases) {
    const golden::GoldenSet set = golden::golden_set({base}, golden::SuiteKind::kSmoke);
    for (const PolicyField& field : policy_fields()) {
      for (const std::string_view value : field.values()) {
        const auto other = with_policy(base, field, value);
        if (!other) continue;
        const auto device = [&](const Flaw& flaw) { return flawed(set.header, *other, flaw); };
        const RecordRun plain = run_waived(set, device({}), {});
        if (plain.verdict.mismatches == 0 || plain.verdict.mismatches == plain.verdict.vectors) {
          continue;
        }
        const std::string what = fmt::format("{}: {} {}", set.header.set_id(), field.name, value);
        const std::vector waiver = {
            waiver_as(set.header, {{std::string(field.name), "", std::string(value)}})};
        ASSERT_EQ(golden::problem_of(waiver[0].as[0], set.header.op), "") << what;
        const RecordRun run = run_waived(set, device({}), waiver);
        EXPECT_EQ(run.exit_code(), 0) << what << run.waivers.text();
        EXPECT_EQ(run.waivers.uses()[0].records, plain.verdict.mismatches) << what;
        EXPECT_EQ(run.waivers.uses()[0].against, 0U) << what;
        ++waived;
        for (const std::uint64_t at : {plain.mismatches[0].number, set.header.count - 1}) {
          const RecordRun more = run_waived(set, device({.flipped = at}), waiver);
          EXPECT_EQ(more.exit_code(), 1) << what << ", and record " << at;
          EXPECT_EQ(more.verdict.mismatches, 1U) << what << ", and record " << at;
        }
        // Right from the second wrong one on.
        if (plain.verdict.mismatches < 2) continue;
        const std::uint64_t second = plain.mismatches[1].number;
        const RecordRun sometimes = run_waived(set, device({.right_from = second}), waiver);
        EXPECT_EQ(sometimes.verdict.mismatches, 0U) << what;
        EXPECT_EQ(sometimes.exit_code(), 1) << what << sometimes.waivers.text();
        EXPECT_EQ(sometimes.waivers.uses()[0].first_against, second) << what;
        ++contradicted;
      }
    }
  }
  EXPECT_GT(waived, 60U);
  EXPECT_GT(contradicted, 60U);
}

/// Property: what the verdict prints of a cause waives all that the cause explains.
TEST(CauseWaivers, AreWhatTheVerdictPrints) {
  std::size_t printed = 0;
  for (const Configuration& base : {golden::conversion(formats::fp32, formats::e4m3fn),
                                    golden::block(formats::bf16, "mxfp8_e5m2"),
                                    golden::dequantize("mxfp8_e5m2", formats::fp32)}) {
    const golden::GoldenSet set = golden::golden_set({base}, golden::SuiteKind::kSmoke);
    for (const PolicyField& field : policy_fields()) {
      for (const std::string_view value : field.values()) {
        const auto other = with_policy(base, field, value);
        if (!other) continue;
        const MadeDevice::Answer device = reference_under(set.header, {*other});
        const RecordRun run = run_waived(set, device, {});
        std::vector<golden::Waiver> waivers;
        for (const Cause& cause : record_causes(set.header, run.mismatches, run.right)) {
          if (cause.waiver.empty()) continue;
          EXPECT_EQ(golden::as_text(golden::in_short(cause.as, set.header.configs)), cause.waiver);
          waivers.push_back(waiver_as(set.header, cause.as));
        }
        if (waivers.empty()) continue;
        ++printed;
        const RecordRun again = run_waived(set, device, waivers);
        std::uint64_t left = 0;
        for (const RecordMismatch& m : run.mismatches) {
          left += static_cast<std::uint64_t>(
              std::ranges::count(again.mismatches, m.number, &RecordMismatch::number));
        }
        EXPECT_EQ(left, 0U) << set.header.set_id() << ' ' << field.name << ' ' << value;
      }
    }
  }
  EXPECT_GT(printed, 30U);
}

/// What a device does to right answers.
struct MadeDeviation {
  std::vector<Deviation> changes;
  void (*make)(RecordBatch& batch, std::size_t i);
};

MadeDevice::Answer right_but(const VectorHeader& header, MadeDevice::Answer make) {
  return
      [right = reference_under(header, header.configs), make](RecordBatch& batch, std::size_t i) {
        right(batch, i);
        make(batch, i);
      };
}

/// Property: what no policy says has a name, too, which a cause prints and a waiver takes.
TEST(CauseWaivers, CoverWhatIsNoPolicy) {
  const std::vector<MadeDeviation> deviations = {
      {{{"scale_codes", "FF", "FE"}},
       [](RecordBatch& b, std::size_t i) {
         if (b.word(Field::kScale, i) == 0xFF) b.word(Field::kScale, i) = 0xFE;
       }},
      {{{"shown_scale_offset", "", "3"}},
       [](RecordBatch& b, std::size_t i) { b.word(Field::kScale, i) += 3; }},
      {{{"flags_missing", "", "08"}},
       [](RecordBatch& b, std::size_t i) { b.word(Field::kFlags, i) &= ~std::uint64_t{8}; }},
      {{{"flags_set", "", "40"}},
       [](RecordBatch& b, std::size_t i) { b.word(Field::kFlags, i) |= 0x40; }},
      {{{"codes", "7B", "7A"}}, [](RecordBatch& b, std::size_t i) {
         std::ranges::replace(b.of(Field::kCode, i), std::uint64_t{0x7B}, std::uint64_t{0x7A});
       }}};
  const golden::GoldenSet set =
      golden::golden_set({golden::block(formats::fp32, "mxfp8_e5m2")}, golden::SuiteKind::kSmoke);
  for (const MadeDeviation& deviation : deviations) {
    const MadeDevice::Answer device = right_but(set.header, deviation.make);
    const RecordRun plain = run_waived(set, device, {});
    const std::string text = golden::as_text(deviation.changes);
    ASSERT_GT(plain.verdict.mismatches, 0U) << text;
    const std::vector<Cause> causes = record_causes(set.header, plain.mismatches, plain.right);
    EXPECT_EQ(causes[0].waiver, text) << causes_text(causes, 0, "record");
    const RecordRun run = run_waived(set, device, {waiver_as(set.header, deviation.changes)});
    EXPECT_EQ(run.exit_code(), 0) << text << run.waivers.text();
    EXPECT_EQ(run.waivers.uses()[0].records, plain.verdict.mismatches) << text;
    for (const MadeDeviation& other : deviations) {
      if (&other == &deviation) continue;
      const RecordRun wrong = run_waived(set, device, {waiver_as(set.header, other.changes)});
      EXPECT_EQ(wrong.exit_code(), 1) << text << " as " << golden::as_text(other.changes);
    }
  }
}

/// A scale three too high, and what belongs to it: by arithmetic of the test's own.
TEST(CauseWaivers, CoverAScaleThatIsMoved) {
  const Configuration base = golden::block(formats::fp32, "mxfp4");
  const golden::GoldenSet set = golden::golden_set({base}, golden::SuiteKind::kSmoke);
  const MadeDevice::Answer device = right_but(set.header, [](RecordBatch& b, std::size_t i) {
    const std::uint64_t scale = b.word(Field::kScale, i);
    if (scale >= 0xFE) return;
    const int moved = std::min(static_cast<int>(scale) + 3, 0xFE);
    b.word(Field::kScale, i) = static_cast<std::uint64_t>(moved);
    std::uint64_t flags = b.word(Field::kFlags, i) & 0x0F;
    const auto encoder = Conversion::make({.source = formats::fp64,
                                           .destination = formats::e2m1fn,
                                           .policy = {.overflow = Overflow::kSatFinite}});
    for (std::size_t lane = 0; lane < b.lanes(Field::kSource); ++lane) {
      const auto code = static_cast<std::uint32_t>(b.of(Field::kSource, i)[lane]);
      const double x = std::bit_cast<float>(code);
      const double scaled = std::ldexp(x, 127 - moved);
      const Encoded element = encoder.value()(std::bit_cast<std::uint64_t>(scaled), 0);
      b.of(Field::kCode, i)[lane] = element.code;
      if ((element.flags & kFlagToZero) != 0) flags |= 0x10;
      if ((element.flags & kFlagOverflow) != 0) flags |= 0x20;
    }
    b.word(Field::kFlags, i) = flags;
  });
  const RecordRun plain = run_waived(set, device, {});
  ASSERT_GT(plain.verdict.mismatches, 100U);
  const std::vector<Cause> causes = record_causes(set.header, plain.mismatches, plain.right);
  EXPECT_TRUE(std::ranges::any_of(causes, [](const Cause& cause) {
    return cause.waiver == "\"as\": {\"scale_offset\": 3}";
  })) << causes_text(causes, 0, "record");
  const RecordRun run =
      run_waived(set, device, {waiver_as(set.header, {{"scale_offset", "", "3"}})});
  EXPECT_EQ(run.exit_code(), 0) << run.waivers.text();
}

/// Property: on streams, what the verdict prints of a fault of the list waives all of it.
TEST(CauseWaivers, CoverDefectsOfStreams) {
  for (const char* token : {"ties_to_away_for_even", "sources_flushed", "inf_bit_missing"}) {
    const Fault& fault = *find_fault(token);
    RunOptions options;
    options.keep_mismatches = 64;
    const RunResult result = run(smoke(), reference_with(&fault), options);
    const std::vector<Cause> causes = causes_of(result.mismatches, result.right, result.configs);
    const golden::VectorHeader header = block_header(result.configs);
    std::vector<golden::Waiver> waivers;
    for (const Cause& cause : causes) {
      EXPECT_FALSE(cause.waiver.empty()) << cause.text;
      waivers.push_back(waiver_as(header, cause.as));
    }
    options.waivers = golden::Waivers(waivers, header, "2020-01-01", golden::waiver_judge());
    const RunResult again = run(smoke(), reference_with(&fault), options);
    EXPECT_EQ(again.exit_code(), 0) << fault.token << again.waivers.text();
    EXPECT_GE(again.waivers.uses()[0].records, result.mismatches.size()) << fault.token;
  }
}

}  // namespace
}  // namespace mx::sim::test
