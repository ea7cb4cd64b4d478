// Verdicts count what was compared, and see a wrong word wherever it stands.
#include <gmock/gmock.h>

#include "golden/answers/verdict.hpp"
#include "golden/answers/verify.hpp"
#include "reference/profiles/masks.hpp"
#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;

constexpr Field kResults[] = {Field::kScale, Field::kCode, Field::kFlags};

/// Sets of every operation.
std::vector<GoldenSet> sets() {
  std::vector<GoldenSet> list;
  list.push_back(golden_set({conversion(formats::fp32, formats::e4m3fn)}, SuiteKind::kRandom, 20));
  Configuration blocks = block(formats::fp32, "mxfp4");
  list.push_back(golden_set({blocks}, SuiteKind::kRandom, 24));
  list.push_back(golden_set({block(formats::fp32, "nvfp4")}, SuiteKind::kRandom, 24));
  list.push_back(golden_set({dot("mxfp4", "mxint8", Addend::kPresent)}, SuiteKind::kRandom, 21));
  list.push_back(
      golden_set({arith(ArithmeticOperation::kFma, formats::fp32)}, SuiteKind::kRandom, 21));
  return list;
}

/// Result words of all records.
std::uint64_t result_words(const GoldenSet& set) {
  std::uint64_t words = 0;
  for (const Field field : kResults) words += set.records.all(field).size();
  return words;
}

Verdict compare(const GoldenSet& set, const RecordBatch& actual) {
  const ReferenceAnswerer reference(set.header);
  Verdict verdict;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    compare_answer(set.records, actual, i, reference.open(set.records, i), verdict);
  }
  return verdict;
}

/// A wrong bit in each result field of the first and the last record, first and last lane, is one
/// mismatch, unless that word is don't-care.
TEST(Verdicts, EveryWrongWordCounts) {
  std::size_t seen = 0;
  for (const GoldenSet& set : sets()) {
    const Verdict right = compare(set, set.records);
    EXPECT_TRUE(right.passed()) << set.header.set_id();
    EXPECT_EQ(right.vectors, set.records.size());
    EXPECT_EQ(right.words + right.dont_care, result_words(set));
    EXPECT_EQ(right.open + right.waived + right.unjudged, 0U);
    for (const Field field : kResults) {
      if (!set.records.has(field)) continue;
      for (const std::size_t i : {std::size_t{0}, set.records.size() - 1}) {
        for (const std::size_t lane : {std::size_t{0}, set.records.lanes(field) - 1}) {
          for (const int bit : {0, 7, 63}) {
            RecordBatch wrong = set.records;
            wrong.of(field, i)[lane] ^= std::uint64_t{1} << bit;
            const ReferenceAnswerer reference(set.header);
            const OpenAnswer open = reference.open(set.records, i);
            if (field == Field::kCode && open.dont_care && lane < open.lanes.size()) continue;
            const Verdict verdict = compare(set, wrong);
            ++seen;
            EXPECT_EQ(verdict.mismatches, 1U)
                << set.header.set_id() << " " << token_of(field) << " " << i << " " << lane;
            EXPECT_FALSE(verdict.passed());
            EXPECT_THAT(verdict.headline(), HasSubstr("FAIL"));
            EXPECT_EQ(verdict.words, right.words);
          }
        }
      }
    }
  }
  EXPECT_GT(seen, 100U);
}

