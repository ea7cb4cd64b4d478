// Sweeps: every word is compared, one wrong code is found and named, and receipts put together tell
// gaps, repetitions, contradictions and damage.
#include "cli/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "cli/base/error.hpp"
#include "cli/merge/merge_text.hpp"
#include "cli/sweep/cuda.hpp"
#include "cli/sweep/parts.hpp"
#include "cli/sweep/receipt.hpp"
#include "fast/cpu/targets.hpp"
#include "fast/cuda/stream.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/word_bytes.hpp"
#include "tests/cli/files/byte_builder.hpp"

namespace mx::cli::test::sweep_test {
namespace {

golden::Configuration conversion(const ElementFormat& source, const ElementFormat& to,
                                 Rounding rounding = Rounding::kTiesToEven) {
  ConversionConfig config{source, to, {}};
  config.policy.rounding = rounding;
  return {config, {}};
}

Sweep swept(const golden::Configuration& configuration, const SweepDevice& device,
            const SegmentRange& range) {
  std::uint64_t words = 0;
  const Sweep result =
      sweep(configuration, device, range, 2, [&](std::uint64_t done) { words += done; });
  EXPECT_EQ(words, result.compared + result.open_words());
  return result;
}

/// The reference, but that one word of the source gives another code.
SweepDevice wrong_at(const golden::Configuration& configuration, std::uint64_t word) {
  const SweepDevice right = sweep_device(configuration, backend::Choice::kReference);
  return {"wrong", [right, word](std::span<const std::byte> words, std::span<std::byte> codes) {
            const std::size_t size = words.size() / codes.size();
            bool fits = right.convert(words, codes);
            for (std::size_t i = 0; i < codes.size(); ++i) {
              if (load_word(words.data() + i * size, size) == word) codes[i] ^= std::byte{1};
            }
            return fits;
          }};
}

TEST(Sweep, ComparesEveryWordOfShortSources) {
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardNegative}) {
      const auto configuration = conversion(*source, formats::e4m3fn, rounding);
      const Sweep model =
          swept(configuration, sweep_device(configuration, backend::Choice::kReference), {0, 1});
      EXPECT_EQ(model.compared, 65536u);
      EXPECT_EQ(model.mismatches, 0u);
      EXPECT_TRUE(model.is_whole());
      if (fast::cpu_targets().empty()) continue;
      const Sweep fast =
          swept(configuration, sweep_device(configuration, backend::Choice::kCpu), {0, 1});
      EXPECT_EQ(fast.mismatches, 0u);
      EXPECT_EQ(fast.digests, model.digests);
    }
  }
}

// Negative control: one wrong code of 2^24.
TEST(Sweep, FindsOneWrongCode) {
  const auto configuration = conversion(formats::fp32, formats::e4m3fn);
  const std::uint64_t word = 0x3FA66667;
  const Sweep wrong = swept(configuration, wrong_at(configuration, word), {0x3F, 0x40});
  EXPECT_EQ(wrong.compared, kSegmentWords);
  EXPECT_EQ(wrong.mismatches, 1u);
  ASSERT_TRUE(wrong.first);
  EXPECT_EQ(wrong.first->word, word);
  EXPECT_EQ(wrong.first->code, wrong.first->expected ^ 1);
  EXPECT_FALSE(wrong.is_whole());
  const SweepDevice refuses{"mute", [](auto&&...) { return false; }};
  EXPECT_THROW(static_cast<void>(swept(configuration, refuses, {0, 1})), Error);
}

// The specification: a digest is that of the codes, also where it is taken of answers that they
// were found to be. Control: with one wrong code it is another.
TEST(Sweep, DigestsOfAnswersAreThoseOfCodes) {
  const auto configuration = conversion(formats::fp32, formats::e4m3fn);
  SweepDevice right = wrong_at(configuration, ~std::uint64_t{0});
  SweepDevice wrong = wrong_at(configuration, 0x3FA66667);
  const SegmentRange segments{0x3E, 0x40};
  const Sweep model = swept(configuration, right, segments);
  const Sweep other = swept(configuration, wrong, segments);
  for (SweepDevice* const device : {&right, &wrong}) device->digested = Digested::kAnswers;
  EXPECT_EQ(swept(configuration, right, segments).digests, model.digests);
  const Sweep seen = swept(configuration, wrong, segments);
  EXPECT_EQ(seen.mismatches, 1u);
  EXPECT_EQ(seen.compared, 2 * kSegmentWords);
  EXPECT_EQ(seen.digests, other.digests);
  EXPECT_NE(seen.digests, model.digests);
}

