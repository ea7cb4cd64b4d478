// `mxgold quantize`: the tensor contract of spec F24.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fast/cuda/stream.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "tests/cli/program/quantized.hpp"
#include "tests/support/made.hpp"

namespace mx::cli::test::quantize_test {
namespace {

/// Words of a format with every kind of value among them, NaN and Inf included if wanted.
Words random_words(std::size_t count, int bits, std::uint64_t seed) {
  Words result;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = std::uint64_t{counter_random(seed, 1, 2 * i, 32)} << 32 |
                               counter_random(seed, 1, 2 * i + 1, 32);
    result.push_back(word >> (64 - bits));
  }
  return result;
}

/// Random fp32 words of middle size: exponents 2^-16 to 2^15.
Words tame_words(std::size_t count, std::uint64_t seed) {
  Words result = random_words(count, 32, seed);
  for (std::uint64_t& word : result) {
    word = (word & 0x807FFFFF) | (111 + (word >> 23 & 0x1F)) << 23;
  }
  return result;
}

/// What the contract says, spelled as slowly as it can be: every block gathered by its indices.
struct Expected {
  Words codes;
  Words scales;
};

Expected expected(const QuantizerConfig& config, const std::array<std::size_t, 3>& shape,
                  std::size_t axis, const Words& source, std::uint32_t tensor, std::uint64_t seed) {
  const Quantizer quantizer = made(config);
  const auto k = static_cast<std::size_t>(config.format.block_size);
  std::array<std::size_t, 3> scale_shape = shape;
  scale_shape[axis] = (shape[axis] + k - 1) / k;
  Expected result;
  result.codes.assign(source.size(), 0);
  for (std::size_t a = 0; a < scale_shape[0]; ++a) {
    for (std::size_t b = 0; b < scale_shape[1]; ++b) {
      for (std::size_t c = 0; c < scale_shape[2]; ++c) {
        std::array<std::size_t, 3> at = {a, b, c};
        const std::size_t start = at[axis] * k;
        Words block;
        std::vector<std::uint32_t> random;
        std::vector<std::size_t> places;
        for (std::size_t i = start; i < std::min(start + k, shape[axis]); ++i) {
          at[axis] = i;
          places.push_back((at[0] * shape[1] + at[1]) * shape[2] + at[2]);
          block.push_back(source[places.back()]);
          random.push_back(counter_random(seed, tensor, places.back(), config.element.random_bits));
        }
        Words codes(block.size());
        result.scales.push_back(quantizer.quantize_block(block, random, codes).scale_code);
        for (std::size_t i = 0; i < places.size(); ++i) result.codes[places[i]] = codes[i];
      }
    }
  }
  return result;
}

struct AxisCase {
  const char* axis;
  std::size_t index;
  int block_size;
};
void PrintTo(const AxisCase& axis, std::ostream* out) {
  *out << "axis " << axis.axis << ", blocks of " << axis.block_size;
}

class QuantizeAxis : public testing::TestWithParam<AxisCase> {};

TEST_P(QuantizeAxis, GathersBlocksAlongIt) {
  const AxisCase& axis = GetParam();
  const Scratch scratch;
  const Words source = tame_words(std::size_t{3} * 41 * 5, 5);
  const std::string input = scratch.write(
      "in.safetensors",
      safetensors_file({{"a", "F32", "[0]", ""}, {"w", "F32", "[3,41,5]", words(source, 4)}}));
  const TensorFile file = quantize(scratch, input,
                                   {"--format", "mxfp6_e2m3", "--axis", axis.axis, "--block-size",
                                    std::to_string(axis.block_size), "--rounding", "stochastic_b",
                                    "--random-bits", "11", "--seed", "77", "--tensor", "w"});
  QuantizerConfig config{formats::fp32, *find_block_format("mxfp6_e2m3"), {}, {}};
  config.format.block_size = axis.block_size;
  config.element.rounding = Rounding::kStochasticB;
  config.element.random_bits = 11;
  const Expected want = expected(config, {3, 41, 5}, axis.index, source, 1, 77);
  EXPECT_EQ(words_of(file, "w.codes"), want.codes);
  EXPECT_EQ(words_of(file, "w.scales"), want.scales);
  std::vector<std::uint64_t> shape = {3, 41, 5};
  EXPECT_EQ(file.find("w.codes")->shape, shape);
  const auto k = static_cast<std::uint64_t>(axis.block_size);
  shape[axis.index] = (shape[axis.index] + k - 1) / k;
  EXPECT_EQ(file.find("w.scales")->shape, shape);
  EXPECT_EQ(file.find("a.codes"), nullptr) << "--tensor chose another one";
}

INSTANTIATE_TEST_SUITE_P(Axes, QuantizeAxis,
                         testing::Values(AxisCase{"0", 0, 32}, AxisCase{"1", 1, 32},
                                         AxisCase{"2", 2, 32}, AxisCase{"-1", 2, 4},
                                         AxisCase{"-2", 1, 8}, AxisCase{"-3", 0, 2},
                                         AxisCase{"1", 1, 1}, AxisCase{"1", 1, 1024}),
                         [](const auto& row) {
                           return fmt::format("Axis{}Block{}At{}", row.param.index,
                                              row.param.block_size, row.index);
                         });

struct SourceCase {
  const char* dtype;
  const char* format;
  int bits;
};
void PrintTo(const SourceCase& source, std::ostream* out) { *out << source.dtype; }

class QuantizeSource : public testing::TestWithParam<SourceCase> {};

TEST_P(QuantizeSource, TakesEveryBitPattern) {
  const SourceCase& source = GetParam();
  const Scratch scratch;
  const Words bits = random_words(std::size_t{64} * 32, source.bits, 11);
  const std::string input =
      scratch.write("in.safetensors",
                    safetensors_file({{"x", source.dtype, "[64,32]",
                                       words(bits, static_cast<std::size_t>(source.bits / 8))}}));
  const TensorFile file = quantize(scratch, input, {"--format", "mxfp8_e5m2", "--rule", "even_up"});
  QuantizerConfig config{*find_format(source.format), *find_block_format("mxfp8_e5m2"), {}, {}};
  config.block.rule = ScaleRule::kEvenUp;
  const Expected want = expected(config, {1, 64, 32}, 2, bits, 0, 0);
  EXPECT_EQ(words_of(file, "x.codes"), want.codes);
  EXPECT_EQ(words_of(file, "x.scales"), want.scales);
}

INSTANTIATE_TEST_SUITE_P(Types, QuantizeSource,
                         testing::Values(SourceCase{"F64", "fp64", 64},
                                         SourceCase{"F32", "fp32", 32},
                                         SourceCase{"F16", "fp16", 16},
                                         SourceCase{"BF16", "bf16", 16}),
                         [](const auto& row) { return row.param.dtype; });

// The specification: --backend chooses who computes, never a bit of the file or of the report.
TEST(Quantize, BackendsGiveTheSameFileAndReport) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.safetensors",
                    safetensors_file({{"f", "F32", "[6,70]", words(random_words(420, 32, 5), 4)},
                                      {"h", "F16", "[3,0]", ""},
                                      {"t", "F32", "[640]", words(tame_words(640, 6), 4)}}));
  const std::string output = scratch.path("out");
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--format", "mxfp8_e4m3"},
           {"--format", "mxint8", "--axis", "0", "--rule", "rceil"},
           {"--format", "mxfp4", "--packed", "nibble_low_first", "--rounding", "toward_zero"},
           {"--format", "mxfp6_e2m3", "--scale-layout", "swizzle_128x4", "--json"},
           {"--format", "nvfp4"},
           {"--format", "nvfp4", "--rule", "nvfp4_te", "--amax-over", "ignore_nan", "--axis", "0"},
           {"--format", "nvfp4", "--rule", "nvfp4_torchao", "--inf-block", "as_e255"},
           {"--format", "nvfp4", "--rule", "nvfp4_ggml", "--packed", "nibble_low_first"},
           {"--format", "nvfp4", "--rule", "nvfp4_cublas", "--json"},
           {"--format", "nvfp4", "--tensor-scale", "0.125", "--rounding", "toward_positive"},
           {"--format", "e2m1_ue5m3_k32"},
           {"--format", "e5m2", "--overflow", "none_inf_or_nan", "--rounding", "stochastic_a"},
           {"--format", "e4m3fn"}}) {
    std::string report;
    std::string bytes;
    for (const std::string backend : {"reference", "auto"}) {
      std::vector<std::string> arguments = {"quantize",  input,   "-o",       output,
                                            "--backend", backend, "--verbose"};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const ProgramEnd end = run_program(arguments);
      ASSERT_EQ(end.status, 0) << end.err;
      EXPECT_NE(end.err.find("tensor 'f': computed by "), std::string::npos) << end.err;
      if (backend == "reference") {
        report = end.out;
        bytes = read_file(output);
      }
      EXPECT_EQ(end.out, report) << options[1];
      EXPECT_TRUE(read_file(output) == bytes) << options[1];
    }
  }
}

