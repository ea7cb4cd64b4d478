// The coverage model: what it proves unreachable is, what it does not the directed suites hit, and
// a missing vector is a missing bin.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "golden/bytes/error.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/configuration/policies.hpp"
#include "golden/coverage/collector.hpp"
#include "golden/coverage/database.hpp"
#include "golden/coverpoints/rounding_points.hpp"
#include "golden/points/random_configs.hpp"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

Covergroup coverage_of(const GoldenSet& set) {
  const std::unique_ptr<Collector> collector = make_collector(set.header, 0);
  Covergroup group = group_of(set.header, 0);
  for (std::size_t i = 0; i < set.records.size(); ++i) collector->sample(set.records, i);
  group.samples = set.records.size();
  group.points = collector->points();
  return group;
}

/// "point: bin" of every bin that is not hit, or is and cannot be.
std::string wrong_bins(const Covergroup& group) {
  std::string text;
  for (const Coverpoint& point : group.points) {
    for (const Bin& bin : point.bins) {
      if ((bin.hits == 0) != (bin.reach == Reach::kOpen)) continue;
      text += point.name + ": " + bin.name + "\n";
    }
  }
  return text.substr(0, 2000);
}

/// "point: bin" of every bin that is hit and proved unreachable.
std::string contradicted_bins(const Covergroup& group) {
  std::string text;
  for (const Coverpoint& point : group.points) {
    for (const Bin& bin : point.bins) {
      if (bin.hits != 0 && bin.reach == Reach::kUnreachable) {
        text += point.name + ": " + bin.name + "\n";
      }
    }
  }
  return text;
}

const Coverpoint& point_of(const Covergroup& group, std::string_view name) {
  return *std::ranges::find(group.points, name, &Coverpoint::name);
}

void expect_closed(const Configuration& configuration) {
  const Covergroup group = coverage_of(golden_set({configuration}, SuiteKind::kDirected));
  EXPECT_TRUE(group.score().complete()) << name_of(configuration) << "\n" << wrong_bins(group);
  EXPECT_GT(group.score().bins, 10U);
}

/// Property: every bin that some input can hit is hit by the directed suite (spec V10). Conversions
/// of every destination, from a wide and a narrow source.
TEST(CoverageIsClosed, ByDirectedConversions) {
  for (const ElementFormat& destination : all_formats()) {
    for (const ElementFormat* source : {&formats::fp32, &formats::bf16}) {
      if (destination.bits > source->bits) continue;
      for (const Rounding rounding :
           {Rounding::kTiesToEven, Rounding::kToOdd, Rounding::kStochasticA}) {
        expect_closed(conversion(*source, destination, rounding));
      }
    }
  }
}

class MxCoverage : public ::testing::TestWithParam<std::string_view> {};

/// The same of the MX formats under every rule that the exact stimulus knows.
TEST_P(MxCoverage, IsClosedByDirectedBlocks) {
  const BlockFormat& format = *find_block_format(GetParam());
  for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                               ScaleRule::kEvenUp, ScaleRule::kEvenDown}) {
    expect_closed(block(formats::fp32, format, Rounding::kTiesToEven, rule));
    expect_closed(block(formats::fp16, format, Rounding::kAwayFromZero, rule));
  }
  expect_closed(block(formats::bf16, format, Rounding::kStochasticA, ScaleRule::kFloor));
}

INSTANTIATE_TEST_SUITE_P(All, MxCoverage,
                         ::testing::Values("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3",
                                           "mxfp4", "mxint8"),
                         [](const auto& each) { return std::string(each.param); });

/// Of other block formats the lanes, sources and status bits are.
TEST(CoverageIsClosed, ByDirectedBlocksOfOtherFormats) {
  for (const char* format : {"nvfp4", "tt_bfp8", "bfp16_16", "mxint4"}) {
    expect_closed(block(formats::fp32, format));
  }
}

