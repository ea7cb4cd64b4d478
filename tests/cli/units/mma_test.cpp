// `mxgold mma` and `mxgold list units`: results, verdicts about given ones, what is refused.
#include <nlohmann/json.hpp>

#include "reference/number/philox.hpp"
#include "reference/unit/unit_dot.hpp"
#include "tests/cli/program/program_json.hpp"
#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test::mma_test {
namespace {

using Words = std::vector<std::uint64_t>;

std::string tensor(const Scratch& scratch, const std::string& name, const std::string& dtype,
                   const std::string& shape, const Words& codes, std::size_t size) {
  return scratch.write(name, safetensors_file({{"data", dtype, shape, words(codes, size)}}));
}

/// Codes of any sign and significand with the exponent field in [first, first + 8).
Words random_codes(std::size_t count, std::uint32_t seed, int man_bits, int bits,
                   std::uint64_t first) {
  Words codes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = counter_random(seed, 0, i, 32);
    const std::uint64_t man = word & ((std::uint64_t{1} << man_bits) - 1);
    codes.push_back((word >> 31) << (bits - 1) | (first + (word >> 24 & 7)) << man_bits | man);
  }
  return codes;
}

std::span<const std::uint64_t> row(const Words& codes, std::size_t width, std::size_t i) {
  return std::span(codes).subspan(i * width, width);
}

constexpr std::size_t kK = 40;

/// Two tensors of bfloat16, 3 x 40 and 2 x 40, and C, 3 x 2.
struct Bf16 {
  Scratch scratch;
  Words a = random_codes(3 * kK, 1, 7, 16, 123);
  Words b = random_codes(2 * kK, 2, 7, 16, 123);
  Words c = random_codes(6, 3, 23, 32, 123);
  std::string file_a = tensor(scratch, "a.safetensors", "BF16", "[3,40]", a, 2);
  std::string file_b = tensor(scratch, "b.safetensors", "BF16", "[2,40]", b, 2);
  std::string file_c = tensor(scratch, "c.safetensors", "F32", "[3,2]", c, 4);

  [[nodiscard]] Words results(const char* unit) const {
    const UnitDot dot =
        UnitDot::make({*find_unit(unit), {formats::bf16}, {formats::bf16}, formats::fp32}).value();
    Words results;
    for (std::size_t i = 0; i < 6; ++i) {
      results.push_back(dot({{}, row(a, kK, i / 2)}, {{}, row(b, kK, i % 2)}, c[i]));
    }
    return results;
  }
};

TEST(Mma, WritesWhatTheUnitGives) {
  const Bf16 given;
  for (const char* unit : {"h100_f16", "a100_f16", "mi200_f16", "mi300_f16", "mi100_bf16"}) {
    const std::string out = given.scratch.path("d.safetensors");
    const ProgramEnd ran = run_program(
        {"mma", given.file_a, given.file_b, "--c", given.file_c, "--unit", unit, "-o", out});
    ASSERT_EQ(ran.status, 0) << ran.err;
    const TensorFile file = TensorFile::open(out);
    EXPECT_EQ(file.tensors()[0].dtype, "F32");
    EXPECT_EQ(file.tensors()[0].shape, (std::vector<std::uint64_t>{3, 2}));
    EXPECT_EQ(words_of(file, "data"), given.results(unit)) << unit;
  }
  EXPECT_NE(given.results("h100_f16"), given.results("a100_f16"));
}

