// Where blocks come from: pure functions of the index.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "golden/answers/answers.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/number/philox.hpp"
#include "sim/stimulus/tensor_source.hpp"
#include "sim/stimulus/vector_source.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

TEST(SuiteSource, BlockIsAFunctionOfItsIndex) {
  const SuiteSource& source = test::smoke();
  std::vector<BlockIn> whole(6000);
  source.fill(1000, whole);
  for (const std::uint64_t first : {0U, 1U, 1047U, 1048U, 3000U, 5990U}) {
    std::vector<BlockIn> piece(10);
    source.fill(1000 + first, piece);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      ASSERT_EQ(piece[i], whole[first + i]) << first + i;
    }
  }
}

TEST(SuiteSource, EveryConfigurationTakesPart) {
  const SuiteSource& source = test::smoke();
  EXPECT_EQ(source.configurations(), 576U);
  EXPECT_EQ(source.left_out(), 0U);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  std::map<std::uint32_t, std::size_t> count;
  for (const BlockIn& block : blocks) ++count[block.config];
  std::size_t defaults = 0;
  for (const auto& [config, times] : count) {
    ASSERT_LT(config, source.configs().size());
    const QuantizerConfig& config_of_block = config_at(source.configs(), config);
    if (golden::config_word_of(config_of_block).word >> 12 != 0 || config >= 576) continue;
    ++defaults;
    EXPECT_GE(times, 100U) << config;
  }
  EXPECT_EQ(defaults, 576U);
  EXPECT_EQ(count.size(), source.configs().size()) << "a configuration without a block";
  EXPECT_GT(count.size(), 1000U) << "random policies";
}

TEST(SuiteSource, NeighboursDifferInConfiguration) {
  // All of them: blocks of random configurations, which alone are short, come in few slices.
  const SuiteSource& source = test::smoke();
  std::vector<BlockIn> blocks(static_cast<std::size_t>(source.size()));
  source.fill(0, blocks);
  std::size_t changes = 0;
  std::size_t short_blocks = 0;
  std::size_t lasts = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    changes += blocks[i].config != blocks[i - 1].config ? 1U : 0U;
    short_blocks += blocks[i].keep != kAllLanes ? 1U : 0U;
    lasts += blocks[i].last ? 1U : 0U;
  }
  EXPECT_GT(changes, blocks.size() * 85 / 100);
  EXPECT_GT(short_blocks, 200U);
  EXPECT_GT(lasts, blocks.size() / 8);
}

TEST(SuiteSource, SeedMovesEverything) {
  SuiteOptions options = test::single_configuration();
  const SuiteSource one(options);
  options.seed = 2;
  const SuiteSource two(options);
  std::vector<BlockIn> a(50);
  std::vector<BlockIn> b(50);
  one.fill(0, a);
  two.fill(0, b);
  EXPECT_NE(a, b);
}

TEST(SuiteSource, WithoutExtrasThereIsNothingElse) {
  const SuiteSource source(test::single_configuration());
  EXPECT_EQ(source.configurations(), 1U);
  EXPECT_EQ(source.configs().size(), 1U);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  for (const BlockIn& block : blocks) {
    EXPECT_EQ(block.config, 0U);
    EXPECT_EQ(block.keep, kAllLanes);
  }
}

TEST(SuiteSource, LeavesOutWhatTheDeviceRefuses) {
  SuiteOptions options;
  Selection selection = Selection::all();
  selection.sources = {formats::fp32};
  options.configs = selection.configurations(options.random_bits);
  options.refusal = [](const QuantizerConfig& config) -> std::string {
    return config.block.rule == ScaleRule::kFloor ? "" : "knows floor only";
  };
  const SuiteSource source(options);
  EXPECT_EQ(source.configurations(), 6U * 8U);
  EXPECT_EQ(source.left_out(), 3U * 6U * 8U);
  EXPECT_EQ(source.first_refusal(), "knows floor only");
  for (const golden::Configuration& each : source.configs()) {
    EXPECT_EQ(std::get<QuantizerConfig>(each.what).block.rule, ScaleRule::kFloor);
  }
}

