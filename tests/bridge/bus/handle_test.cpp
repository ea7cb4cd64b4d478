// Handles: whole suites of every operation over packed vectors, lines and arrays are answered as
// the goldens say; tensors as the reference quantizes them; a record is explained as the program
// explains it.
#include <gmock/gmock.h>

#include <bit>
#include <cstring>
#include <random>

#include "bridge/bus/explain.hpp"
#include "bridge/bus/handle.hpp"
#include "bridge/bus/tensor.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/vectors/protocol.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/cli/program/program.hpp"
#include "tests/emulators/cast_kit.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::bridge {
namespace {

using golden::Configuration;
using golden::Field;
using ::testing::HasSubstr;

constexpr std::array kOperands = {Field::kSource, Field::kRandom, Field::kAScale, Field::kA,
                                  Field::kBScale, Field::kB,      Field::kC};
constexpr std::array kResults = {Field::kScale, Field::kCode, Field::kFlags};

std::unique_ptr<Handle> opened(const Configuration& what) {
  const auto text = golden::shorthand_of(what);
  EXPECT_TRUE(text);
  auto handle = Handle::open(text.value_or(""));
  EXPECT_TRUE(handle->is_open()) << handle->error();
  return handle;
}

std::vector<Configuration> some_of_each() {
  std::vector<Configuration> list = golden::every_block();
  list.push_back(golden::block(formats::bf16, "mxfp6_e3m2", Rounding::kStochasticA));
  list.push_back(golden::conversion(formats::fp32, formats::e4m3fn, Rounding::kStochasticC));
  list.push_back(golden::conversion(formats::e5m2, formats::fp64));
  list.push_back(golden::dot("mxfp4", "mxfp6_e2m3", golden::Addend::kPresent));
  list.push_back(golden::dot("nvfp4", "nvfp4"));
  list.push_back(golden::arith(ArithmeticOperation::kFma, formats::fp32));
  list.push_back(golden::dequantize("nvfp4", formats::bf16));
  for (const Configuration& each : golden::some_casts()) list.push_back(each);
  return list;
}

/// A vector of bits made one bit at a time: another way than the handle's.
std::vector<std::uint32_t> packed(std::span<const std::uint64_t> words, int width) {
  std::vector<std::uint32_t> bus((words.size() * static_cast<std::size_t>(width) + 31) / 32);
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (int bit = 0; bit < width; ++bit) {
      const std::size_t at = i * static_cast<std::size_t>(width) + static_cast<std::size_t>(bit);
      bus[at / 32] |= static_cast<std::uint32_t>(words[i] >> bit & 1) << at % 32;
    }
  }
  return bus;
}

// Property: any lane width from a word's own bits up carries the same records.
TEST(Handle, AnswersWholeSuitesOverPackedVectors) {
  std::mt19937 draw(3);
  std::size_t records = 0, odd_widths = 0;
  for (const Configuration& each : some_of_each()) {
    const auto handle = opened(each);
    const golden::GoldenSet set = golden::golden_set({each}, golden::SuiteKind::kRandom, 20);
    ASSERT_TRUE(handle->set_lanes(set.header.lanes)) << handle->error();
    for (const auto& fields :
         {std::span<const Field>(kOperands), std::span<const Field>(kResults)}) {
      for (const Field field : fields) {
        if (handle->bits(field) == 0) continue;
        const int room = 65 - handle->bits(field);
        const int width = handle->bits(field) + static_cast<int>(draw()) % room;
        odd_widths += std::abs(width) % 8 != 0 ? 1U : 0U;
        ASSERT_TRUE(handle->set_lane_bits(field, std::clamp(width, handle->bits(field), 64)));
      }
    }
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const bool varies = set.records.has(Field::kElements);
      const auto elements =
          varies ? static_cast<std::uint32_t>(set.records.word(Field::kElements, i)) : 0;
      ASSERT_TRUE(handle->start(set.header.op, elements)) << handle->error();
      for (const Field field : kOperands) {
        const auto bus = packed(set.records.of(field, i), handle->lane_bits(field));
        ASSERT_TRUE(handle->put(field, bus)) << handle->error();
      }
      ASSERT_TRUE(handle->answer()) << handle->error();
      for (const Field field : kResults) {
        const auto wanted = packed(set.records.of(field, i), handle->lane_bits(field));
        std::vector<std::uint32_t> bus(wanted.size() + 1, 0xDEADBEEF);
        ASSERT_TRUE(handle->get(field, bus)) << handle->error();
        EXPECT_EQ(bus.back(), 0U);
        bus.pop_back();
        ASSERT_EQ(bus, wanted) << handle->text() << " record " << i;
      }
      ++records;
    }
  }
  EXPECT_GT(records, 500U);
  EXPECT_GT(odd_widths, 50U);
}

