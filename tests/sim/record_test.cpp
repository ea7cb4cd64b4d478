// Runs over records of every operation: the reference agrees with itself, every fault is caught
// wherever it strikes, and what is not compared is counted.
#include "sim/record/run.hpp"

#include <gtest/gtest.h>

#include "sim/record/reference.hpp"
#include "tests/sim/record_fixture.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

using golden::Field;
using golden::Lengths;

struct Kind {
  const char* name;
  golden::Configuration config;
  int lanes;
};

golden::Configuration block(const char* format) {
  const BlockFormat& row = *find_block_format(format);
  QuantizerConfig config{formats::fp32, row, {}, {}};
  config.block.rule = row.rule;
  if (row.tensor_scale != TensorScale::kNone) {
    config.tensor = tensor_level(config, unpack_integer(false, 2688, 0));
  }
  return {config, {}};
}

golden::Configuration dot(const char* format) {
  golden::DotCase what;
  what.dot.a = what.dot.b = *find_block_format(format);
  return {what, {}};
}

/// Every operation, and blocks of every make.
std::vector<Kind> kinds() {
  golden::Configuration stochastic{ConversionConfig{formats::fp32, formats::e4m3fn, {}}, {}};
  std::get<ConversionConfig>(stochastic.what).policy.rounding = Rounding::kStochasticA;
  golden::Configuration defined = block("mxfp6_e2m3");
  auto& own = std::get<QuantizerConfig>(defined.what).format;
  own.name = "mine";
  own.block_size = 7;
  const auto arithmetic = [](ArithmeticOperation operation) {
    return golden::Configuration{
        golden::ArithmeticCase{operation, Arithmetic::ieee(formats::e4m3fn)}, {}};
  };
  return {{"cvt", {ConversionConfig{formats::fp32, formats::e5m2, {}}, {}}, 1},
          {"cvt_stochastic", stochastic, 1},
          {"mxfp8", block("mxfp8_e4m3"), 32},
          {"mxfp4", block("mxfp4"), 32},
          {"nvfp4", block("nvfp4"), 16},
          {"bfp", block("bfp16_16"), 16},
          {"fp32_scaled", block("fp8_e4m3_fp32_row"), 40},
          {"hifx4", block("hifx4"), 64},
          {"defined", defined, 7},
          {"dot_mxfp8", dot("mxfp8_e4m3"), 64},
          {"add", arithmetic(ArithmeticOperation::kAdd), 1},
          {"fma", arithmetic(ArithmeticOperation::kFma), 1},
          {"sqrt", arithmetic(ArithmeticOperation::kSqrt), 1}};
}

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

RecordRun run_reference(const golden::VectorHeader& header, const RecordFault* fault = nullptr) {
  ReferenceDevice device(fault);
  return run_records(header, test::suite_input(header), device, test::one_thread());
}

class EveryKind : public testing::TestWithParam<Kind> {
 protected:
  [[nodiscard]] golden::VectorHeader header() const {
    const Kind& kind = GetParam();
    return test::suite_header({kind.config}, kind.lanes,
                              kind.lanes > 1 ? Lengths::kVary : Lengths::kFull);
  }
};

TEST_P(EveryKind, ReferencePasses) {
  const golden::VectorHeader all = header();
  const RecordRun result = run_reference(all);
  EXPECT_EQ(result.exit_code(), 0) << result.protocol();
  EXPECT_EQ(result.declared, all.count);
  EXPECT_EQ(result.verdict.vectors, all.count);
  EXPECT_EQ(result.verdict.open, 0U);
  EXPECT_GT(result.verdict.words, all.count);
  EXPECT_EQ(result.digest.size(), 64U);
  EXPECT_EQ(run_reference(all).digest, result.digest);
}

TEST_P(EveryKind, EveryFaultIsCaught) {
  for (const RecordFault& fault : record_faults()) {
    const RecordRun result = run_reference(header(), &fault);
    EXPECT_EQ(result.exit_code(), fault.breaks_protocol() ? 4 : 1)
        << fault.token << " survives; it breaks " << fault.breaks;
    EXPECT_FALSE(result.mismatches.empty()) << fault.token;
  }
}

