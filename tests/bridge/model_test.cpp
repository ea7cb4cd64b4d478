// Models by text over their C interface: whole suites of every operation are answered as the
// golden answers say, and what is no text, operand or length is refused in words.
#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <span>
#include <string>

#include "golden/config_word/config_word.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/configuration/text.hpp"
#include "golden/points/random_configs.hpp"
#include "mxgold_model.h"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;

struct Close {
  void operator()(mxgold_model* model) const { mxgold_model_close(model); }
};
using Handle = std::unique_ptr<mxgold_model, Close>;

struct Opened {
  Handle model;
  mxgold_status status = MXGOLD_OK;
  std::string message;
};

Opened open(const std::string& text) {
  std::array<char, 512> message{};
  mxgold_model* model = nullptr;
  const mxgold_status status = mxgold_model_open(text.c_str(), &model, message.data(), 512);
  return {Handle(model), status, message.data()};
}

Opened open_word(std::uint32_t word, const std::string& text) {
  std::array<char, 512> message{};
  mxgold_model* model = nullptr;
  const mxgold_status status =
      mxgold_model_open_word(word, text.c_str(), &model, message.data(), 512);
  return {Handle(model), status, message.data()};
}

constexpr std::array kAll = {Field::kSource, Field::kRandom, Field::kAScale, Field::kA,
                             Field::kBScale, Field::kB,      Field::kC,      Field::kScale,
                             Field::kCode,   Field::kFlags};

/// What the records of a set are like.
struct Seen {
  std::size_t records = 0;
  std::size_t open = 0;
  std::size_t alike = 0;  ///< some NaN, or some zero
  std::size_t shorter = 0;
};

std::vector<std::uint8_t> open_bytes(const OpenAnswer& open, const RecordBatch& records) {
  std::vector<std::uint8_t> bytes(records.lanes(Field::kScale), open.scale);
  for (std::size_t i = 0; i < records.lanes(Field::kCode); ++i) {
    bytes.push_back(!open.code(i) ? 0 : open.alike ? 2 : 1);
  }
  bytes.insert(bytes.end(), records.lanes(Field::kFlags), open.flags);
  return bytes;
}

/// Asks the model every record of a set: the answers and what is open have to be the set's.
void expect_answers(mxgold_model* model, const GoldenSet& set, Seen& seen) {
  ASSERT_EQ(mxgold_model_set_lanes(model, static_cast<uint32_t>(set.header.lanes)), MXGOLD_OK);
  const ReferenceAnswerer reference(set.header);
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    mxgold_record record{};
    std::array<std::vector<std::uint64_t>, 3> results;
    for (std::size_t f = 0; f < kAll.size(); ++f) {
      const auto words = set.records.of(kAll[f], i);
      if (f < MXGOLD_FIELD_SCALE) {
        record.operands[f] = words.data();
      } else {
        results[f - MXGOLD_FIELD_SCALE].assign(words.size(), 0xDEAD);
        record.results[f - MXGOLD_FIELD_SCALE] = results[f - MXGOLD_FIELD_SCALE].data();
      }
    }
    if (set.records.has(Field::kElements)) {
      record.elements = static_cast<uint32_t>(set.records.word(Field::kElements, i));
      seen.shorter += record.elements < static_cast<uint32_t>(set.header.lanes) ? 1U : 0U;
    }
    const std::vector<std::uint8_t> wanted_open =
        open_bytes(reference.open(set.records, i), set.records);
    std::vector<std::uint8_t> open(wanted_open.size() + 1, 7);
    std::array<char, 256> message{};
    ASSERT_EQ(mxgold_model_answer(model, &record, open.data(), message.data(), 256), MXGOLD_OK)
        << message.data();
    EXPECT_EQ(open.back(), 7) << "a byte beyond the words was written";
    open.pop_back();
    EXPECT_EQ(open, wanted_open) << mxgold_model_text(model) << " record " << i;
    for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
      const auto& got =
          results[static_cast<std::size_t>(field) - static_cast<std::size_t>(Field::kScale)];
      const auto wanted = set.records.of(field, i);
      ASSERT_TRUE(std::ranges::equal(got, wanted)) << mxgold_model_text(model) << " record " << i;
    }
    ++seen.records;
    seen.open += std::ranges::find(wanted_open, 1) != wanted_open.end() ? 1U : 0U;
    seen.alike += std::ranges::find(wanted_open, 2) != wanted_open.end() ? 1U : 0U;
  }
}