// The same of the CUDA path: its arithmetic on the host, and a device where there is one.
TEST(Quantize, TheCudaPathGivesTheSameFileAndReport) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "in.safetensors",
      safetensors_file({{"f", "F32", "[6,70]", words(random_words(420, 32, 5), 4)},
                        {"h", "F16", "[3,0]", ""},
                        {"t", "BF16", "[9,64]", words(random_words(576, 16, 6), 2)}}));
  const std::string output = scratch.path("out");
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--format", "mxfp8_e4m3", "--json"},
           {"--format", "mxint8", "--axis", "0", "--rule", "rceil"},
           {"--format", "mxfp4", "--packed", "nibble_low_first", "--rounding", "stochastic_a"},
           {"--format", "mxfp6_e2m3", "--rounding", "stochastic_b", "--axis", "0", "--seed", "7"},
           {"--format", "nvfp4", "--json"},
           {"--format", "nvfp4", "--rule", "nvfp4_te", "--axis", "0"},
           {"--format", "nvfp4", "--rule", "nvfp4_4over6"},
           {"--format", "nvfp4", "--rule", "nvfp4_torchao", "--rounding", "stochastic_a"}}) {
    std::string report;
    std::string bytes;
    for (const std::string backend : {"reference", "cuda-host", "cuda"}) {
      std::vector<std::string> arguments = {"quantize",  input,   "-o",       output,
                                            "--backend", backend, "--verbose"};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const ProgramEnd end = run_program(arguments);
      if (backend == "cuda" && !fast::device_available()) {
        EXPECT_EQ(end.status, 2);
        EXPECT_NE(end.err.find("--backend cuda: " + std::string(fast::device_problem())),
                  std::string::npos)
            << end.err;
        continue;
      }
      ASSERT_EQ(end.status, 0) << end.err;
      EXPECT_NE(end.err.find("tensor 'f': computed by " + backend), std::string::npos) << end.err;
      if (backend == "reference") {
        report = end.out;
        bytes = read_file(output);
      }
      EXPECT_EQ(end.out, report) << options[1];
      EXPECT_TRUE(read_file(output) == bytes) << options[1];
    }
  }
  const ProgramEnd single = run_program(
      {"quantize", input, "-o", output, "--format", "e4m3fn", "--backend", "cuda-host"});
  EXPECT_EQ(single.status, 2);
  EXPECT_NE(single.err.find("takes blocks"), std::string::npos) << single.err;
}