/// What a mask opens is counted and not compared, and nothing else is.
TEST(Verdicts, EveryMaskedWordIsOpen) {
  OpenAnswer scale;
  scale.scale = true;
  OpenAnswer flags;
  flags.flags = true;
  OpenAnswer codes;
  codes.codes = true;
  OpenAnswer dont_care;
  dont_care.dont_care = true;
  OpenAnswer lane;
  const GoldenSet set =
      golden_set({block(formats::fp32, "mxfp4")}, SuiteKind::kRandom, 8, 5, Lengths::kFull);
  for (OpenAnswer* each : {&scale, &flags, &codes, &dont_care, &lane})
    each->lanes.assign(32, false);
  lane.lanes[31] = true;
  struct Case {
    OpenAnswer open;
    std::uint64_t opened;
    std::uint64_t free;
  };
  for (const Case& c :
       {Case{{.lanes = std::vector<bool>(32)}, 0, 0}, Case{scale, 1, 0}, Case{flags, 1, 0},
        Case{codes, 32, 0}, Case{dont_care, 0, 32}, Case{lane, 1, 0}}) {
    for (const Field field : kResults) {
      for (std::size_t at = 0; at < set.records.lanes(field); ++at) {
        RecordBatch wrong = set.records;
        wrong.of(field, 3)[at] ^= 1;
        Verdict verdict;
        const bool agrees = compare_answer(set.records, wrong, 3, c.open, verdict);
        const bool is_open = (field == Field::kScale && c.open.scale) ||
                             (field == Field::kFlags && c.open.flags) ||
                             (field == Field::kCode && c.open.code(at));
        EXPECT_EQ(agrees, is_open) << token_of(field) << " " << at;
        EXPECT_EQ(verdict.mismatches, is_open ? 0U : 1U);
        EXPECT_EQ(verdict.open, c.opened);
        EXPECT_EQ(verdict.dont_care, c.free);
        EXPECT_EQ(verdict.words, 34 - c.opened - c.free);
        EXPECT_EQ(verdict.vectors, 1U);
        EXPECT_EQ(verdict.unjudged, 0U);
      }
    }
  }
}

/// Codes of lanes that do not take part are zero under every mask.
TEST(Verdicts, LanesBeyondTheElementsAreCompared) {
  const GoldenSet set = golden_set({block(formats::fp32, "mxfp4")}, SuiteKind::kRandom, 64);
  OpenAnswer open;
  open.codes = open.scale = open.flags = open.dont_care = true;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const std::size_t n = set.records.elements(Field::kSource, i);
    if (n == 32) continue;
    ++seen;
    open.lanes.assign(n, true);
    open.elements = n;
    RecordBatch wrong = set.records;
    wrong.of(Field::kCode, i)[31] = 1;
    Verdict verdict;
    EXPECT_FALSE(compare_answer(set.records, wrong, i, open, verdict));
    Verdict right;
    EXPECT_TRUE(compare_answer(set.records, set.records, i, open, right));
    EXPECT_EQ(right.words, 32 - n);
  }
  EXPECT_GT(seen, 2U);
}

/// Nothing compared is no pass.
TEST(Verdicts, NothingComparedIsNoPass) {
  EXPECT_FALSE(Verdict().passed());
  EXPECT_EQ(Verdict().headline(), "NOTHING COMPARED in 0");
  const GoldenSet set =
      golden_set({conversion(formats::fp32, formats::e4m3fn)}, SuiteKind::kRandom, 3);
  OpenAnswer open;
  open.codes = open.flags = true;
  Verdict verdict;
  for (std::size_t i = 0; i < 3; ++i) {
    RecordBatch wrong = set.records;
    wrong.word(Field::kCode, i) ^= 1;
    EXPECT_TRUE(compare_answer(set.records, wrong, i, open, verdict));
  }
  EXPECT_EQ(verdict.unjudged, 3U);
  EXPECT_EQ(verdict.judged(), 0U);
  EXPECT_EQ(verdict.open, 6U);
  EXPECT_FALSE(verdict.passed());
  EXPECT_EQ(verdict.headline(), "NOTHING COMPARED in 3");
  EXPECT_THAT(verdict.coverage(), HasSubstr("0 words compared"));
  EXPECT_THAT(verdict.coverage(), HasSubstr("3 of 3 vectors without a compared word"));
  compare_answer(set.records, set.records, 0, {}, verdict);
  EXPECT_TRUE(verdict.passed());
  EXPECT_EQ(verdict.headline(), "PASS 1/1");
}

