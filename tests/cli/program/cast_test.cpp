// Casts of the emulated systems as a user meets them: quantize, explain, diff-profile, identify,
// and vectors of --op cast.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/cli/program/program_json.hpp"
#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test {
namespace {

using Json = nlohmann::json;

constexpr const char* kFloat = "qtorch:float_quantize(exp=4,man=3,rounding=nearest)";

/// 0.1, 460, a NaN, -0: spec S9, KQ3 and KQ4 tell the last two apart.
constexpr std::uint64_t kValues[] = {0x3DCCCCCD, 0x43E60000, 0x7FC00000, 0x80000000};
const Words kStrict = {0x3DD00000, 0x43E00000, 0x7FC00000, 0x80000000};
const Words kCompat = {0x3DD00000, 0x43E00000, 0x43F00000, 0x00000000};

std::string values(const Scratch& scratch) {
  return scratch.write("x.npy", npy_array("<f4", "(4,)", words(kValues, 4)));
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(QuantizeByCast, GivesTheBitsOfEachMode) {
  const Scratch scratch;
  const std::string input = values(scratch);
  const TensorFile strict = quantize(scratch, input, {"--format", kFloat});
  EXPECT_EQ(words_of(strict, "data.values"), kStrict);
  EXPECT_EQ(strict.metadata().at("mxgold.cast"), kFloat);
  EXPECT_EQ(strict.metadata().at("mode"), "strict");
  const TensorFile compat =
      quantize(scratch, input, {"--format", kFloat, "--mode", "compat"}, "compat.safetensors");
  EXPECT_EQ(words_of(compat, "data.values"), kCompat);
  EXPECT_EQ(compat.metadata().at("platform"), "x86");
}

TEST(QuantizeByCast, WritesScalesAndCodesWhereTheSystemGivesThem) {
  const Scratch scratch;
  // spec S15.1, the third row of e4m3fn.
  const std::string input =
      scratch.write("x.safetensors",
                    safetensors_file({{"w", "BF16", "[3]", words({0xB272, 0x3272, 0xB27E}, 2)}}));
  const TensorFile file = quantize(
      scratch, input, {"--format", "torchmx:quantize_mx(elem_dtype=float8_e4m3,block_size=3)"});
  EXPECT_EQ(words_of(file, "w.scale"), Words{0x5C});
  EXPECT_EQ(words_of(file, "w.data"), (Words{0xFE, 0x7E, 0xFE}));
}

TEST(QuantizeByCast, RandomWordsFollowTheSeed) {
  const Scratch scratch;
  const std::string input = values(scratch);
  const std::string cast = "qtorch:float_quantize(exp=5,man=2,rounding=stochastic)";
  const auto result = [&](const char* seed, const std::string& name) {
    return words_of(quantize(scratch, input, {"--format", cast, "--seed", seed}, name),
                    "data.values");
  };
  const Words first = result("1", "a.safetensors");
  EXPECT_EQ(first, result("1", "b.safetensors"));
  bool is_other = false;
  for (const char* seed : {"2", "3", "4", "5", "6", "7"}) {
    is_other = is_other || result(seed, "c.safetensors") != first;
  }
  EXPECT_TRUE(is_other);
}

TEST(QuantizeByCast, TakesAScaleAsAnOperand) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "x.safetensors",
      safetensors_file({{"s", "F32", "[1]", words({0x40000000}, 4)},
                        {"w", "F32", "[3]", words({0x3F800000, 0x3FC00000, 0xC1200000}, 4)}}));
  const TensorFile file = quantize(
      scratch, input,
      {"--format",
       "aimet:FloatQuantizeDequantize(exponent_bits=2,mantissa_bits=1,finite=True,shape=(1,))",
       "--mode", "compat", "--operand", "scale=s"});
  // In units of 2: 0.5, 0.75 (a tie, to 1) and -5 (a tie, to -4).
  EXPECT_EQ(words_of(file, "w.values"), (Words{0x3F800000, 0x40000000, 0xC1000000}));
  EXPECT_EQ(file.find("s.values"), nullptr);
}