TEST(Quantize, BackendsThatCannotComputeAreRefusedInWords) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "in.safetensors", safetensors_file({{"d", "F64", "[32]", words(Words(32, 0), 8)}}));
  const auto refused = [&](const char* backend) {
    const ProgramEnd end = run_program(
        {"quantize", input, "-o", scratch.path("out"), "--format", "mxfp4", "--backend", backend});
    EXPECT_EQ(end.status, 2);
    EXPECT_EQ(read_file(scratch.path("out")), "") << "nothing is written";
    return end.err;
  };
  EXPECT_NE(refused("cpu").find("--backend cpu: no fast path: "), std::string::npos);
  EXPECT_NE(refused("gpu").find("unknown backend 'gpu'"), std::string::npos);
}

TEST(Quantize, HandlesZeroDimensionsAndNoElements) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "in.safetensors", safetensors_file({{"empty", "BF16", "[0,5]", ""},
                                          {"hollow", "F32", "[3,0]", ""},
                                          {"scalar", "F32", "[]", words({0x40400000}, 4)}}));
  for (const char* axis : {"0", "-1"}) {
    const TensorFile file = quantize(scratch, input, {"--format", "mxfp8_e4m3", "--axis", axis});
    const bool first = std::string(axis) == "0";
    using Shape = std::vector<std::uint64_t>;
    EXPECT_EQ(file.find("empty.codes")->shape, (Shape{0, 5}));
    EXPECT_EQ(file.find("empty.scales")->shape, first ? (Shape{0, 5}) : (Shape{0, 1}));
    EXPECT_EQ(file.find("hollow.codes")->shape, (Shape{3, 0}));
    EXPECT_EQ(file.find("hollow.scales")->shape, first ? (Shape{1, 0}) : (Shape{3, 0}));
    EXPECT_EQ(file.find("scalar.codes")->shape, Shape{});
    EXPECT_EQ(file.find("scalar.scales")->shape, Shape{1});
    EXPECT_EQ(words_of(file, "scalar.codes"), Words{0x7C});  // 3 * 2^7 = 384
    EXPECT_EQ(words_of(file, "scalar.scales"), Words{0x78});
  }
}

