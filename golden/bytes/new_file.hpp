// A file that takes its name only when it is complete: the one way this project writes files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "golden/bytes/unfinished.hpp"

namespace mx::golden {

/// An output under construction. A regular file grows without a name, or beside its final name
/// where the file system has no files without one; commit() makes it that name in one step, with
/// the mode of the file that it replaces, and without commit() nothing is left. What a symbolic
/// link points to is replaced, not the link. "-" is standard output; pipes, devices and open
/// descriptors (/dev/fd/2) are written directly. Throws VectorError with path and remedy.
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
  /// Flushes a regular file to the disk, which may turn out to be full: all but its name. Nothing
  /// is written after that.
  void finish();
  /// finish(), and names the file.
  void commit();
  /// Where a regular file that has no name yet can be read.
  [[nodiscard]] std::string unnamed() const;

 private:
  void open_beside();
  void name_it();
  void close();

  std::string path_;       ///< as it was given
  std::string target_;     ///< what gets replaced: the end of path_'s links
  std::string temporary_;  ///< in the folder of target_
  int descriptor_ = -1;
  bool is_regular_ = false;
  bool is_finished_ = false;
  std::unique_ptr<UnfinishedName> name_;  ///< while temporary_ exists
};

/// Is it "-", or another name of this program's standard output (/dev/stdout, /dev/fd/1)?
[[nodiscard]] bool is_standard_output(std::string_view path);

/// Writes a whole small file.
void write_file(const std::string& path, std::string_view text);

}  // namespace mx::golden
