// The word of the RTL loses nothing without saying so.
#include <gmock/gmock.h>

#include "golden/config_word/config_word.hpp"
#include "reference/policy/fields.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden::config_word_test {
namespace {

using ::testing::HasSubstr;

std::vector<std::string_view> values_of(const PolicyField& field) {
  if (field.name == "random_bits") return {"1", "8", "16", "32"};
  return field.values();
}

QuantizerConfig with_policy(const QuantizerConfig& base, const PolicyField& field,
                            std::string_view value) {
  Policies policies{base.element, base.block};
  EXPECT_TRUE(field.write(policies, value));
  QuantizerConfig changed = base;
  changed.element = policies.element;
  changed.block = policies.block;
  return changed;
}

std::string value_of(const QuantizerConfig& config, const PolicyField& field) {
  return field.read({config.element, config.block});
}

/// The answers of a directed suite of one configuration to another's operands.
RecordBatch answers(const QuantizerConfig& config, const RecordBatch& operands) {
  VectorHeader header;
  header.op = Operation::kBlock;
  header.configs = {{config, {}}};
  header.lanes = config.format.elements();
  header.lengths = Lengths::kVary;
  RecordBatch batch = operands;
  ReferenceAnswerer(header).answer(batch, 0, batch.size());
  return batch;
}

bool same_results(const RecordBatch& a, const RecordBatch& b) {
  return std::ranges::equal(a.all(Field::kScale), b.all(Field::kScale)) &&
         std::ranges::equal(a.all(Field::kCode), b.all(Field::kCode)) &&
         std::ranges::equal(a.all(Field::kFlags), b.all(Field::kFlags));
}

class ConfigWords : public ::testing::TestWithParam<std::string_view> {};

/// A changed field is read back, or refused by name, or changes no answer.
TEST_P(ConfigWords, EveryPolicyFieldSurvivesOrIsRefused) {
  int kept = 0;
  int refused = 0;
  int idle = 0;
  for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kRceil, ScaleRule::kEvenUp}) {
    const Configuration configuration =
        block(formats::fp32, *find_block_format(GetParam()), Rounding::kTiesToEven, rule);
    const QuantizerConfig& base = std::get<QuantizerConfig>(configuration.what);
    ASSERT_TRUE(config_word_of(base).holds()) << config_word_of(base).problem;
    const RecordBatch operands = operands_of_set(header_of({configuration}, SuiteKind::kDirected));
    const RecordBatch expected = answers(base, operands);
    for (const PolicyField& field : policy_fields()) {
      for (const std::string_view value : values_of(field)) {
        const QuantizerConfig changed = with_policy(base, field, value);
        const ConfigWord word = config_word_of(changed);
        if (!word.holds()) {
          ++refused;
          EXPECT_THAT(word.problem, HasSubstr(std::string(field.name))) << value;
          EXPECT_THAT(word.problem, HasSubstr(std::string(value)));
          continue;
        }
        const auto back = config_of(word.word, context_of(changed));
        ASSERT_TRUE(back.has_value());
        if (value_of(*back, field) == value) {
          ++kept;
          continue;
        }
        if (!Quantizer::problem(changed).empty()) continue;
        ++idle;
        EXPECT_TRUE(same_results(answers(changed, operands), expected))
            << field.name << " " << value << " is lost and changes answers under "
            << token_of(rule);
      }
    }
  }
  EXPECT_GT(kept, 100);
  EXPECT_GT(refused, 30);
  EXPECT_GT(idle, 10);
}

INSTANTIATE_TEST_SUITE_P(Formats, ConfigWords,
                         ::testing::Values("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2",
                                           "mxfp4", "mxint8"),
                         [](const auto& param) { return std::string(param.param); });

/// Block formats beyond the RTL's have no word; a block size is the context's business.
TEST(ConfigWord, BlockFormats) {
  int with_word = 0;
  for (const Configuration& each : every_block()) {
    const auto& config = std::get<QuantizerConfig>(each.what);
    const ConfigWord word = config_word_of(config);
    if (word.holds()) {
      ++with_word;
      EXPECT_EQ(config_of(word.word, context_of(config))->format.element, config.format.element);
    } else {
      EXPECT_NE(word.problem, "") << config.format.name;
    }
  }
  EXPECT_EQ(with_word, 7) << "those of MX, and e2m1fn under e8m0 in blocks of 16";
  EXPECT_FALSE(
      config_word_of(std::get<QuantizerConfig>(block(formats::fp32, "nvfp4").what)).holds());
  auto sized = std::get<QuantizerConfig>(block(formats::fp32, "mxfp4").what);
  sized.format.block_size = 8;
  const ConfigWord word = config_word_of(sized);
  EXPECT_TRUE(word.holds());
  EXPECT_EQ(config_of(word.word, context_of(sized))->format.block_size, 8);
}

/// Everything that a word cannot say of a block format, of a source and of a level.
TEST(ConfigWord, RefusesByName) {
  const auto problem = [](auto change) {
    auto config = std::get<QuantizerConfig>(block(formats::fp32, "mxfp4").what);
    change(config);
    return config_word_of(config).problem;
  };
  EXPECT_EQ(problem([](QuantizerConfig&) {}), "");
  EXPECT_THAT(problem([](QuantizerConfig& c) { c.source = formats::fp64; }), HasSubstr("fp64"));
  EXPECT_THAT(problem([](QuantizerConfig& c) { c.source.canonical_nan ^= 1; }),
              HasSubstr("source"));
  EXPECT_THAT(problem([](QuantizerConfig& c) { c.format.element = formats::e4m3fnuz; }),
              HasSubstr("element"));
  EXPECT_THAT(problem([](QuantizerConfig& c) { c.format.element.bias += 1; }),
              HasSubstr("element"));
  EXPECT_THAT(problem([](QuantizerConfig& c) { c.format.scale = formats::fp32; }),
              HasSubstr("scale"));
  EXPECT_NE(problem([](QuantizerConfig& c) { c.format.tile_lines = 2; }), "");
  EXPECT_NE(problem([](QuantizerConfig& c) { c.format.extent = BlockExtent::kAxis; }), "");
  EXPECT_NE(problem([](QuantizerConfig& c) { c.format.sublevels[0] = 2; }), "");
  EXPECT_NE(problem([](QuantizerConfig& c) { c.format.cut_from = 8; }), "");
  EXPECT_NE(problem([](QuantizerConfig& c) { c.format.rule_emax = 1; }), "");
  EXPECT_NE(problem([](QuantizerConfig& c) { c.format.scale_limit = 200; }), "");
  EXPECT_EQ(problem([](QuantizerConfig& c) { c.element.random_bits = 5; }), "");
}

TEST(ConfigWord, StochasticVariantsAndBitsAreContext) {
  for (const Rounding variant :
       {Rounding::kStochasticA, Rounding::kStochasticB, Rounding::kStochasticC}) {
    auto config = std::get<QuantizerConfig>(block(formats::fp32, "mxfp4", variant).what);
    config.element.random_bits = 5;
    const ConfigWord word = config_word_of(config);
    EXPECT_TRUE(word.holds()) << word.problem;
    const auto back = config_of(word.word, context_of(config));
    EXPECT_EQ(back->element, config.element);
    // Under another context the same word means another configuration.
    ConfigWordContext other = context_of(config);
    other.random_bits = 6;
    EXPECT_NE(config_of(word.word, other)->element, config.element);
  }
}

}  // namespace
}  // namespace mx::golden::config_word_test