TEST(Quantize, DoesNotDependOnTheNumberOfThreads) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "in.safetensors",
      safetensors_file({{"b", "F32", "[4000,101]", words(random_words(404000, 32, 3), 4)},
                        {"c", "F16", "[7,1000]", words(random_words(7000, 16, 4), 2)}}));
  std::string first;
  for (const char* threads : {"1", "2", "7"}) {
    for (const char* axis : {"0", "1"}) {
      (void)quantize(scratch, input,
                     {"--format", "mxfp4", "--axis", axis, "--rounding", "stochastic_a", "--seed",
                      "9", "--threads", threads},
                     std::string("axis") + axis);
    }
    const std::string bytes = read_file(scratch.path("axis0")) + read_file(scratch.path("axis1"));
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first) << threads << " threads";
  }
  EXPECT_GT(first.size(), 2U * 411000);
}

TEST(Quantize, SeedAndTensorIndexChooseTheRandomBits) {
  const Scratch scratch;
  const std::string data = words(tame_words(512, 21), 4);
  const std::string input =
      scratch.write("in.safetensors",
                    safetensors_file({{"a", "F32", "[512]", data}, {"b", "F32", "[512]", data}}));
  const auto codes = [&](const char* seed, const char* tensor) {
    const TensorFile file = quantize(
        scratch, input, {"--format", "e2m1fn", "--rounding", "stochastic_a", "--seed", seed});
    return words_of(file, std::string(tensor) + ".codes");
  };
  EXPECT_EQ(codes("1", "a"), codes("1", "a"));
  EXPECT_NE(codes("1", "a"), codes("2", "a"));
  EXPECT_NE(codes("1", "a"), codes("1", "b"));
}

TEST(Quantize, ElementFormatsHaveNoScalesAndTheirOwnWidth) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(2, 1)", words({0x3F800000, 0xC0000000}, 4)));
  for (const auto& [format, dtype, one, minus_two] :
       {std::tuple{"e4m3fn", "U8", 0x38ULL, 0xC0ULL},
        {"fp16", "U16", 0x3C00ULL, 0xC000ULL},
        {"tf32", "U32", 0x1FC00ULL, 0x60000ULL},
        {"fp64", "U64", 0x3FF0000000000000ULL, 0xC000000000000000ULL}}) {
    const TensorFile file = quantize(scratch, input, {"--format", format});
    ASSERT_EQ(file.tensors().size(), 1U);
    EXPECT_EQ(file.tensors()[0].dtype, dtype);
    EXPECT_EQ(words_of(file, "data.codes"), (Words{one, minus_two})) << format;
  }
}

/// An option of `quantize` and what refuses it.
struct Unread {
  std::vector<std::string> options;
  const char* says;
};

