// The same records through all three kinds of file, the protocol and the manifest.
#include <gmock/gmock.h>

#include "golden/answers/verify.hpp"
#include "golden/files/manifest.hpp"
#include "golden/vectors/protocol.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/catalog/fields.hpp"
#include "tests/golden/files/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;

class RoundTrip : public GoldenFixture {
 protected:
  /// Header, records and digests come back from every kind of file.
  void expect_round_trip(const GoldenSet& set) const {
    FileDigests first;
    for (const FileKind kind : kFileKinds) {
      VectorReader reader(file_of(set, kind));
      RecordBatch back;
      reader.read(back, std::size_t{1} << 20);
      RecordBatch rest;
      ASSERT_EQ(reader.read(rest, 1), 0U);
      const std::string what = set.header.set_id() + "." + std::string(extension(kind));
      ASSERT_EQ(reader.header().text(""), set.header.text("")) << what;
      ASSERT_EQ(reader.header().set_id(), set.header.set_id());
      ASSERT_TRUE(back == set.records) << what;
      if (kind == FileKind::kTv) first = reader.digests();
      ASSERT_EQ(reader.digests(), first) << what << ": the digests do not depend on the kind";
    }
  }

  /// A line of a file is the operand line and the result line of the protocol; answers that come
  /// back as lines are the answers.
  void expect_protocol(const GoldenSet& set) const {
    const std::string text = text_of(file_of(set, FileKind::kTv));
    ASSERT_TRUE(text.starts_with(protocol_header(set.header)));
    const std::vector<std::string> lines = lines_of(text);
    RecordLines codec(set.header.shape());
    RecordBatch answers = set.records;
    for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
      for (std::uint64_t& word : answers.all(field)) word = 0;
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string results = codec.results(set.records, i);
      ASSERT_EQ(codec.operands(set.records, i) + " " + results,
                lines[lines.size() - 3 - answers.size() + i]);
      ASSERT_EQ(codec.parse_results(results, answers, i), "");
    }
    ASSERT_TRUE(answers == set.records) << set.header.set_id();
  }

  void expect_both(const GoldenSet& set) const {
    expect_round_trip(set);
    expect_protocol(set);
  }
};

TEST_F(RoundTrip, BlocksWithAWordOfTheRtl) {
  const GoldenSet set = blocks();
  EXPECT_TRUE(set.records.has(Field::kTuser));
  EXPECT_FALSE(set.records.has(Field::kElements));
  expect_both(set);
}

TEST_F(RoundTrip, Conversions) { expect_both(conversions()); }

TEST_F(RoundTrip, BlocksOfEveryFormat) {
  int two_levels = 0;
  int sublevels = 0;
  int without_size = 0;
  for (const Configuration& each : every_block()) {
    const GoldenSet set = golden_set({each}, SuiteKind::kRandom, 40);
    const auto lengths = set.records.all(Field::kElements);
    EXPECT_TRUE(std::ranges::any_of(
        lengths, [&](std::uint64_t n) { return n < static_cast<std::uint64_t>(set.header.lanes); }))
        << "no short block: " << set.header.set_id();
    expect_both(set);
    const BlockFormat& format = std::get<QuantizerConfig>(each.what).format;
    two_levels += format.tensor_scale != TensorScale::kNone ? 1 : 0;
    sublevels += format.sublevels[0] != 0 ? 1 : 0;
    without_size += format.extent != BlockExtent::kElements ? 1 : 0;
  }
  EXPECT_GT(two_levels, 0);
  EXPECT_GT(sublevels, 0);
  EXPECT_GT(without_size, 0);
}

/// A format that no name tells comes back with its definition.
TEST_F(RoundTrip, DefinedFormats) {
  ElementFormat mine = formats::e4m3fn;
  mine.name = "mine";
  mine.bias = 9;
  ASSERT_EQ(invalid_reason(mine), "");
  const GoldenSet set = golden_set({conversion(formats::fp32, mine)}, SuiteKind::kRandom, 20);
  EXPECT_THAT(set.header.text(""), HasSubstr("destination_definition name=mine"));
  expect_both(set);
  expect_both(golden_set({conversion(mine, formats::e5m2)}, SuiteKind::kRandom, 20));
  BlockFormat tiles = *find_block_format("mxfp8_e4m3");
  tiles.name = "my_tiles";
  tiles.element = mine;
  tiles.block_size = 5;
  tiles.tile_lines = 3;
  expect_both(golden_set({block(formats::bf16, tiles)}, SuiteKind::kRandom, 20));
}

TEST_F(RoundTrip, SeveralConfigurations) {
  std::vector<Configuration> configs;
  for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kRceil}) {
    for (const Rounding rounding : {Rounding::kToOdd, Rounding::kStochasticA}) {
      configs.push_back(block(formats::bf16, *find_block_format("mxfp4"), rounding, rule));
      configs.push_back(block(formats::bf16, *find_block_format("mxint8"), rounding, rule));
    }
  }
  const GoldenSet set = golden_set(configs, SuiteKind::kRandom, 5);
  EXPECT_EQ(set.records.size(), 40U);
  EXPECT_TRUE(set.records.has(Field::kConfig) && set.records.has(Field::kTuser));
  expect_both(set);
  std::vector<Configuration> many;
  for (int i = 0; i < 300; ++i) {
    Configuration each = conversion(formats::fp32, formats::e5m2);
    std::get<ConversionConfig>(each.what).policy.random_bits = 1 + i % 32;
    many.push_back(each);
  }
  expect_both(golden_set(many, SuiteKind::kRandom, 1));
}