// Configurations are taken whole, profile and masks too.
TEST(SuiteSource, ConfigurationsTravelWhole) {
  SuiteOptions options;
  options.extras = ExtraPolicies::kAbsent;
  options.configs = {test::profiled("intel-fp8et:blocks-as=mxgold-default", "mxfp8_e4m3"),
                     test::told(0)};
  std::get<QuantizerConfig>(options.configs[1].what).block.src_daz_block = BlockFlush::kFlush;
  const SuiteSource source(options);
  ASSERT_EQ(source.configs().size(), 2U);
  EXPECT_EQ(source.configs()[0].origin, options.configs[0].origin);
  EXPECT_EQ(config_at(source.configs(), 1).block.src_daz_block, BlockFlush::kFlush);
}

SuiteOptions small_suite() {
  SuiteOptions options;
  Selection selection = Selection::all();
  selection.sources = {formats::bf16};
  selection.formats = {formats::e2m1fn};
  selection.roundings = {Rounding::kTiesToEven};
  selection.rules = {ScaleRule::kFloor};
  options.configs = selection.configurations(options.random_bits);
  return options;
}

std::vector<ToldPolicy> told(std::string_view field, const std::vector<std::string>& values) {
  return {{find_policy_field(field), values}};
}

// A policy that was told holds for what the suite adds, too, and restricts nothing else: also the
// default value, which leaves almost everything, and one that the suite never varies.
TEST(SuiteSource, ToldPoliciesHoldForEveryConfiguration) {
  const std::size_t plain = SuiteSource(small_suite()).configs().size();
  EXPECT_GT(plain, 200U);
  std::size_t tried = 0;
  for (const PolicyField& field : policy_fields()) {
    if (field.name == "rounding" || field.name == "rule" || field.name == "random_bits") continue;
    for (const std::string_view value : field.values()) {
      SuiteOptions options = small_suite();
      options.told = told(field.name, {std::string(value)});
      auto& config = std::get<QuantizerConfig>(options.configs.front().what);
      Policies policies{config.element, config.block};
      ASSERT_TRUE(field.write(policies, value)) << field.name;
      config.element = policies.element;
      config.block = policies.block;
      if (!golden::problem_of(options.configs.front()).empty()) continue;
      ++tried;
      const SuiteSource source(options);
      EXPECT_LE(source.configs().size(), plain) << field.name << ' ' << value;
      EXPECT_GT(source.configs().size(), plain / 2) << field.name << ' ' << value;
      for (const golden::Configuration& each : source.configs()) {
        EXPECT_TRUE(options.told[0].allows(std::get<QuantizerConfig>(each.what))) << field.name;
      }
    }
  }
  EXPECT_GT(tried, 50U);
  const ToldPolicy flush = told("src_ftz", {"flush"})[0];
  EXPECT_FALSE(flush.allows(std::get<QuantizerConfig>(small_suite().configs[0].what)));
}

TEST(SuiteSource, SeveralToldValuesTakeTurns) {
  SuiteOptions options = small_suite();
  options.told = told("int_min", {"clamp_symmetric", "allow"});
  const SuiteSource source(options);
  std::set<std::string> seen;
  for (const golden::Configuration& each : source.configs()) {
    seen.insert(std::string(token_of(std::get<QuantizerConfig>(each.what).element.int_min)));
  }
  EXPECT_EQ(seen.size(), 2U);
}

// A configuration given whole leaves a suite nothing to add: it runs by itself.
TEST(SuiteSource, AConfigurationGivenWholeRunsByItself) {
  SuiteOptions options = small_suite();
  for (const PolicyField& field : policy_fields()) {
    if (field.name == "rounding" || field.name == "rule" || field.name == "random_bits") continue;
    options.told.push_back({&field, {field.read({})}});
  }
  EXPECT_EQ(SuiteSource(options).configs().size(), 1U);
}

std::vector<std::byte> iota_words(std::size_t count) {
  std::vector<std::byte> bytes(count * 4);
  for (std::uint32_t i = 0; i < count; ++i) std::memcpy(bytes.data() + std::size_t{4} * i, &i, 4);
  return bytes;
}