// The CUDA path's conversion compares by itself; its digests are those of codes.
TEST(Sweep, CudaArithmeticComparesByItself) {
  const CudaChoice general{.on_device = false, .encoder = fast::WordJudge::Encoder::kGeneral};
  std::uint64_t compared = 0;
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    for (const ElementFormat* to : {&formats::e4m3fn, &formats::e5m2, &formats::e3m2fn,
                                    &formats::e2m3fn, &formats::e2m1fn, &formats::int8}) {
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kToOdd}) {
        for (const std::uint8_t scale : {std::uint8_t{127}, std::uint8_t{120}}) {
          const auto configuration = conversion(*source, *to, rounding);
          const SweepSpace space{scale, SweptWords::kAll};
          ASSERT_EQ(cuda_problem(configuration, space), "");
          const Sweep model = swept(configuration, scaled_reference(configuration, space), {0, 1});
          for (const CudaChoice& choice : {CudaChoice{.on_device = false}, general}) {
            const SweepDevice device = cuda_device(configuration, space, choice);
            const Sweep own = swept(configuration, device, {0, 1});
            EXPECT_EQ(own.mismatches, 0u) << device.name << " " << to->name;
            EXPECT_EQ(own.digests, model.digests);
            compared += own.compared;
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, 96u * 65536);
}

// Negative controls: an answer that is wrong for one word of 2^24 is found, by the comparison and
// by the codes; a device that compares otherwise than it converts is told so.
TEST(Sweep, CudaComparisonFindsOneWrongCode) {
  const auto configuration = conversion(formats::fp32, formats::e4m3fn);
  const SweepDevice right = cuda_device(configuration, {}, {.on_device = false});
  const std::uint64_t word = 0x3FA66667;
  SweepDevice wrong = right;
  wrong.convert = wrong_at(configuration, word).convert;
  // What the comparison sees of a wrong word is what it sees of a wrong answer.
  std::uint64_t found = 0;
  wrong.judge = [&](const golden::ConversionThresholds& thresholds, std::uint64_t first,
                    std::uint64_t count, int threads) {
    golden::ConversionThresholds other = thresholds;
    auto& steps = other.finite[0];
    const std::uint8_t code = code_of(thresholds, word);
    const auto after = std::ranges::upper_bound(steps, word, {}, &golden::ThresholdStep::first);
    const golden::ThresholdStep back{static_cast<std::uint32_t>(word + 1), code};
    const golden::ThresholdStep there{static_cast<std::uint32_t>(word),
                                      static_cast<std::uint8_t>(code ^ 1)};
    steps.insert(steps.insert(after, back), there);
    auto verdicts = right.judge(other, first, count, threads);
    found = verdicts[0].mismatches;
    verdicts[0].code ^= 1;
    return verdicts;
  };
  const Sweep sweep = swept(configuration, wrong, {0x3F, 0x40});
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(sweep.mismatches, 1u);
  ASSERT_TRUE(sweep.first);
  EXPECT_EQ(sweep.first->word, word);
  SweepDevice torn = right;
  torn.judge = wrong.judge;
  EXPECT_THROW(static_cast<void>(swept(configuration, torn, {0x3F, 0x40})), Error);
}

/// tosa-1.1's bf16 to e4m3fn, which leaves open what negative overflows become.
golden::Configuration open_conversion() {
  ConversionConfig config{formats::bf16, formats::e4m3fn, {}};
  config.policy.overflow = Overflow::kNoneInfOrNan;
  config.policy.nan = NanPolicy::kKeepSign;
  return {config, {"tosa-1.1", "", kMaskNegativeOverflow}};
}

/// Words of bf16 that are finite and below -448 * 2^shift: counted by their patterns alone.
std::uint64_t negative_overflows(int shift) {
  const std::uint64_t top = 0xC3E0 + 128 * static_cast<std::uint64_t>(shift);
  return 0xFF80 - (top + 1);
}

// The specification: words that the profile leaves open are counted apart and nothing else of the
// sweep changes; the receipt keeps whose policies they are.
TEST(Sweep, OpenWordsAreCountedAndNotCompared) {
  const golden::Configuration open = open_conversion();
  const golden::Configuration plain{open.what, {}};
  for (const int shift : {0, 3}) {
    const SweepSpace space{static_cast<std::uint8_t>(127 + shift), SweptWords::kAll};
    for (const SweepDevice& device :
         {scaled_reference(open, space), cuda_device(open, space, {.on_device = false})}) {
      const Sweep all = swept(plain, device, {0, 1});
      EXPECT_EQ(all.compared, 65536u);
      EXPECT_TRUE(all.open.empty());
      const Sweep part = swept(open, device, {0, 1});
      EXPECT_EQ(part.open, std::vector{negative_overflows(shift)}) << device.name;
      EXPECT_EQ(part.compared, 65536 - negative_overflows(shift));
      EXPECT_EQ(part.mismatches, 0u);
      EXPECT_EQ(part.configuration.origin, open.origin);
      EXPECT_EQ(part.digests, all.digests);
    }
  }
}

// Controls: a wrong code of the last open word is no mismatch, though the digest has it; of the
// first word beyond it is one.
TEST(Sweep, OpenWordsEndWhereTheProfileSays) {
  const golden::Configuration open = open_conversion();
  const Sweep right = swept(open, wrong_at(open, ~std::uint64_t{0}), {0, 1});
  const Sweep left = swept(open, wrong_at(open, 0xC3E1), {0, 1});
  EXPECT_EQ(left.mismatches, 0u);
  EXPECT_FALSE(left.first);
  EXPECT_NE(left.digests, right.digests);
  const Sweep wrong = swept(open, wrong_at(open, 0xC3E0), {0, 1});
  EXPECT_EQ(wrong.mismatches, 1u);
  EXPECT_EQ(wrong.open, right.open);
}

TEST(Sweep, CudaIsNamedByItsWords) {
  EXPECT_FALSE(cuda_choice("cpu"));
  EXPECT_EQ(cuda_choice("cuda-host")->encoder, fast::WordJudge::Encoder::kAsBlocks);
  EXPECT_EQ(cuda_choice("cuda-host:general")->encoder, fast::WordJudge::Encoder::kGeneral);
  EXPECT_THROW(static_cast<void>(cuda_choice("cuda-host:fast")), Error);
  EXPECT_NE(cuda_problem(conversion(formats::fp32, formats::ue4m3), {}), "");
  if (fast::device_available()) GTEST_SKIP() << "there is a device";
  EXPECT_THROW(static_cast<void>(cuda_choice("cuda")), Error);
}

TEST(Sweep, SaysWhatItCannotSweep) {
  EXPECT_EQ(sweep_problem(conversion(formats::fp32, formats::e4m3fn)), "");
  EXPECT_NE(sweep_problem(conversion(formats::fp64, formats::e4m3fn)), "");
  EXPECT_NE(sweep_problem(conversion(formats::fp32, formats::fp16)), "");
  EXPECT_NE(sweep_problem(conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA)), "");
}