TEST(QuantizeByCast, RefusesInTheSystemsWordsAndNamesOptionsWithoutMeaning) {
  const Scratch scratch;
  const std::string input = values(scratch);
  const auto refused = [&](std::vector<std::string> options, const std::string& words) {
    std::vector<std::string> line = {"quantize", input, "-o", scratch.path("no.safetensors")};
    line.insert(line.end(), options.begin(), options.end());
    const ProgramEnd end = run_program(line);
    EXPECT_EQ(end.status, 2) << words << "\n" << end.err;
    EXPECT_TRUE(says(end.err, words)) << words << "\n" << end.err;
  };
  refused({"--format", "qtorch:float_quantize(exp=x)"}, "position");
  refused({"--format", "torchmx:quantize_mx(elem_dtype=int8)"}, "torch.float32");
  refused({"--format", kFloat, "--mode", "both"}, "both");
  refused({"--format", kFloat, "--platform", "vax"}, "vax");
  refused({"--format", kFloat, "--platform", "cuda"}, "--platform: strict is the same");
  refused({"--format", kFloat, "--rounding", "ties_to_away"}, "--rounding");
  refused({"--format", kFloat, "--block-size", "16"}, "--block-size");
  refused({"--format", kFloat, "--operand", "scale"}, "NAME=TENSOR");
  refused({"--format", "e4m3fn", "--mode", "compat"}, "--mode");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"x.npy"});
}

/// A cast and the operands that it reads, as a refusal names them.
struct Takes {
  const char* cast;
  const char* names;
};

constexpr Takes kTakes[] = {
    {kFloat, "none"},
    {"dmx:BFP[8|8]{64}(SN)", "none"},
    {"dmx:CastTo(XP[8,0](CSN))", "scale, zero_point, gradient"},
    {"dmx:CastTo(BFP[8|8]{64}(SN))", "gradient"},
    {"dmx:make_mantissa_asymmetric(n_mantissa_bits=4)", "fp32_inp"},
    {"microxcaling:quantize_mx(scale_bits=8,elem_format=int8,axes=(-1),block_size=32)", "none"},
    {"torchmx:quantize_mx(elem_dtype=int8,block_size=32)", "none"},
    {"torchmx:to_mx(elem_dtype=int8,block_size=32)", "gradient"},
    {"torchmx:noop_fw_to_mx_bw(elem_dtype=int8,block_size=32)", "gradient"},
    {"torchmx:dequantize_mx(elem_dtype=int8,block_size=32)", "scale"},
    {"aimet:FloatQuantizeDequantize(dtype=float8_e4m3fn,shape=(1,))",
     "scale, maxval, min, max, gradient"}};

TEST(QuantizeByCast, AnOperandThatTheCastDoesNotReadIsRefusedByName) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "x.safetensors",
      safetensors_file({{"s", "F32", "[1]", words({0x40000000}, 4)},
                        {"w", "F32", "[3]", words({0x3F800000, 0x3FC00000, 0xC1200000}, 4)}}));
  const auto refused = [&](const char* cast, const std::vector<std::string>& operands,
                           const std::string& words) {
    std::vector<std::string> line = {"quantize", input, "-o", scratch.path("no.safetensors"),
                                     "--format", cast};
    for (const std::string& each : operands) line.insert(line.end(), {"--operand", each});
    const ProgramEnd end = run_program(line);
    EXPECT_EQ(end.status, 2) << cast << "\n" << end.err;
    EXPECT_TRUE(says(end.err, words)) << words << "\n" << end.err;
  };
  for (const auto& [cast, names] : kTakes) {
    refused(cast, {"scael=s"}, std::string("takes no operand 'scael'; it takes ") + names);
    // Before the tensor is looked for.
    refused(cast, {"scael=nosuch"}, "takes no operand 'scael'");
  }
  constexpr const char* kAimet = "aimet:FloatQuantizeDequantize(dtype=float8_e4m3fn,shape=(1,))";
  refused(kAimet, {"scale=nosuch"}, "has no tensor of that name");
  refused(kAimet, {"scale=s", "scale=s"}, "'scale' is given twice");
  refused(kAimet, {"scale=s", "maxval=s"}, "give scale, maxval, or min and max");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"x.safetensors"});
}

TEST(QuantizeByCast, DequantizeSaysThatTheValuesAreThere) {
  const Scratch scratch;
  (void)quantize(scratch, values(scratch), {"--format", kFloat});
  const ProgramEnd end = run_program(
      {"dequantize", scratch.path("out.safetensors"), "-o", scratch.path("no.safetensors")});
  EXPECT_EQ(end.status, 3);
  EXPECT_TRUE(says(end.err, kFloat)) << end.err;
  EXPECT_TRUE(says(end.err, "T.values are values already")) << end.err;
}

TEST(ListCasts, EveryTextIsCanonicalOfBothModesAndSaysWhatItTakes) {
  const Json list = run_json({"list", "casts"}).at("casts");
  std::map<std::string, int> systems;
  int draw = 0, take = 0;
  for (const Json& row : list) {
    const auto text = row.at("cast").get<std::string>();
    ++systems[row.at("system").get<std::string>()];
    draw += row.at("draws_random_words").get<bool>() ? 1 : 0;
    take += row.at("takes_as_data").empty() ? 0 : 1;
    EXPECT_EQ(run_json({"list", "cast", text}), row) << text;
  }
  EXPECT_EQ(systems.size(), 5U);
  EXPECT_GT(draw, 3);
  EXPECT_GT(take, 3);
}