// An option that nothing reads is refused by name, and taken where something reads it.
TEST(Quantize, OptionsThatNothingReadsAreRefused) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(2, 1)", words({0x3F800000, 0xC0000000}, 4)));
  const std::vector<Unread> refused = {
      {{"--format", "mxfp4", "--four-over-six", "mae_256"}, "--four-over-six: rule floor"},
      {{"--format", "mxfp4", "--scale-rounding", "toward_zero"}, "--scale-rounding: rule floor"},
      {{"--format", "mxfp4", "--even-carry", "to_nan"}, "--even-carry: rule floor"},
      {{"--format", "mxfp4", "--random-bits", "8"}, "--random-bits: rounding ties_to_even draws"},
      {{"--format", "e4m3fn", "--random-bits", "8"}, "--random-bits: rounding ties_to_even draws"},
      {{"--format", "e4m3fn", "--rule", "ceil"}, "--rule: a policy of blocks, and e4m3fn has none"},
      {{"--format", "e4m3fn", "--inf-block", "scale_max"}, "--inf-block: a policy of blocks"},
      {{"--format", "e4m3fn", "--axis", "0"}, "--axis: e4m3fn has no blocks; leave it out"},
      {{"--format", "e4m3fn", "--block-size", "16"}, "--block-size: e4m3fn has no blocks"}};
  for (const Unread& each : refused) {
    std::vector<std::string> line = {"quantize", input, "-o", scratch.path("no.safetensors")};
    line.insert(line.end(), each.options.begin(), each.options.end());
    const ProgramEnd end = run_program(line);
    EXPECT_EQ(end.status, 2) << each.says << "\n" << end.err;
    EXPECT_NE(end.err.find(each.says), std::string::npos) << each.says << "\n" << end.err;
  }
  for (const std::vector<std::string>& taken : std::vector<std::vector<std::string>>{
           {"--format", "nvfp4", "--rule", "nvfp4_4over6", "--four-over-six", "mae_256"},
           {"--format", "mxfp4", "--rule", "even_up", "--even-carry", "to_nan"},
           {"--format", "mxfp4", "--rounding", "stochastic_a", "--random-bits", "8"},
           {"--format", "e4m3fn", "--dequant-overflow", "saturate", "--tininess",
            "before_rounding"}}) {
    (void)quantize(scratch, input, taken);
  }
}

TEST(Quantize, ReadsTensorsAtOddAddressesAndFromAPipe) {
  const Scratch scratch;
  const std::string bytes = safetensors_file(
      {{"a", "U8", "[1]", "z"}, {"x", "F32", "[2]", words({0x3F800000, 0x40000000}, 4)}});
  const std::string output = scratch.path("out.safetensors");
  const ProgramEnd outcome =
      run_program({"quantize", "-", "-o", output, "--format", "e2m1fn"}, bytes);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("skipped tensor 'a': type U8"), std::string::npos) << outcome.err;
  EXPECT_EQ(words_of(TensorFile::open(output), "x.codes"), (Words{2, 4}));
}

TEST(Quantize, MetadataNamesEverythingThatShapedTheCodes) {
  const Scratch scratch;
  const std::string input = scratch.write("in.npy", npy_array("<f2", "(3,)", "abcdef"));
  const TensorFile file =
      quantize(scratch, input,
               {"--format", "mxint8", "--int-min", "clamp_symmetric", "--int-min", "allow",
                "--rule", "rceil", "--axis", "0", "--block-size", "2", "--inf-block", "scale_max"});
  const std::map<std::string, std::string>& metadata = file.metadata();
  for (const auto& [key, value] : {std::pair{"format", "mxint8"},
                                   {"profile", "mxgold-default"},
                                   {"axis", "0"},
                                   {"block_size", "2"},
                                   {"rule", "rceil"},
                                   {"rounding", "ties_to_even"},
                                   {"overflow", "sat_finite"},
                                   {"int_min", "allow"},
                                   {"inf_block", "scale_max"},
                                   {"elem_codes_when_nan_scale", "dont_care"},
                                   {"source_dtype.data", "F16"}}) {
    ASSERT_TRUE(metadata.contains(key)) << key;
    EXPECT_EQ(metadata.at(key), value) << key;
  }
  EXPECT_FALSE(metadata.at("mxgold_version").empty());
}

}  // namespace
}  // namespace mx::cli::test::quantize_test