TEST(Mma, PairsOfRowsAsText) {
  const Scratch scratch;
  const std::string a = tensor(scratch, "a", "F16", "[2,2]", {0x3C00, 0x4000, 0x4200, 0}, 2);
  const std::string b = tensor(scratch, "b", "F16", "[2,2]", {0x3C00, 0x3C00, 0x3C00, 0x7C00}, 2);
  const ProgramEnd ran =
      run_program({"mma", a, b, "--unit", "h100_f16", "--pairs", "--result", "fp16"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, "0 4200 0x1.8p+1\n1 7FFF nan\n");
}

TEST(Mma, Tf32OperandsLoseTheirLowBits) {
  const Scratch scratch;
  const std::string a = tensor(scratch, "a", "F32", "[1]", {0x3F801FFF}, 4);
  const std::string nan = tensor(scratch, "n", "F32", "[1]", {0x7F800001}, 4);
  const std::string one = tensor(scratch, "b", "F32", "[1]", {0x3F800000}, 4);
  const ProgramEnd ran = run_program({"mma", a, one, "--unit", "h100_tf32"});
  EXPECT_EQ(ran.out, "0 0 3F800000 0x1p+0\n") << ran.err;
  // A NaN whose payload lies there is an infinity: spec U1, step 6.
  EXPECT_EQ(run_program({"mma", nan, one, "--unit", "h100_tf32"}).out, "0 0 7F800000 inf\n");
}

TEST(Mma, ExpectComparesEveryBit) {
  const Bf16 given;
  Words d = given.results("h100_f16");
  const auto verdict = [&](const std::string& unit) {
    const std::string file = tensor(given.scratch, "d.safetensors", "F32", "[3,2]", d, 4);
    return run_program(
        {"mma", given.file_a, given.file_b, "--c", given.file_c, "--unit", unit, "--expect", file});
  };
  const ProgramEnd equal = verdict("h100_f16");
  EXPECT_EQ(equal.status, 0) << equal.err;
  EXPECT_EQ(equal.out, "h100_f16: 6 of 6 results equal\n");
  d[4] ^= 1;
  const ProgramEnd flipped = verdict("h100_f16");
  EXPECT_EQ(flipped.status, 1);
  EXPECT_NE(flipped.out.find("5 of 6 results equal, 1 differ; the first, 4: expected"),
            std::string::npos)
      << flipped.out;
  EXPECT_EQ(verdict("any").status, 1);
  EXPECT_NE(verdict("any").out.find("no unit explains every result"), std::string::npos);
}

TEST(Mma, AnyNamesTheUnitsThatExplainResults) {
  const Bf16 given;
  const std::string d =
      tensor(given.scratch, "d.safetensors", "F32", "[3,2]", given.results("mi300_f16"), 4);
  const auto json = run_json(
      {"mma", given.file_a, given.file_b, "--c", given.file_c, "--unit", "any", "--expect", d});
  EXPECT_EQ(json["explained_by"], nlohmann::json::array({"mi300_f16"}));
  EXPECT_EQ(json["units"].size() + json["do_not_take_the_operands"].get<std::size_t>(),
            matrix_units().size());
}

// Results of sums of 8 elements each: they are named, and so is the chunk.
TEST(Mma, ChunksOfKAreFound) {
  const Bf16 given;
  const std::string d = given.scratch.path("d.safetensors");
  const std::vector<std::string> of = {"mma", given.file_a, given.file_b, "--unit"};
  const auto ask = [&](std::vector<std::string> more) {
    more.insert(more.begin(), of.begin(), of.end());
    return run_program(more);
  };
  const ProgramEnd made = ask({"h100_f16", "--chunk", "8", "-o", d});
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(words_of(TensorFile::open(d), "data").size(), 6U);
  EXPECT_EQ(ask({"h100_f16", "--chunk", "8", "--expect", d}).out,
            "h100_f16 in chunks of 8: 6 of 6 results equal\n");
  EXPECT_EQ(ask({"h100_f16", "--expect", d}).status, 1);
  const ProgramEnd any = ask({"any", "--chunk", "any", "--expect", d, "--json"});
  EXPECT_EQ(any.status, 0) << any.err;
  const auto json = nlohmann::json::parse(any.out);
  EXPECT_NE(std::ranges::find(json["explained_by"], "h100_f16 in chunks of 8"),
            json["explained_by"].end())
      << any.out;
  for (const auto& unit : json["units"]) {
    if (unit["unit"] == "h100_f16") {
      EXPECT_EQ(unit["chunk"], 8);
    }
  }
  // A unit's own sum is preferred to chunks that give the same.
  ASSERT_EQ(ask({"h100_f16", "-o", given.scratch.path("w.safetensors")}).status, 0);
  const ProgramEnd whole =
      ask({"h100_f16", "--chunk", "any", "--expect", given.scratch.path("w.safetensors")});
  EXPECT_EQ(whole.out, "h100_f16: 6 of 6 results equal\n");
}

// NaN codes of AMD's units are open: they are counted, and never the only thing compared.
TEST(Mma, OpenBitsAreCounted) {
  const Scratch scratch;
  const std::string a = tensor(scratch, "a", "F16", "[2,1]", {0x7E00, 0x3C00}, 2);
  const std::string b = tensor(scratch, "b", "F16", "[2,1]", {0x3C00, 0x3C00}, 2);
  const std::string d = tensor(scratch, "d", "F32", "[2]", {0xFFC00123, 0x3F800000}, 4);
  const ProgramEnd ran =
      run_program({"mma", a, b, "--pairs", "--unit", "mi300_f16", "--expect", d});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "mi300_f16: 1 of 2 results equal, 1 not compared in NaN code or sign of zero\n");
  const std::string nan = tensor(scratch, "nan", "F16", "[1,1]", {0x7E00}, 2);
  const std::string all_open = tensor(scratch, "d1", "F32", "[1]", {0xFFC00123}, 4);
  const ProgramEnd none =
      run_program({"mma", nan, nan, "--unit", "mi300_f16", "--expect", all_open});
  EXPECT_EQ(none.status, 3) << none.out;
  EXPECT_NE(none.err.find("nothing to compare"), std::string::npos) << none.err;
  const ProgramEnd nvidia =
      run_program({"mma", a, b, "--pairs", "--unit", "h100_f16", "--expect", d});
  EXPECT_EQ(nvidia.status, 1);
}