TEST(TensorSource, CutsRowsIntoBlocksUnderEveryConfiguration) {
  const auto data = iota_words(210);
  const TensorSource source({{"t", formats::fp32, {3, 70}, data, 0}},
                            {test::told(0), test::told(5)}, 1);
  ASSERT_EQ(source.size(), 3U * 3U * 2U);
  EXPECT_EQ(source.values(), 210U);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  EXPECT_EQ(blocks[0].config, 0U);
  EXPECT_EQ(blocks[1].config, 1U);
  EXPECT_EQ(blocks[1].source, blocks[0].source);
  EXPECT_EQ(blocks[0].keep, kAllLanes);
  EXPECT_FALSE(blocks[0].last);
  const BlockIn& tail = blocks[10];  // row 1, block 2
  EXPECT_EQ(tail.keep, 0x3FU);
  EXPECT_TRUE(tail.last);
  EXPECT_EQ(tail.source[0], 70U + 64U);
  EXPECT_EQ(tail.source[5], 139U);
  EXPECT_EQ(tail.source[6], 0U);
}

TEST(TensorSource, ScalarsAndEmptyTensorsHaveTheirBlocks) {
  const auto data = iota_words(1);
  const TensorSource source(
      {{"empty", formats::fp32, {0, 4}, {}, 0}, {"scalar", formats::fp32, {}, data, 1}},
      {test::told(0)}, 1);
  EXPECT_EQ(source.size(), 1U);
  EXPECT_EQ(source.values(), 1U);
  EXPECT_NE(source.describe(0).find("scalar"), std::string::npos);
}

TEST(TensorSource, EachTensorRunsUnderTheConfigurationsOfItsSource) {
  const std::vector<std::byte> data(128);
  const std::uint32_t fp16 = 2U << 10;
  const Configurations configs{test::told(0), test::told(3 | fp16), test::told(4 | fp16)};
  const TensorSource source(
      {{"h", formats::fp16, {32}, data, 0}, {"s", formats::fp32, {32}, data, 1}}, configs, 1);
  ASSERT_EQ(source.size(), 3U);
  std::vector<BlockIn> blocks(3);
  source.fill(0, blocks);
  EXPECT_EQ(blocks[0].config, 1U);
  EXPECT_EQ(blocks[1].config, 2U);
  EXPECT_EQ(blocks[2].config, 0U);
  EXPECT_THROW(TensorSource({{"d", formats::fp64, {1}, data, 0}}, configs, 1), StimulusError);
}

TEST(TensorSource, RandomWordsAreThoseOfQuantize) {
  const auto data = iota_words(70);
  const TensorSource source({{"t", formats::fp32, {70}, data, 9}}, {test::told(9U << 3)}, 42);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  for (std::uint64_t i = 0; i < 70; ++i) {
    EXPECT_EQ(blocks[i / 32].random[i % 32], counter_random(42, 9, i, 8)) << i;
  }
}

// A golden file on disk, taken away at the end.
class GoldenFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "mx_golden_" + std::to_string(getpid()) + ".tv";
    make(plain(), kLanes);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  static golden::Configuration plain() {
    return {QuantizerConfig{formats::fp32, *find_block_format("mxfp8_e4m3"), {}, {}}, {}};
  }
  /// The smoke suite of one configuration, answered.
  void make(const golden::Configuration& config, int lanes,
            golden::Lengths lengths = golden::Lengths::kFull) {
    header_ = {};
    header_.op = config.operation();
    header_.configs = {config};
    header_.lanes = lanes;
    header_.lengths = lengths;
    header_.suite = "smoke";
    if (golden::takes_random(config)) header_.random_words = golden::RandomWords::kPresent;
    const golden::Stimulus stimulus(header_);
    header_.count = stimulus.size();
    stimulus.fill(0, header_.count, batch_);
    golden::ReferenceAnswerer reference(header_);
    reference.answer(batch_, 0, batch_.size());
    golden::fill_open(reference, batch_);
  }

  void write() {
    golden::VectorWriter writer(path_, golden::FileKind::kTv, header_);
    writer.write(batch_);
    writer.finish();
  }

  golden::RecordBatch batch_;
  golden::VectorHeader header_;
  std::string path_;
};

RunResult run_file(const std::string& path) {
  const VectorSource source(path);
  return run(source, test::reference_with(), test::plain_options());
}

TEST_F(GoldenFile, PassesAsWritten) {
  write();
  EXPECT_EQ(run_file(path_).exit_code(), 0);
  EXPECT_EQ(VectorSource(path_).configs().size(), 1U);
}

TEST_F(GoldenFile, ShortBlocksPass) {
  make(plain(), kLanes, golden::Lengths::kVary);
  write();
  const VectorSource source(path_);
  std::vector<BlockIn> blocks(source.size());
  source.fill(0, blocks);
  EXPECT_TRUE(std::ranges::any_of(blocks, [](const BlockIn& b) { return b.keep != kAllLanes; }));
  EXPECT_EQ(run_file(path_).exit_code(), 0);
}

