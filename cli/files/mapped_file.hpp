// A file as bytes: read-only input, and an output that appears only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "golden/bytes/new_file.hpp"

namespace boost::interprocess {
class mapped_region;
}

namespace mx::cli {

using MapPointer = std::unique_ptr<boost::interprocess::mapped_region>;

/// A read-only view of a whole file. Regular files are mapped; "-" and pipes are read into memory.
class MappedFile {
 public:
  /// Throws Error kBadInput: missing, unreadable, a directory, a device, empty.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

  /// Drops the resident pages that lie wholly inside `part`; they come back when touched. A part
  /// that is none of the file stays.
  void release(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
  std::vector<std::byte> memory_;  ///< what a pipe carried
  MapPointer map_;                 ///< none: nothing is mapped
};

/// A new file of known size as a writable map. commit() makes it `path` in one step; without it
/// nothing remains. "-", pipes and devices get the bytes at commit().
class OutputFile {
 public:
  /// Reserves the space, so that a full disk is an error here and not a fault later. Throws Error
  /// kUnwritable if `path` cannot be written.
  OutputFile(const std::filesystem::path& path, std::uint64_t size);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  [[nodiscard]] std::span<std::byte> bytes() { return bytes_; }
  void release(std::span<const std::byte> part) const;
  /// Flushes to the disk and renames. Throws Error kUnwritable if either fails.
  void commit();

 private:
  void map(const std::string& name, int descriptor, std::uint64_t size);

  std::unique_ptr<golden::NewFile> file_;
  std::unique_ptr<golden::NewFile>
      scratch_;  ///< the bytes until commit(), if file_ cannot be mapped
  MapPointer map_;
  std::span<std::byte> bytes_;
};

/// A name for an OutputFile that is never committed: beside `output`, or among the temporary files
/// where that is no place for files.
[[nodiscard]] std::filesystem::path scratch_beside(const std::filesystem::path& output);

/// Makes a mapped file that is cut short while in use end the program with a message and exit
/// status 3 instead of a fault, and a file size limit an error instead of a signal.
void guard_mapped_files();

}  // namespace mx::cli
