// Buffered input that knows its line number and, for regular files, its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mx::golden {

/// "-" is standard input. Throws VectorError naming the path.
class ByteSource {
 public:
  explicit ByteSource(std::string path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The path as messages name it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The bytes not yet taken: at least `wanted` of them unless the input ends before.
  [[nodiscard]] std::string_view peek(std::size_t wanted);
  void take(std::size_t bytes);
  /// Bytes taken so far.
  [[nodiscard]] std::uint64_t position() const { return position_; }
  /// Size of a regular file.
  [[nodiscard]] std::optional<std::uint64_t> size() const { return size_; }

 private:
  std::string path_;
  std::string name_;
  int fd_ = -1;
  std::optional<std::uint64_t> size_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t position_ = 0;
  bool at_end_ = false;
};

/// May an input be a pipe or a device, which gives its bytes once, and perhaps none for ever? What
/// a user names may, what is found in a folder may not.
enum class Pipes : std::uint8_t { kTaken, kRefused };

/// What a file is that is read as one text.
struct TextLimits {
  std::uint64_t bytes = 0;  ///< the most that it may hold
  std::string_view remedy;  ///< what messages end with
  Pipes pipes = Pipes::kTaken;
};

/// All of a file, or of what a pipe holds ("-": standard input). Kind and size are looked at before
/// anything is read. Throws VectorError with the path and the remedy: nothing to read, as in a
/// folder, or too much.
[[nodiscard]] std::string whole_text(const std::string& path, const TextLimits& limits);

}  // namespace mx::golden
