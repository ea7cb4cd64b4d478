// A tensor far bigger than the memory the program may hold at a time.
#include <fstream>

#include "tests/cli/program/quantized.hpp"

namespace mx::cli::test::memory_test {
namespace {

constexpr std::uint64_t kElements = 64'000'000;               // 512 MB of F64
constexpr std::int64_t kLimitKib = std::int64_t{160} * 1024;  // of 512 MB in and 64 MB out

/// A sparse .npy file of zeros with one nonzero value at its end.
std::string big_file(const Scratch& scratch, const std::string& shape) {
  const std::string path = scratch.write("big.npy", npy_array("<f8", shape, ""));
  const std::uintmax_t header = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, header + kElements * 8);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(header + (kElements - 1) * 8));
  file << words({0x4000000000000000}, 8);
  return path;
}

TEST(Memory, StaysSmallAlongTheLastAxisAndBack) {
  const Scratch scratch;
  const std::string input = big_file(scratch, "(64000000,)");
  const std::string output = scratch.path("out.safetensors");
  const ProgramEnd there = run_program({"quantize", input, "-o", output, "--format", "mxfp4"});
  ASSERT_EQ(there.status, 0) << there.err;
  EXPECT_LT(there.peak_kib, kLimitKib);
  EXPECT_GT(there.peak_kib, 1024) << "not measured";
  {
    const TensorFile file = TensorFile::open(output);
    ASSERT_EQ(file.find("data.codes")->elements, kElements);
    EXPECT_EQ(file.find("data.codes")->data[kElements - 1], std::byte{6});  // 2 = 4 * 2^-1
    EXPECT_EQ(file.find("data.scales")->data[kElements / 32 - 1], std::byte{0x7E});
    EXPECT_EQ(file.find("data.scales")->data[0], std::byte{0});
  }
  const ProgramEnd back =
      run_program({"dequantize", output, "-o", scratch.path("back"), "--to", "bf16"});
  ASSERT_EQ(back.status, 0) << back.err;
  EXPECT_LT(back.peak_kib, kLimitKib);
  const TensorFile values = TensorFile::open(scratch.path("back"));
  EXPECT_EQ(values.find("data")->data[kElements * 2 - 1], std::byte{0x40});
}

TEST(Memory, StaysSmallAcrossRowsOfMegabytes) {
  const Scratch scratch;
  const std::string input = big_file(scratch, "(64, 1000000)");
  const ProgramEnd outcome = run_program({"quantize", input, "-o", scratch.path("out.safetensors"),
                                          "--format", "mxfp4", "--axis", "0"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(outcome.peak_kib, kLimitKib);
  const TensorFile file = TensorFile::open(scratch.path("out.safetensors"));
  EXPECT_EQ(file.find("data.codes")->data[kElements - 1], std::byte{6});
  EXPECT_EQ(file.find("data.scales")->data[1'999'999], std::byte{0x7E});
}

// The memory is that of the rows there are, however wide one is.
TEST(Memory, StaysSmallForFewWideRows) {
  const Scratch scratch;
  const ProgramEnd outcome =
      run_program({"gen", "--op", "cast", "--format", "dmx:MXFP8[E4M3]{32}", "--suite", "rnd",
                   "--count", "2", "--lanes", "65536", "-o", scratch.path("wide.bin")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_LT(outcome.peak_kib, kLimitKib);
  EXPECT_GT(outcome.peak_kib, 1024) << "not measured";
}

}  // namespace
}  // namespace mx::cli::test::memory_test
