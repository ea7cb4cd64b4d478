// What `mxgold dot`, `mma` and `dequantize` take from the files of their operands and hand on:
// transforms, formats, what a profile left open, how it all was made.
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "reference/number/philox.hpp"
#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test {
namespace {

using Fields = std::map<std::string, std::string>;

/// rows x 64 numbers of fp32 around 1; with specials in the first row where asked for.
std::string numbers(const Scratch& scratch, const std::string& name, std::size_t rows,
                    std::uint32_t seed, const Words& specials = {}) {
  Words values;
  for (std::size_t i = 0; i < rows * 64; ++i) {
    const std::uint64_t word = counter_random(seed, 0, i, 32);
    values.push_back((word & 0x807FFFFF) | (120 + (word >> 23 & 0xF)) << 23);
  }
  std::copy(specials.begin(), specials.end(), values.begin());
  std::string shape = "(";
  shape.append(std::to_string(rows)).append(", 64)");
  return scratch.write(name, npy_array("<f4", shape, words(values, 4)));
}

/// Codes of 4 x 64 numbers; the file's path.
std::string codes(const Scratch& scratch, const std::string& name, const std::string& format,
                  std::vector<std::string> options = {}, const Words& specials = {}) {
  const std::string values = numbers(scratch, "x_" + name + ".npy", 4, 5, specials);
  options.insert(options.begin(), {"--format", format});
  (void)quantize(scratch, values, options, name + ".safetensors");
  return scratch.path(name + ".safetensors");
}

/// A row of each of the two subcommands on operands of mxfp4.
std::vector<std::string> dot_of(const std::string& a, const std::string& b) {
  return {"dot", a, b};
}
std::vector<std::string> mma_of(const std::string& a, const std::string& b) {
  return {"mma", a, b, "--unit", "b200_mxf4"};
}

std::vector<std::string> with(std::vector<std::string> line, const std::vector<std::string>& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
}

void expect_refused(const std::vector<std::string>& line, int status, const std::string& message) {
  const ProgramEnd ran = run_program(line);
  EXPECT_EQ(ran.status, status) << testing::PrintToString(line) << ran.err;
  EXPECT_NE(ran.err.find(message), std::string::npos) << message << '\n' << ran.err;
  EXPECT_EQ(ran.out, "") << testing::PrintToString(line);
}

// A transform cancels in products where both operands have it, and only there.
TEST(OperandOrigin, TransformsMustBeTheSame) {
  const Scratch scratch;
  const std::string plain = codes(scratch, "plain", "mxfp4");
  const std::string first = codes(scratch, "first", "mxfp4", {"--hadamard", "d7e8"});
  const std::string other = codes(scratch, "other", "mxfp4", {"--hadamard", "1234"});
  const std::string last =
      codes(scratch, "last", "mxfp4", {"--hadamard", "d7e8", "--hadamard-signs", "last"});
  for (const auto& of : {dot_of, mma_of}) {
    for (const auto& [a, b, message] :
         {std::tuple{first, plain, "plain.safetensors under no Hadamard transform"},
          {plain, first, "under the Hadamard transform d7e8, signs first"},
          {first, other, "under the Hadamard transform 1234, signs first"},
          {first, last, "under the Hadamard transform d7e8, signs last"}}) {
      expect_refused(of(a, b), 3, message);
    }
    const std::string out = scratch.path("d.safetensors");
    const ProgramEnd same = run_program(with(of(first, first), {"-o", out}));
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_NE(same.err.find("both operands are under the Hadamard transform d7e8, signs first"),
              std::string::npos)
        << same.err;
    const Fields fields = TensorFile::open(out).metadata();
    EXPECT_EQ(fields.at("hadamard.a"), "d7e8");
    EXPECT_EQ(fields.at("hadamard_signs.b"), "first");
    EXPECT_FALSE(fields.contains("hadamard")) << "products are under none";
    const ProgramEnd none = run_program(with(of(plain, plain), {"-o", out}));
    EXPECT_EQ(none.err.find("Hadamard"), std::string::npos) << none.err;
  }
}

// Values that dequantize gave are as transformed as their codes, also as C and as results.
TEST(OperandOrigin, TransformsOfValuesAreKnown) {
  const Scratch scratch;
  const std::string plain = codes(scratch, "plain", "mxfp4");
  const std::string first = codes(scratch, "first", "mxfp4", {"--hadamard", "d7e8"});
  const std::string values = scratch.path("values.safetensors");
  ASSERT_EQ(run_program({"dequantize", first, "-o", values}).status, 0);
  const std::vector<std::string> format = {"--format", "mxfp4"};
  for (const auto& of : {dot_of, mma_of}) {
    expect_refused(with(of(values, plain), format), 3, "plain.safetensors under no Hadamard");
    const ProgramEnd same = run_program(with(of(values, first), format));
    EXPECT_EQ(same.status, 0) << same.err;
  }
  const std::string row = scratch.path("row.safetensors");
  const std::string one = numbers(scratch, "one.npy", 1, 6);
  (void)quantize(scratch, one, {"--format", "mxfp4"}, "one.safetensors");
  (void)quantize(scratch, numbers(scratch, "c.npy", 4, 7), {"--format", "mxfp4", "--hadamard", "1"},
                 "c.safetensors");
  ASSERT_EQ(run_program({"dequantize", scratch.path("c.safetensors"), "-o", row}).status, 0);
  const std::string tall = numbers(scratch, "tall.npy", 64, 8);
  (void)quantize(scratch, tall, {"--format", "mxfp4"}, "tall.safetensors");
  for (const auto& of : {dot_of, mma_of}) {
    expect_refused(with(of(plain, scratch.path("tall.safetensors")), {"--c", row}), 3,
                   "addends are taken without one");
  }
  expect_refused(with(mma_of(plain, scratch.path("tall.safetensors")), {"--expect", row}), 3,
                 "results are taken without one");
}

// --format contradicts the files, or is of no known format: both are told, by both subcommands.
TEST(OperandOrigin, FormatsOfFilesAreNotOverruled) {
  const Scratch scratch;
  const std::string a = codes(scratch, "a", "mxfp4");
  const std::string plain = scratch.path("x_a.npy");
  for (const auto& of : {dot_of, mma_of}) {
    expect_refused(with(of(a, a), {"--format", "mxfp8_e4m3"}), 2,
                   "a.safetensors holds mxfp4; leave the format out");
    expect_refused(with(of(a, a), {"--format", "e5m2"}), 2, "holds mxfp4");
    expect_refused(with(of(a, a), {"--format", "nosuch"}), 2, "unknown format 'nosuch'");
    expect_refused(with(of(a, plain), {"--format", "mxfp8_e4m3,mxfp4"}), 2, "holds mxfp4");
    for (const std::vector<std::string>& line :
         {with(of(a, a), {"--format", "mxfp4"}), with(of(a, plain), {"--format", "mxfp4"}),
          with(of(plain, a), {"--format", "mxfp4,mxfp4"})}) {
      const ProgramEnd ran = run_program(line);
      EXPECT_EQ(ran.status, 0) << testing::PrintToString(line) << ran.err;
    }
  }
}

TEST(OperandOrigin, DefinitionsThatNothingUsesAreRefused) {
  const Scratch scratch;
  const std::string blocks = "name=mine, element=e2m1fn, scale=e8m0, block_size=";
  const std::string a = codes(scratch, "a", "mxfp4");
  const std::string own = codes(scratch, "own", "mine", {"--define", blocks + "32"});
  for (const auto& of : {dot_of, mma_of}) {
    expect_refused(with(of(a, a), {"--define", blocks + "32"}), 2, "nothing here is of mine");
    // The file brings its own, whatever is said here.
    expect_refused(with(of(own, own), {"--define", blocks + "16"}), 2, "nothing here is of mine");
    expect_refused(with(of(own, own), {"--define", blocks + "16", "--format", "mine"}), 2,
                   "holds mine by another definition");
    const ProgramEnd same =
        run_program(with(of(own, own), {"--define", blocks + "32", "--format", "mine"}));
    EXPECT_EQ(same.status, 0) << same.err;
  }
  const ProgramEnd result = run_program(
      with(dot_of(a, a), {"--define", "name=tiny, exp_bits=4, man_bits=3", "--result", "tiny"}));
  EXPECT_EQ(result.status, 0) << result.err;
}

// C and results have the shape of the products; a matrix on its side holds as many numbers.
TEST(OperandOrigin, ShapesOfAddendsAndResultsAreThoseOfTheProducts) {
  const Scratch scratch;
  const std::string a = codes(scratch, "a", "mxfp4");
  (void)quantize(scratch, numbers(scratch, "b.npy", 3, 9), {"--format", "mxfp4"}, "b.safetensors");
  const std::string b = scratch.path("b.safetensors");
  const auto tensor = [&](const std::string& name, const std::string& shape) {
    return scratch.write(name, safetensors_file({{"data", "F32", shape, words(Words(12, 0), 4)}}));
  };
  const std::string right = tensor("right", "[4,3]");
  for (const char* const shape : {"[3,4]", "[12]", "[4,3,1]", "[2,6]"}) {
    const std::string wrong = tensor("wrong", shape);
    expect_refused(with(dot_of(a, b), {"--c", wrong}), 3, "give them as [4, 3]");
    expect_refused(with(mma_of(a, b), {"--c", wrong}), 3, "give them as [4, 3]");
    expect_refused(with(mma_of(a, b), {"--expect", wrong}), 3, "give them as [4, 3]");
  }
  EXPECT_EQ(run_program(with(dot_of(a, b), {"--c", right})).status, 0);
  EXPECT_EQ(run_program(with(mma_of(a, b), {"--c", right})).status, 0);
  EXPECT_EQ(run_program(with(mma_of(a, b), {"--expect", right})).status, 1);
}

// Leading lengths may stand as they do in the operands, and a single row or column as one axis.
TEST(OperandOrigin, ShapesMayKeepTheLeadingLengths) {
  const Scratch scratch;
  const auto halves = [&](const std::string& name, const std::string& shape, std::size_t count) {
    return scratch.write(
        name, safetensors_file({{"data", "F16", shape, words(Words(count, 0x3C00), 2)}}));
  };
  const auto sums = [&](const std::string& shape, std::size_t count) {
    return scratch.write(
        "d", safetensors_file({{"data", "F32", shape, words(Words(count, 0x40800000), 4)}}));
  };
  const std::string deep = halves("deep", "[2,3,4]", 24);
  const std::string flat = halves("flat", "[5,4]", 20);
  const std::string row = halves("row", "[4]", 4);
  const auto status = [&](const std::string& a, const std::string& b, const std::string& expected,
                          bool is_paired = false) {
    std::vector<std::string> line = {"mma", a, b, "--unit", "h100_f16", "--expect", expected};
    if (is_paired) line.emplace_back("--pairs");
    return run_program(line).status;
  };
  EXPECT_EQ(status(deep, flat, sums("[2,3,5]", 30)), 0);
  EXPECT_EQ(status(deep, flat, sums("[6,5]", 30)), 0);
  EXPECT_EQ(status(deep, flat, sums("[3,2,5]", 30)), 3);
  EXPECT_EQ(status(row, flat, sums("[5]", 5)), 0);
  EXPECT_EQ(status(row, row, sums("[]", 1)), 0);
  EXPECT_EQ(status(deep, deep, sums("[2,3]", 6), true), 0);
  EXPECT_EQ(status(deep, deep, sums("[6]", 6), true), 0);
  EXPECT_EQ(status(deep, deep, sums("[3,2]", 6), true), 3);
}

TEST(OperandOrigin, EveryTensorOfSeveralCanBeNamed) {
  const Scratch scratch;
  const std::string a = codes(scratch, "a", "mxfp4");
  const std::string two = scratch.write(
      "two", safetensors_file({{"p", "F32", "[4,4]", words(Words(16, 0), 4)},
                               {"q", "F32", "[4,4]", words(Words(16, 0x3F800000), 4)}}));
  expect_refused(with(dot_of(a, a), {"--c", two}), 2, "name one with --tensor-c");
  expect_refused(with(mma_of(a, a), {"--c", two}), 2, "name one with --tensor-c");
  expect_refused(with(mma_of(a, a), {"--expect", two}), 2, "name one with --tensor-expect");
  expect_refused(with(dot_of(two, a), {"--format", "mxfp4"}), 2, "name one with --tensor-a");
  expect_refused(with(mma_of(a, two), {"--format", "mxfp4"}), 2, "name one with --tensor-b");
  expect_refused(with(dot_of(a, a), {"--tensor-c", "p"}), 2, "--tensor-c: goes with --c");
  expect_refused(with(mma_of(a, a), {"--tensor-expect", "p"}), 2, "goes with --expect");
  for (const auto& of : {dot_of, mma_of}) {
    const ProgramEnd p = run_program(with(of(a, a), {"--c", two, "--tensor-c", "p"}));
    const ProgramEnd q = run_program(with(of(a, a), {"--c", two, "--tensor-c", "q"}));
    EXPECT_EQ(p.status, 0) << p.err;
    EXPECT_EQ(q.status, 0) << q.err;
    EXPECT_NE(p.out, q.out);
  }
  const ProgramEnd chosen =
      run_program(with(mma_of(a, a), {"--expect", two, "--tensor-expect", "q"}));
  EXPECT_EQ(chosen.status, 1) << chosen.err;
}

/// NaN in the first block, whose codes OCP MX leaves open.
const Words kNan = {0x7FC00000};

// What is open of an operand is said, and stands beside the profile that leaves it open, in every
// file made of it; of what is closed nothing is said.
TEST(OperandOrigin, WhatIsOpenIsHandedOn) {
  const Scratch scratch;
  const std::string open = codes(scratch, "open", "mxfp4", {"--profile", "ocp-mx-1.0"}, kNan);
  const std::string closed = codes(scratch, "closed", "mxfp4");
  const Fields made = TensorFile::open(open).metadata();
  ASSERT_EQ(made.at("open_scales"), "1");
  const std::string values = scratch.path("values.safetensors");
  ASSERT_EQ(run_program({"dequantize", open, "-o", values}).status, 0);
  const std::string out = scratch.path("d.safetensors");
  const std::string said = "profile 'ocp-mx-1.0' leaves open 32 values and 1 scales";
  for (const auto& of : {dot_of, mma_of}) {
    const ProgramEnd ran = run_program(with(of(open, closed), {"-o", out}));
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(ran.err.find(fmt::format("of all of {} {}", open, said)), std::string::npos)
        << ran.err;
    const Fields fields = TensorFile::open(out).metadata();
    EXPECT_EQ(fields.at("profile.a"), "ocp-mx-1.0");
    for (const char* const key : {"open_elements", "open_scales", "open_masks"}) {
      EXPECT_EQ(fields.at(std::string(key) + ".a"), made.at(key)) << key;
      EXPECT_FALSE(fields.contains(std::string(key) + ".b")) << key;
    }
    const ProgramEnd again = run_program(with(of(closed, closed), {"--c", out}));
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_NE(again.err.find(fmt::format("of all of {} {}", out, said)), std::string::npos)
        << again.err;
    const std::string next = scratch.path("next.safetensors");
    const ProgramEnd values_too =
        run_program(with(of(closed, values), {"--format", "mxfp4", "-o", next}));
    EXPECT_EQ(values_too.status, 0) << values_too.err;
    EXPECT_NE(values_too.err.find(said), std::string::npos) << values_too.err;
    EXPECT_EQ(TensorFile::open(next).metadata().at("profile.b"), "mxgold-default");
    EXPECT_EQ(TensorFile::open(next).metadata().at("open_profile.b"), "ocp-mx-1.0");
    const ProgramEnd quiet = run_program(of(closed, closed));
    EXPECT_EQ(quiet.err, "");
  }
}

// A file of results says how they were made, by the options' names and quantize's.
TEST(OperandOrigin, ProductsSayHowTheyWereMade) {
  const Scratch scratch;
  const std::string a = codes(scratch, "a", "mxfp4", {"--rule", "rceil", "--block-size", "16"});
  const std::string b = scratch.path("x_a.npy");
  const std::string out = scratch.path("d.safetensors");
  const ProgramEnd ran = run_program({"dot", a, a, "--mode", "accumulator", "--group", "16",
                                      "--acc-ftz", "pre", "--rounding", "toward_zero", "--overflow",
                                      "sat_finite", "--acc-format", "bf16", "-o", out});
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Fields dot = TensorFile::open(out).metadata();
  for (const auto& [key, value] : Fields{{"dot_mode", "accumulator"},
                                         {"result", "fp32"},
                                         {"rounding", "toward_zero"},
                                         {"overflow", "sat_finite"},
                                         {"group", "16"},
                                         {"align_bits", "24"},
                                         {"acc_format", "bf16"},
                                         {"acc_ftz", "pre"},
                                         {"format.a", "mxfp4"},
                                         {"rule.b", "rceil"},
                                         {"block_size.b", "16"},
                                         {"profile.a", "mxgold-default"},
                                         {"source_dtype.a", "F32"}}) {
    ASSERT_TRUE(dot.contains(key)) << key;
    EXPECT_EQ(dot.at(key), value) << key;
  }
  ASSERT_EQ(run_program({"dot", b, b, "--format", "mxfp8_e4m3,mxfp4", "-o", out}).status, 0);
  const Fields exact = TensorFile::open(out).metadata();
  EXPECT_EQ(exact.at("dot_mode"), "exact_once");
  EXPECT_EQ(exact.at("format.a"), "mxfp8_e4m3");
  EXPECT_EQ(exact.at("format.b"), "mxfp4");
  EXPECT_EQ(exact.at("rule.a"), "floor");
  EXPECT_FALSE(exact.contains("acc_format")) << "there is no accumulator";
  const ProgramEnd mma =
      run_program({"mma", b, b, "--format", "mxfp4", "--unit", "b200_mxf4", "--pairs", "-o", out});
  ASSERT_EQ(mma.status, 0) << mma.err;
  const Fields unit = TensorFile::open(out).metadata();
  for (const auto& [key, value] : Fields{{"unit", "b200_mxf4"},
                                         {"result", "fp32"},
                                         {"chunk", "all"},
                                         {"pairs", "true"},
                                         {"format.a", "mxfp4"},
                                         {"rule.b", "floor"}}) {
    ASSERT_TRUE(unit.contains(key)) << key;
    EXPECT_EQ(unit.at(key), value) << key;
  }
}

// Other subcommands know such a file: values, by whom they were made, and no field on trust.
TEST(OperandOrigin, FilesOfProductsAreReadBack) {
  const Scratch scratch;
  const std::string a = codes(scratch, "a", "mxfp4", {"--profile", "ocp-mx-1.0"}, kNan);
  const std::string out = scratch.path("d.safetensors");
  for (const auto& [of, name] : {std::pair{&dot_of, "dot"}, {&mma_of, "mma"}}) {
    ASSERT_EQ(run_program(with(of(a, a), {"-o", out})).status, 0);
    expect_refused({"dequantize", out, "-o", scratch.path("no.safetensors")}, 3,
                   std::string("written by mxgold ") + name + ": its tensors are values already");
    const ProgramEnd again = run_program(with(of(out, out), {"--format", "mxfp4"}));
    EXPECT_EQ(again.status, 0) << again.err;
    std::string damaged = read_file(out);
    const std::size_t at = damaged.find("\"open_scales.a\":\"1\"");
    ASSERT_NE(at, std::string::npos);
    damaged.replace(at, 19, "\"open_scales.a\":\"z\"");
    expect_refused(with(of(a, a), {"--c", scratch.write("damaged", damaged)}), 3,
                   "field 'open_scales.a', value 'z'");
  }
}

// What dequantize writes names the file's profile beside what that leaves open, the rule, and the
// profile that it decoded by apart.
TEST(OperandOrigin, DequantizeKeepsProfilesApart) {
  const Scratch scratch;
  const Words specials = {0x7FC00000, 0x7F800000};
  const std::string values = scratch.path("v.safetensors");
  const auto fields = [&](const std::string& in, const std::vector<std::string>& options) {
    const ProgramEnd ran = run_program(with({"dequantize", in, "-o", values}, options));
    EXPECT_EQ(ran.status, 0) << ran.err;
    return TensorFile::open(values).metadata();
  };
  const std::string open =
      codes(scratch, "open", "mxfp8_e4m3", {"--profile", "ocp-mx-1.0"}, specials);
  const std::string closed = codes(scratch, "closed", "mxfp8_e4m3", {}, specials);
  const Fields te = fields(open, {"--profile", "te"});
  EXPECT_EQ(te.at("profile"), "ocp-mx-1.0");
  EXPECT_EQ(te.at("dequant_profile"), "te");
  EXPECT_TRUE(te.contains("dequant_rule"));
  EXPECT_EQ(te.at("open_scales"), "1");
  const Fields ocp = fields(closed, {"--profile", "ocp-mx-1.0"});
  EXPECT_EQ(ocp.at("profile"), "mxgold-default");
  EXPECT_EQ(ocp.at("dequant_profile"), "ocp-mx-1.0");
  EXPECT_FALSE(ocp.contains("open_scales"));
  const Fields own = fields(closed, {"--dequant-overflow", "nan"});
  EXPECT_FALSE(own.contains("dequant_profile"));
  for (const auto& [key, value] : Fields{{"dequantized_from", "mxfp8_e4m3"},
                                         {"rule", "floor"},
                                         {"rounding", "ties_to_even"},
                                         {"block_size", "32"},
                                         {"axis", "-1"},
                                         {"dequant_overflow", "nan"},
                                         {"source_dtype.data", "F32"}}) {
    ASSERT_TRUE(own.contains(key)) << key;
    EXPECT_EQ(own.at(key), value) << key;
  }
  const std::string turned = codes(scratch, "turned", "mxfp8_e4m3", {"--hadamard", "d7e8"});
  EXPECT_EQ(fields(turned, {}).at("hadamard"), "d7e8");
  const Fields undone = fields(turned, {"--undo-hadamard"});
  EXPECT_FALSE(undone.contains("hadamard"));
  EXPECT_EQ(undone.at("undone_hadamard"), "d7e8");
}

}  // namespace
}  // namespace mx::cli::test
