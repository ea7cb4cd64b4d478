// What `mxgold dequantize` takes from its file and hands on: what a profile left open, how it was
// made.
#include <map>

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

std::vector<std::string> with(std::vector<std::string> line, const std::vector<std::string>& more) {
  line.insert(line.end(), more.begin(), more.end());
  return line;
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