std::vector<Configuration> some_of_each() {
  std::vector<Configuration> list = every_block();
  Configuration open = block(formats::fp32, "mxfp4");
  open.origin = {
      "ocp-mx-1.0", "",
      block_masks(*find_profile("ocp-mx-1.0"), *find_block_format("mxfp4"), formats::fp32)};
  list.push_back(open);
  list.push_back(block(formats::bf16, "mxfp6_e3m2", Rounding::kStochasticA));
  list.push_back(conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticC));
  list.push_back(conversion(formats::e5m2, formats::fp64));
  list.push_back(dot("mxfp4", "mxfp6_e2m3", Addend::kPresent));
  list.push_back(dot("nvfp4", "nvfp4"));
  list.push_back(arith(ArithmeticOperation::kFma, formats::fp32));
  list.push_back(dequantize("nvfp4", formats::bf16));
  for (const char* unit : {"h100_f16", "mi300_f16", "mi200_bf16", "b200_mxf4"}) {
    list.push_back(mma(unit));
  }
  for (const Configuration& each : some_casts()) list.push_back(each);
  return list;
}

// Property: a model opened by text answers as the golden answers of its configuration say.
TEST(Model, AnswersWholeSuitesOfEveryOperation) {
  Seen seen;
  for (const Configuration& each : some_of_each()) {
    const auto text = shorthand_of(each);
    ASSERT_TRUE(text) << name_of(each);
    const Opened opened = open(*text);
    ASSERT_EQ(opened.status, MXGOLD_OK) << *text << ": " << opened.message;
    expect_answers(opened.model.get(), golden_set({each}, SuiteKind::kRandom, 40), seen);
  }
  EXPECT_GT(seen.records, 1000U);
  EXPECT_GT(seen.shorter, 100U);
  EXPECT_GT(seen.open, 20U);
  EXPECT_GT(seen.alike, 10U);
}

// Property: a model of a configuration word is that of the configuration, and says the same word.
TEST(Model, EveryWordOpensItsConfiguration) {
  RandomFrom from;
  from.base = std::get<QuantizerConfig>(block(formats::fp32, "mxfp4").what);
  for (const BlockFormat& format : mx_block_formats()) from.formats.push_back(format);
  from.roundings = {Rounding::kTiesToEven, Rounding::kToOdd, Rounding::kStochasticA};
  from.rules = {ScaleRule::kFloor, ScaleRule::kRceil, ScaleRule::kEvenUp};
  from.base.element.random_bits = 8;
  int tried = 0;
  for (const QuantizerConfig& config : draw_configs(from, 3, 200)) {
    const ConfigWord word = config_word_of(config);
    ASSERT_TRUE(word.holds()) << word.problem;
    const Opened opened = open_word(word.word, "block_size=32 random_bits=8");
    ASSERT_EQ(opened.status, MXGOLD_OK) << opened.message;
    uint32_t again = 0;
    ASSERT_EQ(mxgold_model_word(opened.model.get(), &again, nullptr, 0), MXGOLD_OK);
    EXPECT_EQ(again, word.word);
    FormatCatalog catalog(emulators::make_cast);
    const auto read = parse_shorthand(mxgold_model_text(opened.model.get()), catalog);
    ASSERT_TRUE(read) << read.problem();
    EXPECT_EQ(config_word_of(std::get<QuantizerConfig>(read->what)).word, word.word);
    ++tried;
  }
  EXPECT_EQ(tried, 200);
}