TEST(Verdicts, CountsAdd) {
  // Every count is another number, so that none is added to another one's.
  const auto times = [](std::uint64_t n) {
    return Verdict{.vectors = 1 * n,
                   .mismatches = 2 * n,
                   .unjudged = 3 * n,
                   .codes = {4 * n, 5 * n, 6 * n, 7 * n, 8 * n},
                   .bad_elements = 9 * n,
                   .words = 10 * n,
                   .dont_care = 11 * n,
                   .open = 12 * n,
                   .unobserved = 13 * n,
                   .waived = 14 * n};
  };
  Verdict sum = times(1);
  sum += times(20);
  EXPECT_EQ(sum, times(21));
  EXPECT_EQ(sum.codes.all(), 21U * (4 + 5 + 6 + 7 + 8));
}

/// A profile's open inputs in conversions and blocks: what the reference itself says is open.
TEST(Verdicts, OpenOfTheReference) {
  Configuration cvt = conversion(formats::fp32, formats::e4m3fn);
  cvt.origin.masks = kMaskOverflow;
  const GoldenSet cvts = golden_set({cvt}, SuiteKind::kSmoke);
  const ReferenceAnswerer reference(cvts.header);
  std::size_t open = 0;
  for (std::size_t i = 0; i < cvts.records.size(); ++i) {
    const OpenAnswer answer = reference.open(cvts.records, i);
    const Unpacked value = decode(formats::fp32, cvts.records.word(Field::kSource, i));
    const bool is_over = value.cls == ValueClass::kFinite &&
                         compare_magnitude(value, decode(formats::e4m3fn, 0x7E)) > 0;
    EXPECT_EQ(answer.by_profile(), is_over) << i;
    EXPECT_EQ(answer.flags, answer.codes);
    EXPECT_EQ(cvts.records.word(Field::kOpen, i), is_over ? 5U : 0U);
    open += answer.by_profile() ? 1U : 0U;
  }
  EXPECT_GT(open, 0U);
  Configuration blocks = block(formats::fp32, "mxfp4");
  blocks.origin.masks = kMaskNanBlock;
  const GoldenSet set = golden_set({blocks}, SuiteKind::kSmoke);
  const ReferenceAnswerer block_reference(set.header);
  open = 0;
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const OpenAnswer answer = block_reference.open(set.records, i);
    const bool has_nan = (set.records.word(Field::kFlags, i) & 8) != 0;
    EXPECT_EQ(answer.by_profile(), has_nan) << i;
    EXPECT_EQ(answer.scale, has_nan);
    EXPECT_EQ(answer.flags, has_nan);
    open += has_nan ? 1U : 0U;
  }
  EXPECT_GT(open, 0U);
}

class VerifyGoldens : public GoldenFixture {
 protected:
  GoldenVerdict verify(const GoldenSet& set) const {
    VectorReader reader(file_of(set, FileKind::kBin), casts::no_casts, ReadMode::kGoldens,
                        SetCheck::kByCaller);
    const std::vector<AnswererFactory> answerers{reference_answerer()};
    return verify_goldens(reader, answerers,
                          [](std::size_t count, const auto& work) { work(0, count); });
  }
};