TEST(Handle, AnswersLinesAndArrays) {
  std::size_t records = 0;
  for (const Configuration& each : some_of_each()) {
    const auto handle = opened(each);
    const golden::GoldenSet set = golden::golden_set({each}, golden::SuiteKind::kRandom, 5);
    ASSERT_TRUE(handle->set_lanes(set.header.lanes)) << handle->error();
    ASSERT_EQ(handle->model().header().shape(), set.header.shape()) << handle->text();
    golden::RecordLines lines(set.header.shape());
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      std::string results;
      ASSERT_TRUE(handle->answer_line(lines.operands(set.records, i), results)) << handle->error();
      EXPECT_EQ(results, lines.results(set.records, i));
      EXPECT_EQ(handle->operand_line(), lines.operands(set.records, i));
      std::vector<std::uint64_t> operands, wanted;
      for (const Field field : kOperands) {
        operands.insert(operands.end(), set.records.of(field, i).begin(),
                        set.records.of(field, i).end());
      }
      for (const Field field : kResults) {
        wanted.insert(wanted.end(), set.records.of(field, i).begin(),
                      set.records.of(field, i).end());
      }
      const auto elements = set.records.has(Field::kElements)
                                ? static_cast<std::uint32_t>(set.records.word(Field::kElements, i))
                                : 0;
      ArrayAnswer answer;
      ASSERT_TRUE(answer_array(*handle, elements, operands, answer)) << handle->error();
      EXPECT_EQ(answer.results, wanted);
      EXPECT_EQ(answer.open.size(), wanted.size());
      operands.push_back(0);
      EXPECT_FALSE(answer_array(*handle, elements, operands, answer));
      EXPECT_THAT(handle->error(), HasSubstr("operands: "));
      ++records;
    }
    std::string results;
    EXPECT_FALSE(handle->answer_line("no line", results));
    EXPECT_NE(handle->error(), "");
  }
  EXPECT_GT(records, 100U);
}

// Property: a tensor is what the reference's own tensors give, random words and levels included.
TEST(Handle, QuantizesTensorsAsTheReferenceDoes) {
  constexpr std::uint32_t kLines = 5, kLength = 75;
  std::mt19937 draw(7);
  std::vector<std::uint64_t> source(std::size_t{kLines} * kLength);
  std::vector<std::byte> bytes(4 * source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const auto word = static_cast<std::uint32_t>((draw() & 0x80FFFFFF) | 0x3E000000);
    source[i] = word;
    std::memcpy(&bytes[4 * i], &word, 4);
  }
  int two_level = 0, drawn = 0;
  for (const char* text :
       {"format=mxfp4", "format=mxfp8_e5m2 rounding=stochastic_a random_bits=8", "format=nvfp4",
        "format=nvfp4 rule=nvfp4_te", "format=nvfp4 tensor_amax=45280000", "format=mxint8"}) {
    const auto handle = Handle::open(text);
    ASSERT_TRUE(handle->is_open()) << handle->error();
    TensorAnswer answer;
    ASSERT_TRUE(quantize_tensor(*handle, {kLines, kLength, 9}, source, answer)) << handle->error();
    auto config = std::get<QuantizerConfig>(handle->model().configuration().what);
    if (config.tensor.amax == 0) {
      config.tensor = tensor_level(config, tensor_amax(config.source, config.element, bytes));
    }
    const Quantizer quantizer = Quantizer::make(config).value();
    const auto shape =
        BlockedShape::make(std::array<std::uint64_t, 2>{kLines, kLength}, 1, config.format).value();
    std::vector<std::byte> codes(source.size()), scales(answer.scales.size());
    ASSERT_TRUE(quantize_tensor(quantizer, shape, Tail::kShort, bytes, {9, 0}, codes, scales));
    for (std::size_t i = 0; i < codes.size(); ++i) {
      ASSERT_EQ(answer.codes[i], std::to_integer<std::uint64_t>(codes[i])) << text << " " << i;
    }
    for (std::size_t i = 0; i < scales.size(); ++i) {
      ASSERT_EQ(answer.scales[i], std::to_integer<std::uint64_t>(scales[i])) << text << " " << i;
    }
    EXPECT_EQ(answer.tensor_scale, config.tensor.scale);
    two_level += config.tensor.scale != 0x3F800000 ? 1 : 0;
    drawn += is_stochastic(config.element.rounding) ? 1 : 0;
  }
  EXPECT_GT(two_level, 0);
  EXPECT_GT(drawn, 0);
}