TEST(Model, RefusesWordsThatAreNone) {
  EXPECT_THAT(open_word(7, "").message, HasSubstr("00000007 is no configuration word"));
  EXPECT_THAT(open_word(0, "block_size=0").message, HasSubstr("block_size=0"));
  EXPECT_THAT(open_word(0, "stochastic=to_odd").message, HasSubstr("no stochastic rounding"));
  EXPECT_THAT(open_word(0, "format=mxfp4").message, HasSubstr("format=mxfp4: a word is described"));
  EXPECT_THAT(open("format=mxfp5").message, HasSubstr("format=mxfp5"));
  const Opened nvfp4 = open("format=nvfp4");
  std::array<char, 256> message{};
  uint32_t word = 0;
  EXPECT_EQ(mxgold_model_word(nvfp4.model.get(), &word, message.data(), 256), MXGOLD_BAD_VALUE);
  EXPECT_STRNE(message.data(), "");
}

TEST(Model, DescribesItsRecords) {
  const Opened opened = open("op=dot a=mxfp4 b=mxfp6_e2m3 addend=given addend_format=bf16");
  ASSERT_EQ(opened.status, MXGOLD_OK) << opened.message;
  ASSERT_EQ(mxgold_model_set_lanes(opened.model.get(), 64), MXGOLD_OK);
  mxgold_model_facts facts{};
  ASSERT_EQ(mxgold_model_describe(opened.model.get(), &facts), MXGOLD_OK);
  EXPECT_STREQ(facts.operation, "dot");
  EXPECT_EQ(facts.lanes, 64U);
  const auto field = [&](int i) {
    return std::array<uint32_t, 2>{facts.fields[i].words, facts.fields[i].bits};
  };
  EXPECT_EQ(field(MXGOLD_FIELD_SOURCE), (std::array<uint32_t, 2>{0, 0}));
  EXPECT_EQ(field(MXGOLD_FIELD_A_SCALE), (std::array<uint32_t, 2>{2, 8}));
  EXPECT_EQ(field(MXGOLD_FIELD_A), (std::array<uint32_t, 2>{64, 4}));
  EXPECT_EQ(field(MXGOLD_FIELD_B), (std::array<uint32_t, 2>{64, 6}));
  EXPECT_EQ(field(MXGOLD_FIELD_C), (std::array<uint32_t, 2>{1, 16}));
  EXPECT_EQ(field(MXGOLD_FIELD_CODE), (std::array<uint32_t, 2>{1, 32}));
  EXPECT_STREQ(facts.fields[MXGOLD_FIELD_A_SCALE].name, "a_scale");
}

/// The answer of a conversion to one word.
std::uint64_t converted(const std::string& text, std::uint64_t word) {
  const Opened opened = open(text);
  EXPECT_EQ(opened.status, MXGOLD_OK) << text << ": " << opened.message;
  EXPECT_EQ(mxgold_model_set_lanes(opened.model.get(), 1), MXGOLD_OK);
  std::uint64_t code = 0;
  mxgold_record record{};
  record.operands[MXGOLD_FIELD_SOURCE] = &word;
  record.results[MXGOLD_FIELD_CODE - MXGOLD_FIELD_SCALE] = &code;
  EXPECT_EQ(mxgold_model_answer(opened.model.get(), &record, nullptr, nullptr, 0), MXGOLD_OK);
  return code;
}

