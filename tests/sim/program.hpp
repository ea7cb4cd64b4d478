// Runs mxgold as a program: exit codes and messages.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace mx::sim::test {

struct ProgramEnd {
  int exit = -1;
  std::string text;

  [[nodiscard]] bool says(std::string_view words) const {
    return text.find(words) != std::string::npos;
  }
  /// The end of the text, for failures.
  [[nodiscard]] std::string tail() const {
    constexpr std::size_t kShown = 800;
    return text.size() > kShown ? "..." + text.substr(text.size() - kShown) : text;
  }
  /// "sha256:..." of the verdict.
  [[nodiscard]] std::string digest() const {
    const std::size_t at = text.rfind("sha256:");
    return at == std::string::npos ? "no digest" : text.substr(at, 7 + 64);
  }
};

/// Runs `mxgold ARGUMENTS` by the shell; both streams in one text.
inline ProgramEnd mxgold(const std::string& arguments, const std::string& before = "") {
  const std::string command = before + MXGOLD " " + arguments + " 2>&1";
  ProgramEnd outcome;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  while (const std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.text.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

/// Expects an exit code and words of the message.
inline ProgramEnd expect(const std::string& arguments, int exit, std::string_view words) {
  const ProgramEnd outcome = mxgold(arguments);
  EXPECT_EQ(outcome.exit, exit) << arguments << '\n' << outcome.tail();
  EXPECT_TRUE(outcome.says(words)) << arguments << " does not say '" << words << "':\n"
                                   << outcome.tail();
  return outcome;
}

/// The first command line after `replay`, without the program's name; "" for none.
inline std::string replay_in(const ProgramEnd& outcome) {
  std::size_t at = outcome.text.find("replay");
  if (at == std::string::npos) return {};
  constexpr std::string_view kProgram = "mxgold ";
  at = outcome.text.find(kProgram, at) + kProgram.size();
  return outcome.text.substr(at, outcome.text.find('\n', at) - at);
}

/// A folder of the test's own.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "_" + test->name();
    for (char& c : name) c = c == '/' ? '_' : c;
    folder_ = std::filesystem::path(testing::TempDir()) / ("mx_" + name + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const {
    return (folder_ / name).string();
  }
  /// Writes a golden file; its path.
  [[nodiscard]] std::string gen(const std::string& options, const std::string& name = "golden.tv") {
    const ProgramEnd end = mxgold("gen " + options + " -o " + file(name));
    EXPECT_EQ(end.exit, 0) << "gen " << options << '\n' << end.text;
    return file(name);
  }
  /// Writes 3 rows of 40 float32 numbers as .npy; its path.
  [[nodiscard]] std::string tensor_file() const {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 40), }";
    header += std::string(118 - header.size() - 1, ' ') + "\n";
    std::ofstream npy(file("x.npy"), std::ios::binary);
    npy << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(118) << '\0' << header;
    for (unsigned i = 0; i < 120; ++i) {
      const std::array<char, 4> word = {static_cast<char>(i * 37), static_cast<char>(i * 91),
                                        static_cast<char>(i * 53), static_cast<char>(0x3F + i % 3)};
      npy.write(word.data(), word.size());
    }
    return file("x.npy");
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace mx::sim::test