// Policies that no word of the RTL has are the file's all the same.
TEST_F(GoldenFile, CarriesWhatNoWordHas) {
  golden::Configuration config = plain();
  std::get<QuantizerConfig>(config.what).block.src_daz_block = BlockFlush::kFlush;
  make(config, kLanes);
  write();
  const VectorSource source(path_);
  EXPECT_EQ(config_at(source.configs(), 0).block.src_daz_block, BlockFlush::kFlush);
  EXPECT_EQ(run_file(path_).exit_code(), 0);
}

// First, middle and last block, each field, under a profile and under none.
TEST_F(GoldenFile, FlippedBitWithItsDigestRecomputedIsAMismatch) {
  using golden::Field;
  for (const char* profile :
       {"mxgold-default", "intel-fp8et:blocks-as=mxgold-default", "ocp-mx-1.0"}) {
    make(test::profiled(profile, "mxfp8_e4m3"), kLanes);
    const golden::RecordBatch right = batch_;
    const golden::ReferenceAnswerer reference(header_);
    for (const std::size_t near : {std::size_t{0}, batch_.size() / 2, batch_.size() - 1}) {
      for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
        // The nearest record of which the field is compared.
        const auto is_open = [&](std::size_t i) {
          const golden::OpenAnswer open = reference.open(right, i);
          if (field == Field::kScale) return open.scale;
          return field == Field::kFlags ? open.flags : open.code(0);
        };
        std::size_t i = near;
        while (is_open(i)) i = i + 1 == right.size() ? 0 : i + 1;
        batch_ = right;
        batch_.of(field, i)[0] ^= 1;
        write();
        EXPECT_EQ(run_file(path_).exit_code(), 1) << profile << ' ' << token_of(field) << ' ' << i;
      }
    }
  }
}

// Wrong bits where the profile is open pass, and are counted.
TEST_F(GoldenFile, OpenWordsMayBeAnything) {
  using golden::Field;
  make(test::profiled("intel-fp8et:blocks-as=mxgold-default", "mxfp8_e4m3"), kLanes);
  const golden::ReferenceAnswerer reference(header_);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    const golden::OpenAnswer open = reference.open(batch_, i);
    for (std::size_t lane = 0; lane < open.lanes.size(); ++lane) {
      if (!open.lanes[lane]) continue;
      batch_.of(Field::kCode, i)[lane] ^= 1;
      ++changed;
    }
  }
  ASSERT_GT(changed, 0U);
  write();
  const RunResult result = run_file(path_);
  EXPECT_EQ(result.exit_code(), 0);
  EXPECT_GE(result.tallies.total().open, changed);
}

TEST_F(GoldenFile, FlippedByteIsRefused) {
  write();
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path_) / 2);
  file.seekg(middle);
  char c = 0;
  do file.get(c);
  while (c == ' ' || c == '\n');
  file.seekp(-1, std::ios::cur);
  file.put(c == '0' ? '1' : '0');
  file.close();
  EXPECT_THROW(VectorSource{path_}, golden::VectorError);
}

TEST_F(GoldenFile, NoVectorsAreAFailure) {
  header_.count = 0;
  batch_.resize(0);
  try {
    write();
    EXPECT_THROW(static_cast<void>(run_file(path_)), std::runtime_error);
  } catch (const golden::VectorError&) {
    SUCCEED() << "the writer refuses already";
  }
}

TEST_F(GoldenFile, OtherOperationsAndShapesAreNoBeats) {
  const auto refused = [&](const golden::Configuration& config, int lanes) {
    make(config, lanes);
    write();
    EXPECT_FALSE(VectorSource::problem(header_).empty());
    EXPECT_THROW(VectorSource{path_}, StimulusError);
  };
  refused({ConversionConfig{formats::fp32, formats::e4m3fn, {}}, {}}, 1);
  refused(
      {golden::ArithmeticCase{ArithmeticOperation::kAdd, Arithmetic::ieee(formats::e4m3fn)}, {}},
      1);
  QuantizerConfig narrow{formats::fp32, *find_block_format("mxfp4"), {}, {}};
  narrow.format.block_size = 16;
  refused({narrow, {}}, 16);
}

}  // namespace
}  // namespace mx::sim
