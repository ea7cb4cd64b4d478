// Block formats beyond one e8m0 scale for a row: two levels, tiles, whole axes and tensors, scales
// of other types, dense layouts. The program against the library, block by block.
#include <fmt/format.h>

#include <algorithm>

#include "oracle/element/hadamard.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/packing.hpp"
#include "reference/tensor/scale_layout.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/cli/program/quantized.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"

namespace mx::cli::test {
namespace {

constexpr std::size_t kRows = 35;
constexpr std::size_t kColumns = 144;

/// Random fp32 words of middle size, row by row.
Words matrix() {
  Words result;
  for (std::size_t i = 0; i < kRows * kColumns; ++i) {
    const std::uint64_t word = counter_random(5, 0, i, 32);
    result.push_back((word & 0x807FFFFF) | (115 + (word >> 23 & 0x0F)) << 23);
  }
  return result;
}

std::string input_of(const Scratch& scratch, const Words& source) {
  return scratch.write(
      "in.safetensors",
      safetensors_file({{"w", "F32", fmt::format("[{},{}]", kRows, kColumns), words(source, 4)}}));
}

QuantizerConfig config_of(const BlockFormat& format) {
  QuantizerConfig config{formats::fp32, format, {}, {}};
  config.block.rule = format.rule;
  return config;
}

QuantizerConfig with_level(QuantizerConfig config, const Words& source) {
  std::uint64_t amax = 0;
  for (const std::uint64_t word : source) amax = std::max(amax, word & 0x7FFFFFFF);
  config.tensor = tensor_level(config, decode(formats::fp32, amax));
  return config;
}

/// Every block of the matrix by its element indices, in the order of the scales.
std::vector<std::vector<std::size_t>> blocks_of(const BlockFormat& format) {
  std::size_t lines = static_cast<std::size_t>(format.tile_lines);
  std::size_t width = static_cast<std::size_t>(format.block_size);
  if (format.extent == BlockExtent::kAxis) width = kColumns;
  if (format.extent == BlockExtent::kTensor) {
    lines = kRows;
    width = kColumns;
  }
  std::vector<std::vector<std::size_t>> blocks;
  for (std::size_t row = 0; row < kRows; row += lines) {
    for (std::size_t column = 0; column < kColumns; column += width) {
      auto& block = blocks.emplace_back();
      for (std::size_t r = row; r < std::min(row + lines, kRows); ++r) {
        for (std::size_t c = column; c < std::min(column + width, kColumns); ++c) {
          block.push_back(r * kColumns + c);
        }
      }
    }
  }
  return blocks;
}

struct Expected {
  Words codes, scales, values;
};

Expected expected(const QuantizerConfig& config, const Words& source) {
  const Quantizer quantizer = made(config);
  Expected result{Words(source.size()), {}, Words(source.size())};
  for (const auto& places : blocks_of(config.format)) {
    Words block, codes(places.size()), values(places.size());
    for (const std::size_t i : places) block.push_back(source[i]);
    const BlockResult got = quantizer.quantize_block(block, {}, codes);
    quantizer.dequantize_block(got.scale_code, codes, formats::fp32, values);
    result.scales.push_back(got.scale_code);
    for (std::size_t i = 0; i < places.size(); ++i) {
      result.codes[places[i]] = codes[i];
      result.values[places[i]] = values[i];
    }
  }
  return result;
}

Words dequantized(const Scratch& scratch, const std::string& name = "out.safetensors") {
  const ProgramEnd outcome =
      run_program({"dequantize", scratch.path(name), "-o", scratch.path("back")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return words_of(TensorFile::open(scratch.path("back")), "w");
}

class EveryBlockFormat : public testing::TestWithParam<BlockFormat> {};

TEST_P(EveryBlockFormat, GoesThereAndBackAsTheLibraryDoes) {
  const BlockFormat& format = GetParam();
  const Scratch scratch;
  const Words source = matrix();
  const TensorFile file =
      quantize(scratch, input_of(scratch, source), {"--format", std::string(format.name)});
  const QuantizerConfig config = with_level(config_of(format), source);
  const Expected want = expected(config, source);
  EXPECT_EQ(words_of(file, "w.codes"), want.codes);
  EXPECT_EQ(words_of(file, "w.scales"), want.scales);
  const bool has_tensor_scale = format.tensor_scale != TensorScale::kNone;
  ASSERT_EQ(file.find("w.tensor_scale") != nullptr, has_tensor_scale);
  if (has_tensor_scale) {
    EXPECT_EQ(words_of(file, "w.tensor_scale"), Words{config.tensor.scale});
  }
  EXPECT_EQ(dequantized(scratch), want.values);
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryBlockFormat,
                         testing::ValuesIn(all_block_formats().begin(), all_block_formats().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(TensorLevel, VendorRulesKeepTheirOwnDecodingScale) {
  const Scratch scratch;
  const Words source = matrix();
  const std::string input = input_of(scratch, source);
  for (const ScaleRule rule :
       {ScaleRule::kNvfp4Te, ScaleRule::kNvfp4Torchao, ScaleRule::kNvfp44over6,
        ScaleRule::kNvfp4Cublas, ScaleRule::kNvfp4Modelopt, ScaleRule::kNvfp4Ct}) {
    QuantizerConfig config = config_of(*find_block_format("nvfp4"));
    config.block.rule = rule;
    config = with_level(config, source);
    const Expected want = expected(config, source);
    const TensorFile file =
        quantize(scratch, input, {"--format", "nvfp4", "--rule", std::string(token_of(rule))});
    EXPECT_EQ(words_of(file, "w.codes"), want.codes) << token_of(rule);
    EXPECT_EQ(words_of(file, "w.scales"), want.scales) << token_of(rule);
    EXPECT_EQ(words_of(file, "w.tensor_scale"), Words{config.tensor.scale}) << token_of(rule);
    EXPECT_EQ(dequantized(scratch), want.values) << token_of(rule);
  }
}

TEST(TensorLevel, CanBeGiven) {
  const Scratch scratch;
  const Words source = matrix();
  const std::string input = input_of(scratch, source);
  QuantizerConfig config = config_of(*find_block_format("nvfp4"));
  config.tensor = tensor_level(config, unpack_integer(false, 2688, 0));
  EXPECT_EQ(config.tensor.scale, 0x3F800000U);
  TensorFile file = quantize(scratch, input, {"--format", "nvfp4", "--tensor-amax", "2688"});
  EXPECT_EQ(words_of(file, "w.tensor_scale"), Words{0x3F800000});
  EXPECT_EQ(words_of(file, "w.codes"), expected(config, source).codes);
  config.tensor.scale = 0x3E000000;
  file = quantize(scratch, input, {"--format", "nvfp4", "--tensor-scale", "0.125"});
  EXPECT_EQ(words_of(file, "w.tensor_scale"), Words{0x3E000000});
  EXPECT_EQ(words_of(file, "w.codes"), expected(config, source).codes);
  EXPECT_EQ(dequantized(scratch), expected(config, source).values);
}

TEST(TensorLevel, OptionsThatDoNotFitAreRefused) {
  const Scratch scratch;
  const std::string input = input_of(scratch, matrix());
  const auto refused = [&](std::vector<std::string> options, const char* says) {
    options.insert(options.begin(), {"quantize", input, "-o", scratch.path("no")});
    const ProgramEnd outcome = run_program(options);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
    EXPECT_EQ(scratch.files().size(), 1U);
  };
  refused({"--format", "mxfp4", "--tensor-amax", "1"}, "mxfp4 has no tensor scale");
  refused({"--format", "e4m3fn", "--tensor-scale", "1"}, "e4m3fn has no tensor scale");
  refused({"--format", "nvfp4", "--tensor-scale", "1", "--tensor-amax", "1"}, "exclude each other");
  refused({"--format", "nvfp4", "--tensor-scale", "0"}, "the tensor scale is zero");
  refused({"--format", "nvfp4", "--tensor-scale", "1e99"}, "finite, non-negative binary32");
  refused({"--format", "nvfp4", "--tensor-amax", "-1"}, "a finite number of 0 or more");
  refused({"--format", "nvfp4", "--tensor-amax", "many"}, "a finite number of 0 or more");
  refused({"--format", "nvfp4", "--tensor-amax", "nan"}, "a finite number of 0 or more");
  refused({"--format", "nvfp4", "--rule", "nvfp4_te", "--tensor-scale", "1"}, "give --tensor-amax");
  refused({"--format", "fp8_e4m3_fp32_row", "--block-size", "8"}, "the whole axis or tensor");
  refused({"--format", "mxfp4", "--scale-layout", "swizzle"}, "known: plane, swizzle_128x4");
  refused({"--format", "fp8_e4m3_fp32_row", "--scale-layout", "swizzle_128x4"}, "one-byte scales");
  refused({"--format", "nvfp4", "--scale-layout", "swizzle_128x4", "--axis", "0"}, "the last axis");
  refused({"--format", "mxfp4", "--packed", "split_half"}, "whole blocks of an even number");
  refused({"--format", "e2m1fn", "--packed", "split_half"}, "whole blocks of an even number");
  refused({"--format", "mxfp4", "--rule", "nvfp4_te"}, "ue4m3 scales");
}

/// The matrix as the specification's transform of its rows in groups of 16 has it: by the oracle.
Words hadamard_of(const Words& source, std::uint16_t mask, bool signs_last) {
  Words result;
  for (std::size_t i = 0; i < source.size(); i += 16) {
    const auto group = std::span(source).subspan(i, 16);
    for (const std::uint32_t y : oracle::hadamard(formats::fp32, group, mask, signs_last)) {
      result.push_back(y);
    }
  }
  return result;
}

// Values under a transform are quantized as fp32 values are, by any backend; the file says so, and
// the way back undoes it where that is asked for.
TEST(HadamardTransform, GoesThereAndBackAsTheLawSays) {
  const Scratch scratch;
  const Words source = matrix();
  const std::string input = input_of(scratch, source);
  for (const bool signs_last : {false, true}) {
    const Words turned = hadamard_of(source, 0xD7E8, signs_last);
    QuantizerConfig config = config_of(*find_block_format("nvfp4"));
    config.block.rule = ScaleRule::kNvfp4Te;
    config = with_level(config, turned);
    const Expected want = expected(config, turned);
    const std::string signs = signs_last ? "last" : "first";
    for (const char* const backend : {"auto", "reference"}) {
      const TensorFile file = quantize(scratch, input,
                                       {"--format", "nvfp4", "--rule", "nvfp4_te", "--hadamard",
                                        "0xD7E8", "--hadamard-signs", signs, "--backend", backend});
      EXPECT_EQ(words_of(file, "w.codes"), want.codes);
      EXPECT_EQ(words_of(file, "w.scales"), want.scales);
      EXPECT_EQ(words_of(file, "w.tensor_scale"), Words{config.tensor.scale});
      EXPECT_EQ(file.metadata().at("hadamard"), "d7e8");
      EXPECT_EQ(file.metadata().at("hadamard_signs"), signs);
      EXPECT_EQ(file.metadata().at("source_dtype.w"), "F32");
    }
    const std::string back = scratch.path("back");
    ProgramEnd outcome = run_program({"dequantize", scratch.path("out.safetensors"), "-o", back});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("under the Hadamard transform d7e8, signs " + signs),
              std::string::npos)
        << outcome.err;
    const TensorFile transformed = TensorFile::open(back);
    EXPECT_EQ(words_of(transformed, "w"), want.values);
    EXPECT_EQ(transformed.metadata().at("hadamard_signs"), signs);
    const Words values = hadamard_of(want.values, 0xD7E8, !signs_last);
    for (const char* const backend : {"auto", "reference"}) {
      outcome = run_program({"dequantize", scratch.path("out.safetensors"), "-o", back,
                             "--undo-hadamard", "--backend", backend});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(outcome.err.find("Hadamard"), std::string::npos) << outcome.err;
      const TensorFile undone = TensorFile::open(back);
      EXPECT_EQ(words_of(undone, "w"), values);
      EXPECT_FALSE(undone.metadata().contains("hadamard"));
    }
    outcome = run_program({"dequantize", scratch.path("out.safetensors"), "-o", back,
                           "--undo-hadamard", "--to", "f16"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    Words halves;
    ElementPolicy policy;
    policy.overflow = Overflow::kNoneInfOrNan;
    for (const std::uint64_t word : values) {
      halves.push_back(encode(decode(formats::fp32, word), formats::fp16, policy, 0).code);
    }
    EXPECT_EQ(words_of(TensorFile::open(back), "w"), halves);
  }
}

// Values beyond fp16's range after the way back: spec F12.2 step 4 after F25.3.
TEST(HadamardTransform, GoesBackToNarrowTypesWithTheOverflowThatIsAskedFor) {
  const Scratch scratch;
  Words source = matrix();
  for (std::uint64_t& word : source) word += std::uint64_t{14} << 23;
  const std::string input = input_of(scratch, source);
  (void)quantize(scratch, input, {"--format", "nvfp4", "--hadamard", "d7e8"});
  const auto values = [&](const std::vector<std::string>& options) {
    const std::string back = scratch.path("back");
    std::vector<std::string> words = {"dequantize", scratch.path("out.safetensors"), "-o", back,
                                      "--undo-hadamard"};
    words.insert(words.end(), options.begin(), options.end());
    const ProgramEnd end = run_program(words);
    EXPECT_EQ(end.status, 0) << end.err;
    return words_of(TensorFile::open(back), "w");
  };
  const Words exact = values({});
  std::array<std::size_t, 2> seen{};
  for (const auto& [token, beyond] :
       {std::pair{"inf", 0x7C00U}, {"saturate", 0x7BFF}, {"nan", 0x7E00}}) {
    const Words halves = values({"--to", "f16", "--dequant-overflow", token});
    ASSERT_EQ(halves.size(), exact.size());
    ElementPolicy policy;
    policy.overflow = Overflow::kNoneInfOrNan;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const Encoded half = encode(decode(formats::fp32, exact[i]), formats::fp16, policy, 0);
      const bool overflows = (half.flags & kFlagOverflow) != 0;
      ++seen.at(overflows ? 1 : 0);
      const bool has_sign = beyond != 0x7E00;
      const std::uint64_t want =
          overflows ? beyond | (has_sign ? half.code & 0x8000 : 0) : half.code;
      EXPECT_EQ(halves[i], want) << token << " element " << i;
    }
  }
  EXPECT_GT(seen[0], 100U);
  EXPECT_GT(seen[1], 100U);
}

TEST(HadamardTransform, TakesBlocksOf32AndTheMaskOfASeed) {
  const Scratch scratch;
  Words source = matrix();
  source.resize(32 * kColumns);
  const std::string input = scratch.write(
      "in.safetensors",
      safetensors_file({{"w", "F32", fmt::format("[32,{}]", kColumns), words(source, 4)}}));
  const TensorFile file = quantize(
      scratch, input, {"--format", "mxfp4", "--axis", "0", "--hadamard", "drawn", "--seed", "9"});
  const std::uint16_t mask = counter_random(9, 0xFFFFFFFF, 0, 16);
  EXPECT_EQ(file.metadata().at("hadamard"), fmt::format("{:04x}", mask));
  const Quantizer quantizer = made(config_of(*find_block_format("mxfp4")));
  const Words codes = words_of(file, "w.codes");
  for (std::size_t column = 0; column < kColumns; ++column) {
    Words block;
    for (std::size_t half = 0; half < 2; ++half) {
      Words group;
      for (std::size_t i = 0; i < 16; ++i) {
        group.push_back(source[(half * 16 + i) * kColumns + column]);
      }
      for (const std::uint32_t y : oracle::hadamard(formats::fp32, group, mask, false)) {
        block.push_back(y);
      }
    }
    Words want(32);
    (void)quantizer.quantize_block(block, {}, want);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(codes[i * kColumns + column], want[i]);
  }
}

TEST(HadamardTransform, WhatItDoesNotTakeIsRefused) {
  const Scratch scratch;
  const std::string input = input_of(scratch, matrix());
  const auto refused = [&](std::vector<std::string> options, int status, const char* says) {
    const ProgramEnd outcome = run_program(options);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  };
  const auto quantized = [&](std::vector<std::string> options, const char* says) {
    options.insert(options.begin(), {"quantize", input, "-o", scratch.path("no")});
    refused(options, 2, says);
    EXPECT_EQ(scratch.files().size(), 1U);
  };
  quantized({"--format", "nvfp4", "--hadamard", "12345"}, "no mask of up to 4 hexadecimal");
  quantized({"--format", "nvfp4", "--hadamard", "any"}, "no mask of up to 4 hexadecimal");
  quantized({"--format", "nvfp4", "--hadamard", "1", "--hadamard-signs", "middle"}, "last");
  quantized({"--format", "nvfp4", "--hadamard-signs", "last"}, "goes with --hadamard");
  quantized({"--format", "e2m1fn", "--hadamard", "1"}, "takes block formats");
  quantized({"--format", "nvfp4", "--block-size", "8", "--hadamard", "1"}, "takes block formats");
  quantized({"--format", "fp8_e4m3_fp32_row", "--hadamard", "1"}, "takes block formats");
  quantized({"--format", "nvfp4", "--axis", "0", "--hadamard", "1"},
            "the axis has 35 elements; choose tensors that it fits by --tensor");
  (void)quantize(scratch, input, {"--format", "nvfp4"});
  const std::string out = scratch.path("out.safetensors");
  refused({"dequantize", out, "-o", scratch.path("no"), "--undo-hadamard"}, 2, "was not made with");
  (void)quantize(scratch, input, {"--format", "nvfp4", "--hadamard", "d7e8"});
  const std::string bytes = read_file(out);
  for (const auto& [from, to, says] :
       {std::tuple{"\"d7e8\"", "\"d7g8\"", "field 'hadamard', value 'd7g8'"},
        {"\"first\"", "\"fist!\"", "field 'hadamard_signs', value 'fist!'"}}) {
    std::string damaged = bytes;
    const std::size_t at = damaged.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    damaged.replace(at, std::string(from).size(), to);
    refused({"dequantize", scratch.write("bad.safetensors", damaged), "-o", scratch.path("no")}, 3,
            says);
  }
}

TEST(TensorLevel, DamagedScalesOfAFileAreBadInput) {
  const Scratch scratch;
  const std::string input = input_of(scratch, matrix());
  (void)quantize(scratch, input, {"--format", "nvfp4"});
  const std::string bytes = read_file(scratch.path("out.safetensors"));
  const auto refused = [&](std::string from, const std::string& to, const char* says) {
    std::string damaged = bytes;
    const std::size_t at = damaged.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    damaged.replace(at, from.size(), to);
    const ProgramEnd outcome =
        run_program({"dequantize", scratch.write("damaged", damaged), "-o", scratch.path("back")});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  };
  refused("w.tensor_scale", "x.tensor_scale", "'w.tensor_scale': missing");
  refused("\"rule\":\"nvfp4_exact\"", "\"rule\":\"floor\"      ", "field 'rule', value 'floor'");
  refused("\"rule\":\"nvfp4_exact\"", "\"rule\":\"nvfp4_exakt\"", "did you mean 'nvfp4_exact'?");
  const Words scale = words_of(TensorFile::open(scratch.path("out.safetensors")), "w.tensor_scale");
  refused(words(scale, 4), words({0xBF800000}, 4), "finite, non-negative");
  refused(words(scale, 4), words({0}, 4), "the tensor scale is zero");
}

TEST(Layouts, CodesAndScalesArePackedByTheReference) {
  const Scratch scratch;
  const std::string input = input_of(scratch, matrix());
  const TensorFile plain = quantize(scratch, input, {"--format", "nvfp4"}, "plain");
  const Words values = dequantized(scratch, "plain");
  const auto bytes_of = [](const Words& from) {
    return std::vector<std::uint8_t>(from.begin(), from.end());
  };
  const std::vector<std::uint8_t> codes = bytes_of(words_of(plain, "w.codes"));
  const std::vector<std::uint8_t> scales = bytes_of(words_of(plain, "w.scales"));
  const Swizzle128x4 layout{kRows, kColumns / 16};
  std::vector<std::uint8_t> swizzled(layout.bytes());
  swizzle(layout, std::as_bytes(std::span(scales)), std::as_writable_bytes(std::span(swizzled)));
  for (const Packing packing :
       {Packing::kNibbleLowFirst, Packing::kNibbleHighFirst, Packing::kSplitHalf}) {
    const std::string name(packing_name(packing));
    const TensorFile dense = quantize(
        scratch, input, {"--format", "nvfp4", "--packed", name, "--scale-layout", "swizzle_128x4"});
    std::vector<std::uint8_t> packed(codes.size() / 2);
    pack({packing, 16}, std::as_bytes(std::span(codes)), std::as_writable_bytes(std::span(packed)));
    EXPECT_EQ(bytes_of(words_of(dense, "w.codes")), packed) << name;
    EXPECT_EQ(bytes_of(words_of(dense, "w.scales")), swizzled) << name;
    EXPECT_EQ(dequantized(scratch), values) << name;
  }
}

TEST(Layouts, EmptyTensorsOfEveryExtent) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.safetensors", safetensors_file({{"w", "F32", "[0,5]", ""}}));
  for (const char* format :
       {"nvfp4", "fp8_e4m3_fp32_tensor", "fp8_e4m3_fp32_row", "fp8_e5m2_fp32_128x128", "hifx4"}) {
    (void)quantize(scratch, input, {"--format", format});
    EXPECT_TRUE(dequantized(scratch).empty()) << format;
  }
}

TEST(ExplainBlock, EveryFormatAndRuleAgreesWithTheQuantizer) {
  int explained = 0;
  for (const BlockFormat& format : all_block_formats()) {
    const ProgramEnd outcome =
        run_program({"explain", "--format", std::string(format.name), "--source", "fp32",
                     "40490FDB", "BF400000", "3C000000"});
    ASSERT_EQ(outcome.status, 0) << format.name << outcome.err;
    const Words source = {0x40490FDB, 0xBF400000, 0x3C000000};
    Words codes(3);
    const Quantizer quantizer = made(with_level(config_of(format), source));
    const BlockResult result = quantizer.quantize_block(source, {}, codes);
    const int digits = (format.scale_bits() + 3) / 4, width = (format.element.bits + 3) / 4;
    const std::string want =
        fmt::format("result: scale {:0{}X} codes {:0{}X} {:0{}X} {:0{}X}", result.scale_code,
                    digits, codes[0], width, codes[1], width, codes[2], width);
    EXPECT_NE(outcome.out.find(want), std::string::npos) << want << '\n' << outcome.out;
    ++explained;
  }
  EXPECT_EQ(explained, static_cast<int>(all_block_formats().size()));
}

}  // namespace
}  // namespace mx::cli::test