TEST(CoverageIsClosed, ByDirectedArithmetic) {
  for (const Token<ArithmeticOperation>& each : tokens<ArithmeticOperation>()) {
    for (const ElementFormat* format :
         {&formats::e4m3fn, &formats::e5m2, &formats::fp16, &formats::fp32, &formats::fp64}) {
      expect_closed(arith(each.value, *format));
    }
  }
}

/// Every integer type under every rule: ends that a format reaches, and those that it does not.
TEST(CoverageIsClosed, ByDirectedIntegerConversions) {
  for (const ElementFormat* format :
       {&formats::e5m2, &formats::fp16, &formats::fp32, &formats::fp64}) {
    for (const Configuration& each : every_integer_conversion(*format)) expect_closed(each);
  }
}

/// Dequantizing: every scale, every code in each lane, every outcome that a pair has.
TEST(CoverageIsClosed, ByDirectedDequantizing) {
  const Dequantizing flushing{Rounding::kTowardZero, ResultSubnormals::kFlushAfterRounding};
  for (const char* format : {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp4", "mxint8", "nvfp4",
                             "binary8p3se_k32", "hifx4", "fp8_e4m3_fp32_1x128"}) {
    for (const ElementFormat* result : {&formats::fp32, &formats::fp16, &formats::e4m3fn}) {
      for (const DequantOverflow overflow :
           {DequantOverflow::kInf, DequantOverflow::kSaturate, DequantOverflow::kNan}) {
        expect_closed(dequantize(format, *result, {}, overflow));
      }
      expect_closed(dequantize(format, *result, flushing));
    }
  }
}

/// Coverpoints of what a cast answers.
bool is_of_results(const Coverpoint& point) {
  return point.name == "outcome" || point.name == "byte" || point.name == "scale_byte";
}

/// Rows of casts: every class and exponent of the values, every lane, ties, spreads, whole rows. Of
/// results a missing bin may be unreachable here; some are hit.
TEST(CoverageIsClosed, ByDirectedCasts) {
  std::vector<Configuration> list = some_casts();
  list.push_back(cast("dmx:BFP[8|8]{16}(SN)", SystemMode::kCompat, TensorType::kBf16));
  list.push_back(cast("qtorch:float_quantize(exp=4,man=3,rounding=nearest)", SystemMode::kStrict,
                      TensorType::kFp32));
  for (const Configuration& each : list) {
    Covergroup group = coverage_of(golden_set({each}, SuiteKind::kDirected));
    const auto results = std::ranges::find_if(group.points, is_of_results);
    ASSERT_NE(results, group.points.end()) << name_of(each);
    EXPECT_GT(results->score().hit, 5U) << name_of(each) << "\n" << wrong_bins(group);
    std::erase_if(group.points, is_of_results);
    EXPECT_TRUE(group.score().complete()) << name_of(each) << "\n" << wrong_bins(group);
    EXPECT_GT(group.score().bins, 20U);
  }
}

