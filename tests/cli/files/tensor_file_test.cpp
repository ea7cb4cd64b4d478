#include <gtest/gtest.h>

#include "cli/base/error.hpp"
#include "cli/files/tensor_file.hpp"
#include "tests/cli/files/byte_builder.hpp"

namespace mx::cli::test::tensor_file_test {
namespace {

std::string refusal(const std::string& path) {
  try {
    (void)TensorFile::open(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kBadInput);
    return error.what();
  }
  return "accepted";
}

TEST(TensorFile, NamesFilesItCannotRead) {
  const Scratch scratch;
  EXPECT_NE(refusal(scratch.path("none.npy")).find("cannot open"), std::string::npos);
  EXPECT_NE(refusal(scratch.path("")).find("is a directory"), std::string::npos);
  EXPECT_NE(refusal(scratch.write("empty.safetensors", "")).find("the file is empty"),
            std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("is a device"), std::string::npos);
}

TEST(TensorFile, TellsTheFormatsApartByContent) {
  const Scratch scratch;
  const std::string array = npy_array("<f4", "(1,)", "abcd");
  EXPECT_EQ(TensorFile::open(scratch.write("array.bin", array)).tensors().size(), 1U);
  EXPECT_TRUE(TensorFile::open(scratch.write("x.npy", safetensors("{}", ""))).tensors().empty());
  EXPECT_NE(refusal(scratch.write("x.npy", "no array")).find("not a .npy file"), std::string::npos);
}

TEST(TensorFile, FindsTensorsByNameAndCountsTheirOrder) {
  const Scratch scratch;
  const TensorFile file = TensorFile::open(scratch.write(
      "m.safetensors",
      safetensors_file(
          {{"z", "F32", "[1]", "abcd"}, {"ids", "I8", "[1]", "e"}, {"a", "F32", "[1]", "fghi"}})));
  ASSERT_NE(file.find("z"), nullptr);
  EXPECT_EQ(file.find("z")->index, 2U);
  EXPECT_EQ(file.find("y"), nullptr);
  testing::internal::CaptureStderr();
  const auto chosen = select_tensors(file, "all");
  const std::string skipped = testing::internal::GetCapturedStderr();
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0]->name, "a");
  EXPECT_NE(skipped.find("skipped tensor 'ids': type I8"), std::string::npos) << skipped;
}

TEST(TensorFile, KeepsItsDataAfterRelease) {
  const Scratch scratch;
  const std::string data(1 << 20, 'q');
  const TensorFile file =
      TensorFile::open(scratch.write("x.npy", npy_array("<f4", "(262144,)", data)));
  const std::span<const std::byte> bytes = file.tensors()[0].data;
  file.release(bytes);
  for (std::size_t i = 0; i < bytes.size(); i += 4096) ASSERT_EQ(bytes[i], std::byte{'q'});
}

}  // namespace
}  // namespace mx::cli::test::tensor_file_test
