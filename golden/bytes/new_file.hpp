// A file that takes its name only when it is complete: the one way this project writes files.
#pragma once

#include <string>
#include <string_view>

namespace mx::golden {

/// An output under construction. A regular file grows without a name, or beside its final name
/// where the file system has no files without one; commit() makes it that name in one step, and
/// without commit() nothing is left. What a symbolic link points to is replaced, not the link. "-"
/// is standard output; pipes and devices are written directly. Throws VectorError with path and
/// remedy.
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Not standard output, a pipe or a device.
  [[nodiscard]] bool is_regular() const { return is_regular_; }

  void write(std::string_view bytes);
  /// Flushes a regular file to the disk and names it; nothing is written after that.
  void commit();

 private:
  void open_beside();
  void close();

  std::string path_;       ///< as it was given
  std::string target_;     ///< what gets replaced: the end of path_'s links
  std::string temporary_;  ///< in the folder of target_
  int descriptor_ = -1;
  bool is_regular_ = false;
  bool is_named_ = false;  ///< temporary_ exists
};

/// Writes a whole small file.
void write_file(const std::string& path, std::string_view text);

}  // namespace mx::golden
