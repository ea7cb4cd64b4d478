// Formats on the command line: families, files and definitions; what is refused, and that a file
// made with a definition needs nothing else to be read back.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reference/catalog/catalog.hpp"
#include "reference/catalog/fields.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/element/encode.hpp"
#include "tests/cli/program/quantized.hpp"
#include "tests/support/made.hpp"

namespace mx::cli::test {
namespace {

using nlohmann::json;

/// fp32 words of every exponent and both signs.
Words spread_words(std::size_t count) {
  Words result;
  for (std::uint64_t i = 0; i < count; ++i) result.push_back(i * 0x9E3779B1 & 0xFFFFFFFF);
  return result;
}

std::string fp32_file(const Scratch& scratch, const Words& source) {
  return scratch.write("in.npy",
                       npy_array("<f4", fmt::format("({},)", source.size()), words(source, 4)));
}

class FamilyName : public testing::TestWithParam<const char*> {};

TEST_P(FamilyName, ConvertsAndComesBack) {
  const Scratch scratch;
  const Words source = spread_words(300);
  const std::string input = fp32_file(scratch, source);
  FormatCatalog catalog;
  const ElementFormat& format = *catalog.find(GetParam());
  const TensorFile file = quantize(scratch, input, {"--format", GetParam()});
  const ConversionConfig conversion{formats::fp32, format, default_policy(format)};
  Words want;
  for (const std::uint64_t word : source) want.push_back(made(conversion)(word).code);
  EXPECT_EQ(words_of(file, "data.codes"), want);
  const std::string back = scratch.path("back.safetensors");
  const ProgramEnd outcome =
      run_program({"dequantize", scratch.path("out.safetensors"), "-o", back, "--to", "f64"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Words values = words_of(TensorFile::open(back), "data");
  for (std::size_t i = 0; i < want.size(); ++i) {
    const Unpacked x = decode(format, want[i]);
    if (x.cls == ValueClass::kNan) continue;
    EXPECT_EQ(values[i], encode(x, formats::fp64, default_policy(formats::fp64), 0).code) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Names, FamilyName,
                         testing::Values("e4m3b11fnuz", "ue5m3", "int12", "fixed16.8", "sm7",
                                         "binary9p4se", "exp8nan", "e5m10", "e8m0", "hif8",
                                         "uint5"));

TEST(Define, AnIdenticalFormatGivesIdenticalCodes) {
  const Scratch scratch;
  const std::string input = fp32_file(scratch, spread_words(500));
  const Words table = words_of(quantize(scratch, input, {"--format", "e4m3fn"}), "data.codes");
  const std::string text = "name=mine, exp_bits=4, man_bits=3, nan=outer_one_per_sign";
  const std::string as_json =
      R"({"name": "mine", "bits": 8, "exp_bits": 4, "nan": "outer_one_per_sign"})";
  for (const std::string& definition : {text, as_json}) {
    const TensorFile file =
        quantize(scratch, input, {"--define", definition, "--format", "mine"}, "mine");
    EXPECT_EQ(words_of(file, "data.codes"), table) << definition;
    EXPECT_EQ(file.metadata().at("format"), "mine");
  }
  // The file carries its definition.
  const ProgramEnd outcome =
      run_program({"dequantize", scratch.path("mine"), "-o", scratch.path("back")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  (void)quantize(scratch, scratch.path("back"), {"--format", "e4m3fn"}, "again");
  EXPECT_EQ(words_of(TensorFile::open(scratch.path("again")), "data.codes").size(), 500U);
}

TEST(Define, BlockFormatsOfAFileMatchTheSameFormatsOfTheTable) {
  const Scratch scratch;
  const std::string input = fp32_file(scratch, spread_words(320));
  const std::string formats = scratch.write("formats.json", R"({
    "blocks": [{"name": "mine16", "element": "two_one", "scale": "e8m0", "block_size": 16},
               {"name": "mine_nv", "element": "e2m1fn", "scale": "ue4m3", "block_size": 16,
                "tensor_scale": "fp32", "rule": "nvfp4_exact"}],
    "formats": [{"name": "two_one", "exp_bits": 2, "man_bits": 1}]})");
  for (const auto& [mine, table] : {std::pair{"mine16", "e2m1_e8m0_k16"}, {"mine_nv", "nvfp4"}}) {
    const TensorFile want = quantize(scratch, input, {"--format", table}, "table");
    const TensorFile got =
        quantize(scratch, input, {"--format-file", formats, "--format", mine}, "mine");
    EXPECT_EQ(words_of(got, "data.codes"), words_of(want, "data.codes")) << mine;
    EXPECT_EQ(words_of(got, "data.scales"), words_of(want, "data.scales")) << mine;
    std::string values[2];
    int i = 0;
    for (const char* name : {"table", "mine"}) {
      const ProgramEnd outcome =
          run_program({"dequantize", scratch.path(name), "-o", scratch.path("back")});
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      for (const std::uint64_t word : words_of(TensorFile::open(scratch.path("back")), "data")) {
        values[i] += fmt::format("{:x} ", word);
      }
      ++i;
    }
    EXPECT_EQ(values[0], values[1]);
  }
}

TEST(Define, SourcesAndExplain) {
  const ProgramEnd outcome = run_program({"explain", "--define", "name=src, exp_bits=8, man_bits=7",
                                          "--source", "src", "--format", "int4", "0.75"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("code       3 = 0.75"), std::string::npos) << outcome.out;
}

TEST(Define, VectorsCarryTheDefinition) {
  const Scratch scratch;
  const std::string path = scratch.path("mine.tv");
  ProgramEnd outcome =
      run_program({"gen", "--op", "cvt", "--define", "name=mine, exp_bits=3, man_bits=2, bias=1",
                   "--format", "mine", "--source", "e5m10", "-o", path});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(run_program({"check", path}).status, 0);
  EXPECT_EQ(run_program({"verify-goldens", path}).status, 0);
  const std::string text = read_file(path);
  const std::size_t at = text.find("# destination_definition name=mine, kind=float, bits=6");
  ASSERT_NE(at, std::string::npos);
  // Controls: another bias makes another set; a description that is none is refused.
  std::string changed = text;
  changed.replace(changed.find("bias=1", at), 6, "bias=2");
  (void)scratch.write("changed.tv", changed);
  outcome = run_program({"check", scratch.path("changed.tv")});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("is not that of cvt.e5m10-mine"), std::string::npos) << outcome.err;
  changed.replace(changed.find("bias=2", at), 6, "bias=x");
  (void)scratch.write("changed.tv", changed);
  outcome = run_program({"check", scratch.path("changed.tv")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("field 'bias', value 'x'"), std::string::npos) << outcome.err;
  changed = text;
  changed.replace(changed.find("name=mine", at), 9, "name=else");
  (void)scratch.write("changed.tv", changed);
  EXPECT_EQ(run_program({"check", scratch.path("changed.tv")}).status, 3);
}

struct BadFile {
  const char* name;
  const char* text;
  const char* says;
};
void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

class BadFormatFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadFormatFile, IsRefusedWithFileFieldAndRemedy) {
  const Scratch scratch;
  const std::string path = scratch.write("bad.json", GetParam().text);
  const ProgramEnd outcome =
      run_program({"explain", "--format-file", path, "--format", "e4m3fn", "1.0"});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(path), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Errors, BadFormatFile,
    testing::Values(
        BadFile{"Cut", R"({"name": "a", "exp_bits": 3,)", "line 1, column 29: is no JSON"},
        BadFile{"CutInside", "{\"name\": \"a\",\n \"exp_b", "line 2"},
        BadFile{"Text", "hello", "is no JSON"},
        BadFile{"Number", "7", "a definition is an object of fields"},
        BadFile{"Duplicate", R"({"name": "a", "exp_bits": 3, "exp_bits": 4, "man_bits": 1})",
                "field 'exp_bits': the field is there twice"},
        BadFile{"Unknown", R"({"name": "a", "exp_bits": 3, "man_bits": 1, "colour": 1})",
                "format 'a': field 'colour', value '1': no such field"},
        BadFile{"UnknownTop", R"({"formats": [], "format": []})", "field 'format': no such field"},
        BadFile{"NoArray", R"({"formats": {}})", "field 'formats': not an array"},
        BadFile{"Second", R"([{"name": "a", "exp_bits": 3, "man_bits": 1}, {"name": "b"}])",
                "[1]: format 'b': field 'exp_bits': missing"},
        BadFile{"NoName", R"({"exp_bits": 3, "man_bits": 1})", "field 'name': missing"},
        BadFile{"Name", R"({"name": "a\u0007b", "exp_bits": 3, "man_bits": 1})",
                "value 'a\\x07b': not a name"},
        BadFile{"Taken", R"({"name": "e4m3fn", "exp_bits": 3, "man_bits": 1})",
                "field 'name', value 'e4m3fn': the name is taken by a format of the table"},
        BadFile{"TakenFamily", R"({"name": "int9", "exp_bits": 3, "man_bits": 1})",
                "a member of a family"},
        BadFile{"Huge", R"({"name": "a", "exp_bits": 99999999999999999999999, "man_bits": 1})",
                "field 'exp_bits'"},
        BadFile{"Huger", R"({"name": "a", "exp_bits": 1e999, "man_bits": 1})", "too large"},
        BadFile{"Negative", R"({"name": "a", "exp_bits": -3, "man_bits": 1})",
                "field 'exp_bits', value '-3': not a value of this field; give 0..16"},
        BadFile{"Fraction", R"({"name": "a", "exp_bits": 3.5, "man_bits": 1})",
                "field 'exp_bits', value '3.5'"},
        BadFile{"Null", R"({"name": "a", "exp_bits": null, "man_bits": 1})", "value 'null'"},
        BadFile{"List", R"({"name": "a", "exp_bits": [3], "man_bits": 1})", "value '[3]'"},
        BadFile{"Deep", R"([[[[[[[[[[]]]]]]]]]])", "nested too deeply"},
        BadFile{"NanSlot", R"({"name": "a", "exp_bits": 3, "man_bits": 1, "nan": "top_code"})",
                "top_code NaN needs an unsigned format; use outer_one_per_sign"},
        BadFile{"Overlap",
                R"({"name": "a", "exp_bits": 4, "man_bits": 3, "inf": "p3109_top",
                    "nan": "outer_one_per_sign"})",
                "the layouts of inf and nan overlap"},
        BadFile{"BlockElement", R"({"name": "a", "element": "b"})",
                "field 'element', value 'b': no such format"},
        BadFile{"BlockRule",
                R"({"name": "a", "element": "e2m1fn", "scale": "ue4m3", "rule": "rceil"})",
                "field 'rule', value 'rceil'"}),
    [](const auto& row) { return row.param.name; });

TEST(BadFormatFiles, MissingEmptyHugeAndFolder) {
  const Scratch scratch;
  (void)scratch.write("empty.json", "");
  (void)scratch.write("huge.json", std::string(1 << 21, ' '));
  (void)scratch.write("deep.json", std::string(100000, '['));
  for (const auto& [name, says] : {std::pair{"none.json", "cannot open"},
                                   {"empty.json", "empty"},
                                   {"huge.json", "at most"},
                                   {"deep.json", "nested too deeply"},
                                   {".", "directory"}}) {
    const ProgramEnd outcome =
        run_program({"explain", "--format-file", scratch.path(name), "--format", "e4m3fn", "1.0"});
    EXPECT_EQ(outcome.status, 3) << name;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

TEST(Define, IsAUsageErrorOnTheCommandLine) {
  for (const auto& [text, says] :
       {std::pair{"name=a, bits=99, exp_bits=3", "--define: format 'a': field 'bits', value '99'"},
        {"nonsense", "not of the form field=value"},
        {"{\"name\"", "--define: line 1"},
        {"name=a, name=b, exp_bits=3, man_bits=1", "the field is there twice"},
        {"name=mxfp4, exp_bits=3, man_bits=1", "taken by a block format"}}) {
    const ProgramEnd outcome =
        run_program({"explain", "--define", text, "--format", "e4m3fn", "1.0"});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

/// A format of e2m1fn elements under a scale format, with more fields.
std::vector<std::string> scaled(const std::string& scale, const std::string& more = "") {
  return {"explain", "--format", "mine", "--define",
          "name=mine,element=e2m1fn,block_size=32,scale=" + scale + more};
}

ProgramEnd explained(std::vector<std::string> arguments, const std::vector<std::string>& inputs) {
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  return run_program(arguments);
}

// A scale that is given needs no rule: 3 in several formats, 4/3 in binary32.
TEST(Define, AScaleOfAnyFormatComesBack) {
  for (const auto& [scale, code, six] : {std::tuple{"fp16", "4200", "= 18 -> 41900000"},
                                         {"bf16", "4040", "= 18 -> 41900000"},
                                         {"fp32", "40400000", "= 18 -> 41900000"},
                                         {"e5m2", "42", "= 18 -> 41900000"},
                                         {"fp32", "3faaaaab", "-> 41000000 (8)"}}) {
    const ProgramEnd back = explained(scaled(scale), {"--scale", code, "7", "5"});
    EXPECT_EQ(back.status, 0) << back.err;
    EXPECT_NE(back.out.find(six), std::string::npos) << scale << back.out;
  }
  const ProgramEnd nine = explained(scaled("fp16"), {"--scale", "4200", "5"});
  EXPECT_NE(nine.out.find("= 9 -> 41100000"), std::string::npos) << nine.out;
}

// To choose one needs a rule, and the message names those that fit.
TEST(Define, QuantizingNeedsARuleThatFits) {
  for (const auto& [scale, rules] :
       {std::pair{"fp16", "name one that fits the scale: maxabs_finite, nvfp4_exact\n"},
        {"fp32",
         "name one that fits the scale: maxabs_finite, nvfp4_exact, fp32_tensor, fp32_128\n"},
        {"int8", "name one that fits the scale: maxabs_finite\n"}}) {
    const ProgramEnd refused = explained(scaled(scale), {"18", "9"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find(rules), std::string::npos) << refused.err;
  }
  // amax / 6: 18 / 6 in FP16, 7 / 6 in binary32.
  const ProgramEnd half = explained(scaled("fp16", ",rule=nvfp4_exact"), {"18", "9"});
  EXPECT_NE(half.out.find("result: scale 4200 codes 7 5"), std::string::npos) << half.out;
  for (const char* const rule : {"nvfp4_exact", "fp32_128"}) {
    const std::string named = std::string(",rule=") + rule;
    const ProgramEnd real = explained(scaled("fp32", named), {"7", "2", "1"});
    EXPECT_NE(real.out.find("result: scale 3F955555 codes 7 3 2"), std::string::npos) << real.out;
  }
  // Control: a rule that is named and does not fit is refused where it stands.
  const ProgramEnd wrong = explained(scaled("fp16", ",rule=nvfp4_te"), {"--scale", "4200", "7"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("field 'rule', value 'nvfp4_te'"), std::string::npos) << wrong.err;
}

TEST(Define, FormatsKnownByNameOnlySayWhatIsKnown) {
  const ProgramEnd outcome = run_program({"explain", "--format", "msfp12", "1.0"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("known by name only (16 elements, sign and 3 magnitude bits"),
            std::string::npos)
      << outcome.err;
}

TEST(Define, DotProductsTakeDefinitionsAndDenseFiles) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(2, 32)", words(Words(64, 0x3F800000), 4)));
  const std::string definition =
      R"([{"name": "two_one", "exp_bits": 2, "man_bits": 1}, {"name": "mine", "element": "two_one"}])";
  ProgramEnd outcome = run_program(
      {"dot", input, input, "--define", definition, "--format", "mine", "--result", "e5m10"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, 9), "0 0 5000 ") << outcome.out;  // 32 in binary16
  // The definition travels in the file, whatever its layout.
  (void)quantize(scratch, input,
                 {"--define", definition, "--format", "mine", "--packed", "split_half",
                  "--scale-layout", "swizzle_128x4"});
  const std::string file = scratch.path("out.safetensors");
  outcome = run_program({"dot", file, file, "--result", "e5m10"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.substr(0, 9), "0 0 5000 ") << outcome.out;
  EXPECT_EQ(run_program({"dot", file, file, "--result", "e5m10x"}).status, 2);
}

TEST(Vectors, NamesThatAreNoBlocksAreRefused) {
  for (const auto& [arguments, says] :
       {std::pair{std::vector<std::string>{"gen", "--format", "e4m3fnuz"}, "takes block formats"},
        {{"gen", "--format", "msfp12"}, "known by name only"},
        {{"run", "--dut", "reference", "--format", "mx9"}, "known by name only"},
        {{"run", "--dut", "reference", "--format", "e4m3fm"}, "did you mean 'e4m3fn'?"},
        {{"run", "--dut", "reference", "--format", "mxfp5"}, "did you mean 'mxfp4'?"},
        {{"gen", "--op", "thr", "--define", "name=mine, exp_bits=2, man_bits=1", "--format", "mine",
          "-o", "."},
         "a certificate names its formats"}}) {
    const ProgramEnd outcome = run_program(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

// Every block format with a procedure has vectors, by whole records and short ones.
TEST(Vectors, EveryBlockFormatHasThem) {
  const Scratch scratch;
  const std::string path = scratch.path("blocks.tv");
  for (const BlockFormat& format : all_block_formats()) {
    const std::string name(format.name);
    const ProgramEnd gen =
        run_program({"gen", "--suite", "rnd", "--count", "40", "--format", name, "-o", path});
    ASSERT_EQ(gen.status, 0) << name << gen.err;
    EXPECT_EQ(run_program({"check", path}).status, 0) << name;
    EXPECT_EQ(run_program({"run", "--dut", "reference", "--vectors", path}).status, 0) << name;
    EXPECT_EQ(run_program({"verify-goldens", path}).status, 0) << name;
    EXPECT_EQ(run_program({"run", "--dut", "reference:record_last", "--vectors", path}).status, 1)
        << name;
  }
}

TEST(Define, DamagedDefinitionsOfAFileAreBadInput) {
  const Scratch scratch;
  const std::string input = fp32_file(scratch, spread_words(8));
  (void)quantize(scratch, input,
                 {"--define", "name=mine, exp_bits=3, man_bits=2", "--format", "mine"});
  std::string bytes = read_file(scratch.path("out.safetensors"));
  const std::size_t at = bytes.find("exp_bits\\\":\\\"3");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 13] = '9';
  (void)scratch.write("damaged", bytes);
  const ProgramEnd outcome =
      run_program({"dequantize", scratch.path("damaged"), "-o", scratch.path("back")});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.err.find("field 'definitions': [0]: format 'mine': field 'bits'"),
            std::string::npos)
      << outcome.err;
}

json list_json(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "list");
  arguments.push_back("--json");
  const ProgramEnd outcome = run_program(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return json::parse(outcome.out);
}

TEST(ListFormats, CodesOfInfAndNanAreThoseThatDecodeSo) {
  int compared = 0;
  const json formats = list_json({"formats"})["formats"];
  for (const json& row : formats) {
    const ElementFormat& f = *find_format(row["name"].get<std::string>());
    if (f.bits > 16) continue;
    const auto listed = [&](const char* key, std::uint64_t code) {
      for (const json& range : row[key]) {
        if (code >= std::stoull(range[0].get<std::string>(), nullptr, 16) &&
            code <= std::stoull(range[1].get<std::string>(), nullptr, 16)) {
          return true;
        }
      }
      return false;
    };
    for (std::uint64_t code = 0; code <= f.code_mask(); ++code) {
      const ValueClass cls = decode(f, code).cls;
      EXPECT_EQ(listed("nan_codes", code), cls == ValueClass::kNan) << f.name << ' ' << code;
      EXPECT_EQ(listed("inf_codes", code), cls == ValueClass::kInf) << f.name << ' ' << code;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 23);
}

TEST(ListFormats, OneFormatShowsEveryCode) {
  const json one = list_json({"format", "e2m1fn"});
  ASSERT_EQ(one["codes"].size(), 16U);
  EXPECT_EQ(one["codes"][7]["decimal"], "6");
  EXPECT_EQ(one["codes"][8]["class"], "zero");
  EXPECT_EQ(one["one_code"], "2");
  EXPECT_FALSE(list_json({"format", "fp32"}).contains("codes"));
  EXPECT_EQ(list_json({"format", "binary6p3sf"})["codes"].size(), 64U);
  EXPECT_EQ(list_json({"format", "nvfp4"})["element_format"]["name"], "e2m1fn");
  const json mine =
      list_json({"format", "mine", "--define", "name=mine, exp_bits=2, man_bits=2, bias=0"});
  EXPECT_EQ(mine["max"]["decimal"], "14");
  const ProgramEnd text = run_program({"list", "format", "e4m3fn"});
  EXPECT_NE(text.out.find("  7E    normal     448"), std::string::npos) << text.out;
  EXPECT_EQ(run_program({"list", "format"}).status, 2);
  EXPECT_EQ(run_program({"list", "format", "e4m3nf"}).status, 2);
  EXPECT_EQ(run_program({"list", "formats", "e4m3fn"}).status, 2);
}

TEST(ListFormats, ExamplesOfEveryFamilyAreFormats) {
  int examples = 0;
  const json families = list_json({"families"})["families"];
  for (const json& family : families) {
    std::istringstream names(family["examples"].get<std::string>());
    std::string name;
    while (names >> name) {
      EXPECT_TRUE(make_format(name)) << name;
      ++examples;
    }
  }
  EXPECT_GE(examples, 17);
}

TEST(ListFormats, BlocksSayWhatIsKnownByNameOnly) {
  int computed = 0, named = 0;
  const json blocks = list_json({"blocks"})["blocks"];
  for (const json& row : blocks) {
    ++(row["computed"].get<bool>() ? computed : named);
    const std::map<std::string, std::string> widths = {
        {"nvfp4", "4.5"}, {"hifx4", "4.5"}, {"mxfp8_e4m3", "8.25"}, {"tt_bfp2", "2.5"}};
    const auto width = widths.find(row["name"].get<std::string>());
    if (width != widths.end()) {
      EXPECT_EQ(row["bits_per_element"], width->second);
    }
  }
  EXPECT_EQ(computed, static_cast<int>(all_block_formats().size()));
  EXPECT_EQ(named, static_cast<int>(named_only_formats().size()));
  EXPECT_GE(list_json({"scales"})["scales"].size(), 11U);
}

}  // namespace
}  // namespace mx::cli::test
