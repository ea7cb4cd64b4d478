// Programs that this one calls: Yosys and Verilator.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace mx::sim {

/// A program that is missing, or that failed, with the end of what it said.
class ToolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs a program of the path in `folder`, its standard streams in `log`. Returns the seconds that
/// processors spent on it and on what it ran, which say the same on a busy machine. Throws
/// ToolError unless it ends with 0.
double run_tool(const std::vector<std::string>& command, const std::filesystem::path& folder,
                const std::filesystem::path& log);

/// A folder of its own under the system's for temporary files, gone with this object.
class WorkFolder {
 public:
  /// `path` is used, and kept, if it is not empty.
  explicit WorkFolder(const std::filesystem::path& path);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool is_kept_;
};

}  // namespace mx::sim
