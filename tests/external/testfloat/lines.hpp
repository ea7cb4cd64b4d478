// What testfloat_gen prints, read in large blocks: a line is a few hexadecimal words.
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace mx::external {

/// The output of a command.
class TestfloatLines {
 public:
  enum class Read : std::uint8_t {
    kWords,
    kOtherText,  ///< a line that is no such number of words: a message of the generator
    kEnd
  };

  explicit TestfloatLines(const std::string& command);
  TestfloatLines(const TestfloatLines&) = delete;
  TestfloatLines& operator=(const TestfloatLines&) = delete;
  ~TestfloatLines();

  /// The next line, which has to hold as many words as there is room for.
  [[nodiscard]] Read next(std::span<std::uint64_t> words);
  /// The line that was read last, without its end.
  [[nodiscard]] std::string_view text() const { return text_; }
  /// The exit status of the command, which has printed all: 0 where it succeeded.
  [[nodiscard]] int close();

 private:
  [[nodiscard]] bool take_line();

  std::FILE* pipe_;
  std::string buffer_;
  std::size_t at_ = 0;  ///< where the next line begins
  std::string_view text_;
};

}  // namespace mx::external