std::string explained(const std::string& text, std::vector<std::uint64_t> words, Field scale,
                      std::uint64_t scale_word) {
  const auto handle = Handle::open(text);
  EXPECT_TRUE(handle->is_open()) << handle->error();
  const Field field = scale == Field::kAScale ? Field::kA : Field::kSource;
  EXPECT_TRUE(handle->start(
      words.size() == handle->words(field) ? 0 : static_cast<std::uint32_t>(words.size())));
  std::ranges::copy(words, handle->operand(field).begin());
  (void)handle->put_word(scale, scale_word);
  EXPECT_TRUE(handle->answer()) << handle->error();
  std::string said;
  EXPECT_TRUE(explain(*handle, said)) << handle->error();
  return said;
}

// Property: the explanation of a record is what the program prints for the same input.
TEST(Handle, ExplainsAsTheProgramDoes) {
  const auto program = [](std::vector<std::string> line) {
    line.insert(line.begin(), "explain");
    const cli::test::ProgramEnd end = cli::test::run_program(line);
    EXPECT_EQ(end.status, 0) << end.err;
    return end.out;
  };
  EXPECT_EQ(explained("format=mxfp4", {0x40490FDB, 0xBF400000, 0x7F7FFFFF}, Field::kScale, 0),
            program({"--format", "mxfp4", "0x40490FDB", "0xBF400000", "0x7F7FFFFF"}));
  EXPECT_EQ(explained("format=mxfp8_e4m3 source=bf16 profile=torchao-0.18", {0x7FC0, 0x3F80},
                      Field::kScale, 0),
            program({"--format", "mxfp8_e4m3", "--source", "bf16", "--profile", "torchao-0.18",
                     "7FC0", "3F80"}));
  EXPECT_EQ(
      explained("format=nvfp4 tensor_amax=45280000", {0x45280000, 0x3F800000}, Field::kScale, 0),
      program({"--format", "nvfp4", "--tensor-amax", "2688", "0x45280000", "0x3F800000"}));
  EXPECT_EQ(explained("op=cvt destination=e4m3fn rounding=to_odd", {0x3F880001}, Field::kScale, 0),
            program({"--format", "e4m3fn", "--rounding", "to_odd", "0x3F880001"}));
  EXPECT_EQ(explained("op=dequantize format=mxfp8_e5m2", {0x3C, 0x40, 0x80}, Field::kAScale, 0xFE),
            program({"--format", "mxfp8_e5m2", "--scale", "fe", "3c", "40", "80"}));
}

TEST(Handle, ExplainsNothingThatWasNotAnswered) {
  const auto block = Handle::open("format=mxfp4");
  std::string said;
  EXPECT_FALSE(explain(*block, said));
  EXPECT_THAT(block->error(), HasSubstr("nothing was answered"));
  const auto dot = Handle::open("op=dot a=mxfp4");
  ASSERT_TRUE(dot->start(0));
  ASSERT_TRUE(dot->answer()) << dot->error();
  EXPECT_FALSE(explain(*dot, said));
  EXPECT_THAT(dot->error(), HasSubstr("op=dot is not explained"));
}

TEST(Handle, RefusesByName) {
  EXPECT_THAT(Handle::open("format=mxfp5")->error(), HasSubstr("format=mxfp5"));
  EXPECT_THAT(Handle::open_word(7, "")->error(), HasSubstr("00000007"));
  const auto block = Handle::open("format=mxfp4");
  const std::array<std::uint32_t, 31> narrow{};
  ASSERT_TRUE(block->start(0));
  EXPECT_FALSE(block->put(Field::kSource, narrow));
  EXPECT_THAT(block->error(), HasSubstr("field source: 32 words of 32 bits"));
  std::array<std::uint32_t, 7> few{};
  EXPECT_FALSE(block->get(Field::kCode, few));
  EXPECT_THAT(block->error(), HasSubstr("has 224 bits"));
  EXPECT_FALSE(block->set_lane_bits(Field::kA, 8));
  EXPECT_THAT(block->error(), HasSubstr("no field a"));
  EXPECT_FALSE(block->set_lanes(16));
  EXPECT_NE(block->error(), "");
  std::string said;
  EXPECT_FALSE(value_text(*block, "flags", 0, said));
  EXPECT_FALSE(value_text(*block, "code", 16, said));
  EXPECT_THAT(block->error(), HasSubstr("field code: 10"));
  EXPECT_TRUE(value_text(*block, "scale", 0x80, said)) << block->error();
  EXPECT_EQ(said, "2");
  const auto closed = Handle::open("");
  EXPECT_FALSE(closed->start(0) || closed->answer() || closed->set_lanes(1));
  EXPECT_NE(closed->error(), "");
}

}  // namespace
}  // namespace mx::bridge
