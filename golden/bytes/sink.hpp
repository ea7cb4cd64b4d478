// Where bytes go: a file that appears only when it is complete, or standard output.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mx::golden {

/// Buffered output. A regular file is written beside its final name and renamed by commit();
/// without commit() nothing is left. "-" is standard output; pipes and devices are written
/// directly. Throws VectorError naming the path.
class ByteSink {
 public:
  explicit ByteSink(std::string path);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);
  /// Room for `size` bytes at the end of the buffer, to be filled by the caller at once.
  [[nodiscard]] char* extend(std::size_t size);
  void commit();

 private:
  void flush();

  std::string path_;
  std::string temporary_;  ///< empty where the final name is written directly
  int fd_ = -1;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace mx::golden