// The place of a lost or doubled answer is named, and no other fault is taken for one.
TEST_P(EveryKind, AnswersOutOfStepAreNamed) {
  const std::uint64_t middle = header().count / 2;
  for (const RecordFault& fault : record_faults()) {
    const std::string shift = run_reference(header(), &fault).shift;
    if (!fault.breaks_protocol()) {
      EXPECT_EQ(shift, "") << fault.token;
      continue;
    }
    const bool is_lost = fault.shift == RecordFault::Shift::kLost;
    EXPECT_NE(shift.find(is_lost ? "one answer was lost" : "was doubled"), std::string::npos)
        << fault.token << ": " << shift;
    // Neighbours with one answer hide where it began.
    const std::size_t at = shift.find("from record ");
    ASSERT_NE(at, std::string::npos);
    const std::uint64_t from = std::stoull(shift.substr(at + 12));
    EXPECT_GE(from, middle) << shift;
    EXPECT_LE(from, middle + 8) << shift;
  }
  EXPECT_EQ(run_reference(header()).shift, "");
}

TEST_P(EveryKind, FaultsOfOneRecordAreCountedOnceAndFoundWhereTheyAre) {
  const golden::VectorHeader all = header();
  for (const auto& [token, number] :
       {std::pair{"record_first", std::uint64_t{0}}, std::pair{"record_middle", all.count / 2},
        std::pair{"record_last", all.count - 1}}) {
    const RecordRun result = run_reference(all, find_record_fault(token));
    EXPECT_EQ(result.verdict.mismatches, 1U) << token;
    ASSERT_EQ(result.mismatches.size(), 1U) << token;
    EXPECT_EQ(result.mismatches[0].number, number) << token;
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, EveryKind, testing::ValuesIn(kinds()),
                         [](const auto& kind) { return std::string(kind.param.name); });

/// A device that answers as the reference and then changes one word of one record.
class OneWrongWord : public RecordDevice {
 public:
  OneWrongWord(std::uint64_t record, Field field, std::size_t lane)
      : record_(record), field_(field), lane_(lane) {}
  [[nodiscard]] std::string_view name() const override { return "one wrong word"; }
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override {
    ReferenceDevice right;
    std::uint64_t done = 0;
    right.run(header, next, [&](const golden::RecordBatch& batch) {
      golden::RecordBatch answers = batch;
      if (record_ >= done && record_ < done + batch.size()) {
        answers.of(field_, static_cast<std::size_t>(record_ - done))[lane_] ^= 1;
      }
      done += batch.size();
      take(answers);
    });
  }

 private:
  std::uint64_t record_;
  Field field_;
  std::size_t lane_;
};

// Every word of the answer to the first, a middle and the last record: a wrong bit is a mismatch
// exactly where the word is compared.
TEST_P(EveryKind, OneWrongWordIsAMismatchExactlyWhereItIsCompared) {
  golden::VectorHeader all = header();
  all.count = std::min<std::uint64_t>(all.count, 100);
  golden::RecordBatch answers;
  const golden::VectorHeader suite = header();
  const RecordInput input = test::suite_input(suite);
  input.fill(0, all.count, answers);
  golden::ReferenceAnswerer reference(all);
  reference.answer(answers, 0, answers.size());
  for (const std::uint64_t record : {std::uint64_t{0}, all.count / 2, all.count - 1}) {
    const golden::OpenAnswer open = reference.open(answers, record);
    for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
      for (std::size_t lane = 0; lane < answers.lanes(field); ++lane) {
        OneWrongWord device(record, field, lane);
        const RecordRun result = run_records(all, input, device, test::one_thread());
        const bool exists = !answers.has(Field::kScale) || lane < open.lanes.size();
        const bool is_free = field == Field::kCode && exists && open.code(lane);
        EXPECT_EQ(result.exit_code(), is_free ? 0 : 1)
            << token_of(field) << '[' << lane << "] of " << record;
      }
    }
  }
}

