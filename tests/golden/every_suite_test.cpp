// What the suites of every operation and every block format promise: each vector is a function of
// its number, no class is empty, shards join up, lanes and lengths are what the header says.
#include <gtest/gtest.h>

#include <set>

#include "golden/files/vector_file.hpp"
#include "golden/stimulus/named_set.hpp"
#include "golden/vectors/operand_check.hpp"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

/// A directed suite of large blocks takes many seconds; others of its kind stand for it.
bool is_large(const VectorHeader& header) {
  return header.count * static_cast<std::uint64_t>(header.lanes) > 400000;
}

/// Every block format, dots of several pairs, every arithmetic operation, conversions, every unit.
std::vector<Configuration> every_configuration() {
  std::vector<Configuration> list = every_block();
  list.push_back(block(formats::bf16, "mxfp6_e3m2", Rounding::kStochasticA));
  list.push_back(block(formats::fp32, "nvfp4", Rounding::kStochasticC));
  list.push_back(dot("mxfp8_e4m3", "mxfp8_e4m3"));
  list.push_back(dot("mxfp4", "mxfp6_e2m3", Addend::kPresent));
  for (const BlockFormat& format : all_block_formats()) {
    const Configuration each = dot(format.name, format.name);
    if (problem_of(each).empty()) list.push_back(each);
  }
  for (const Token<ArithmeticOperation>& each : tokens<ArithmeticOperation>()) {
    list.push_back(arith(each.value, formats::fp32));
    list.push_back(arith(each.value, formats::e5m2));
  }
  list.push_back(conversion(formats::fp32, formats::e5m2, Rounding::kStochasticC));
  list.push_back(conversion(formats::e5m2, formats::fp64));
  for (const Configuration& each : some_casts()) list.push_back(each);
  for (const BlockFormat& format : all_block_formats()) {
    const Configuration each = dequantize(format.name, formats::bf16);
    if (problem_of(each).empty()) list.push_back(each);
  }
  for (const Configuration& each : every_unit()) list.push_back(each);
  return list;
}

class EverySuite : public ::testing::TestWithParam<std::string_view> {
 protected:
  static SuiteKind kind() { return parse_token<SuiteKind>(GetParam()).value(); }
};

/// Pieces of any size, asked for in any order, are the same vectors; so are shards.
TEST_P(EverySuite, VectorsArePureFunctionsOfTheirNumber) {
  for (const Configuration& each : every_configuration()) {
    const VectorHeader header = header_of({each}, kind(), 60);
    if (is_large(header)) continue;
    const Stimulus stimulus(header);
    RecordBatch all;
    stimulus.fill(0, stimulus.size(), all);
    RecordBatch part;
    for (const std::uint64_t step : {std::uint64_t{17}, std::uint64_t{1}}) {
      for (std::uint64_t at = stimulus.size(); at > 0; at -= std::min(at, step * 41)) {
        const std::uint64_t first = at - std::min(at, step);
        stimulus.fill(first, at, part);
        RecordBatch expected(header.shape());
        expected.append(all, first, at);
        ASSERT_TRUE(part == expected) << name_of(each) << " " << first;
      }
    }
    RecordBatch joined(header.shape());
    std::uint64_t next = 0;
    for (std::uint64_t shard = 0; shard < 7; ++shard) {
      const ShardRange range = shard_range(stimulus.size(), shard, 7);
      EXPECT_EQ(range.first, next);
      next += range.count;
      stimulus.fill(range.first, next, part);
      joined.append(part, 0, part.size());
    }
    EXPECT_TRUE(joined == all) << name_of(each);
  }
}

/// Every class made something, and the operands are such that a reader takes them.
TEST_P(EverySuite, NoClassIsEmpty) {
  for (const Configuration& each : every_configuration()) {
    const VectorHeader header = header_of({each}, kind(), 60);
    const Stimulus stimulus(header);
    std::uint64_t sum = 0;
    for (const StimulusClass& c : stimulus.classes()) {
      EXPECT_GT(c.count, 0U) << name_of(each) << " " << c.name;
      sum += c.count;
    }
    EXPECT_GE(stimulus.classes().size(), 4U) << name_of(each);
    EXPECT_EQ(sum, stimulus.size() + stimulus.duplicates()) << name_of(each);
    if (is_large(header)) continue;
    const RecordBatch records = operands_of_set(header);
    const auto wrong = OperandCheck(header).find(records, 0, records.size());
    EXPECT_FALSE(wrong.has_value()) << name_of(each) << " " << wrong->what;
  }
}