/// A sweep of made-up digests, for what happens to receipts.
Sweep made_up(std::uint64_t first, std::uint64_t last, std::uint8_t salt = 0) {
  Sweep sweep;
  sweep.configuration = conversion(formats::fp32, formats::e4m3fn);
  sweep.dut = "device";
  sweep.judge = "certificate";
  sweep.segments = {first, last};
  for (std::uint64_t i = first; i < last; ++i) {
    golden::Digest digest{};
    digest[0] = static_cast<std::uint8_t>(i);
    digest[1] = salt;
    sweep.digests.push_back(digest);
  }
  sweep.compared = (last - first) * kSegmentWords;
  return sweep;
}

NamedReceipt named(const std::string& name, std::vector<Sweep> sweeps) {
  return {name, receipt_of(std::move(sweeps))};
}

TEST(Merge, TheDigestDoesNotDependOnWhoSweptWhat) {
  const Merged whole = merge({named("all", {made_up(0, 256)})});
  ASSERT_EQ(whole.sweeps.size(), 1u);
  EXPECT_TRUE(whole.is_proven());
  EXPECT_EQ(whole.sweeps[0].compared, std::uint64_t{1} << 32);
  const Merged parts = merge({named("c", {made_up(200, 256)}), named("a", {made_up(0, 7)}),
                              named("b", {made_up(7, 100), made_up(100, 200)})});
  EXPECT_TRUE(parts.is_proven());
  EXPECT_EQ(parts.sweeps[0].digest, whole.sweeps[0].digest);
  EXPECT_TRUE(parts.notes.empty());
}