/// Of casts of single 16-bit values all sources are tried, so that results are closed as well.
TEST(CoverageIsClosed, ByDirectedCastsOfSingleValues) {
  std::uint64_t unreachable = 0;
  int count = 0;
  for (const TensorType source : {TensorType::kBf16, TensorType::kFp16}) {
    for (const char* text : {"dmx:FP[1|4|3,7](FN)", "dmx:XP[8,+4](CSN)", "dmx:SAME",
                             "torchmx:hp_to_floatx(exponent_bits=4,mantissa_bits=3,max_normal=448)",
                             "microxcaling:quantize_elemwise(elem_format=bf16)",
                             "microxcaling:quantize_elemwise(elem_format=fp8_e5m2)"}) {
      for (const SystemMode mode : {SystemMode::kStrict, SystemMode::kCompat}) {
        const Configuration each = cast(text, mode, source);
        if (!header_of({each}, SuiteKind::kSmoke).problem().empty()) continue;
        expect_closed(each);
        const Covergroup group = coverage_of(golden_set({each}, SuiteKind::kSmoke));
        unreachable += point_of(group, "outcome").score().unreachable;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 15);
  EXPECT_GT(unreachable, 8U);
}

/// Property: what is proved unreachable no input hits. Seeded random vectors of every kind, many of
/// them, where the proof is not by all inputs.
TEST(CoverageProofs, NoRandomVectorContradictsThem) {
  constexpr std::uint64_t kDrawn = 10000;
  std::vector<Configuration> list = {
      conversion(formats::fp32, formats::e4m3fn), conversion(formats::fp32, formats::e8m0),
      conversion(formats::fp64, formats::fp16), conversion(formats::fp32, formats::int8)};
  for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                               ScaleRule::kEvenUp, ScaleRule::kEvenDown}) {
    for (const char* format : {"mxfp8_e4m3", "mxfp4", "mxint8"}) {
      list.push_back(block(formats::fp32, *find_block_format(format), Rounding::kTiesToEven, rule));
    }
  }
  for (const Token<ArithmeticOperation>& each : tokens<ArithmeticOperation>()) {
    for (const ElementFormat* format : {&formats::fp16, &formats::fp32, &formats::e4m3fn}) {
      list.push_back(arith(each.value, *format));
    }
  }
  for (const ElementFormat* format : {&formats::fp32, &formats::fp64}) {
    for (const Configuration& each : every_integer_conversion(*format)) list.push_back(each);
  }
  std::uint64_t unreachable = 0;
  for (const Configuration& each : list) {
    const Covergroup group = coverage_of(golden_set({each}, SuiteKind::kRandom, kDrawn));
    EXPECT_EQ(group.score().contradicted, 0U) << name_of(each) << "\n" << wrong_bins(group);
    unreachable += group.score().unreachable;
  }
  EXPECT_GT(unreachable, 100U);
}

/// The configuration with one policy field set otherwise; nothing where that says the same or
/// cannot be computed.
std::optional<Configuration> with_policy(const Configuration& base, const PolicyField& field,
                                         std::string_view value) {
  Policies policies = policies_of(base).value();
  if (!field.write(policies, value) || policies == policies_of(base)) return {};
  const Configuration other = with_policies(base, policies);
  if (!problem_of(other).empty()) return {};
  return other;
}

/// Label exhaustive: the whole directed suites, and not those of the smoke suite.
SuiteKind directed_kind() {
  return std::getenv("MX_WHOLE_SUITES") == nullptr ? SuiteKind::kSmoke : SuiteKind::kDirected;
}

void expect_no_contradiction(const Configuration& configuration) {
  for (const SuiteKind kind : {SuiteKind::kRandom, directed_kind()}) {
    const Covergroup group = coverage_of(golden_set({configuration}, kind, 1000));
    ASSERT_EQ(group.score().contradicted, 0U) << group.configuration << "\n"
                                              << contradicted_bins(group);
  }
}