TEST(Model, ConversionsToFormatsWithInfinitiesAreIeees) {
  EXPECT_EQ(converted("op=cvt source=e5m2 destination=bf16", 0x7C), 0x7F80U);
  EXPECT_EQ(converted("op=cvt source=e5m2 destination=bf16", 0xFC), 0xFF80U);
  EXPECT_EQ(converted("op=cvt destination=fp16", 0x477FEF00), 0x7BFFU);  // 65519
  EXPECT_EQ(converted("op=cvt destination=fp16", 0x477FF000), 0x7C00U);  // 65520
  EXPECT_EQ(converted("op=cvt destination=fp16", 0xC77FF000), 0xFC00U);
  EXPECT_EQ(converted("op=cvt destination=fp16 overflow=sat_finite", 0x477FF000), 0x7BFFU);
  EXPECT_EQ(converted("op=cvt destination=e4m3fn", 0x7F800000), 0x7EU);
}

TEST(Model, RefusesOperandsThatAreNone) {
  const Opened opened = open("format=mxfp4 source=bf16 rounding=stochastic_a random_bits=4");
  ASSERT_EQ(opened.status, MXGOLD_OK) << opened.message;
  std::array<std::uint64_t, 32> source{};
  std::array<std::uint64_t, 32> random{};
  std::uint64_t scale = 99;
  mxgold_record record{};
  record.results[0] = &scale;
  std::array<char, 256> message{};
  const auto ask = [&] {
    return mxgold_model_answer(opened.model.get(), &record, nullptr, message.data(), 256);
  };
  EXPECT_EQ(ask(), MXGOLD_NULL_ARGUMENT);
  EXPECT_THAT(message.data(), HasSubstr("field source: the operand is missing"));
  record.operands[MXGOLD_FIELD_SOURCE] = source.data();
  EXPECT_EQ(ask(), MXGOLD_NULL_ARGUMENT);
  EXPECT_THAT(message.data(), HasSubstr("field random"));
  record.operands[MXGOLD_FIELD_RANDOM] = random.data();
  source[31] = 0x10000;
  EXPECT_EQ(ask(), MXGOLD_BAD_CODE);
  EXPECT_THAT(message.data(), HasSubstr("source[31]: 10000 has bits beyond the 16 of bf16"));
  record.elements = 31;  // the lane beyond needs no operand
  EXPECT_EQ(ask(), MXGOLD_OK) << message.data();
  random[0] = 16;
  EXPECT_EQ(ask(), MXGOLD_BAD_CODE);
  random[0] = 0;
  record.elements = 33;
  EXPECT_EQ(ask(), MXGOLD_BAD_SIZE);
  EXPECT_EQ(scale, 0U);
}

TEST(Model, NullsAndSizesAreStatuses) {
  mxgold_model* none = nullptr;
  EXPECT_EQ(mxgold_model_open(nullptr, &none, nullptr, 0), MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_model_open("format=mxfp4", nullptr, nullptr, 0), MXGOLD_NULL_ARGUMENT);
  EXPECT_EQ(mxgold_model_answer(nullptr, nullptr, nullptr, nullptr, 0), MXGOLD_NULL_ARGUMENT);
  mxgold_model_close(nullptr);
  const Opened opened = open("format=mxfp4");
  EXPECT_EQ(mxgold_model_set_lanes(opened.model.get(), 16), MXGOLD_BAD_SIZE);
  EXPECT_EQ(mxgold_model_set_lanes(opened.model.get(), ~0U), MXGOLD_BAD_SIZE);
  EXPECT_EQ(mxgold_model_abi_version(), MXGOLD_MODEL_ABI_VERSION);
}