TEST(Merge, SeesGapsRepetitionsAndContradictions) {
  const Merged gap = merge({named("a", {made_up(0, 7)}), named("b", {made_up(9, 256)})});
  EXPECT_FALSE(gap.is_proven());
  EXPECT_EQ(gap.sweeps[0].missing, (std::vector<SegmentRange>{{7, 9}}));
  EXPECT_EQ(gap.sweeps[0].digest, "");
  const Merged again = merge({named("a", {made_up(0, 256)}), named("b", {made_up(3, 5)})});
  EXPECT_TRUE(again.is_proven());
  ASSERT_EQ(again.notes.size(), 1u);
  EXPECT_NE(again.notes[0].find("b: 2 segments of "), std::string::npos);
  const Merged other = merge({named("a", {made_up(0, 256)}), named("b", {made_up(3, 4, 1)})});
  EXPECT_FALSE(other.is_proven());
  EXPECT_EQ(other.sweeps[0].conflicts,
            (std::vector<std::string>{"segment 3: a and b have other digests or open words"}));
  Sweep wrong = made_up(0, 256);
  wrong.mismatches = 1;
  EXPECT_FALSE(merge({named("a", {wrong})}).is_proven());
  EXPECT_FALSE(merge({}).is_proven());
}

/// Sweeps of made-up digests under a profile that leaves 5 words of each segment open.
Sweep made_up_open(std::uint64_t first, std::uint64_t last) {
  Sweep sweep = made_up(first, last);
  sweep.configuration.origin = {"tosa-1.1", "", kMaskNegativeOverflow};
  sweep.open.assign(last - first, 5);
  sweep.compared -= sweep.open_words();
  return sweep;
}

TEST(Merge, CountsOpenWordsOfEachSegmentOnce) {
  const Merged merged =
      merge({named("a", {made_up_open(0, 100)}), named("b", {made_up_open(90, 256)})});
  ASSERT_EQ(merged.sweeps.size(), 1u);
  EXPECT_TRUE(merged.is_proven());
  EXPECT_EQ(merged.sweeps[0].open, 256u * 5);
  EXPECT_EQ(merged.sweeps[0].compared, (std::uint64_t{1} << 32) - 1280);
  EXPECT_NE(merged_text(merged).find("4,294,966,016 of 4,294,967,296 words compared (their codes; "
                                     "flags are not), 1,280 open, 0 mismatches"),
            std::string::npos)
      << merged_text(merged);
  // What is compared is part of the proof.
  EXPECT_EQ(
      merge({named("a", {made_up_open(0, 100)}), named("b", {made_up(90, 256)})}).sweeps.size(),
      2u);
  Sweep other = made_up_open(0, 1);
  other.open[0] = 6;
  EXPECT_FALSE(merge({named("a", {made_up_open(0, 256)}), named("b", {other})}).is_proven());
}

// Whose policies they are changes no answer: equal ones are one sweep, and the reader is told.
TEST(Merge, EqualPoliciesOfTwoProfilesAreOneSweep) {
  Sweep other = made_up(100, 256);
  other.configuration.origin = {"ocp-mx-1.0", "rounding", 0};
  const Merged merged = merge({named("a", {made_up(0, 100)}), named("b", {other})});
  EXPECT_TRUE(merged.is_proven());
  ASSERT_EQ(merged.sweeps.size(), 1u);
  EXPECT_EQ(merged.sweeps[0].digest, merge({named("all", {made_up(0, 256)})}).sweeps[0].digest);
  ASSERT_EQ(merged.notes.size(), 1u);
  EXPECT_NE(merged.notes[0].find("ocp-mx-1.0 with rounding chosen here, of mxgold-default"),
            std::string::npos)
      << merged.notes[0];
}

