// `mxgold dequantize`: the way back, and what it refuses.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/options/policies.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "tests/cli/program/quantized.hpp"
#include "tests/support/sample.hpp"

namespace mx::cli::test {
namespace {

TensorFile dequantize(const Scratch& scratch, const std::string& input,
                      const std::vector<std::string>& options = {}) {
  std::vector<std::string> arguments = {"dequantize", input, "-o", scratch.path("back")};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return TensorFile::open(scratch.path("back"));
}

constexpr std::size_t kElements = std::size_t{5} * 67;

/// 5 x 67 fp32 words with exponents 2^-16 to 2^15, a zero and a -0.
std::string sample(const Scratch& scratch) {
  Words values;
  for (std::size_t i = 0; i < kElements; ++i) {
    const std::uint64_t word = counter_random(31, 2, i, 32);
    values.push_back((word & 0x807FFFFF) | (111 + (word >> 23 & 0x1F)) << 23);
  }
  values[3] = 0;
  values[9] = 0x80000000;
  return scratch.write("in.npy", npy_array("<f4", "(5, 67)", words(values, 4)));
}

/// The value of an element code, from the field rules of spec F3.1 alone.
double element_value(const std::string& format, std::uint64_t code) {
  if (format == "mxint8") return static_cast<std::int8_t>(code) / 64.0;
  struct Fields {
    int exp_bits, man_bits, bias;
  };
  const Fields f = format == "mxfp8_e4m3"   ? Fields{4, 3, 7}
                   : format == "mxfp8_e5m2" ? Fields{5, 2, 15}
                   : format == "mxfp6_e3m2" ? Fields{3, 2, 3}
                   : format == "mxfp6_e2m3" ? Fields{2, 3, 1}
                                            : Fields{2, 1, 1};
  const auto trailing = static_cast<double>(code & ((1U << f.man_bits) - 1));
  const auto field = static_cast<int>(code >> f.man_bits & ((1U << f.exp_bits) - 1));
  const double one = std::ldexp(1.0, f.man_bits);
  const double magnitude = field == 0 ? std::ldexp(trailing, 1 - f.bias - f.man_bits)
                                      : std::ldexp(one + trailing, field - f.bias - f.man_bits);
  return (code >> (f.exp_bits + f.man_bits)) != 0 ? -magnitude : magnitude;
}

class RoundTrip : public testing::TestWithParam<const char*> {};

TEST_P(RoundTrip, DecodesScaleTimesElementAndQuantizesBackToTheSameCodes) {
  const std::string format = GetParam();
  const Scratch scratch;
  const TensorFile codes = quantize(scratch, sample(scratch), {"--format", format});
  const TensorFile back = dequantize(scratch, scratch.path("out.safetensors"), {"--to", "f64"});
  const Words code_words = words_of(codes, "data.codes");
  const Words scale_words = words_of(codes, "data.scales");
  const Words values = words_of(back, "data");
  ASSERT_EQ(values.size(), kElements);
  EXPECT_EQ(back.tensors()[0].shape, (std::vector<std::uint64_t>{5, 67}));
  EXPECT_EQ(scale_words.size(), 5U * 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t scale = scale_words[i / 67 * 3 + i % 67 / 32];
    const double want =
        std::ldexp(element_value(format, code_words[i]), static_cast<int>(scale) - 127);
    std::uint64_t want_bits = 0;
    std::memcpy(&want_bits, &want, 8);
    EXPECT_EQ(values[i], want_bits) << format << " element " << i;
  }
  const TensorFile again =
      quantize(scratch, scratch.path("back"), {"--format", format}, "again.safetensors");
  EXPECT_EQ(words_of(again, "data.codes"), code_words);
  EXPECT_EQ(words_of(again, "data.scales"), scale_words);
}

INSTANTIATE_TEST_SUITE_P(BlockFormats, RoundTrip,
                         testing::Values("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3",
                                         "mxfp4", "mxint8"),
                         [](const auto& row) { return row.param; });

class ElementRoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(ElementRoundTrip, QuantizesBackToTheSameCodes) {
  const Scratch scratch;
  const TensorFile codes = quantize(scratch, sample(scratch), {"--format", GetParam()});
  (void)dequantize(scratch, scratch.path("out.safetensors"), {"--to", "f64"});
  const TensorFile again =
      quantize(scratch, scratch.path("back"), {"--format", GetParam()}, "again.safetensors");
  EXPECT_EQ(words_of(again, "data.codes"), words_of(codes, "data.codes"));
}

std::vector<std::string> element_formats() {
  std::vector<std::string> names;
  for (const ElementFormat& format : all_formats()) {
    if (format.zero != ZeroKind::kNone) names.emplace_back(format.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(ElementFormats, ElementRoundTrip, testing::ValuesIn(element_formats()),
                         [](const auto& row) { return row.param; });

TEST(Dequantize, RoundsOnceToEachOutputTypeAndKeepsNames) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "in.safetensors", safetensors_file({{"x.codes", "F32", "[]", words({0x40000000}, 4)},
                                          {"y", "F16", "[2]", words({0x3C00, 0xBC00}, 2)}}));
  (void)quantize(scratch, input, {"--format", "mxfp8_e4m3"});
  for (const auto& [to, dtype, two, one] :
       {std::tuple{"f32", "F32", 0x40000000ULL, 0x3F800000ULL},
        {"bf16", "BF16", 0x4000, 0x3F80},
        {"f16", "F16", 0x4000, 0x3C00},
        {"f64", "F64", 0x4000000000000000ULL, 0x3FF0000000000000ULL}}) {
    const TensorFile back = dequantize(scratch, scratch.path("out.safetensors"), {"--to", to});
    ASSERT_EQ(back.tensors().size(), 2U);
    EXPECT_EQ(back.tensors()[0].dtype, dtype);
    EXPECT_EQ(words_of(back, "x.codes")[0], two);
    EXPECT_EQ(words_of(back, "y")[0], one);
    EXPECT_TRUE(back.find("x.codes")->shape.empty());
  }
  const TensorFile one = dequantize(scratch, scratch.path("out.safetensors"), {"--tensor", "y"});
  ASSERT_EQ(one.tensors().size(), 1U);
  EXPECT_EQ(one.tensors()[0].name, "y");
}

// The specification: what a file holds has one exact value, whichever rule made it and whatever its
// rule asks of sources; each type is that value rounded once.
TEST(Dequantize, EveryBlockFormatAndRuleComesBackInEveryType) {
  const Scratch scratch;
  const std::string input = sample(scratch);
  std::vector<std::pair<std::string, std::string>> made;
  for (const BlockFormat& format : all_block_formats()) made.emplace_back(format.name, "");
  for (const char* rule : {"nvfp4_exact", "nvfp4_te", "nvfp4_torchao", "nvfp4_cublas", "nvfp4_ggml",
                           "nvfp4_4over6", "nvfp4_modelopt", "nvfp4_ct"}) {
    made.emplace_back("nvfp4", rule);
  }
  for (const auto& [format, rule] : made) {
    SCOPED_TRACE(fmt::format("{} {}", format, rule));
    std::vector<std::string> options = {"--format", format};
    if (!rule.empty()) options.insert(options.end(), {"--rule", rule});
    (void)quantize(scratch, input, options);
    const auto values_in = [&](const char* type) {
      return words_of(dequantize(scratch, scratch.path("out.safetensors"), {"--to", type}), "data");
    };
    const Words exact = values_in("f64");
    ASSERT_EQ(exact.size(), kElements);
    for (const auto& [type, output] :
         {std::pair{"f32", &formats::fp32}, {"bf16", &formats::bf16}, {"f16", &formats::fp16}}) {
      ElementPolicy policy;
      policy.overflow = Overflow::kNoneInfOrNan;
      const Words values = values_in(type);
      ASSERT_EQ(values.size(), exact.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(values[i], encode(decode(formats::fp64, exact[i]), *output, policy, 0).code)
            << type << " element " << i;
      }
    }
  }
}

TEST(Dequantize, RefusesToReadADivisorAsAFactor) {
  const Scratch scratch;
  const std::string input = sample(scratch);
  for (const auto& [made, read] :
       {std::pair{"nvfp4_ct", "torchao-0.18"}, {"nvfp4_torchao", "compressed-tensors-0.20"}}) {
    (void)quantize(scratch, input, {"--format", "nvfp4", "--rule", made});
    const ProgramEnd end = run_program({"dequantize", scratch.path("out.safetensors"), "--profile",
                                        read, "-o", scratch.path("back.safetensors")});
    EXPECT_EQ(end.status, 2);
    EXPECT_NE(end.err.find("tensor scales were written by rule"), std::string::npos) << end.err;
  }
}

TEST(Dequantize, OverflowFollowsThePolicyOfTheFileUnlessOverridden) {
  const Scratch scratch;
  // 2^127 as e5m2: scale 2^112; as fp16 it overflows.
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(1,)", words({0x7F000000}, 4)));
  const auto value = [&](const std::vector<std::string>& options) {
    return words_of(dequantize(scratch, scratch.path("out.safetensors"), options), "data").at(0);
  };
  (void)quantize(scratch, input, {"--format", "mxfp8_e5m2"});
  EXPECT_EQ(value({"--to", "f16"}), 0x7C00U);
  EXPECT_EQ(value({"--to", "f16", "--dequant-overflow", "saturate"}), 0x7BFFU);
  (void)quantize(scratch, input, {"--format", "mxfp8_e5m2", "--dequant-overflow", "nan"});
  EXPECT_EQ(value({"--to", "f16"}), 0x7E00U);
}

TEST(Dequantize, TheDevicesWayBackWraps) {
  const Scratch scratch;
  // 2^-133 alone is code 01 under scale 00; the profile flushes it, the format does not.
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(1,)", words({0x00010000}, 4)));
  (void)quantize(scratch, input, {"--format", "tt_bfp8"});
  const auto value = [&](const std::vector<std::string>& options) {
    return words_of(dequantize(scratch, scratch.path("out.safetensors"), options), "data").at(0);
  };
  EXPECT_EQ(value({"--to", "bf16"}), 0x0001U);
  EXPECT_EQ(value({"--to", "bf16", "--profile", "tensix"}), 0x7D00U);
  EXPECT_EQ(value({"--to", "bf16", "--dequant-overflow", "wrap"}), 0x7D00U);
  EXPECT_EQ(value({"--to", "f32", "--profile", "tensix"}), 0x7D000000U);
  // An infinite element is 2^128 there and back.
  const std::string infinite =
      scratch.write("in.npy", npy_array("<f4", "(2,)", words({0x7F800000, 0xFF800000}, 4)));
  const TensorFile codes =
      quantize(scratch, infinite, {"--format", "tt_bfp8", "--profile", "tensix"});
  EXPECT_EQ(words_of(codes, "data.codes"), (Words{0x40, 0xC0}));
  EXPECT_EQ(words_of(codes, "data.scales"), (Words{0xFF}));
  EXPECT_EQ(value({"--to", "bf16"}), 0x7F80U);
}

TEST(Dequantize, NanBlocksComeBackAsNan) {
  const Scratch scratch;
  const std::string input = scratch.write(
      "in.npy", npy_array("<f4", "(2, 2)", words({0x3F800000, 0x7FC00000, 0x3F800000, 0}, 4)));
  const TensorFile codes = quantize(scratch, input, {"--format", "mxfp4"});
  EXPECT_EQ(words_of(codes, "data.scales"), (Words{0xFF, 0x7D}));
  const TensorFile back = dequantize(scratch, scratch.path("out.safetensors"));
  EXPECT_EQ(words_of(back, "data"), (Words{0x7FC00000, 0x7FC00000, 0x3F800000, 0}));
}

class Packed : public testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(Packed, GivesTheSameValuesInLessSpace) {
  const auto [format, layout] = GetParam();
  const Scratch scratch;
  const std::string input = sample(scratch);
  const std::vector<std::string> plain = {"--format", format, "--axis", "0"};
  std::vector<std::string> dense = plain;
  dense.insert(dense.end(), {"--packed", layout});
  (void)quantize(scratch, input, plain);
  const Words values = words_of(dequantize(scratch, scratch.path("out.safetensors")), "data");
  const TensorFile codes = quantize(scratch, input, dense, "dense.safetensors");
  const std::uint64_t bits = layout == "dense6" ? 6 : 4;
  EXPECT_EQ(codes.find("data.codes")->shape, Words{(kElements * bits + 7) / 8});
  const TensorFile back = dequantize(scratch, scratch.path("dense.safetensors"));
  EXPECT_EQ(words_of(back, "data"), values);
  EXPECT_EQ(back.find("data")->shape, (std::vector<std::uint64_t>{5, 67}));
  for (const std::string& name : scratch.files()) {
    EXPECT_EQ(name.find("unpacked"), std::string::npos) << "left behind: " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Packed,
                         testing::Values(std::pair{"mxfp4", "nibble_low_first"},
                                         std::pair{"mxfp4", "nibble_high_first"},
                                         std::pair{"mxfp6_e2m3", "dense6"},
                                         std::pair{"mxfp6_e3m2", "dense6"}),
                         [](const auto& row) { return row.param.first + "_" + row.param.second; });

/// Replaces a text of the same length inside a quantized file.
std::string changed(const Scratch& scratch, const std::string& from, const std::string& to) {
  std::string bytes = read_file(scratch.path("out.safetensors"));
  const std::size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(from.size(), to.size());
  bytes.replace(at, from.size(), to);
  return scratch.write("changed.safetensors", bytes);
}

TEST(Dequantize, RefusesFilesThatDoNotFitTheirMetadata) {
  const Scratch scratch;
  (void)quantize(scratch, sample(scratch), {"--format", "mxfp4"});
  const auto refusal = [&](const std::string& from, const std::string& to) {
    const ProgramEnd outcome =
        run_program({"dequantize", changed(scratch, from, to), "-o", scratch.path("never")});
    EXPECT_EQ(outcome.status, 3) << from << " -> " << to << ": " << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(scratch.path("never")));
    return outcome.err;
  };
  EXPECT_NE(refusal("\"format\"", "\"famrot\"").find("field 'format': missing"), std::string::npos);
  EXPECT_NE(refusal(":\"mxfp4\"", ":\"mxfp5\"").find("did you mean 'mxfp4'"), std::string::npos);
  EXPECT_NE(refusal("\"axis\":\"-1\"", "\"axis\":\"-3\"").find("axis -3"), std::string::npos);
  EXPECT_NE(refusal("\"axis\":\"-1\"", "\"axis\":\"-2\"").find("the codes need U8 [1, 67]"),
            std::string::npos);
  EXPECT_NE(refusal("\"block_size\":\"32\"", "\"block_size\":\"99\"").find("[5, 1]"),
            std::string::npos);
  EXPECT_NE(refusal("data.scales", "data.scalez").find("'data.scales' is missing"),
            std::string::npos);
  EXPECT_NE(refusal("data.codes", "data.coedz").find("no tensor is called"), std::string::npos);
  EXPECT_NE(refusal("\"U8\"", "\"I8\"").find("codes of e2m1fn are U8"), std::string::npos);
  // The last data byte before the 15 scales is a code; FP4 codes end at F.
  std::string bytes = read_file(scratch.path("out.safetensors"));
  bytes[bytes.size() - 16] = '\x10';
  const ProgramEnd outcome = run_program(
      {"dequantize", scratch.write("code.safetensors", bytes), "-o", scratch.path("never")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("'data.codes', element 334: code 10"), std::string::npos)
      << outcome.err;
}

/// A quantized file with another value of one metadata field.
std::string with_metadata(const Scratch& scratch, const std::string& key,
                          const std::string& value) {
  const std::string bytes = read_file(scratch.path("out.safetensors"));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::string data = bytes.substr(8 + length);
  auto header = nlohmann::ordered_json::parse(bytes.substr(8, length));
  header["__metadata__"][key] = value;
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  length = text.size();
  std::string changed(8, '\0');
  std::memcpy(changed.data(), &length, sizeof length);
  changed += text + data;
  return scratch.write("changed.safetensors", changed);
}

// The specification: no field of the metadata is taken on trust. A value that quantize cannot have
// written is refused by the field's name, the policies too that decoding does not need. By default
// each field is damaged in the file that has it first, and in one of four others.
TEST(Dequantize, RefusesADamagedValueOfEveryMetadataField) {
  std::set<std::string> seen;
  mx::test::Part some(4);
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"--format", "mxfp4"},
        {"--format", "mxfp6_e2m3", "--packed", "dense6", "--rounding", "stochastic_a", "--seed",
         "7"},
        {"--format", "e4m3fn"},
        {"--format", "nvfp4", "--rule", "nvfp4_te", "--hadamard", "3A5F", "--scale-layout",
         "swizzle_128x4"},
        {"--format", "mxfp8_e4m3", "--profile", "gfloat"}}) {
    const Scratch scratch;
    const std::string input =
        scratch.write("in.npy", npy_array("<f4", "(2, 64)", words(Words(128, 0x3F800000), 4)));
    const TensorFile file = quantize(scratch, input, options);
    for (const auto& [key, value] : file.metadata()) {
      if (key == "mxgold_version") continue;  // any text
      seen.insert(key);
      if (!some.takes(std::hash<std::string>()(key))) continue;
      const ProgramEnd end = run_program(
          {"dequantize", with_metadata(scratch, key, "zzz"), "-o", scratch.path("never")});
      EXPECT_EQ(end.status, 3) << key << "=zzz, was " << value << ": " << end.err;
      EXPECT_NE(end.err.find(key), std::string::npos) << end.err;
      EXPECT_FALSE(std::filesystem::exists(scratch.path("never"))) << key;
    }
  }
  EXPECT_GT(seen.size(), policy_options().size() + 8);
}

// The specification: --backend chooses who computes, never a bit of the file or of the report.
TEST(Dequantize, BackendsGiveTheSameFileAndReport) {
  const Scratch scratch;
  Words bits;
  for (std::uint64_t i = 0; i < 420; ++i) bits.push_back(0x3F800000 + (i * 0x01234567 & 0x7FFFFF));
  const std::string input =
      scratch.write("in.safetensors", safetensors_file({{"w", "F32", "[6,70]", words(bits, 4)}}));
  const std::string output = scratch.path("back");
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {"--format", "mxfp8_e4m3"},
           {"--format", "mxint8", "--axis", "0"},
           {"--format", "nvfp4"},
           {"--format", "nvfp4", "--rule", "nvfp4_torchao", "--axis", "0"},
           {"--format", "nvfp4", "--packed", "nibble_low_first", "--scale-layout", "swizzle_128x4"},
           {"--format", "mxfp6_e2m3", "--packed", "dense6", "--scale-layout", "swizzle_128x4"},
           {"--format", "e5m2"}}) {
    (void)quantize(scratch, input, options, "codes.safetensors");
    for (const std::string to : {"f32", "bf16", "f16", "f64"}) {
      // torchao's rule computes in binary32 and takes nothing wider.
      if (to == "f64" && options.size() > 3 && options[3] == "nvfp4_torchao") continue;
      std::string report;
      std::string bytes;
      for (const std::string backend : {"reference", "auto", "cuda-host"}) {
        // Single values, results wider than binary32 and torchao's products are not the CUDA
        // path's.
        const bool is_cuda = backend == "cuda-host";
        if (is_cuda && (options[1] == "e5m2" || to == "f64")) continue;
        if (is_cuda && options.size() > 3 && options[3] == "nvfp4_torchao") continue;
        const ProgramEnd end =
            run_program({"dequantize", scratch.path("codes.safetensors"), "-o", output, "--to", to,
                         "--backend", backend, "--verbose", "--json"});
        ASSERT_EQ(end.status, 0) << end.err;
        EXPECT_NE(end.err.find("tensor 'w': computed by "), std::string::npos) << end.err;
        if (backend == "reference") {
          report = end.out;
          bytes = read_file(output);
        }
        EXPECT_EQ(end.out, report) << options[1] << to;
        EXPECT_TRUE(read_file(output) == bytes) << options[1] << to;
      }
    }
  }
}

}  // namespace
}  // namespace mx::cli::test