/// The same law under every value of every policy, one at a time, for each operation.
TEST(CoverageProofs, NoPolicyContradictsThem) {
  std::vector<Configuration> bases = {
      conversion(formats::fp32, formats::e4m3fn),     conversion(formats::fp64, formats::fp16),
      conversion(formats::fp32, formats::int8),       conversion(formats::fp32, formats::e5m2fnuz),
      conversion(formats::fp32, formats::e8m0),       conversion(formats::fp32, formats::ue4m3),
      arith(ArithmeticOperation::kFma, formats::fp16)};
  for (const Token<ArithmeticOperation>& each : tokens<ArithmeticOperation>()) {
    bases.push_back(arith(each.value, formats::e4m3fn));
    bases.push_back(arith(each.value, formats::fp32));
  }
  bases.push_back(block(formats::fp32, "mxfp4"));
  bases.push_back(dequantize("mxfp8_e5m2", formats::fp16));
  bases.push_back(dequantize("nvfp4", formats::bf16));
  bases.push_back(block(formats::fp16, "mxint8"));
  std::size_t count = 0;
  for (const Configuration& base : bases) {
    for (const PolicyField& field : policy_fields()) {
      for (const std::string_view value : field.values()) {
        const std::optional<Configuration> other = with_policy(base, field, value);
        if (!other) continue;
        ++count;
        expect_no_contradiction(*other);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(count, 400U);
}

/// And under policies drawn together, as runs draw them.
TEST(CoverageProofs, NoDrawnConfigurationContradictsThem) {
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    RandomFrom from{{*source, *find_block_format("mxfp4"), {}, {}}, {}, {}, {}};
    for (const char* name : {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp4", "mxint8"}) {
      from.formats.push_back(*find_block_format(name));
    }
    from.roundings = {Rounding::kTiesToEven, Rounding::kTowardNegative, Rounding::kToOdd,
                      Rounding::kStochasticA};
    from.rules = {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil, ScaleRule::kEvenUp,
                  ScaleRule::kEvenDown};
    for (const QuantizerConfig& config : draw_configs(from, 20261122, 60)) {
      expect_no_contradiction({config, {}});
      if (HasFatalFailure()) return;
    }
  }
}

/// Property: the witnesses stand for all magnitudes. Every magnitude of a 16-bit source hits no bin
/// that they do not, under scales from the lowest to the highest.
TEST(CoverageProofs, WitnessesStandForEveryMagnitude) {
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    const SourceGrid grid(*source);
    for (const ElementFormat* destination :
         {&formats::e4m3fn, &formats::e5m2, &formats::e2m1fn, &formats::int8, &formats::e8m0}) {
      for (const int shift : {-20, -9, 0, 1, 13}) {
        RoundingPoints all(*destination), witnesses(*destination);
        for (std::uint64_t m = 0; m <= grid.max(); ++m) {
          all.sample(placed(grid, m, shift), false);
          all.sample(placed(grid, m, shift), true);
        }
        for (const std::uint64_t m :
             rounding_witnesses(grid, witnesses.ladder(), shift, grid.max())) {
          witnesses.sample(placed(grid, m, shift), false);
          witnesses.sample(placed(grid, m, shift), true);
        }
        std::vector<Coverpoint> a, b;
        all.append_to(a);
        witnesses.append_to(b);
        for (std::size_t p = 0; p < a.size(); ++p) {
          for (std::size_t i = 0; i < a[p].bins.size(); ++i) {
            ASSERT_EQ(a[p].bins[i].hits != 0, b[p].bins[i].hits != 0)
                << source->name << " to " << destination->name << " times 2^" << shift << ": "
                << a[p].name << " " << a[p].bins[i].name;
          }
        }
      }
    }
  }
}

std::uint64_t hits(const Covergroup& group, std::string_view point) {
  std::uint64_t sum = 0;
  for (const Bin& bin : point_of(group, point).bins) sum += bin.hits;
  return sum;
}

/// Property: what a profile leaves open is not compared and covers nothing (spec V10). Conversions
/// of at most 16 bits prove what is open whatever the input.
TEST(CoverageOfOpenParts, OpenCodesOfConversionsCoverNothing) {
  Configuration open = conversion(formats::bf16, formats::e5m2);
  const Covergroup all = coverage_of(golden_set({open}, SuiteKind::kDirected));
  open.origin.masks = kMaskNan;
  const Covergroup some = coverage_of(golden_set({open}, SuiteKind::kDirected));
  EXPECT_TRUE(some.score().complete()) << wrong_bins(some);
  const std::vector<Bin>& bins = point_of(some, "code").bins;
  for (std::size_t code = 0; code < bins.size(); ++code) {
    EXPECT_TRUE((code & 0x7F) <= 0x7C || bins[code].hits == 0) << bins[code].name;
  }
  EXPECT_NE(point_of(all, "code").bins[0x7F].hits, 0U);
  EXPECT_LT(hits(some, "flags"), hits(all, "flags"));
  EXPECT_EQ(hits(some, "source_class"), hits(all, "source_class"));

  Configuration wide = conversion(formats::fp32, formats::e5m2);
  wide.origin.masks = kMaskAll;
  const Covergroup none = coverage_of(golden_set({wide}, SuiteKind::kDirected));
  for (const char* point : {"position", "decision", "threshold", "lone_bit", "code", "flags"}) {
    EXPECT_EQ(hits(none, point), 0U) << point;
  }
  EXPECT_EQ(none.score().contradicted, 0U);
}

TEST(CoverageOfOpenParts, OpenPartsOfBlocksCoverNothing) {
  Configuration open = block(formats::fp32, "mxfp4");
  const Covergroup all = coverage_of(golden_set({open}, SuiteKind::kDirected));
  open.origin.masks = kMaskNanBlock | kMaskInfBlock;
  const Covergroup some = coverage_of(golden_set({open}, SuiteKind::kDirected));
  EXPECT_NE(point_of(all, "scale").bins[0xFF].hits, 0U);
  EXPECT_EQ(point_of(some, "scale").bins[0xFF].hits, 0U);
  EXPECT_LT(hits(some, "flags"), hits(all, "flags"));
  EXPECT_EQ(hits(some, "nan_lane"), hits(all, "nan_lane"));

  // The scale is compared, the codes of small elements are not.
  open.origin.masks = kMaskBelowLowest;
  const Covergroup lanes = coverage_of(golden_set({open}, SuiteKind::kDirected));
  EXPECT_EQ(hits(lanes, "scale"), hits(all, "scale"));
  EXPECT_LT(hits(lanes, "code"), hits(all, "code"));
  EXPECT_LT(hits(lanes, "position"), hits(all, "position"));

  open.origin.masks = kMaskAllBlocks;
  const Covergroup none = coverage_of(golden_set({open}, SuiteKind::kDirected));
  for (const char* point : {"position", "decision", "code", "flags", "scale"}) {
    EXPECT_EQ(hits(none, point), 0U) << point;
  }
}

/// Control: without the vectors of one code, that code and its neighbourhood are missing.
TEST(CoverageControl, AMissingVectorIsAMissingBin) {
  GoldenSet set = golden_set({conversion(formats::fp32, formats::e4m3fn)}, SuiteKind::kDirected);
  ASSERT_TRUE(coverage_of(set).score().complete());
  GoldenSet less{set.header, RecordBatch(set.header.shape())};
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    if (set.records.word(Field::kCode, i) != 0x35) less.records.append(set.records, i, i + 1);
  }
  ASSERT_LT(less.records.size(), set.records.size());
  const Covergroup group = coverage_of(less);
  EXPECT_FALSE(group.score().complete());
  EXPECT_LT(group.score().per_10000(), 10000U);
  EXPECT_NE(wrong_bins(group).find("code: 35\n"), std::string::npos) << wrong_bins(group);
}

/// Control: each coverpoint of a block notices what its name says.
TEST(CoverageControl, AQuietLaneIsSeen) {
  GoldenSet set = golden_set({block(formats::fp32, "mxfp4")}, SuiteKind::kDirected);
  constexpr std::size_t kLane = 29;
  GoldenSet quiet = set;
  for (std::size_t i = 0; i < quiet.records.size(); ++i) {
    std::uint64_t& word = quiet.records.of(Field::kSource, i)[kLane];
    word &= ~(std::uint64_t{1} << 22);
    if ((word & 0x7F800000) == 0x7F800000) word = 0;
  }
  const Covergroup group = coverage_of(quiet);
  EXPECT_EQ(point_of(group, "nan_lane").bins[kLane].hits, 0U);
  EXPECT_EQ(point_of(group, "infinity_lane").bins[kLane].hits, 0U);
  EXPECT_NE(wrong_bins(group).find("lane_bit: 29.22=1\n"), std::string::npos) << wrong_bins(group);
}

/// Control: of casts, a value whose class and exponent no other has.
TEST(CoverageControl, AMissingClassOfACastIsMissing) {
  GoldenSet set = golden_set({some_casts().front()}, SuiteKind::kDirected);
  const std::string before = wrong_bins(coverage_of(set));
  EXPECT_EQ(before.find("source_class"), std::string::npos) << before;
  for (std::uint64_t& code : set.records.all(Field::kSource)) {
    if (code == 0x80000001) code = 0x00000001;
  }
  answer(set.header, set.records);
  EXPECT_EQ(wrong_bins(coverage_of(set)), "source_class: -min_subnormal\n" + before);
}

/// Control: of results of casts, an outcome that no row has.
TEST(CoverageControl, AMissingOutcomeOfACastIsMissing) {
  const Configuration each = cast("qtorch:float_quantize(exp=4,man=3,rounding=nearest)",
                                  SystemMode::kStrict, TensorType::kBf16);
  GoldenSet set = golden_set({each}, SuiteKind::kDirected);
  ASSERT_TRUE(coverage_of(set).score().complete()) << wrong_bins(coverage_of(set));
  for (std::uint64_t& code : set.records.all(Field::kSource)) {
    if (decode(formats::bf16, code).cls == ValueClass::kZero) code = 0x3F80;
  }
  answer(set.header, set.records);
  const std::string missing = wrong_bins(coverage_of(set));
  EXPECT_NE(missing.find("outcome: +zero_of_zero"), std::string::npos) << missing;
}

/// Control: of dequantizing, a code that a lane never has, and a scale that is never used.
TEST(CoverageControl, ACodeThatALaneNeverHasIsMissing) {
  GoldenSet set = golden_set({dequantize("mxfp8_e5m2", formats::fp32)}, SuiteKind::kDirected);
  ASSERT_TRUE(coverage_of(set).score().complete());
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    std::uint64_t& code = set.records.of(Field::kA, i)[5];
    if (code == 0x3C) code = 0x3D;
    std::uint64_t& scale = set.records.word(Field::kAScale, i);
    if (scale == 0x81) scale = 0x80;
  }
  answer(set.header, set.records);
  const Covergroup group = coverage_of(set);
  EXPECT_EQ(group.score().hit + 2, group.score().bins);
  EXPECT_NE(wrong_bins(group).find("lane_code: 5.3c"), std::string::npos) << wrong_bins(group);
  EXPECT_NE(wrong_bins(group).find("scale: 81"), std::string::npos) << wrong_bins(group);
}

class CoverageFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "coverage_" +
            ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  }
  void TearDown() override { static_cast<void>(std::remove(path_.c_str())); }
  [[nodiscard]] std::string refusal_of(const std::string& text) const {
    write_file(path_, text);
    try {
      static_cast<void>(read_coverage(path_));
    } catch (const VectorError& error) {
      return error.what();
    }
    return "";
  }
  std::string path_;
};

TEST_F(CoverageFile, ReadsWhatItWrote) {
  const std::vector<Covergroup> groups = {
      coverage_of(golden_set({conversion(formats::bf16, formats::e2m1fn)}, SuiteKind::kSmoke)),
      coverage_of(golden_set({block(formats::fp32, "mxfp4")}, SuiteKind::kSmoke))};
  write_file(path_, coverage_json(groups));
  const std::vector<Covergroup> back = read_coverage(path_);
  ASSERT_EQ(back.size(), groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    EXPECT_EQ(back[i].name, groups[i].name);
    EXPECT_EQ(back[i].samples, groups[i].samples);
    EXPECT_TRUE(back[i].points == groups[i].points);
  }
}

/// What a line says of a configuration makes its model, and no other line does.
TEST_F(CoverageFile, ALineOfAConfigurationIsItsModel) {
  for (const GoldenSet& set :
       {golden_set({conversion(formats::bf16, formats::e2m1fn)}, SuiteKind::kSmoke),
        golden_set({block(formats::fp32, "mxfp4")}, SuiteKind::kSmoke)}) {
    Covergroup group = coverage_of(set);
    const std::optional<Covergroup> model = model_of(group.configuration);
    ASSERT_TRUE(model);
    EXPECT_EQ(model->name, group.name);
    EXPECT_EQ(model->score().hit, 0U);
    EXPECT_TRUE(model->matches(group));
    EXPECT_EQ(group.difference_to(*model), "");
    for (const char* more : {"; x 1", " ", ";"}) EXPECT_FALSE(model_of(group.configuration + more));
    for (std::size_t cut = 0; cut < group.configuration.size(); cut += 7) {
      EXPECT_FALSE(model_of(group.configuration.substr(0, cut))) << cut;
    }
    group.points.back().bins.pop_back();
    EXPECT_NE(group.difference_to(*model), "");
  }
}

