// A file that is written: whole or not at all, and never something else's place.
#include "golden/bytes/new_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "golden/bytes/error.hpp"
#include "golden/files/folder_lock.hpp"

namespace mx::golden {
namespace {

namespace fs = std::filesystem;

class NewFileTest : public ::testing::Test {
 protected:
  NewFileTest() {
    std::string pattern = (fs::temp_directory_path() / "mxgold_new_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~NewFileTest() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path folder_;
};

TEST_F(NewFileTest, ReplacesTheOldFileWhenItIsComplete) {
  write_file(path("x"), "old");
  NewFile file(path("x"));
  EXPECT_TRUE(file.is_regular());
  file.write("ne");
  file.write("w");
  EXPECT_EQ(text_of(path("x")), "old");
  file.commit();
  EXPECT_EQ(text_of(path("x")), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFileTest, LeavesNothingWithoutCommit) {
  NewFile(path("x")).write("half");
  EXPECT_EQ(files(), 0);
}

TEST_F(NewFileTest, TwoOfOneNameDoNotMeet) {
  NewFile first(path("x"));
  NewFile second(path("x"));
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(text_of(path("x")), "first");
  second.commit();
  EXPECT_EQ(text_of(path("x")), "second");
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFileTest, AFinishedFileIsWholeBeforeItHasItsName) {
  NewFile file(path("x"));
  file.write("all of it");
  file.finish();
  EXPECT_EQ(files(), 0);
  EXPECT_EQ(text_of(file.unnamed()), "all of it");
  file.commit();
  EXPECT_EQ(text_of(path("x")), "all of it");
}

TEST_F(NewFileTest, ALinkStaysALink) {
  write_file(path("target"), "old");
  fs::create_symlink("target", path("link"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("target")), "new");
}

TEST_F(NewFileTest, ALinkToNothingGetsItsFile) {
  fs::create_directory(path("folder"));
  fs::create_symlink("folder/middle", path("link"));
  fs::create_symlink("target", path("folder/middle"));
  write_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("folder/middle")));
  EXPECT_EQ(text_of(path("folder/target")), "new");
}

TEST_F(NewFileTest, LinksInACircleAreRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  EXPECT_THROW(write_file(path("a"), "new"), VectorError);
  EXPECT_TRUE(fs::is_symlink(path("a")));
}

TEST_F(NewFileTest, KeepsTheModeOfWhatItReplaces) {
  for (const mode_t mode : {0600U, 0664U, 0755U}) {
    write_file(path("x"), "old");
    ASSERT_EQ(::chmod(path("x").c_str(), mode), 0);
    write_file(path("x"), "new");
    struct stat info {};
    ASSERT_EQ(::stat(path("x").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, mode);
  }
}

TEST_F(NewFileTest, AnOpenDescriptorIsWrittenWhereItStands) {
  const int file = ::open(path("x").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_EQ(::write(file, "before ", 7), 7);
  write_file("/dev/fd/" + std::to_string(file), "after");
  ASSERT_EQ(::write(file, " end", 4), 4);
  ::close(file);
  EXPECT_EQ(text_of(path("x")), "before after end");
  EXPECT_TRUE(is_standard_output("-"));
  EXPECT_TRUE(is_standard_output("/dev/stdout"));
  EXPECT_TRUE(is_standard_output("/proc/self/fd/1"));
  EXPECT_FALSE(is_standard_output("/dev/fd/11"));
  EXPECT_FALSE(is_standard_output("/dev/fd/1x"));
}

TEST_F(NewFileTest, WritesIntoPipesAndDevices) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = text_of(path("fifo")); });
  write_file(path("fifo"), "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
  EXPECT_THROW(write_file("/dev/full", "x"), VectorError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(NewFileTest, ANameMayBeAsLongAsTheFileSystemAllows) {
  const std::string longest(255, 'x');
  write_file(path(longest.c_str()), "new");
  EXPECT_EQ(text_of(path(longest.c_str())), "new");
  EXPECT_THROW(write_file(path((longest + "x").c_str()), "new"), VectorError);
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFileTest, AnErrorNamesPathAndRemedy) {
  try {
    NewFile file(path("no/such/folder"));
    FAIL() << "opened";
  } catch (const VectorError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind(path("no/such/folder") + ": cannot open for writing: ", 0), 0U) << text;
    EXPECT_NE(text.find("choose an output"), std::string::npos) << text;
  }
}

// Vectors and manifest of one program, never the vectors of one and the manifest of another.
TEST_F(NewFileTest, FilesThatBelongTogetherAreOfOneWriter) {
  const auto write_both = [&](const std::string& text) {
    for (int i = 0; i < 200; ++i) {
      NewFile first(path("x")), second(path("x.json"));
      first.write(text);
      second.write(text);
      first.finish();
      second.finish();
      const FolderLock lock(path("x"));
      first.commit();
      second.commit();
      EXPECT_EQ(text_of(path("x")), text_of(path("x.json")));
    }
  };
  std::thread other([&] { write_both("other"); });
  write_both("own");
  other.join();
  EXPECT_EQ(text_of(path("x")), text_of(path("x.json")));
  const FolderLock nowhere("no/such/folder/x");
}

}  // namespace
}  // namespace mx::golden
