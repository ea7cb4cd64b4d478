// `mxgold dot`: results, traces, and what it refuses.
#include "reference/dot/dot.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "tests/cli/program/quantized.hpp"
#include "tests/support/made.hpp"

namespace mx::cli::test {
namespace {

/// rows x columns fp32 words around 1.
std::string matrix(const Scratch& scratch, const std::string& name, std::size_t rows,
                   std::size_t columns, std::uint32_t seed) {
  Words values;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    const std::uint64_t word = counter_random(seed, 0, i, 32);
    values.push_back((word & 0x807FFFFF) | (120 + (word >> 23 & 0xF)) << 23);
  }
  std::string shape = "(";
  shape.append(std::to_string(rows)).append(", ").append(std::to_string(columns)).append(")");
  return scratch.write(name, npy_array("<f4", shape, words(values, 4)));
}

/// The same products by the library, from what quantize writes.
Words expected(const Scratch& scratch, const std::string& a, const std::string& b,
               const std::string& format, DotConfig config, std::size_t rows, std::size_t columns,
               const Words& addends = {}) {
  const TensorFile qa = quantize(scratch, a, {"--format", format}, "qa.safetensors");
  const TensorFile qb = quantize(scratch, b, {"--format", format}, "qb.safetensors");
  const Words a_codes = words_of(qa, "data.codes"), a_scales = words_of(qa, "data.scales");
  const Words b_codes = words_of(qb, "data.codes"), b_scales = words_of(qb, "data.scales");
  config.a = config.b = *find_block_format(format);
  DotProduct dot = made(config);
  const auto row = [](const Words& all, std::size_t count, std::size_t i) {
    const std::size_t width = all.size() / count;
    return std::span(all).subspan(i * width, width);
  };
  Words results;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const DotOperand x{row(a_scales, rows, i), row(a_codes, rows, i)};
      const DotOperand y{row(b_scales, columns, j), row(b_codes, columns, j)};
      std::optional<std::uint64_t> addend;
      if (!addends.empty()) addend = addends[i * columns + j];
      results.push_back(dot(x, y, addend).code);
    }
  }
  return results;
}

Words results_of(const Scratch& scratch, const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"dot", scratch.path("a.npy"), scratch.path("b.npy"), "-o",
                                        scratch.path("d.safetensors")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return words_of(TensorFile::open(scratch.path("d.safetensors")), "data");
}

TEST(DotProgram, EveryModeGivesTheLibrarysResults) {
  const Scratch scratch;
  const std::string a = matrix(scratch, "a.npy", 3, 70, 1);
  const std::string b = matrix(scratch, "b.npy", 2, 70, 2);
  std::vector<Words> all;
  for (const Token<DotMode>& mode : tokens<DotMode>()) {
    DotConfig config;
    config.mode = mode.value;
    config.accumulator.group = 16;
    config.accumulator.alignment_bits = 12;
    std::vector<std::string> options = {"--format", "mxfp8_e4m3", "--mode", std::string(mode.text)};
    if (mode.value == DotMode::kAccumulator) {
      options.insert(options.end(), {"--group", "16", "--align-bits", "12"});
    }
    const Words got = results_of(scratch, options);
    EXPECT_EQ(got.size(), 6U);
    EXPECT_EQ(got, expected(scratch, a, b, "mxfp8_e4m3", config, 3, 2)) << mode.text;
    all.push_back(got);
  }
  EXPECT_NE(all[0], all[4]) << "12 bits of alignment leave their mark";
}

TEST(DotProgram, AnAccumulatorsZerosOverflowsAndSubnormalsAreOptions) {
  const Scratch scratch;
  const auto result = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c,
                          const std::vector<std::string>& more) {
    const auto tensor = [&](const char* name, std::uint64_t word) {
      return scratch.write(name, npy_array("<f4", "(1, 1)", words({word}, 4)));
    };
    std::vector<std::string> options = {"--format",     "mxfp8_e4m3", "--mode",
                                        "accumulator",  "--group",    "1",
                                        "--align-bits", "56",         "--align-rounding",
                                        "to_odd",       "--c",        tensor("c.npy", c)};
    (void)tensor("a.npy", a);
    (void)tensor("b.npy", b);
    options.insert(options.end(), more.begin(), more.end());
    return results_of(scratch, options).at(0);
  };
  constexpr std::uint64_t kOne = 0x3F800000, kMinusZero = 0x80000000, kLargest = 0x7F7FFFFF;
  EXPECT_EQ(result(0, 0xBF800000, kMinusZero, {}), 0U);
  EXPECT_EQ(result(0, 0xBF800000, kMinusZero, {"--acc-zero-sign", "ieee"}), kMinusZero);
  const std::vector<std::string> cut = {"--acc-rounding", "toward_zero", "--acc-overflow"};
  const auto with = [&](const char* overflow) {
    std::vector<std::string> options = cut;
    options.emplace_back(overflow);
    return result(0x73800000, kOne, kLargest, options);
  };
  EXPECT_EQ(with("none_inf_or_nan"), kLargest);
  EXPECT_EQ(with("always_inf_or_nan"), 0x7F800000U);
  const auto under = [&](const char* ftz) {  // 2^-126 - 2^-150
    return result(0x9A000000, 0x1A000000, 0x00800000, {"--acc-ftz", ftz});
  };
  EXPECT_EQ(under("post"), 0x00800000U);
  EXPECT_EQ(under("post_unbounded"), 0U);
}