// Either zero is open where a sign is, the one that the reference would give no less: nothing was
// compared. Another value there is compared, and differs.
TEST(Mma, OpenBitsAreOpenWhateverTheyAre) {
  const Scratch scratch;
  const std::string zero = tensor(scratch, "a", "F16", "[1,1]", {0}, 2);
  const auto verdict = [&](const char* unit, std::uint64_t expected) {
    const std::string d = tensor(scratch, "d", "F32", "[1,1]", {expected}, 4);
    return run_program({"mma", zero, zero, "--unit", unit, "--expect", d, "--json"});
  };
  for (const std::uint64_t either : {std::uint64_t{0}, std::uint64_t{0x80000000}}) {
    const ProgramEnd ran = verdict("mi300_f16", either);
    EXPECT_EQ(ran.status, 3) << either << ran.out;
    EXPECT_NE(ran.err.find("nothing to compare"), std::string::npos) << ran.err;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json["units"][0]["compared"], 0) << either;
    EXPECT_EQ(json["units"][0]["open"], 1) << either;
  }
  EXPECT_EQ(verdict("mi300_f16", 1).status, 1);
  EXPECT_EQ(verdict("h100_f16", 0).status, 0);
  EXPECT_EQ(verdict("h100_f16", 0x80000000).status, 1);
}

TEST(Mma, ScalesFromTensorsAndFromQuantizedFiles) {
  const Scratch scratch;
  const std::string values = scratch.write(
      "x.npy", npy_array("<f4", "(2, 64)", words(random_codes(128, 9, 23, 32, 123), 4)));
  const TensorFile file = quantize(scratch, values, {"--format", "mxfp4"}, "q.safetensors");
  const std::string q = scratch.path("q.safetensors");
  const std::string codes =
      tensor(scratch, "codes", "U8", "[2,64]", words_of(file, "data.codes"), 1);
  const std::string scales =
      tensor(scratch, "scales", "F8_E8M0", "[2,2]", words_of(file, "data.scales"), 1);
  const ProgramEnd whole = run_program({"mma", q, q, "--unit", "b200_mxf4"});
  const ProgramEnd parts = run_program({"mma", codes, codes, "--format", "e2m1fn", "--scales-a",
                                        scales, "--scales-b", scales, "--unit", "b200_mxf4"});
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(parts.status, 0) << parts.err;
  EXPECT_EQ(whole.out, parts.out);
  EXPECT_NE(whole.out, "");
}

