// An input that several readers open, one after the other, whatever it is.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace mx::golden {

/// A path that can be opened again and again: that of a regular file as it is; of standard input
/// ("-"), pipes and terminals, which give their bytes once, that of an unnamed copy.
class KeptInput {
 public:
  /// A file that is not there, or cannot be opened, is left to its reader. Throws VectorError where
  /// a copy cannot be made.
  explicit KeptInput(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// The input as messages name it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// A message about path() as one about name().
  [[nodiscard]] std::string renamed(std::string message) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };

  std::string name_;
  std::string path_;
  std::unique_ptr<std::FILE, Close> copy_;
};

}  // namespace mx::golden