TEST(ListCasts, OneCastTellsItsPropertiesAndRefusalsNameTheClass) {
  const Json sbfp = run_json({"list", "cast", "dmx:BFP[8|8]{64}(SN)"});
  EXPECT_EQ(sbfp.at("properties").at("bit_precision"), "8.125");
  const ProgramEnd text = run_program({"list", "cast", "dmx:BFP[8|8]{64}(SN)"});
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(says(text.out, "8.125")) << text.out;
  for (const char* wrong : {"dmx:nonsense", "nonsense", "dmx:", "aimet:fake_cast(x=1)"}) {
    const ProgramEnd end = run_program({"list", "cast", wrong});
    EXPECT_EQ(end.status, 2) << wrong;
    EXPECT_TRUE(says(end.err, "ValueError: ")) << end.err;
  }
  EXPECT_EQ(run_program({"list", "cast"}).status, 2);
}

TEST(ExplainCast, ShowsStrictBesideCompat) {
  const ProgramEnd end = run_program({"explain", "--format", kFloat, "0.1", "460", "nan"});
  EXPECT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(says(end.out, "-> strict 43E00000 (448)\n")) << end.out;
  EXPECT_TRUE(says(end.out, "strict 7FC00000 (nan), compat 43F00000 (480)")) << end.out;
  EXPECT_TRUE(says(end.out, "part on 1 elements")) << end.out;
  const Json json = run_json({"explain", "--format", "dmx:MXFP8[E4M3]{32}", "1"});
  EXPECT_EQ(json["strict"]["properties"]["bit_precision"], "8.25");
  EXPECT_TRUE(says(json["compat"]["properties"]["bit_precision"], "AttributeError"));
}

TEST(ExplainCast, TwoRefusalsAreNoAgreement) {
  const ProgramEnd end =
      run_program({"explain", "--format", "torchmx:quantize_mx(elem_dtype=int8)", "1"});
  EXPECT_TRUE(says(end.out, "both modes refuse this row")) << end.out;
  EXPECT_FALSE(says(end.out, "agree")) << end.out;
}

TEST(DiffCasts, ListsEachKindWithItsSmallestRow) {
  const ProgramEnd end =
      run_program({"diff-profile", "strict", "compat", "--format", kFloat, "--json"});
  EXPECT_EQ(end.status, 1) << end.err;
  const Json found = Json::parse(end.out)[0];
  // 65,536 values alone and beside another, and the directed rows of 64 lanes.
  EXPECT_EQ(found["rows"], 2 * 65536 + 9 * 256 + 9 + 24 + 64);
  EXPECT_EQ(found["refused"], 0);
  const auto kind = [&](const std::string& name) {
    for (const Json& each : found["differences"]) {
      if (each["kind"] == name) return each;
    }
    return Json();
  };
  EXPECT_EQ(kind("-0: -0 | +0")["row"], Json::array({0x80000000}));
  EXPECT_EQ(kind("Inf: number | number, the first smaller")["b"]["codes"][0], 0x43F00000);
  EXPECT_FALSE(kind("NaN: NaN | number").is_null());
}

TEST(DiffCasts, AgreementIsZeroAndNothingComparedIsThree) {
  EXPECT_EQ(run_program({"diff-profile", "strict", "strict", "--format", kFloat}).status, 0);
  const ProgramEnd nothing = run_program(
      {"diff-profile", "strict", "compat", "--format", "torchmx:quantize_mx(elem_dtype=int8)"});
  EXPECT_EQ(nothing.status, 3) << nothing.out;
  EXPECT_TRUE(says(nothing.out, "NOTHING COMPARED")) << nothing.out;
  EXPECT_TRUE(says(nothing.out, "both refuse them: AssertionError")) << nothing.out;
  EXPECT_EQ(run_program({"diff-profile", "strict", "nosuch", "--format", kFloat}).status, 2);
  EXPECT_EQ(run_program({"diff-profile", "strict", "--format", kFloat}).status, 2);
  EXPECT_EQ(
      run_program({"diff-profile", "strict", "compat", "--format", "e4m3fn," + std::string(kFloat)})
          .status,
      2);
}