// Around the ends of the pieces that a run takes, and in the second configuration.
TEST(RecordRun, NoRecordIsOutOfSight) {
  golden::VectorHeader header =
      test::suite_header({block("mxfp8_e4m3"), block("mxfp4")}, 32, Lengths::kVary);
  header.suite = "rnd";
  header.drawn = 1200;
  header.count = golden::Stimulus(header).size();
  const std::uint64_t piece = 32768 / 32;
  ASSERT_GT(header.count, 2 * piece) << "the test needs pieces";
  for (const std::uint64_t record :
       {piece - 1, piece, 2 * piece - 1, 2 * piece, header.count - 2, header.count - 1}) {
    OneWrongWord device(record, Field::kFlags, 0);
    const RecordRun result =
        run_records(header, test::suite_input(header), device, test::one_thread());
    ASSERT_EQ(result.mismatches.size(), 1U) << record;
    EXPECT_EQ(result.mismatches[0].number, record);
    golden::Verdict sum;
    for (const golden::Verdict& each : result.by_config) sum += each;
    EXPECT_EQ(sum, result.verdict);
  }
}

TEST(RecordRun, RangesKeepTheirNumbers) {
  golden::VectorHeader header = test::suite_header({block("mxfp4")}, 32);
  RecordRunOptions options = test::one_thread();
  options.first = 100;
  header.count = 10;
  ReferenceDevice device(find_record_fault("record_middle"));
  golden::VectorHeader whole = test::suite_header({block("mxfp4")}, 32);
  const RecordRun result = run_records(header, test::suite_input(whole), device, options);
  ASSERT_EQ(result.mismatches.size(), 1U);
  EXPECT_EQ(result.mismatches[0].number, 105U);
}

// A device that answers one record too few broke the protocol.
TEST(RecordRun, ShortAnswersAreAProtocolError) {
  class Short : public RecordDevice {
   public:
    [[nodiscard]] std::string_view name() const override { return "short"; }
    void run(const golden::VectorHeader&, const NextRecords& next, const TakeAnswers&) override {
      golden::RecordBatch batch;
      while (next(batch)) {
      }
    }
  } device;
  const golden::VectorHeader header = test::suite_header({block("mxfp4")}, 32);
  const RecordRun result =
      run_records(header, test::suite_input(header), device, test::one_thread());
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_NE(result.protocol().find("0 of"), std::string::npos) << result.protocol();
}

// The field `open` says to a device what it says in a file.
TEST(RecordRun, DevicesSeeWhatIsOpen) {
  class Keeper : public RecordDevice {
   public:
    [[nodiscard]] std::string_view name() const override { return "keeper"; }
    void run(const golden::VectorHeader& header, const NextRecords& next,
             const TakeAnswers& take) override {
      golden::ReferenceAnswerer reference(header);
      golden::RecordBatch batch;
      while (next(batch)) {
        seen.append(batch, 0, batch.size());
        reference.answer(batch, 0, batch.size());
        take(batch);
      }
    }
    golden::RecordBatch seen;
  };
  const golden::VectorHeader header =
      test::suite_header({test::profiled("ocp-mx-1.0", "mxfp8_e4m3")}, 32);
  golden::RecordBatch expected;
  test::suite_input(header).fill(0, header.count, expected);
  golden::ReferenceAnswerer reference(header);
  reference.answer(expected, 0, expected.size());
  golden::fill_open(reference, expected);
  Keeper device;
  device.seen = golden::RecordBatch(header.shape());
  const RecordRun result =
      run_records(header, test::suite_input(header), device, test::one_thread());
  EXPECT_EQ(result.exit_code(), 0);
  EXPECT_GT(result.verdict.open, 0U);
  EXPECT_TRUE(std::ranges::equal(device.seen.all(Field::kOpen), expected.all(Field::kOpen)));
  for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
    EXPECT_TRUE(std::ranges::all_of(device.seen.all(field), [](auto word) { return word == 0; }))
        << "what is expected must not reach the device";
  }
}

// Under a profile that is open everywhere nothing is compared: no pass.
TEST(RecordRun, NothingComparedIsNoPass) {
  golden::Configuration config = block("mxfp8_e4m3");
  config.origin = {"mxgold-default", "", kMaskAllBlocks};
  const golden::VectorHeader header = test::suite_header({config}, 32);
  const RecordRun result = run_reference(header);
  EXPECT_EQ(result.verdict.words, 0U);
  EXPECT_EQ(result.verdict.unjudged, header.count);
  EXPECT_EQ(result.exit_code(), 3);
  const std::string verdict = record_verdict(result, header, {"reference"});
  EXPECT_TRUE(verdict.starts_with("NOTHING COMPARED")) << verdict;
}