/// The level of the tensor is part of the configuration.
TEST_F(RoundTrip, TensorLevels) {
  std::vector<Configuration> configs;
  for (const int exponent : {-100, 0, 100}) {
    Configuration each = block(formats::fp32, "nvfp4");
    auto& config = std::get<QuantizerConfig>(each.what);
    config.tensor = {};
    config.tensor = tensor_level(config, unpack_integer(false, 3, exponent));
    configs.push_back(each);
  }
  const GoldenSet set = golden_set(configs, SuiteKind::kRandom, 9);
  EXPECT_FALSE(set.records.has(Field::kTuser)) << "no word of the RTL says a level";
  expect_both(set);
  VectorHeader header;
  EXPECT_EQ(read_records(file_of(set, FileKind::kTv), header).size(), set.records.size());
  for (std::size_t i = 0; i < configs.size(); ++i) {
    EXPECT_EQ(std::get<QuantizerConfig>(header.configs[i].what).tensor,
              std::get<QuantizerConfig>(configs[i].what).tensor);
  }
}

TEST_F(RoundTrip, WhatAProfileLeavesOpen) {
  Configuration cvt = conversion(formats::fp32, formats::e4m3fn);
  cvt.origin.masks = kMaskNan | kMaskOverflow;
  const GoldenSet cvts = golden_set({cvt}, SuiteKind::kSmoke);
  EXPECT_EQ(cvts.records.lanes(Field::kOpen), 1U);
  EXPECT_TRUE(std::ranges::any_of(cvts.records.all(Field::kOpen), [](auto w) { return w != 0; }));
  EXPECT_TRUE(std::ranges::any_of(cvts.records.all(Field::kOpen), [](auto w) { return w == 0; }));
  expect_both(cvts);
  Configuration blocks = block(formats::fp32, "mxfp4");
  blocks.origin.masks = kMaskZeroBlock | kMaskSpecialLanes;
  const GoldenSet set = golden_set({blocks}, SuiteKind::kSmoke);
  EXPECT_EQ(set.records.lanes(Field::kOpen), 5U) << "2 + 32 bits";
  EXPECT_TRUE(std::ranges::any_of(set.records.all(Field::kOpen), [](auto w) { return w != 0; }));
  expect_both(set);
}

TEST_F(RoundTrip, Dots) {
  for (const auto& [a, b] : {std::pair{"mxfp8_e4m3", "mxfp8_e4m3"}, std::pair{"mxfp4", "mxint8"},
                             std::pair{"nvfp4", "nvfp4"}, std::pair{"mxfp8_e5m2", "mxfp4"}}) {
    for (const Addend addend : {Addend::kAbsent, Addend::kPresent}) {
      const Configuration each = dot(a, b, addend);
      ASSERT_EQ(problem_of(each), "");
      for (const Lengths lengths : {Lengths::kFull, Lengths::kVary}) {
        expect_both(golden_set({each}, SuiteKind::kRandom, 35, 2, lengths));
      }
    }
  }
}

TEST_F(RoundTrip, EveryArithmeticOperation) {
  for (const Token<ArithmeticOperation>& operation : tokens<ArithmeticOperation>()) {
    for (const ElementFormat& format :
         {formats::fp64, formats::fp32, formats::bf16, formats::e5m2}) {
      const GoldenSet set = golden_set({arith(operation.value, format)}, SuiteKind::kRandom, 21);
      EXPECT_EQ(set.header.shape().fields.size(), operands_of(operation.value) + 2);
      expect_both(set);
    }
  }
}

TEST_F(RoundTrip, EveryIntegerConversion) {
  for (const Configuration& each : every_integer_conversion(formats::bf16)) {
    expect_both(golden_set({each}, SuiteKind::kRandom, 21));
  }
}

TEST_F(RoundTrip, BinaryRecordsAreTheDigestedStream) {
  const GoldenSet set = conversions();
  const std::string binary = text_of(file_of(set, FileKind::kBin));
  const std::size_t bytes = set.header.shape().record_bytes() * set.records.size();
  const std::string stream = binary.substr(binary.size() - 80 - bytes, bytes);
  VectorReader reader(file_of(set, FileKind::kTv));
  for (RecordBatch batch; reader.read(batch, 100) != 0;) continue;
  EXPECT_EQ(sha256(stream), reader.digests().records);
}

TEST_F(RoundTrip, EveryWidth) {
  for (const ElementFormat& source : all_formats()) {
    for (const ElementFormat& destination : {formats::fp64, formats::bf16, formats::e2m1fn}) {
      for (const int bits : {3, 12, 32}) {
        Configuration each = conversion(source, destination, Rounding::kStochasticB);
        std::get<ConversionConfig>(each.what).policy.random_bits = bits;
        expect_round_trip(golden_set({each}, SuiteKind::kRandom, 64, 9));
      }
    }
  }
}

TEST_F(RoundTrip, BadLinesOfTheProtocol) {
  const GoldenSet set = blocks();
  RecordLines codec(set.header.shape());
  RecordBatch answers = set.records;
  EXPECT_THAT(codec.parse_results("", answers, 0), HasSubstr("field scale"));
  EXPECT_THAT(codec.parse_results("zz", answers, 0), HasSubstr("column 1"));
  EXPECT_THAT(codec.parse_results("7f\r", answers, 0), HasSubstr("CR LF"));
  EXPECT_NE(codec.parse_results(codec.results(set.records, 0) + " 00", answers, 0), "");
  EXPECT_TRUE(answers == set.records) << "a refused line changes nothing";
}

}  // namespace
}  // namespace mx::golden