/// Blocks and dots of all lengths, and whole ones; none are short where lengths are full.
TEST_P(EverySuite, LengthsAreWhatTheHeaderSays) {
  for (const Configuration& each : every_configuration()) {
    const Operation op = each.operation();
    if (op == Operation::kCvt || op == Operation::kArith || op == Operation::kCast) continue;
    const VectorHeader vary = header_of({each}, kind(), 60);
    if (is_large(vary)) continue;
    const RecordBatch records = operands_of_set(vary);
    std::size_t whole = 0;
    std::size_t part = 0;
    for (const std::uint64_t n : records.all(Field::kElements)) {
      ++(n == static_cast<std::uint64_t>(vary.lanes) ? whole : part);
    }
    EXPECT_GT(whole, 0U) << name_of(each);
    EXPECT_GT(part, 0U) << name_of(each);
    const VectorHeader full = header_of({each}, kind(), 60, 5, Lengths::kFull);
    EXPECT_FALSE(operands_of_set(full).has(Field::kElements));
  }
}

/// Answers are of many kinds: every suite reaches many codes, several scales and flags.
TEST_P(EverySuite, AnswersAreOfManyKinds) {
  std::size_t seen = 0;
  for (const Configuration& each : every_configuration()) {
    const VectorHeader header = header_of({each}, kind(), 300);
    if (is_large(header)) continue;
    GoldenSet set{header, operands_of_set(header)};
    answer(header, set.records);
    ++seen;
    const auto distinct = [&](Field field) {
      const auto all = set.records.all(field);
      return std::set<std::uint64_t>(all.begin(), all.end()).size();
    };
    // Two bits with a sign of their own have three codes that are ever written; truth values two.
    const bool is_narrow = name_of(each).find("tt_bfp2") != std::string::npos;
    const bool is_truth = name_of(each).find("compare_") != std::string::npos;
    EXPECT_GE(distinct(Field::kCode), is_truth ? 2U : is_narrow ? 3U : 8U) << name_of(each);
    if (set.records.has(Field::kFlags)) {
      EXPECT_GE(distinct(Field::kFlags), 2U) << name_of(each);
    }
    if (set.records.has(Field::kScale)) {
      EXPECT_GE(distinct(Field::kScale), 4U) << name_of(each);
    }
  }
  EXPECT_GT(seen, 40U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EverySuite, ::testing::Values("smoke", "dir", "rnd"),
                         [](const auto& param) { return std::string(param.param); });

TEST(Stimuli, SeedsDiffer) {
  for (const Configuration& each : every_configuration()) {
    const auto operands = [&](std::uint64_t seed) {
      return operands_of_set(header_of({each}, SuiteKind::kRandom, 20, seed));
    };
    EXPECT_FALSE(operands(1) == operands(2)) << name_of(each);
    EXPECT_TRUE(operands(1) == operands(1)) << name_of(each);
  }
}

/// The records of sets that somebody may have stored: their digests, written down once.
TEST(Stimuli, RandomConversionsAreWhatTheyWere) {
  struct Stored {
    Configuration configuration;
    const char* records;
  };
  for (const Stored& each : {
           Stored{conversion(formats::fp32, formats::fp16),
                  "2a67117888f59dda571f0f1ba5481dfc683bb69484ded2304257cc9d8be90685"},
           Stored{conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA),
                  "43592468b45de50870f4973c3d20de06de1543e8877c269758b70d23ae475aaa"},
           Stored{conversion(formats::bf16, formats::int8),
                  "b4b9d5b71ce8ed44b92ddb085a262fe869e18a03bcd4796de356cf060d630d14"},
           Stored{conversion(formats::fp32, formats::hif8),
                  "a5c8ad8a095f06d8ea534428a3838ed8f9d94824da5d4cf444e88924e7573435"},
           Stored{conversion(formats::fp16, formats::e8m0),
                  "ca5a4d96615b9b8798bd5d8828d14565019bf72ee8587203950c023a5e38c6c9"},
       }) {
    const GoldenSet set = golden_set({each.configuration}, SuiteKind::kRandom, 1000);
    VectorWriter writer("/dev/null", FileKind::kBin, set.header);
    writer.write(set.records);
    EXPECT_EQ(to_hex(writer.finish().records), each.records) << name_of(each.configuration);
  }
}

TEST(Stimuli, SetsOfOtherFormatsDiffer) {
  const auto sources = [](std::string_view format) {
    const RecordBatch records =
        operands_of_set(header_of({block(formats::fp32, format)}, SuiteKind::kRandom, 8));
    const auto all = records.all(Field::kSource);
    return std::vector<std::uint64_t>(all.begin(), all.end());
  };
  EXPECT_NE(sources("mxfp4"), sources("mxint8"));
  EXPECT_EQ(sources("mxfp4"), sources("mxfp4"));
}