TEST(Mma, RefusesWhatItCannotSum) {
  const Bf16 given;
  const Scratch& scratch = given.scratch;
  const std::string narrow = tensor(scratch, "n", "BF16", "[2,8]", Words(16, 0x3F80), 2);
  const std::string bytes = tensor(scratch, "u", "U8", "[3,40]", Words(120, 0x38), 1);
  const std::string ints = tensor(scratch, "i", "I32", "[3,40]", Words(120, 1), 4);
  const std::string half = tensor(scratch, "c16", "F16", "[3,2]", Words(6, 0), 2);
  const std::string few = tensor(scratch, "few", "F32", "[2]", Words(2, 0), 4);
  const auto& [a, b, c] = std::tie(given.file_a, given.file_b, given.file_c);
  struct Case {
    std::vector<std::string> arguments;
    int status;
    const char* message;
  };
  const std::vector<Case> cases = {
      {{a, b, "--unit", "h100"}, 2, "unknown value of --unit"},
      {{a, b, "--unit", "any"}, 2, "give --expect FILE, or name a unit"},
      {{a, b, "--unit", "v100_f16"}, 2, "does not multiply operands of these formats"},
      {{a, b, "--unit", "h100_f16", "--result", "fp16"}, 2, "no results of this format"},
      {{a, b, "--unit", "h100_f16", "--result", "bf16"}, 2, "units give fp32 or fp16"},
      {{a, narrow, "--unit", "h100_f16"}, 3, "they must be equal"},
      {{a, b, "--pairs", "--unit", "h100_f16"}, 3, "they must be equal"},
      {{bytes, bytes, "--unit", "h100_wgmma_fp8"}, 2, "say of which element format"},
      {{bytes, bytes, "--unit", "b200_f8f6f4", "--format", "e2m1fn"}, 3, "bits above the 4 of"},
      {{ints, ints, "--unit", "h100_f16"}, 2, "of type I32"},
      {{a, b, "--c", half, "--unit", "h100_f16"}, 2, "addends are of fp32 here"},
      {{a, b, "--c", few, "--unit", "h100_f16"}, 3, "give one each"},
      {{a, b, "--expect", few, "--unit", "h100_f16"}, 3, "2 results for 6 dot products"},
      {{a, b, "--expect", c, "--unit", "h100_f16", "-o", scratch.path("o")}, 2, "leave -o out"},
      {{a, b, "--unit", "h100_f16", "--chunk", "0"}, 2, "give a number of elements, all, or any"},
      {{a, b, "--unit", "h100_f16", "--chunk", "8x"}, 2, "give a number of elements, all, or any"},
      {{a, b, "--unit", "h100_f16", "--chunk", "any"}, 2, "--chunk any compares"},
      {{a, b, "--c", c, "--unit", "h100_f16", "--chunk", "8"}, 2, "--chunk goes without --c"},
      {{a, b, "--unit", "mi200_f16", "--chunk", "6"}, 2, "whole groups of products"},
      {{a, b, "--unit", "h100_f16", "--json"}, 2, "--json is the verdict of --expect"},
      {{a, b, "--unit", "h100_f16", "--scales-a", c}, 2, "give both"},
      {{a, b, "--unit", "h100_f16", "--scale-format", "e8m0"}, 2, "goes with --scales-a"},
      {{a, b, "--unit", "h100_f16", "--format", "fp16"}, 2, "leave the format out"},
      {{a, b, "--unit", "h100_f16", "--tensor-a", "nope"}, 2, "unknown tensor 'nope'"}};
  for (const Case& each : cases) {
    std::vector<std::string> arguments = {"mma"};
    arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
    const ProgramEnd ran = run_program(arguments);
    EXPECT_EQ(ran.status, each.status) << each.message << '\n' << ran.err;
    EXPECT_NE(ran.err.find(each.message), std::string::npos) << each.message << '\n' << ran.err;
    EXPECT_EQ(ran.out, "") << each.message;
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.path("o")));
}

