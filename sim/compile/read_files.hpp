// What a compiled program was made of beyond what was known before: files, and what stood in them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mx::sim {

/// Files by name, each with a digest of what it holds. One that is not there belongs to it too:
/// where it appears, a compiler may take it for another.
class ReadFiles {
 public:
  /// Looks at the file now.
  void add(const std::filesystem::path& file);
  [[nodiscard]] const std::map<std::string, std::string>& digests() const { return digests_; }

  /// The names, for a file; the same files as they are now of such a text.
  [[nodiscard]] std::string names() const;
  [[nodiscard]] static ReadFiles now(std::string_view names);

 private:
  std::map<std::string, std::string> digests_;  ///< "" of what is no file
};

/// Every file that a Verilator in `folder` read, by its list Vdevice__verFiles.dat; those that
/// its options name (objects, C++ files); and where it would look for these names before.
[[nodiscard]] ReadFiles files_of_verilator(const std::filesystem::path& folder,
                                           const std::vector<std::string>& options,
                                           const std::vector<std::string>& search);

/// Adds what the C++ compiler read, by the lists *.d in `folder`, but for the system's own.
void add_files_of_compiler(const std::filesystem::path& folder, ReadFiles& files);

}  // namespace mx::sim
