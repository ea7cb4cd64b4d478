#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "cli/base/error.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_file.hpp"
#include "tests/cli/files/byte_builder.hpp"

namespace mx::cli::test {
namespace {

void fill(std::span<std::byte> place, int value) { std::memset(place.data(), value, place.size()); }

TEST(SafetensorsWriter, WritesWhatTheReaderReads) {
  const Scratch scratch;
  const std::string path = scratch.path("out.safetensors");
  {
    SafetensorsWriter writer(
        path, {{"b", "U8", {3}}, {"a \"\xC3\xA9", "F32", {2, 1}}, {"e", "U16", {0, 4}}},
        {{"format", "mxfp4"}});
    EXPECT_EQ(writer.data("b").size(), 3U);
    EXPECT_TRUE(writer.data("none").empty());
    fill(writer.data("b"), 0x11);
    fill(writer.data("a \"\xC3\xA9"), 0x22);
    EXPECT_FALSE(std::filesystem::exists(path)) << "visible before it is complete";
    writer.commit();
  }
  const TensorFile file = TensorFile::open(path);
  EXPECT_EQ(file.metadata().at("format"), "mxfp4");
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensors()[0].shape, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(file.tensors()[0].data[7], std::byte{0x22});
  EXPECT_EQ(file.tensors()[1].data[2], std::byte{0x11});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(file.tensors()[0].data.data()) % 8, 0U);
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"out.safetensors"});
}

TEST(SafetensorsWriter, LeavesNothingIfItIsKilled) {
  const Scratch scratch;
  const int probe = ::open(scratch.path("").c_str(), O_TMPFILE | O_RDWR, 0600);
  if (probe < 0) GTEST_SKIP() << "this file system has no files without a name";
  ::close(probe);
  const SafetensorsWriter writer(scratch.path("out"), {{"b", "U8", {3}}}, {});
  EXPECT_TRUE(scratch.files().empty());
}

TEST(SafetensorsWriter, LeavesNothingWithoutCommit) {
  const Scratch scratch;
  const std::string path = scratch.write("out.safetensors", "old");
  {
    SafetensorsWriter writer(path, {{"b", "U8", {3}}}, {});
    fill(writer.data("b"), 1);
  }
  EXPECT_EQ(read_file(path), "old");
  EXPECT_EQ(scratch.files().size(), 1U);
}

void expect_error(Exit exit, const std::string& path, std::vector<OutputTensor> tensors,
                  const char* says) {
  try {
    SafetensorsWriter writer(path, std::move(tensors), {});
    writer.commit();
    ADD_FAILURE() << "accepted " << path;
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), exit);
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(SafetensorsWriter, RefusesWhatCannotBeWritten) {
  const Scratch scratch;
  expect_error(Exit::kUnwritable, scratch.path("no/such/folder/x"), {{"b", "U8", {3}}},
               "No such file");
  expect_error(Exit::kUnwritable, scratch.path(""), {{"b", "U8", {3}}}, "Is a directory");
  expect_error(Exit::kUnwritable, "/dev/full", {{"b", "U8", {3}}}, "No space left");
  expect_error(Exit::kUsage, scratch.path("x"), {{"b", "U64", {1ULL << 62}}}, "63 bits");
  expect_error(Exit::kUnwritable, scratch.path("x"),
               {{"a", "U8", {1ULL << 59}}, {"b", "U8", {1ULL << 59}}}, "cannot reserve");
  EXPECT_TRUE(scratch.files().empty());
}

}  // namespace
}  // namespace mx::cli::test