// Property: the flags so far are those of the first elements, under the block's scale.
TEST(Model, FlagsSoFarGrowElementByElement) {
  const Opened opened = open("format=mxfp4");
  ASSERT_EQ(opened.status, MXGOLD_OK);
  // 4 gives the scale 1; 2^-20 becomes zero; 7.5 is beyond the largest code 6.
  std::array<std::uint64_t, 32> source{};
  source[0] = 0x40800000;
  source[5] = 0x35800000;
  source[9] = 0x40F00000;
  mxgold_record record{};
  record.operands[MXGOLD_FIELD_SOURCE] = source.data();
  std::uint64_t whole = 0;
  record.results[2] = &whole;
  ASSERT_EQ(mxgold_model_answer(opened.model.get(), &record, nullptr, nullptr, 0), MXGOLD_OK);
  EXPECT_EQ(whole, 0x30U);
  for (uint32_t lanes = 0; lanes <= 32; ++lanes) {
    std::uint64_t flags = 99;
    ASSERT_EQ(mxgold_model_flags_so_far(opened.model.get(), lanes, &flags), MXGOLD_OK);
    EXPECT_EQ(flags, (lanes > 5 ? 0x10U : 0U) | (lanes > 9 ? 0x20U : 0U)) << lanes;
  }
  // A NaN keeps its flag with any number of lanes, and its scale hides the elements'.
  source[31] = 0x7FC00000;
  ASSERT_EQ(mxgold_model_answer(opened.model.get(), &record, nullptr, nullptr, 0), MXGOLD_OK);
  std::uint64_t flags = 0;
  ASSERT_EQ(mxgold_model_flags_so_far(opened.model.get(), 10, &flags), MXGOLD_OK);
  EXPECT_EQ(flags, whole);
  EXPECT_EQ(flags, 0x08U);
  EXPECT_EQ(mxgold_model_flags_so_far(opened.model.get(), 33, &flags), MXGOLD_BAD_SIZE);
  EXPECT_EQ(mxgold_model_flags_so_far(opened.model.get(), 1, nullptr), MXGOLD_NULL_ARGUMENT);
  const Opened other = open("op=cvt destination=e4m3fn");
  EXPECT_EQ(mxgold_model_flags_so_far(other.model.get(), 1, &flags), MXGOLD_BAD_VALUE);
}

// Property: flags so far are of a block that was answered; with all its elements they are the
// block's.
TEST(Model, FlagsSoFarNeedAnAnswerAndEndAsTheBlocks) {
  for (const char* const name : {"mxfp8_e5m2", "mxint8", "nvfp4", "tt_bfp8", "hifx4", "sbfp12_16_4",
                                 "fp8_e4m3_fp32_1x128"}) {
    const Opened opened = open((std::string("format=") + name).c_str());
    ASSERT_EQ(opened.status, MXGOLD_OK) << name;
    std::uint64_t whole = 0, flags = 0, raised = 0;
    EXPECT_EQ(mxgold_model_flags_so_far(opened.model.get(), 0, &flags), MXGOLD_BAD_VALUE) << name;
    std::uint32_t lanes = 0;
    while (mxgold_model_flags_so_far(opened.model.get(), lanes + 1, &flags) != MXGOLD_BAD_SIZE) {
      ++lanes;
    }
    mxgold_record record{};
    record.results[2] = &whole;
    std::vector<std::uint64_t> source(lanes);
    record.operands[MXGOLD_FIELD_SOURCE] = source.data();
    for (std::uint64_t step = 0; step < 64; ++step) {
      for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = 0x3F800001 + (step << 21) - ((i * step % 61) << 23);
      }
      ASSERT_EQ(mxgold_model_answer(opened.model.get(), &record, nullptr, nullptr, 0), MXGOLD_OK);
      ASSERT_EQ(mxgold_model_flags_so_far(opened.model.get(), lanes, &flags), MXGOLD_OK) << name;
      EXPECT_EQ(flags, whole) << name << ' ' << step;
      raised |= whole;
    }
    EXPECT_NE(raised & 0x30, 0U) << name;
    source[0] = ~std::uint64_t{0};
    ASSERT_EQ(mxgold_model_answer(opened.model.get(), &record, nullptr, nullptr, 0),
              MXGOLD_BAD_CODE);
    EXPECT_EQ(mxgold_model_flags_so_far(opened.model.get(), 1, &flags), MXGOLD_BAD_VALUE) << name;
  }
}

}  // namespace
}  // namespace mx::golden