/// Property: the sum of the shards is the whole, in any order.
TEST_F(CoverageFile, ShardsAddUpToTheWhole) {
  const GoldenSet set = golden_set({block(formats::fp32, "mxfp4")}, SuiteKind::kSmoke);
  const Covergroup whole = coverage_of(set);
  std::vector<Covergroup> merged;
  for (const std::size_t shard : {2U, 0U, 1U}) {
    GoldenSet part{set.header, RecordBatch(set.header.shape())};
    const std::size_t n = set.records.size();
    part.records.append(set.records, shard * n / 3, (shard + 1) * n / 3);
    ASSERT_TRUE(merge(merged, coverage_of(part)));
  }
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(coverage_json(merged), coverage_json({whole}));
}

TEST_F(CoverageFile, OtherBinsOfOneConfigurationAreRefused) {
  const Covergroup group =
      coverage_of(golden_set({conversion(formats::bf16, formats::e2m1fn)}, SuiteKind::kSmoke));
  std::vector<Covergroup> groups = {group};
  Covergroup other = group;
  other.points[0].bins[0].name = "another";
  EXPECT_FALSE(merge(groups, other));
  other = group;
  other.points.pop_back();
  EXPECT_FALSE(merge(groups, other));
  other.configuration += " of another kind";
  EXPECT_TRUE(merge(groups, other));
  EXPECT_EQ(groups.size(), 2U);
}