TEST(RecordRun, TimeLimitEndsIt) {
  const golden::VectorHeader header = test::suite_header({block("mxfp4")}, 32);
  RecordRunOptions options = test::one_thread();
  ReferenceDevice device;
  options.time_limit = std::chrono::nanoseconds(1);
  const RecordRun late = run_records(header, test::suite_input(header), device, options);
  EXPECT_EQ(late.exit_code(), 4);
  EXPECT_NE(late.protocol().find("the time limit is over"), std::string::npos) << late.protocol();
  options.time_limit = std::chrono::minutes(1);
  EXPECT_EQ(run_records(header, test::suite_input(header), device, options).exit_code(), 0);
}

// Another judge that disagrees fails the run, though the reference agrees.
TEST(RecordRun, EveryJudgeMustAgree) {
  class Wrong : public golden::Answerer {
   public:
    explicit Wrong(const golden::VectorHeader& header) : reference_(header) {}
    [[nodiscard]] std::string_view name() const override { return "wrong"; }
    void answer(golden::RecordBatch& batch, std::size_t first, std::size_t last) override {
      reference_.answer(batch, first, last);
      for (std::size_t i = first; i < last; ++i) batch.word(Field::kFlags, i) ^= 1;
    }

   private:
    golden::ReferenceAnswerer reference_;
  };
  const golden::VectorHeader header = test::suite_header({block("mxfp4")}, 32);
  RecordRunOptions options = test::one_thread();
  ReferenceDevice device;
  options.judges = {golden::reference_answerer()};
  EXPECT_EQ(run_records(header, test::suite_input(header), device, options).exit_code(), 0);
  options.judges.push_back(
      [](const golden::VectorHeader& h) { return std::make_unique<Wrong>(h); });
  EXPECT_EQ(run_records(header, test::suite_input(header), device, options).exit_code(), 1);
}

// A file's answers do not silence the judges that are asked: a device that gives the file's wrong
// answer agrees with the file, and not with the judge.
TEST(RecordRun, JudgesAreAskedBesideAFile) {
  const golden::VectorHeader header = test::suite_header({block("mxfp4")}, 32);
  const RecordInput suite = test::suite_input(header);
  RecordInput file = suite;
  file.has_answers = true;
  file.fill = [&](std::uint64_t first, std::uint64_t last, golden::RecordBatch& batch) {
    suite.fill(first, last, batch);
    golden::ReferenceAnswerer(header).answer(batch, 0, batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) batch.word(Field::kFlags, i) ^= 1;
  };
  ReferenceDevice device(find_record_fault("record_flags"));
  RecordRunOptions options = test::one_thread();
  EXPECT_EQ(run_records(header, file, device, options).exit_code(), 0);
  options.judges = {golden::reference_answerer()};
  const RecordRun judged = run_records(header, file, device, options);
  EXPECT_EQ(judged.exit_code(), 1);
  EXPECT_EQ(judged.verdict.mismatches, header.count);
}

// Devices without a clock are compared strictly where that is asked: codes under a NaN scale too.
TEST(RecordRun, StrictComparesCodesUnderNan) {
  class Odd : public ReferenceDevice {
   public:
    void run(const golden::VectorHeader& header, const NextRecords& next,
             const TakeAnswers& take) override {
      ReferenceDevice::run(header, next, [&](golden::RecordBatch batch) {
        for (std::size_t i = 0; i < batch.size(); ++i) {
          if (batch.word(Field::kScale, i) == 0xFF) batch.of(Field::kCode, i)[3] ^= 1;
        }
        take(batch);
      });
    }
  };
  const golden::VectorHeader header = test::suite_header({block("mxfp4")}, 32);
  Odd device;
  RecordRunOptions options = test::one_thread();
  options.compare = Compare::kNormative;
  const RecordRun normative = run_records(header, test::suite_input(header), device, options);
  EXPECT_EQ(normative.exit_code(), 0);
  EXPECT_GT(normative.verdict.dont_care, 0U);
  options.compare = Compare::kStrict;
  const RecordRun strict = run_records(header, test::suite_input(header), device, options);
  EXPECT_EQ(strict.exit_code(), 1);
  EXPECT_EQ(strict.verdict.dont_care, 0U);
  EXPECT_EQ(strict.verdict.mismatches, normative.verdict.dont_care / 32);
}

}  // namespace
}  // namespace mx::sim