TEST(Merge, NothingComparedIsNoProof) {
  Sweep open = made_up_open(0, 256);
  open.open.assign(256, kSegmentWords);
  open.compared = 0;
  const Merged merged = merge({named("a", {open})});
  EXPECT_FALSE(merged.is_proven());
  EXPECT_TRUE(merged_text(merged).starts_with("NOTHING COMPARED")) << merged_text(merged);
}

TEST(Merge, NamesReceiptsOfAnotherProgram) {
  NamedReceipt stale = named("old", {made_up(128, 256)});
  stale.receipt.sources = "0123456789abcdef";
  const Merged merged = merge({named("new", {made_up(0, 128)}), stale});
  EXPECT_FALSE(merged.is_proven());
  ASSERT_EQ(merged.notes.size(), 1u);
  EXPECT_NE(merged.notes[0].find("old: made by mxgold"), std::string::npos);
  // The last line is the verdict: no PASS of a sweep beside exit 1.
  constexpr std::string_view kVerdict =
      "NOT PROVEN: the receipts are by more than one program; sweep again by one of them\n";
  EXPECT_TRUE(merged_text(merged).ends_with(kVerdict)) << merged_text(merged);
  EXPECT_TRUE(merged_markdown(merged).ends_with(kVerdict)) << merged_markdown(merged);
  EXPECT_FALSE(merged_text(merge({named("new", {made_up(0, 256)})})).ends_with(kVerdict));
}

TEST(Merge, MismatchesInKnownSegmentsContradict) {
  Sweep wrong = made_up(3, 5);
  wrong.mismatches = 2;
  wrong.first = SweepMismatch{7, 1, 2};
  const Merged after = merge({named("a", {made_up(0, 256)}), named("b", {wrong})});
  EXPECT_FALSE(after.is_proven());
  ASSERT_EQ(after.sweeps[0].conflicts.size(), 1u);
  EXPECT_EQ(after.sweeps[0].conflicts[0],
            "b: has 2 mismatches in segments of which receipts before have 0");
  EXPECT_TRUE(merge({named("a", {wrong}), named("b", {wrong})}).sweeps[0].conflicts.empty());
}