TEST_F(CoverageFile, BadFilesAreRefusedByPlace) {
  EXPECT_NE(refusal_of("").find("is no JSON"), std::string::npos);
  EXPECT_NE(refusal_of("[]").find("a JSON object"), std::string::npos);
  EXPECT_NE(refusal_of(R"({"coverage_schema": 9})").find("coverage_schema"), std::string::npos);
  EXPECT_NE(refusal_of(R"({"coverage_schema": 2})").find("groups"), std::string::npos);
  const auto group = [](const std::string& points) {
    return R"({"coverage_schema": 2, "groups": [{"name": "a", "configuration": "b", "samples": 1, )"
           R"("points": )" +
           points + "}]}";
  };
  EXPECT_NE(refusal_of(group("[]")).find("sha256: expected a string"), std::string::npos);
  EXPECT_NE(refusal_of(group(R"([{"name": "p"}])")).find("groups[0].points[0].meaning"),
            std::string::npos);
  for (const char* bin : {R"(["x"])", R"(["x", -1])", R"([1, 1])", R"(["x", 1, "maybe"])",
                          R"(["x", 1.5])", "null", R"(["x", 1, "unreachable", 2])"}) {
    const std::string points =
        std::string(R"([{"name": "p", "meaning": "m", "bins": [["a", 1], )") + bin + "]}]";
    EXPECT_NE(refusal_of(group(points)).find("bins[1]"), std::string::npos) << bin;
  }
  const std::string whole = coverage_json(
      {coverage_of(golden_set({conversion(formats::bf16, formats::e2m1fn)}, SuiteKind::kSmoke))});
  for (std::size_t cut = 1; cut + 1 < whole.size(); cut += whole.size() / 40) {
    EXPECT_NE(refusal_of(whole.substr(0, cut)), "") << cut;
  }
}

}  // namespace
}  // namespace mx::golden