TEST(Stimuli, ConfigurationsFollowOrTakeTurns) {
  const std::vector<Configuration> configs = {block(formats::bf16, "mxfp4"),
                                              block(formats::bf16, "mxint8")};
  const RecordBatch follow = operands_of_set(header_of(configs, SuiteKind::kRandom, 3));
  const RecordBatch turns = operands_of_set(header_of(configs, SuiteKind::kPolicy, 3));
  ASSERT_EQ(follow.size(), 6U);
  ASSERT_EQ(turns.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(follow.config(i), i / 3);
    EXPECT_EQ(turns.config(i), i % 2);
  }
}

TEST(Stimuli, OnlySuitesAreMadeAgain) {
  VectorHeader header = header_of({block(formats::bf16, "mxfp4")}, SuiteKind::kSmoke);
  for (const Token<SuiteKind>& kind : tokens<SuiteKind>()) {
    header.suite = kind.text;
    EXPECT_EQ(suite_kind(header), kind.value);
  }
  header.suite = "tensor";
  EXPECT_FALSE(suite_kind(header).has_value());
  EXPECT_THROW(Stimulus{header}, std::invalid_argument);
  EXPECT_FALSE(NamedSet(header).is_checked());
  EXPECT_EQ(NamedSet(header).count_problem(), "");
}

/// A set sees each operand field changed, in its first and last record; results and `open` are not
/// its business.
TEST(NamedSets, SeeChangedOperands) {
  Configuration open = conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticA);
  open.origin.masks = kMaskNan;
  const std::vector<std::vector<Configuration>> sets = {
      {open},
      {block(formats::bf16, "mxfp4", Rounding::kStochasticA), block(formats::bf16, "mxint8")},
      {block(formats::fp32, "nvfp4")},
      {dot("mxfp8_e4m3", "mxfp4", Addend::kPresent)},
      {mma("mi300_fp8")},
      {arith(ArithmeticOperation::kFma, formats::fp32)}};
  std::set<Field> seen;
  for (const std::vector<Configuration>& configs : sets) {
    const GoldenSet set = golden_set(configs, SuiteKind::kRandom, 40);
    const NamedSet named(set.header);
    ASSERT_TRUE(named.is_checked());
    EXPECT_EQ(named.count_problem(), "");
    EXPECT_EQ(named.operand_problem(set.records, 0), "");
    for (const FieldShape& shape : set.header.shape().fields) {
      for (const std::size_t i : {std::size_t{0}, set.records.size() - 1}) {
        for (const int lane : {0, shape.lanes - 1}) {
          RecordBatch wrong = set.records;
          wrong.of(shape.field, i)[static_cast<std::size_t>(lane)] ^= 1;
          const std::string problem = named.operand_problem(wrong, 0);
          const bool is_operand = !is_result(shape.field) && shape.field != Field::kOpen;
          EXPECT_EQ(problem.empty(), !is_operand) << token_of(shape.field);
          if (!is_operand) continue;
          seen.insert(shape.field);
          EXPECT_NE(problem.find("vector " + std::to_string(i)), std::string::npos) << problem;
          EXPECT_NE(problem.find(token_of(shape.field)), std::string::npos) << problem;
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), kFields - 6) << "open, keep and last, three results";
}

/// Pieces are compared where they stand; a cut, repeated, reversed or longer file is not the set.
TEST(NamedSets, SeeOtherPieces) {
  const GoldenSet set = golden_set({block(formats::bf16, "mxfp4")}, SuiteKind::kRandom, 40);
  const NamedSet named(set.header);
  RecordBatch piece(set.header.shape());
  piece.append(set.records, 10, 20);
  EXPECT_EQ(named.operand_problem(piece, 10), "");
  EXPECT_NE(named.operand_problem(piece, 11), "");
  RecordBatch reversed(set.header.shape());
  for (std::size_t i = set.records.size(); i-- > 0;) reversed.append(set.records, i, i + 1);
  EXPECT_NE(named.operand_problem(reversed, 0), "");
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{39}, std::uint64_t{80}}) {
    VectorHeader other = set.header;
    other.count = count;
    EXPECT_NE(NamedSet(other).count_problem(), "") << count;
  }
  // A shard is a set of its own.
  VectorHeader shard = set.header;
  shard.shard = 1;
  shard.shards = 3;
  shard.count = 13;
  const NamedSet second(shard);
  EXPECT_EQ(second.count_problem(), "");
  RecordBatch part(set.header.shape());
  part.append(set.records, 14, 27);
  EXPECT_EQ(second.operand_problem(part, 0), "");
  EXPECT_NE(named.operand_problem(part, 0), "");
}

}  // namespace
}  // namespace mx::golden