/// A golden bit flipped and the digests computed anew: whole, but wrong; each result field of the
/// first and the last record, across the pieces in which files are judged.
TEST_F(VerifyGoldens, EveryWrongGoldenIsSeen) {
  std::vector<GoldenSet> all = sets();
  all.push_back(golden_set({conversion(formats::fp32, formats::e4m3fn)}, SuiteKind::kRandom, 8194));
  for (const GoldenSet& set : all) {
    const GoldenVerdict right = verify(set);
    EXPECT_EQ(right.disagreed, 0U) << right.first;
    EXPECT_EQ(right.count, set.records.size());
    EXPECT_TRUE(right.set_is_checked);
    EXPECT_EQ(right.first, "");
    std::vector<std::size_t> records{0, set.records.size() - 1};
    if (set.records.size() > 8192) records.insert(records.end(), {8191, 8192});
    for (const Field field : kResults) {
      if (!set.records.has(field)) continue;
      for (const std::size_t i : records) {
        for (const std::size_t lane : {std::size_t{0}, set.records.lanes(field) - 1}) {
          GoldenSet wrong = set;
          wrong.records.of(field, i)[lane] ^= 1;
          const GoldenVerdict verdict = verify(wrong);
          EXPECT_EQ(verdict.disagreed, 1U) << token_of(field) << " " << i << " " << lane;
          EXPECT_THAT(verdict.first, HasSubstr("vector " + std::to_string(i) + ":"));
        }
      }
    }
  }
}

/// The field `open` is judged too, and a set that is not what its name says.
TEST_F(VerifyGoldens, OpenAndOperandsAreJudged) {
  Configuration cvt = conversion(formats::fp32, formats::e4m3fn);
  cvt.origin.masks = kMaskNan;
  const GoldenSet set = golden_set({cvt}, SuiteKind::kSmoke);
  const GoldenVerdict right = verify(set);
  EXPECT_EQ(right.disagreed, 0U) << right.first;
  EXPECT_GT(right.open, 0U);
  for (const std::size_t i : {std::size_t{0}, set.records.size() - 1}) {
    GoldenSet wrong = set;
    wrong.records.word(Field::kOpen, i) ^= 1;
    EXPECT_EQ(verify(wrong).disagreed, 1U);
  }
  GoldenSet cut = set;
  cut.header.count = 1;
  cut.records.resize(1);
  // A set that is not what its name says is wrong, and no answer of it disagrees.
  const auto is_another_set = [&](const GoldenSet& other) {
    const GoldenVerdict found = verify(other);
    EXPECT_EQ(found.disagreed, 0U) << found.first;
    return !found.set_problem.empty() && !found.is_right();
  };
  EXPECT_TRUE(right.is_right());
  EXPECT_TRUE(is_another_set(cut));
  GoldenSet repeated = set;
  repeated.header.count *= 2;
  repeated.records.append(set.records, 0, set.records.size());
  EXPECT_TRUE(is_another_set(repeated));
  GoldenSet swapped = set;
  swapped.records = RecordBatch(set.header.shape());
  swapped.records.append(set.records, 1, 2);
  swapped.records.append(set.records, 0, 1);
  swapped.records.append(set.records, 2, set.records.size());
  EXPECT_TRUE(is_another_set(swapped));
  // Under a name that is no suite's the operands are what they are.
  GoldenSet unnamed = cut;
  unnamed.header.suite = "mine";
  const GoldenVerdict verdict = verify(unnamed);
  EXPECT_EQ(verdict.disagreed, 0U);
  EXPECT_FALSE(verdict.set_is_checked);
  EXPECT_TRUE(verdict.is_right());
}

/// An answerer that answers nothing agrees with nothing.
TEST_F(VerifyGoldens, SilenceIsNoAgreement) {
  class Silent : public Answerer {
   public:
    [[nodiscard]] std::string_view name() const override { return "silent"; }
    void answer(RecordBatch&, std::size_t, std::size_t) override {}
  };
  const AnswererFactory silent = [](const VectorHeader&) { return std::make_unique<Silent>(); };
  for (const GoldenSet& set : sets()) {
    VectorReader reader(file_of(set, FileKind::kBin));
    const std::vector<AnswererFactory> answerers{reference_answerer(), silent};
    const GoldenVerdict verdict = verify_goldens(
        reader, answerers, [](std::size_t count, const auto& work) { work(0, count); });
    EXPECT_EQ(verdict.disagreed, set.records.size());
    EXPECT_THAT(verdict.first, HasSubstr("silent"));
  }
}

}  // namespace
}  // namespace mx::golden
