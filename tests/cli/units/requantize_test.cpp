// What `mxgold quantize` takes from a file of values that mxgold made and hands on with their
// codes: the transform that they are under, what was open of them.
#include <filesystem>
#include <map>

#include "reference/number/philox.hpp"
#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test {
namespace {

using Fields = std::map<std::string, std::string>;

constexpr std::uint64_t kNanWord = 0x7FC00000;

/// 32 x 64 numbers of fp32 around 1, the first as given.
std::string numbers(const Scratch& scratch, std::optional<std::uint64_t> first = {}) {
  Words values;
  for (std::size_t i = 0; i < std::size_t{32} * 64; ++i) {
    const std::uint64_t word = counter_random(9, 0, i, 32);
    values.push_back((word & 0x807FFFFF) | (120 + (word >> 23 & 0xF)) << 23);
  }
  if (first) values[0] = *first;
  return scratch.write("x.npy", npy_array("<f4", "(32, 64)", words(values, 4)));
}

/// The values that quantize with these options and dequantize make of numbers; the file's path.
std::string values_of(const Scratch& scratch, const std::vector<std::string>& options,
                      std::optional<std::uint64_t> first = {}) {
  (void)quantize(scratch, numbers(scratch, first), options, "first.safetensors");
  const ProgramEnd ran = run_program(
      {"dequantize", scratch.path("first.safetensors"), "-o", scratch.path("values.safetensors")});
  EXPECT_EQ(ran.status, 0) << ran.err;
  return scratch.path("values.safetensors");
}

ProgramEnd requantize(const Scratch& scratch, const std::string& values,
                      const std::vector<std::string>& options) {
  std::vector<std::string> line = {"quantize", values, "-o", scratch.path("next.safetensors")};
  line.insert(line.end(), options.begin(), options.end());
  return run_program(line);
}

Fields next(const Scratch& scratch) {
  return TensorFile::open(scratch.path("next.safetensors")).metadata();
}

// Codes of values under a transform are under it: their file says so, and the way back from them is
// the way back from the values.
TEST(Requantize, ATransformStays) {
  const Scratch scratch;
  const std::vector<std::string> transform = {"--hadamard", "d7e8", "--hadamard-signs", "last"};
  for (const std::string axis : {"-1", "0"}) {
    std::vector<std::string> options = {"--format", "mxint8", "--axis", axis};
    options.insert(options.end(), transform.begin(), transform.end());
    const std::string values = values_of(scratch, options);
    // The values are what mxint8 has, so a second time loses nothing.
    const std::vector<std::string> again = {"--format", "mxint8", "--axis",
                                            axis == "0" ? "-2" : "1"};
    const ProgramEnd ran = requantize(scratch, values, again);
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(ran.err.find("under the Hadamard transform d7e8, signs last; so are its codes"),
              std::string::npos)
        << ran.err;
    EXPECT_EQ(next(scratch).at("hadamard"), "d7e8");
    EXPECT_EQ(next(scratch).at("hadamard_signs"), "last");
    Words back[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string from = scratch.path(k == 0 ? "first.safetensors" : "next.safetensors");
      const std::string to = scratch.path("back.safetensors");
      const ProgramEnd undone = run_program({"dequantize", from, "-o", to, "--undo-hadamard"});
      ASSERT_EQ(undone.status, 0) << undone.err;
      back[k] = words_of(TensorFile::open(to), "data");
    }
    EXPECT_EQ(back[0], back[1]) << "axis " << axis;
  }
}

// What could not be undone is refused before anything is written: a second transform, blocks along
// another axis, formats without blocks or with others; casts of systems, whose files name none.
TEST(Requantize, ATransformThatCouldNotBeUndoneIsRefused) {
  const Scratch scratch;
  const std::string values = values_of(scratch, {"--format", "mxfp4", "--hadamard", "1"});
  struct Row {
    int status;
    std::string message;
    std::vector<std::string> options;
  };
  const Row rows[] = {
      {2, "under the Hadamard transform 0001, signs first already", {"mxfp4", "--hadamard", "2"}},
      {2, "along axis -1, where tensor 'data' needs", {"mxfp4", "--axis", "0"}},
      {2, "need blocks of a multiple of 16", {"mxfp4", "--block-size", "8"}},
      {2, "need blocks of a multiple of 16", {"e4m3fn"}},
      {3, "casts of systems are taken without one", {"dmx:MXFP8[E4M3]{32}"}}};
  for (const Row& row : rows) {
    std::vector<std::string> options = {"--format"};
    options.insert(options.end(), row.options.begin(), row.options.end());
    const ProgramEnd ran = requantize(scratch, values, options);
    EXPECT_EQ(ran.status, row.status) << ran.err;
    EXPECT_NE(ran.err.find(row.message), std::string::npos) << row.message << '\n' << ran.err;
    EXPECT_FALSE(std::filesystem::exists(scratch.path("next.safetensors"))) << row.message;
  }
  // Undone, the values go anywhere.
  const std::string plain = scratch.path("plain.safetensors");
  ASSERT_EQ(
      run_program({"dequantize", scratch.path("first.safetensors"), "-o", plain, "--undo-hadamard"})
          .status,
      0);
  const ProgramEnd ran = requantize(scratch, plain, {"--format", "e4m3fn"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_FALSE(next(scratch).contains("hadamard"));
}

// What was open of the values is open of their codes, beside what their own profile leaves open;
// dequantize adds both up and names both profiles. Casts of systems hand it on as well.
TEST(Requantize, WhatWasOpenStaysOpen) {
  const Scratch scratch;
  const std::string values =
      values_of(scratch, {"--format", "mxfp4", "--profile", "ocp-mx-1.0"}, kNanWord);
  const std::string said = "profile 'ocp-mx-1.0' leaves open 32 values and 1 scales";
  const std::string to = scratch.path("back.safetensors");
  for (const auto& [profile, scales, name] : {std::tuple{"mxgold-default", "1", "ocp-mx-1.0"},
                                              std::tuple{"ocp-mx-1.0", "2", "ocp-mx-1.0"}}) {
    const ProgramEnd ran = requantize(scratch, values, {"--format", "mxfp4", "--profile", profile});
    ASSERT_EQ(ran.status, 0) << ran.err;
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
    EXPECT_EQ(next(scratch).at("open_scales.input"), "1");
    EXPECT_EQ(next(scratch).at("open_profile.input"), "ocp-mx-1.0");
    const ProgramEnd back = run_program({"dequantize", scratch.path("next.safetensors"), "-o", to});
    ASSERT_EQ(back.status, 0) << back.err;
    EXPECT_NE(back.err.find("profile 'ocp-mx-1.0' leaves open"), std::string::npos) << back.err;
    const Fields fields = TensorFile::open(to).metadata();
    EXPECT_EQ(fields.at("open_scales"), scales);
    EXPECT_EQ(fields.at("profile"), profile);
    EXPECT_EQ(fields.contains("open_profile"), std::string_view(profile) == "mxgold-default");
  }
  const ProgramEnd cast = requantize(scratch, values, {"--format", "dmx:MXFP8[E4M3]{32}"});
  ASSERT_EQ(cast.status, 0) << cast.err;
  EXPECT_NE(cast.err.find(said), std::string::npos) << cast.err;
  EXPECT_EQ(next(scratch).at("open_elements.input"), "32");
  // Of values of which nothing was open nothing is said.
  const ProgramEnd closed =
      requantize(scratch, values_of(scratch, {"--format", "mxfp4"}), {"--format", "mxfp4"});
  EXPECT_EQ(closed.err, "");
  EXPECT_FALSE(next(scratch).contains("open_scales.input"));
}

}  // namespace
}  // namespace mx::cli::test
