// What a profile leaves open, and what nobody knows, is said and never counted as agreement: as a
// user meets it in explain, identify, diff-profile and quantize.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "reference/profiles/profile.hpp"
#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test::open_test {
namespace {

using Json = nlohmann::json;

/// The tokens by which a part of an explanation is open.
std::set<std::string> tokens(const Json& part) {
  std::set<std::string> result;
  if (!part.contains("open")) return result;
  for (const Json& each : part["open"]["masks"]) result.insert(each.get<std::string>());
  return result;
}

// Every mask of single values that a profile uses, by an input it covers, and one it does not.
TEST(ExplainOpen, NamesTheMaskOfAValue) {
  for (const auto& [profile, format, input, token] :
       {std::tuple{"ocp-mx-1.0", "e5m2", "nan", "nan"},
        {"ocp-mx-1.0", "e4m3fn", "-nan", "negative_nan"},
        {"ocp-mx-1.0", "int8", "inf", "inf"},
        {"ocp-mx-1.0", "int8", "-3", "negative_overflow"},
        {"onnx-op25-spec", "e8m0", "-1", "negative"},
        {"onnx-op25-spec:nosat_nearest", "e8m0", "0x1p-140", "below_lowest"},
        {"intel-fp8et", "e4m3fn", "0x1.2p-8", "below_normal"},
        {"ml_dtypes-0.6:truncate", "e4m3fn", "1000", "overflow"},
        {"ml_dtypes-0.6:saturate", "e8m0", "-inf", "negative_inf"},
        {"qtorch-0.3.0/cpu", "e4m3fin", "0x7fc00001", "nan_payload"},
        {"qtorch-0.3.0/cpu", "e4m3fin", "0x3b800001", "fine_below_normal"},
        {"microxcaling-1.1.0/py-f32", "e2m1fn", "0x3e7fffff", "below_half"},
        {"microxcaling-1.1.0/py-f32:floor", "e4m3fn", "0x40ffffff", "log2_slip"},
        {"microxcaling-1.1.0/py-f32", "e4m3fn", "0x7f7fffff", "log2_top"}}) {
    const ProgramEnd end = run_program(
        {"explain", "--json", "--format", format, "--profile", profile, "--", input, "1"});
    ASSERT_EQ(end.status, 0) << end.err;
    const Json json = Json::parse(end.out);
    EXPECT_TRUE(tokens(json["values"][0]).contains(token)) << profile << ' ' << json.dump();
    EXPECT_TRUE(tokens(json["values"][1]).empty()) << profile;
    const ProgramEnd text =
        run_program({"explain", "--format", format, "--profile", profile, "--", input});
    EXPECT_NE(text.out.find(std::string("open under profile ") + profile + ": "), std::string::npos)
        << text.out;
  }
}

struct OpenBlock {
  const char* profile;
  const char* format;
  std::vector<std::string> inputs;
  bool scale;
  std::vector<std::string> lanes;  ///< a token each; "" where a lane is closed
};

TEST(ExplainOpen, NamesTheMaskOfABlock) {
  const OpenBlock cases[] = {
      {"ocp-mx-1.0", "mxfp4", {"nan", "1"}, true, {"nan_block", "nan_block"}},
      {"ocp-mx-1.0", "mxfp4", {"inf", "1"}, true, {"inf_block", "inf_block"}},
      {"ocp-mx-1.0", "mxfp4", {"0", "0"}, true, {"", ""}},
      {"ocp-mx-1.0", "mxfp8_e4m3", {"0x1p-149", "0"}, true, {"clamped_scale", "clamped_scale"}},
      {"ocp-mx-1.0", "mxint8", {"-1.999", "1"}, false, {"negative_overflow_lanes", ""}},
      {"torchao-0.18", "mxfp4", {"nan", "1"}, false, {"special_lanes", ""}},
      {"ggml", "mxfp4", {"0x1p-140"}, true, {"tiny_block"}},
      {"dmx-0.1.11/cpu", "mxfp4", {"0", "0"}, true, {"zero_block_codes", "zero_block_codes"}},
      {"dmx-0.1.11/cpu", "mxint8", {"0x1p127"}, true, {"huge_block"}},
      {"dmx-0.1.11/cpu", "mxint8", {"0x1p-127"}, true, {"subnormal_block"}},
      {"dmx-0.1.11/cpu", "mxint8", {"1", "0x3b800001"}, false, {"", "fine_lanes"}},
      {"microxcaling-1.1.0/py-f32", "mxfp4", {"4", "0x3e7fffff"}, false, {"", "half_lanes"}},
      {"microxcaling-1.1.0/py-f32:floor", "mxfp4", {"4", "0x3fffffff"}, false, {"", "log2_lanes"}},
      {"intel-fp8et:blocks-as=mxgold-default",
       "mxfp8_e4m3",
       {"448", "0x1.2p-8"},
       false,
       {"", "below_normal"}},
      {"intel-fp8et:blocks-as=mxgold-default",
       "fp8_e4m3_fp32_row",
       {"448", "0x1.2p-8"},
       false,
       {"", "below_normal"}}};
  for (const OpenBlock& each : cases) {
    std::vector<std::string> arguments = {"explain", "--format", each.format, "--profile",
                                          each.profile};
    std::vector<std::string> text_arguments = arguments;
    arguments.push_back("--json");
    for (std::vector<std::string>* list : {&arguments, &text_arguments}) {
      list->push_back("--");
      list->insert(list->end(), each.inputs.begin(), each.inputs.end());
    }
    const ProgramEnd end = run_program(arguments);
    ASSERT_EQ(end.status, 0) << end.err;
    const Json block = Json::parse(end.out)["block"];
    EXPECT_EQ(block["scale"].contains("open"), each.scale) << each.profile << ' ' << each.format;
    bool any = each.scale;
    for (std::size_t i = 0; i < each.lanes.size(); ++i) {
      const std::set<std::string> open = tokens(block["elements"][i]);
      EXPECT_EQ(open.empty(), each.lanes[i].empty()) << each.profile << ' ' << i << block.dump();
      EXPECT_TRUE(open.empty() || open.contains(each.lanes[i])) << block.dump();
      any = any || !each.lanes[i].empty();
    }
    EXPECT_TRUE(any);
    const std::string text = run_program(text_arguments).out;
    EXPECT_NE(text.find(std::string("open under profile ") + each.profile), std::string::npos)
        << text;
  }
  // Control: nothing is open where no mask speaks.
  const std::string closed =
      run_program({"explain", "--format", "mxfp4", "--profile", "ocp-mx-1.0", "4", "1"}).out;
  EXPECT_EQ(closed.find("open"), std::string::npos) << closed;
}

// What a profile lists only to say that nothing here models it is refused by name, everywhere.
TEST(Unmodelled, IsRefusedByName) {
  for (const auto& [profile, format, source] : {std::tuple{"torchmx-0.1.0/sim", "e4m3fn", "fp32"},
                                                {"torchmx-0.1.0/hw", "e2m1fn", "bf16"},
                                                {"microxcaling-1.1.0/py-bf16", "fp16", "bf16"},
                                                {"microxcaling-1.1.0/py-f16", "mxfp4", "fp16"},
                                                {"qtorch-0.3.0/cpu", "mxint8", "fp32"},
                                                {"aimet-2.42", "mxfp4", "fp32"},
                                                {"dmx-0.1.11/cpu", "nvfp4", "fp32"}}) {
    const ProgramEnd end = run_program(
        {"explain", "--format", format, "--profile", profile, "--source", source, "1.0"});
    EXPECT_EQ(end.status, 2) << profile << ' ' << format << end.out;
    EXPECT_NE(end.err.find(std::string("profile ") + profile + " does not model " + format),
              std::string::npos)
        << end.err;
  }
  for (const char* const format : {"bfp16_16", "bfp12_128", "mxint8", "mxint4"}) {
    const std::vector<std::string> arguments = {"explain",   "--format",       format,
                                                "--profile", "dmx-0.1.11/cpu", "--block-size"};
    const auto with = [&](const char* size) {
      std::vector<std::string> all = arguments;
      all.insert(all.end(), {size, "1.0"});
      return run_program(all);
    };
    EXPECT_EQ(with("1").status, 2) << format;
    EXPECT_NE(with("1").err.find("in blocks of 1"), std::string::npos) << with("1").err;
    EXPECT_EQ(with("2").status, 0) << format;
  }
}

struct Decided {
  std::vector<std::string> arguments;
  std::vector<std::string> inputs;
  const char* policy;  ///< must be named
};

// Each policy of special blocks, carries and clamps is named where it decides.
TEST(ExplainDeciders, NameThePolicyOfABlock) {
  const Decided cases[] = {
      {{"--format", "mxfp4"}, {"inf", "1"}, "inf_block scale_nan"},
      {{"--format", "mxfp4", "--inf-block", "scale_max"}, {"inf", "1"}, "inf_block scale_max"},
      {{"--format", "mxfp4", "--inf-block", "as_e255"}, {"inf"}, "inf_block as_e255"},
      {{"--format", "mxfp4", "--inf-block", "all_nan"}, {"inf"}, "inf_block all_nan"},
      {{"--format", "nvfp4", "--inf-block", "as_e255"}, {"inf"}, "inf_block as_e255"},
      {{"--format", "mxfp4"}, {"nan", "1"}, "nan_block scale_nan"},
      {{"--format", "mxfp4", "--nan-block", "all_nan"}, {"nan"}, "nan_block all_nan"},
      {{"--format", "mxfp4"}, {"nan", "1"}, "amax_over all"},
      {{"--format", "mxfp4", "--amax-over", "ignore_nan"}, {"nan", "1"}, "amax_over ignore_nan"},
      {{"--format", "mxfp4", "--amax-over", "finite_only"}, {"inf", "1"}, "amax_over finite_only"},
      {{"--format", "mxfp4"}, {"0", "0"}, "zero_block_scale code_00"},
      {{"--format", "mxfp4", "--zero-block-scale", "one"}, {"0"}, "zero_block_scale one"},
      {{"--format", "mxfp4", "--zero-block-scale", "min_amax"}, {"0"}, "zero_block_scale min_amax"},
      {{"--format", "mxfp4", "--src-daz-block", "flush"}, {"0x1p-130"}, "src_daz_block flush"},
      {{"--format", "mxint8", "--rule", "ceil"}, {"0x7f7fffff"}, "scale_sat clamp_254"},
      {{"--format", "mxint8", "--rule", "ceil", "--scale-sat", "to_nan"},
       {"0x7f7fffff"},
       "scale_sat to_nan"},
      {{"--format", "mxfp4", "--rule", "even_up"}, {"0x7f7fffff"}, "even_carry exact"},
      {{"--format", "mxfp4", "--rule", "even_up", "--even-carry", "to_nan"},
       {"0x7f7fffff"},
       "even_carry to_nan"},
      {{"--format", "mxfp4", "--rule", "rceil", "--ratio-op", "fp32_div"},
       {"7"},
       "ratio_op fp32_div"},
      {{"--format", "mxfp4"}, {"nan", "1"}, "elem_codes_when_nan_scale dont_care"}};
  for (const Decided& each : cases) {
    std::vector<std::string> arguments = {"explain"};
    arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
    arguments.insert(arguments.end(), each.inputs.begin(), each.inputs.end());
    const ProgramEnd end = run_program(arguments);
    EXPECT_EQ(end.status, 0) << end.err;
    EXPECT_NE(end.out.find(each.policy), std::string::npos) << each.policy << '\n' << end.out;
  }
  // Control: an ordinary block is decided by its rule alone.
  const std::string plain = run_program({"explain", "--format", "mxfp4", "4", "1"}).out;
  EXPECT_EQ(plain.find("decided by"), std::string::npos) << plain;
}

TEST(ExplainDeciders, NameThePolicyOfAnElement) {
  const Decided cases[] = {
      {{"--format", "e4m3fn"}, {"nan"}, "nan policy canonical_positive"},
      {{"--format", "e4m3fn"}, {"-0"}, "zero_sign policy keep"},
      {{"--format", "e4m3fn"}, {"-0x1p-20"}, "zero_sign policy keep"},
      {{"--format", "e8m0"}, {"0"}, "zero_in policy min_code"},
      {{"--format", "e4m3fn"}, {"inf"}, "overflow policy sat_finite"},
      {{"--format", "e4m3fn"}, {"1000"}, "overflow policy sat_finite"},
      {{"--format", "e4m3fn", "--dst-ftz", "post"}, {"0x1p-8"}, "dst_ftz post"},
      {{"--format", "int8"}, {"-2"}, "int_min policy clamp_symmetric"},
      {{"--format", "int8", "--int-min", "allow"}, {"-2"}, "int_min policy allow"},
      {{"--format", "e8m0"}, {"-1"}, "unsigned_negative policy saturate_rule"},
      {{"--format", "e8m0", "--unsigned-negative", "to_nan"},
       {"-1"},
       "unsigned_negative policy to_nan"},
      {{"--format", "mxfp4", "--elem-scaling", "fp32_mul"}, {"1"}, "elem_scaling policy fp32_mul"}};
  for (const Decided& each : cases) {
    std::vector<std::string> arguments = {"explain"};
    arguments.insert(arguments.end(), each.arguments.begin(), each.arguments.end());
    arguments.push_back("--");
    arguments.insert(arguments.end(), each.inputs.begin(), each.inputs.end());
    const ProgramEnd end = run_program(arguments);
    EXPECT_EQ(end.status, 0) << end.err;
    EXPECT_NE(end.out.find(each.policy), std::string::npos) << each.policy << '\n' << end.out;
  }
}

// 16-bit patterns are four digits wherever an input is shown.
TEST(Digits, OfSixteenBitSources) {
  const auto has = [](const std::vector<std::string>& arguments, const std::string& digits,
                      const std::string& input = "") {
    const ProgramEnd end = run_program(arguments, input);
    EXPECT_NE(end.out.find(digits), std::string::npos) << end.out << end.err;
    EXPECT_EQ(end.out.find("0000" + digits), std::string::npos) << end.out;
  };
  for (const auto& [source, digits] : {std::pair{"bf16", "3FC0"}, {"fp16", "3E00"}}) {
    has({"explain", "--format", "e4m3fn", "--source", source, "1.5"}, digits);
    has({"explain", "--format", "mxfp4", "--source", source, "1.5"}, digits);
    has({"explain", "--format", "e4m3fn", "--source", source, "--profile", "te", "--profile",
         "ocp-mx-1.0", "1.5"},
        digits);
  }
  has({"diff-profile", "te", "ocp-mx-1.0", "--format", "mxfp8_e4m3", "--source", "bf16"}, "[0461 ");
  has({"identify", "-", "--verbose"}, " 3fc0 (1.5)", "bf16 e4m3fn\n3fc0 00\n");
  has({"identify", "-", "--verbose"}, " [3e00 (1.5)", "fp16 mxfp4\n3e00 | 00 | 1\n");
}

TEST(IdentifyVerdict, NothingComparedIsNoMatch) {
  for (const char* const log : {"fp32 e4m3fn\n3f800000 x\n", "fp32 e4m3fn values\n3f800000 x\n",
                                "bf16 mxfp4\n3f80 | x | x\n", "bf16 mxfp4 values\n3f80 | x\n",
                                "fp32 nvfp4 tensor\n3f800000 | 3f800000 | xx | X\n"}) {
    for (const bool as_json : {false, true}) {
      std::vector<std::string> arguments = {"identify", "-"};
      if (as_json) arguments.emplace_back("--json");
      const ProgramEnd end = run_program(arguments, log);
      EXPECT_EQ(end.status, 3) << log << end.out;
      EXPECT_NE(end.err.find("nothing to compare"), std::string::npos) << end.err;
    }
  }
}

TEST(IdentifyVerdict, SaysWhatWasCompared) {
  const std::string log = "fp32 e5m2\n3f800000 3c\n7fc00000 55\n40000000 x\n";
  const ProgramEnd text = run_program({"identify", "-", "--verbose"}, log);
  EXPECT_EQ(text.status, 1) << "of the output that tells nothing was compared: " << text.err;
  EXPECT_NE(text.out.find("nothing was compared that tells"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("3 records, 3 outputs, 1 of them unknown"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("ocp-mx-1.0 (1 compared, 1 open)"), std::string::npos) << text.out;
  const Json json = Json::parse(run_program({"identify", "-", "--json"}, log).out);
  EXPECT_EQ(json["outputs"], 3);
  EXPECT_EQ(json["unknown"], 1);
  for (const Json& each : json["profiles"]) {
    if (each["judged"] == true) {
      EXPECT_EQ(each["compared"].get<int>() + each["open"].get<int>(), 2) << each.dump();
    }
  }
}

// Codes under a NaN scale are nobody's choice.
TEST(IdentifyVerdict, TellsCodesUnderANanScaleFromOpenOnes) {
  const std::string log =
      "fp32 mxfp4\n7fc00000 3f800000 | ff | 0 0\n3f800000 40000000 | 7e | 4 6\n";
  const ProgramEnd text = run_program({"identify", "-", "--verbose"}, log);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("mxgold-default (4 compared, 2 under a NaN scale)"), std::string::npos)
      << text.out;
  const Json json = Json::parse(run_program({"identify", "-", "--json"}, log).out);
  for (const Json& each : json["profiles"]) {
    if (each["profile"] != "mxgold-default") continue;
    EXPECT_EQ(each["open"], 0);
    EXPECT_EQ(each["dont_care"], 2);
  }
}

/// A pipe with a name, and who writes a text into it once.
class NamedPipe {
 public:
  NamedPipe(const Scratch& scratch, const std::string& text) : path_(scratch.path("pipe")) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    writer_ = std::thread([this, text] { std::ofstream(path_) << text; });
  }
  NamedPipe(const NamedPipe&) = delete;
  NamedPipe& operator=(const NamedPipe&) = delete;
  ~NamedPipe() {
    // A writer whose pipe nobody opened goes on.
    const int unread = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    writer_.join();
    ::close(unread);
    std::filesystem::remove(path_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::thread writer_;
};

// identify <(...), cover <(...): what gives its bytes once is read as a file is, of every kind.
TEST(Pipes, AreReadAsFilesAre) {
  const Scratch scratch;
  const auto vectors = [&](const std::vector<std::string>& options, const std::string& name) {
    std::vector<std::string> line = {"gen", "--suite", "smoke", "-o", scratch.path(name)};
    line.insert(line.end(), options.begin(), options.end());
    EXPECT_EQ(run_program(line).status, 0) << name;
    return read_file(scratch.path(name));
  };
  const std::vector<std::string> small = {"--format", "mxfp4", "--source", "bf16"};
  const std::string text = vectors(small, "v.tv");
  const std::string jsonl = vectors(small, "v.jsonl");
  const std::string values =
      vectors({"--op", "dequantize", "--format", "mxfp4", "--result", "bf16"}, "d.tv");
  (void)run_program({"cover", scratch.path("v.tv"), "-o", scratch.path("c.json")});
  const std::string coverage = read_file(scratch.path("c.json"));
  const std::string log = "bf16 e4m3fn\n3f80 38\n";
  for (const auto& [command, content] : {std::pair<std::string, std::string>{"identify", text},
                                         {"identify", jsonl},
                                         {"identify", values},
                                         {"identify", log},
                                         {"cover", text},
                                         {"cover", jsonl},
                                         {"cover", coverage}}) {
    const ProgramEnd file = run_program({command, scratch.write("file", content)});
    EXPECT_EQ(file.status, 0) << command << file.err;
    const NamedPipe pipe(scratch, content);
    const ProgramEnd end = run_program({command, pipe.path()});
    EXPECT_EQ(end.status, file.status) << command << end.err;
    EXPECT_EQ(end.out, file.out) << command;
  }
  {
    const NamedPipe pipe(scratch, "fp32 e4m3fn\n3f88 38\n");
    const ProgramEnd end = run_program({"identify", pipe.path()});
    EXPECT_EQ(end.status, 3);
    EXPECT_NE(end.err.find(pipe.path() + ":2: input: '3f88'"), std::string::npos) << end.err;
  }
  const NamedPipe pipe(scratch, text.substr(0, text.size() / 2));
  const ProgramEnd end = run_program({"cover", pipe.path()});
  EXPECT_EQ(end.status, 3);
  EXPECT_NE(end.err.find(pipe.path() + ":"), std::string::npos) << end.err;
}

// A profile that leaves the only output open neither explains it nor is contradicted by it.
TEST(IdentifyVerdict, AProfileThatLeavesAllOpenIsNotJudged) {
  const ProgramEnd end = run_program({"identify", "-", "--verbose"}, "fp32 e5m2\n7fc00000 55\n");
  EXPECT_EQ(end.status, 1) << end.out;
  const std::size_t title = end.out.find("leave open every output that is known");
  ASSERT_NE(title, std::string::npos) << end.out;
  EXPECT_NE(end.out.find("ocp-mx-1.0", title), std::string::npos) << end.out;
}

// Codes mean nothing under a NaN scale: they are dashes, and no policy of theirs is a cause.
TEST(DiffProfileOpen, LanesUnderANanScaleAreNoDifference) {
  const ProgramEnd end = run_program({"diff-profile", "mxgold-default", "torchao-0.18", "--format",
                                      "mxfp4", "--source", "fp32", "--json"});
  const Json surface = Json::parse(end.out)["surfaces"][0];
  bool any = false;
  for (const Json& each : surface["differences"]) {
    if (each["a"]["scale"] != "ff") continue;
    any = true;
    for (const Json& code : each["a"]["codes"]) EXPECT_EQ(code, "-") << each.dump();
    for (const Json& cause : each["causes"]) {
      EXPECT_NE(cause["field"], "elem_codes_when_nan_scale") << each.dump();
    }
  }
  EXPECT_TRUE(any);
}

/// Rows of eight fp32 numbers, one block each: ordinary ones with zeros, specials and extremes.
Words open_rows() {
  const Words special = {0x7FC00000, 0xFFC00000, 0x7F800000, 0xFF800000, 0x00000001, 0x7F7FFFFF,
                         0x80000000, 0x3B900000, 0x3E7FFFFF, 0xC0000000, 0x3B800001, 0x43FFFFFF};
  Words bits;
  for (std::size_t row = 0; row < 48; ++row) {
    for (std::size_t i = 0; i < 8; ++i) {
      const std::uint64_t ordinary = 0x3F800000 + (row * 8 + i) * 0x123457;
      const bool is_special = row % 4 == 1 && i == row % 8;
      bits.push_back(row % 8 == 7 ? 0 : is_special ? special[row / 4] : ordinary);
    }
  }
  return bits;
}

struct Open {
  std::uint64_t elements = 0;
  std::uint64_t scales = 0;
  Masks masks = 0;
};

/// The same, asked of the library row by row.
Open expected_open(const Profile& profile, std::string_view format, const Words& bits) {
  Open open;
  const BlockFormat* const listed = find_block_format(format);
  const ElementFormat* const element = find_format(format);
  for (std::size_t at = 0; at < bits.size(); at += 8) {
    const Words row(bits.begin() + static_cast<std::ptrdiff_t>(at),
                    bits.begin() + static_cast<std::ptrdiff_t>(at) + 8);
    std::vector<OpenFields> fields;
    if (listed != nullptr) {
      BlockFormat block = *listed;
      if (block.extent == BlockExtent::kElements) block.block_size = 8;
      const QuantizerConfig config = *block_config(profile, block, formats::fp32);
      Words codes(8);
      const BlockResult result = Quantizer::make(config).value().quantize_block(row, {}, codes);
      fields.push_back(
          open_fields(block_masks(profile, block, formats::fp32), config, row, result));
    } else {
      const ConversionConfig conversion = *element_conversion(profile, formats::fp32, *element);
      const Masks masks = element_masks(profile, formats::fp32, *element);
      for (const std::uint64_t code : row) fields.push_back(open_fields(masks, conversion, code));
    }
    for (const OpenFields& each : fields) {
      open.scales += each.scale != 0 ? 1U : 0U;
      open.masks |= each.scale;
      for (const Masks lane : each.elements) {
        open.elements += lane != 0 ? 1U : 0U;
        open.masks |= lane;
      }
    }
  }
  return open;
}

// Each profile with masks x formats: the report, the message and the metadata say the same.
TEST(QuantizeOpen, CountsWhatTheProfileLeavesOpen) {
  const Scratch scratch;
  const Words bits = open_rows();
  const std::string input = scratch.write("in.npy", npy_array("<f4", "(48, 8)", words(bits, 4)));
  std::size_t tried = 0;
  std::size_t open_files = 0;
  for (const Profile& profile : all_profiles()) {
    for (const char* const format : {"e4m3fn", "e5m2", "e2m1fn", "int8", "mxfp8_e4m3", "mxfp8_e5m2",
                                     "mxfp4", "mxint8", "fp8_e4m3_fp32_row", "bfp16_16"}) {
      const BlockFormat* const block = find_block_format(format);
      const bool speaks =
          block != nullptr
              ? block_config(profile, *block, formats::fp32).has_value()
              : element_conversion(profile, formats::fp32, *find_format(format)).has_value();
      if (!speaks) continue;
      std::vector<std::string> arguments = {
          "quantize", input,  "-o",        scratch.path("out.safetensors"),
          "--format", format, "--profile", std::string(profile.name),
          "--json"};
      const bool is_sized = block != nullptr && block->extent == BlockExtent::kElements;
      if (is_sized) arguments.insert(arguments.end(), {"--block-size", "8"});
      const ProgramEnd end = run_program(arguments);
      ASSERT_EQ(end.status, 0) << end.err;
      const Json json = Json::parse(end.out);
      const Open open = expected_open(profile, format, bits);
      EXPECT_EQ(json["open_elements"], open.elements) << profile.name << ' ' << format;
      EXPECT_EQ(json["open_scales"], open.scales) << profile.name << ' ' << format;
      EXPECT_EQ(json["open_masks"], Json(block_mask_tokens(open.masks))) << profile.name << format;
      const bool says = end.err.find("leaves open " + std::to_string(open.elements) + " of 384") !=
                        std::string::npos;
      EXPECT_EQ(says, open.masks != 0) << profile.name << ' ' << format << end.err;
      const Json& metadata = json["metadata"];
      if (metadata.contains("open_masks")) {
        EXPECT_EQ(metadata["open_elements"], std::to_string(open.elements));
        EXPECT_EQ(metadata["open_masks"], mask_list(open.masks));
        ++tried;
      } else {
        EXPECT_EQ(open.masks, 0U) << profile.name << ' ' << format;
      }
      open_files += open.masks != 0 ? 1U : 0U;
    }
  }
  EXPECT_GT(tried, 30U);
  EXPECT_GT(open_files, 25U);
}

// What quantize says of open codes, dequantize says of the values that it makes of them.
TEST(DequantizeOpen, WhatIsOpenStaysSo) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(48, 8)", words(open_rows(), 4)));
  const std::string codes = scratch.path("codes.safetensors");
  const std::string back = scratch.path("back.safetensors");
  for (const auto& [profile, format] : {std::pair{"ocp-mx-1.0", "mxfp8_e4m3"},
                                        {"ocp-mx-1.0", "e5m2"},
                                        {"mxgold-default", "mxfp8_e4m3"}}) {
    const Json made = Json::parse(run_program({"quantize", input, "-o", codes, "--format", format,
                                               "--profile", profile, "--json"})
                                      .out);
    const ProgramEnd end = run_program({"dequantize", codes, "-o", back, "--json"});
    ASSERT_EQ(end.status, 0) << end.err;
    const Json report = Json::parse(end.out);
    const std::map<std::string, std::string> metadata = TensorFile::open(back).metadata();
    EXPECT_EQ(metadata.at("profile"), profile);
    EXPECT_TRUE(metadata.contains("dequant_overflow"));
    for (const char* const key : {"open_elements", "open_scales", "open_masks"}) {
      const bool has = made["metadata"].contains(key);
      ASSERT_EQ(metadata.contains(key), has) << profile << ' ' << key;
      if (!has) continue;
      EXPECT_EQ(metadata.at(key), made["metadata"][key]) << key;
    }
    EXPECT_EQ(report["open_elements"], made["open_elements"]) << profile;
    EXPECT_EQ(report["open_scales"], made["open_scales"]) << profile;
    EXPECT_EQ(end.err.find("leaves open") != std::string::npos, made["open_elements"] != 0)
        << end.err;
  }
  const ProgramEnd again = run_program({"dequantize", back, "-o", scratch.path("no.safetensors")});
  EXPECT_EQ(again.status, 3);
  EXPECT_NE(again.err.find("values already"), std::string::npos) << again.err;
}

// Blocks along another axis, short ones too, are gathered as they are quantized.
TEST(QuantizeOpen, CountsAlongAnyAxis) {
  const Scratch scratch;
  // 3 x 2: with axis 0 and blocks of 2, column 0 has (448, 2^-8 * 1.125) and (1), column 1 numbers.
  const Words bits = {0x43E00000, 0x3F800000, 0x3B900000, 0x3F800000, 0x3F800000, 0x3F800000};
  const std::string input = scratch.write("in.npy", npy_array("<f4", "(3, 2)", words(bits, 4)));
  for (const auto& [axis, open] : {std::pair{"0", 1}, {"1", 0}}) {
    const ProgramEnd end =
        run_program({"quantize", input, "-o", scratch.path("out.safetensors"), "--format",
                     "mxfp8_e4m3", "--profile", "intel-fp8et", "--blocks-as", "mxgold-default",
                     "--axis", axis, "--block-size", "2", "--json"});
    ASSERT_EQ(end.status, 0) << end.err;
    EXPECT_EQ(Json::parse(end.out)["open_elements"], open) << axis;
  }
}

TEST(QuantizeOpen, RefusesWhatIsNotModelled) {
  const Scratch scratch;
  const std::string input =
      scratch.write("in.npy", npy_array("<f4", "(4,)", words({0, 0, 0, 0}, 4)));
  for (const auto& [profile, format] : {std::pair{"torchmx-0.1.0/sim", "e4m3fn"},
                                        {"qtorch-0.3.0/cpu", "mxint8"},
                                        {"aimet-2.42", "mxfp8_e4m3"},
                                        {"dmx-0.1.11/cpu", "nvfp4"}}) {
    const ProgramEnd end = run_program({"quantize", input, "-o", scratch.path("no.safetensors"),
                                        "--format", format, "--profile", profile});
    EXPECT_EQ(end.status, 2) << end.out;
    EXPECT_NE(end.err.find(std::string("does not model ") + format), std::string::npos) << end.err;
    EXPECT_FALSE(std::filesystem::exists(scratch.path("no.safetensors")));
  }
  // What a profile says of other things is no reason.
  const ProgramEnd other = run_program({"quantize", input, "-o", scratch.path("no.safetensors"),
                                        "--format", "mxfp4", "--profile", "te"});
  EXPECT_EQ(other.status, 2) << other.out;
  EXPECT_NE(other.err.find("te defines mxfp8_e4m3, mxfp8_e5m2, nvfp4, nvfp4_16x16: not mxfp4; "),
            std::string::npos)
      << other.err;
  const ProgramEnd single =
      run_program({"quantize", input, "-o", scratch.path("no.safetensors"), "--format", "mxint8",
                   "--profile", "dmx-0.1.11/cpu", "--block-size", "1"});
  EXPECT_EQ(single.status, 2) << single.out;
  EXPECT_NE(single.err.find("mxint8 in blocks of 1"), std::string::npos) << single.err;
}

}  // namespace
}  // namespace mx::cli::test::open_test
