// Buffered output of vectors.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/bytes/new_file.hpp"

namespace mx::golden {

/// A NewFile behind a buffer.
class ByteSink {
 public:
  explicit ByteSink(std::string path);

  void write(std::string_view text);
  void write(std::span<const std::byte> bytes);
  /// Room for `size` bytes at the end of the buffer, to be filled by the caller at once.
  [[nodiscard]] char* extend(std::size_t size);
  /// NewFile's.
  void finish();
  void commit();
  [[nodiscard]] const NewFile& file() const { return file_; }

 private:
  void flush();

  NewFile file_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace mx::golden