// 2^32 results would not fit; with --pairs the same files are 65,536.
TEST(Mma, MoreResultsThanMemoryHoldsAreRefused) {
  const Scratch scratch;
  const std::string tall = tensor(scratch, "tall", "F16", "[65536,1]", Words(65536, 0x3C00), 2);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"mma", tall, tall, "--unit", "h100_f16"},
        {"dot", tall, tall, "--format", "mxfp8_e4m3"}}) {
    const ProgramEnd ran = run_program(arguments);
    EXPECT_EQ(ran.status, 2) << ran.err;
    EXPECT_NE(ran.err.find("65536 rows by 65536 are more than"), std::string::npos) << ran.err;
  }
  const ProgramEnd pairs = run_program(
      {"mma", tall, tall, "--unit", "h100_f16", "--pairs", "-o", scratch.path("d.safetensors")});
  EXPECT_EQ(pairs.status, 0) << pairs.err;
}

TEST(Mma, ListNamesEveryUnit) {
  const auto json = run_json({"list", "units"});
  ASSERT_EQ(json["units"].size(), matrix_units().size());
  EXPECT_EQ(json["units"][0]["name"], "v100_f16");
  EXPECT_TRUE(json["units"][0]["zero_exponent_fp32"].is_null());
  const ProgramEnd text = run_program({"list", "units"});
  for (const MatrixUnit& unit : matrix_units()) {
    EXPECT_NE(text.out.find(unit.name), std::string::npos) << unit.name;
  }
}

/// Answers of vectors name the units that give them, whatever unit the header says.
TEST(UnitVectors, IdentifyNamesTheUnits) {
  const Scratch scratch;
  const std::string path = scratch.path("x.tv");
  const ProgramEnd made = run_program({"gen", "--op", "mma", "--unit", "h100_f16", "--format",
                                       "bf16", "--suite", "smoke", "-o", path});
  ASSERT_EQ(made.status, 0) << made.err;
  const ProgramEnd end = run_program({"identify", path});
  EXPECT_EQ(end.status, 0) << end.out;
  EXPECT_TRUE(end.out.starts_with("who: h100_f16 = b200_f16\n")) << end.out;
  const ProgramEnd all = run_program({"identify", path, "--verbose"});
  EXPECT_NE(all.out.find("a100_f16: "), std::string::npos) << all.out;
  std::string text = read_file(path);
  text.replace(text.find("# unit h100_f16"), 15, "# unit a100_f16");
  text.replace(text.find("# suite smoke"), 13, "# suite custom");
  const std::string mistaken = scratch.write("mistaken.tv", text);
  const auto json = nlohmann::json::parse(run_program({"identify", mistaken, "--json"}).out);
  EXPECT_EQ(json["who"], (nlohmann::json{"h100_f16", "b200_f16"}));
  EXPECT_NE(json["notes"][0].get<std::string>().find("units do not take these operands"),
            std::string::npos);
  // Control: one flipped bit of the first answer, and no unit explains them all.
  const std::size_t first = text.find('\n', text.find("# count ")) + 1;
  char& digit = text[text.find('\n', first) - 1];
  digit = digit == '0' ? '1' : '0';
  const ProgramEnd wrong = run_program({"identify", scratch.write("wrong.tv", text)});
  EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("who: none of the units tried; closest "), std::string::npos)
      << wrong.out;
}

// What `check` leaves open of a file is not compared here either.
TEST(UnitVectors, IdentifyCountsOpenResultsApart) {
  const Scratch scratch;
  const std::string path = scratch.path("am.tv");
  ASSERT_EQ(run_program({"gen", "--op", "mma", "--unit", "mi300_f16", "--suite", "rnd", "--count",
                         "400", "-o", path})
                .status,
            0);
  const auto check = run_json({"check", path});
  const std::uint64_t open = check["words_open"];
  EXPECT_GT(open, 0U);
  bool is_named = false;
  const auto found = run_json({"identify", path});
  for (const auto& unit : found["tried"]) {
    if (unit["name"] != "mi300_f16") continue;
    is_named = true;
    EXPECT_EQ(unit["open"], open);
    EXPECT_EQ(unit["agree"], 400 - open);
    EXPECT_EQ(unit["compared"], unit["agree"]);
  }
  EXPECT_TRUE(is_named);
}

}  // namespace
}  // namespace mx::cli::test::mma_test