std::string refusal_of(const std::string& path) {
  try {
    static_cast<void>(read_receipt(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kBadInput);
    return error.what();
  }
  return "";
}

TEST(Receipt, ComesBackAsItWasWritten) {
  const Scratch scratch;
  Sweep wrong = made_up(3, 6);
  wrong.mismatches = 2;
  wrong.first = SweepMismatch{0x12345678, 0x7E, 0x7F};
  const Receipt receipt =
      receipt_of({made_up(0, 3), wrong}, {{"destination hif8", "cpu", "no fast path"}});
  const Receipt back = read_receipt(scratch.write("r.json", receipt_text(receipt)));
  EXPECT_EQ(back.version, receipt.version);
  EXPECT_EQ(back.sources, receipt.sources);
  EXPECT_EQ(back.left_out, receipt.left_out);
  ASSERT_EQ(back.sweeps.size(), 2u);
  EXPECT_EQ(back.sweeps[1].segments, receipt.sweeps[1].segments);
  EXPECT_EQ(back.sweeps[1].digests, receipt.sweeps[1].digests);
  EXPECT_EQ(back.sweeps[1].mismatches, 2u);
  EXPECT_FALSE(back.sweeps[0].first);
  ASSERT_TRUE(back.sweeps[1].first);
  EXPECT_EQ(back.sweeps[1].first->word, 0x12345678u);
  EXPECT_EQ(back.sweeps[1].first->code, 0x7Eu);
  EXPECT_EQ(back.sweeps[1].first->expected, 0x7Fu);
  const Merged merged = merge({{"r", back}});
  ASSERT_EQ(merged.sweeps.size(), 1u);
  EXPECT_EQ(merged.sweeps[0].first->word, 0x12345678u);
  EXPECT_NE(merged_text(merged).find("first: word 12345678 gives 7e, the certificate says 7f"),
            std::string::npos)
      << merged_text(merged);
}

TEST(Receipt, SaysWhosePoliciesTheyAreAndWhatIsOpen) {
  const Scratch scratch;
  Sweep sweep = made_up_open(3, 6);
  sweep.configuration.origin.chosen = "rounding";
  const auto refused = [&](const Sweep& each) {
    return refusal_of(scratch.write("bad.json", receipt_text(receipt_of({each}))));
  };
  const Receipt back = read_receipt(scratch.write("r.json", receipt_text(receipt_of({sweep}))));
  EXPECT_EQ(back.sweeps.at(0).configuration.origin, sweep.configuration.origin);
  EXPECT_EQ(back.sweeps[0].open, sweep.open);
  Sweep more = sweep;
  ++more.open[1];
  EXPECT_NE(refused(more).find("field 'compared'"), std::string::npos) << refused(more);
  Sweep beyond = sweep;
  beyond.open[1] = kSegmentWords + 1;
  EXPECT_NE(refused(beyond).find("field 'open_in_segments'"), std::string::npos);
  Sweep closed = sweep;
  closed.configuration.origin.masks = 0;
  EXPECT_NE(refused(closed).find("field 'open_in_segments'"), std::string::npos);
}

// Parts are of the segments that hold a word, of all conversions in a row: each lies in one part.
TEST(SweepParts, CoverEverySegmentOnce) {
  const std::vector<SweepJob> jobs = {
      {conversion(formats::bf16, formats::e2m1fn), {}},
      {conversion(formats::fp32, formats::e4m3fn), {}},
      {conversion(formats::fp32, formats::e4m3fn), {0, SweptWords::kBlock}}};
  const SweepParts parts(jobs);
  for (const std::uint64_t count : {1U, 2U, 3U, 7U, 64U, 300U, 1000U}) {
    std::uint64_t words = 0, segments = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::vector<SegmentRange> part = parts.part({i, count});
      ASSERT_EQ(part.size(), jobs.size());
      for (std::size_t job = 0; job < jobs.size(); ++job) {
        for (std::uint64_t s = part[job].first; s < part[job].last; ++s) {
          const std::uint64_t held = words_of(jobs[job].conversion(), jobs[job].space, {s, s + 1});
          words += held;
          segments += held != 0 ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(words, parts.words()) << count;
    EXPECT_EQ(segments, parts.segments()) << count;
  }
  EXPECT_EQ(parts.words(), (std::uint64_t{1} << 32) + 65536 + 167'772'160);
  EXPECT_GT(parts.segments(), 257u);
}

// Every byte counts: a change, wherever it is, is seen.
TEST(Receipt, DamageIsSeenAndNamed) {
  const Scratch scratch;
  const std::string text = receipt_text(receipt_of({made_up(0, 2)}));
  std::size_t changed = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string broken = text;
    if (std::isalnum(static_cast<unsigned char>(broken[i])) == 0) continue;
    broken[i] = broken[i] == '7' ? '8' : '7';
    EXPECT_NE(refusal_of(scratch.write("broken.json", broken)), "") << "byte " << i;
    ++changed;
  }
  EXPECT_GT(changed, 200u);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 3}) {
    const std::string said = refusal_of(scratch.write("short.json", text.substr(0, length)));
    EXPECT_NE(said.find("short.json: line "), std::string::npos) << said;
    EXPECT_NE(said.find("is no JSON: "), std::string::npos) << said;
  }
  EXPECT_NE(refusal_of(scratch.path("none.json")).find("cannot open"), std::string::npos);
  EXPECT_NE(refusal_of(scratch.write("other.json", "{}")).find("field 'schema': is missing"),
            std::string::npos);
}

TEST(Receipt, WhatContradictsItselfIsRefused) {
  const Scratch scratch;
  const auto said = [&](const Sweep& sweep) {
    return refusal_of(scratch.write("r.json", receipt_text(receipt_of({sweep}))));
  };
  Sweep sweep = made_up(0, 2);
  sweep.mismatches = sweep.compared;
  sweep.first = SweepMismatch{7, 1, 2};
  EXPECT_EQ(said(sweep), "");
  ++sweep.mismatches;
  EXPECT_NE(said(sweep).find("field 'mismatches': is more than 'compared'"), std::string::npos);
  sweep.mismatches = 1;
  sweep.first = SweepMismatch{7, 2, 2};
  EXPECT_NE(said(sweep).find("field 'first_mismatch': has the code that was expected"),
            std::string::npos);
}

}  // namespace
}  // namespace mx::cli::test::sweep_test