TEST(IdentifyCasts, FindsTheCastAndItsSettingByTensors) {
  const Scratch scratch;
  const std::string input = values(scratch);
  const auto identify = [&](const Words& output, std::vector<std::string> more = {}) {
    std::vector<std::string> line = {
        "identify", "--tensors-in", input, "--tensors-out",
        scratch.write("y.npy", npy_array("<f4", "(4,)", words(output, 4)))};
    line.insert(line.end(), more.begin(), more.end());
    return run_program(line);
  };
  const ProgramEnd compat = identify(kCompat);
  EXPECT_EQ(compat.status, 0) << compat.out << compat.err;
  EXPECT_TRUE(says(compat.out, std::string(kFloat) + " (compat/x86, ")) << compat.out;
  EXPECT_FALSE(says(compat.out, std::string(kFloat) + " (strict)")) << compat.out;
  const ProgramEnd strict = identify(kStrict, {"--format", kFloat});
  EXPECT_EQ(strict.status, 0) << strict.out;
  EXPECT_TRUE(says(strict.out, "who: " + std::string(kFloat) + " (strict)\n"));
  Words wrong = kCompat;
  wrong[1] ^= 1;
  const ProgramEnd none = identify(wrong);
  EXPECT_EQ(none.status, 1) << none.out;
  EXPECT_TRUE(says(none.out, "3 of 4 elements")) << none.out;
  const ProgramEnd nothing =
      identify(kCompat, {"--format", "torchmx:quantize_mx(elem_dtype=int8)"});
  EXPECT_EQ(nothing.status, 3) << nothing.out;
  EXPECT_TRUE(says(nothing.out, "NOTHING COMPARED")) << nothing.out;
  EXPECT_EQ(run_program({"identify", "--tensors-in", input}).status, 2);
  EXPECT_EQ(run_program({"identify", "--tensors-in", input, "--tensors-out", input, "--count", "5"})
                .status,
            2);
  EXPECT_EQ(run_program({"identify", "--format", kFloat, input}).status, 2);
}

TEST(IdentifyCasts, ReadsVectorFiles) {
  const Scratch scratch;
  const std::string file = scratch.path("c.tv");
  ASSERT_EQ(run_program({"gen", "--op", "cast", "--format", kFloat, "--mode", "compat", "--lanes",
                         "8", "-o", file})
                .status,
            0);
  const ProgramEnd end = run_program({"identify", file, "--format", kFloat});
  EXPECT_EQ(end.status, 0) << end.out << end.err;
  EXPECT_TRUE(says(end.out, "(compat/x86, compat/aarch64")) << end.out;
  EXPECT_FALSE(says(end.out, "(strict)")) << end.out;
}

TEST(CastVectors, ModeAndPlatformChangeTheFileOrAreRefused) {
  const Scratch scratch;
  // 23 mantissa bits: the sign flips where the processor takes shifts modulo 32 (spec S9, KQ1).
  const std::string cast = "qtorch:float_quantize(exp=8,man=23,rounding=nearest)";
  const auto file = [&](const std::vector<std::string>& options) {
    std::vector<std::string> line = {"gen",      "--op", "cast", "-o", scratch.path("c.tv"),
                                     "--format", cast};
    line.insert(line.end(), options.begin(), options.end());
    EXPECT_EQ(run_program(line).status, 0);
    const std::string text = read_file(scratch.path("c.tv"));
    return text.substr(text.find("# count"));
  };
  const std::string strict = file({});
  const std::string x86 = file({"--mode", "compat"});
  EXPECT_NE(strict, x86);
  EXPECT_NE(x86, file({"--mode", "compat", "--platform", "cuda"}));
  EXPECT_NE(x86, file({"--mode", "compat", "--source", "fp32", "--lanes", "7"}));
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--mode", "exact_once"},
                                                  {"--rounding", "to_odd"},
                                                  {"--profile", "ggml"},
                                                  {"--lengths", "nosuch"},
                                                  {"--source", "e4m3fn"},
                                                  {"--addend", "fp32"},
                                                  {"--random-bits", "8"}}) {
    std::vector<std::string> line = {"gen",      "--op", "cast", "-o", scratch.path("no.tv"),
                                     "--format", cast};
    line.insert(line.end(), options.begin(), options.end());
    const ProgramEnd end = run_program(line);
    EXPECT_NE(end.status, 0) << options.front();
    EXPECT_FALSE(std::filesystem::exists(scratch.path("no.tv"))) << options.front();
  }
  EXPECT_EQ(run_program({"gen", "--op", "cvt", "--platform", "cuda", "-o", "-"}).status, 2);
}

TEST(CastVectors, TheOracleSaysThatItComputesNone) {
  const Scratch scratch;
  const std::string file = scratch.path("c.tv");
  ASSERT_EQ(run_program({"gen", "--op", "cast", "--format", kFloat, "-o", file}).status, 0);
  EXPECT_EQ(run_program({"verify-goldens", "--judge", "reference", file}).status, 0);
  const ProgramEnd end = run_program({"verify-goldens", file});
  EXPECT_EQ(end.status, 3) << end.out;
  EXPECT_TRUE(says(end.out, "the oracle computes no cast")) << end.out;
}

}  // namespace
}  // namespace mx::cli::test