TEST(DotProgram, QuantizedFilesAddendsAndNarrowResults) {
  const Scratch scratch;
  const std::string a = matrix(scratch, "a.npy", 2, 64, 3);
  const std::string b = matrix(scratch, "b.npy", 2, 64, 4);
  const std::string c = scratch.write(
      "c.npy", npy_array("<f4", "(2, 2)", words({0x3F800000, 0xBF800000, 0, 0x42280000}, 4)));
  DotConfig config;
  config.result = formats::bf16;
  config.rounding = Rounding::kTowardZero;
  const Words want =
      expected(scratch, a, b, "mxfp4", config, 2, 2, {0x3F800000, 0xBF800000, 0, 0x42280000});
  // `expected` left the quantized files behind.
  const ProgramEnd outcome =
      run_program({"dot", scratch.path("qa.safetensors"), scratch.path("qb.safetensors"), "--c", c,
                   "--result", "bf16", "--rounding", "toward_zero", "-o", scratch.path("d")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const TensorFile results = TensorFile::open(scratch.path("d"));
  EXPECT_EQ(results.tensors()[0].dtype, "BF16");
  EXPECT_EQ(words_of(results, "data"), want);
  // Dense codes are read as well.
  quantize(scratch, a, {"--format", "mxfp4", "--packed", "nibble_low_first"}, "pa.safetensors");
  const ProgramEnd packed =
      run_program({"dot", scratch.path("pa.safetensors"), scratch.path("qb.safetensors"), "--c", c,
                   "--result", "bf16", "--rounding", "toward_zero", "-o", scratch.path("e")});
  ASSERT_EQ(packed.status, 0) << packed.err;
  EXPECT_EQ(words_of(TensorFile::open(scratch.path("e")), "data"), want);
}

TEST(DotProgram, TextAndTrace) {
  const Scratch scratch;
  const std::string row =
      scratch.write("a.npy", npy_array("<f4", "(2,)", words({0x3F800000, 0x40000000}, 4)));
  const ProgramEnd text = run_program({"dot", row, row, "--format", "mxfp8_e4m3"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_EQ(text.out, "0 0 40A00000 0x1.4p+2\n");
  const ProgramEnd trace = run_program(
      {"dot", row, row, "--format", "mxfp8_e4m3", "--mode", "fp32_seq", "--trace", "0,0"});
  EXPECT_EQ(trace.status, 0) << trace.err;
  for (const char* line : {"2 products of mxfp8_e4m3 and mxfp8_e4m3, fp32_seq", "product 0: 0x1p+0",
                           "sum 1: 0x1.4p+2", "code 40A00000, flags: none"}) {
    EXPECT_NE(trace.out.find(line), std::string::npos) << line << '\n' << trace.out;
  }
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;  ///< A, B, NARROW, C are files, OUT a place
  int status;
  const char* message;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class DotRefusals : public testing::TestWithParam<Refusal> {};

TEST_P(DotRefusals, SayWhatIsWrong) {
  const Scratch scratch;
  matrix(scratch, "A", 2, 64, 5);
  matrix(scratch, "B", 2, 64, 6);
  matrix(scratch, "NARROW", 2, 32, 7);
  scratch.write("C", npy_array("<f4", "(3,)", words({0, 0, 0}, 4)));
  std::vector<std::string> arguments = {"dot"};
  for (const std::string& each : GetParam().arguments) {
    const bool is_file = each == "A" || each == "B" || each == "NARROW" || each == "C" ||
                         each == "OUT" || each == "NONE";
    arguments.push_back(is_file ? scratch.path(each) : each);
  }
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, GetParam().status) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().message), std::string::npos) << outcome.err;
  EXPECT_EQ(scratch.files().size(), 4U) << "nothing is left behind";
}

Refusal with(const char* name, std::vector<std::string> more, int status, const char* message) {
  std::vector<std::string> arguments = {"A", "B", "-o", "OUT", "--format", "mxfp8_e4m3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return {name, arguments, status, message};
}

INSTANTIATE_TEST_SUITE_P(
    All, DotRefusals,
    testing::Values(
        Refusal{"NoFormat", {"A", "B"}, 2, "give --format"},
        Refusal{"ElementFormat", {"A", "B", "--format", "e4m3fn"}, 2, "has no blocks"},
        Refusal{"TwoLevels", {"A", "B", "--format", "nvfp4"}, 2, "scale for the whole tensor"},
        Refusal{"UnknownFormat", {"A", "B", "--format", "mxfp9"}, 2, "mxfp"},
        Refusal{"Missing", {"A", "NONE", "--format", "mxfp4"}, 3, "cannot open"},
        Refusal{"Lengths", {"A", "NARROW", "--format", "mxfp4"}, 3, "must be equal"},
        with("Mode", {"--mode", "fp32_sq"}, 2, "did you mean 'fp32_seq'?"),
        with("Result", {"--result", "fp3"}, 2, "did you mean 'fp32'?"),
        with("Addends", {"--c", "C"}, 3, "3 addends for 4 dot products"),
        with("Bits", {"--mode", "accumulator", "--align-bits", "60"}, 2, "--align-bits"),
        with("Order", {"--order", "sideways"}, 2, "--order"),
        with("Accumulator", {"--acc-format", "fp99"}, 2, "--acc-format"),
        with("Stochastic", {"--rounding", "stochastic_a"}, 2, "not rounded stochastically"),
        with("Trace", {"--trace", "0"}, 2, "a row and a column"),
        with("TracePlace", {"--trace", "2,0"}, 2, "2 rows and 2 columns"),
        with("BlockSizes", {"--format", "hifx4"}, 2, "block sizes differ")),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace mx::cli::test
