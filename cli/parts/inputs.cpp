// SPDX-License-Identifier: Apache-2.0
#include "cli/parts/inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "cli/parts/shell_words.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

namespace fs = std::filesystem;

/// This folder, for as long as it lives, where it can be entered: patterns of names are of it.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path(problem_)) {
    fs::current_path(folder, problem_);
  }
  ~InFolder() { fs::current_path(before_, problem_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::error_code problem_;
  fs::path before_;
};

std::string digest_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  golden::Sha256 sha;
  std::array<char, 65536> piece{};
  while (file.read(piece.data(), piece.size()) || file.gcount() != 0) {
    sha.update(std::string_view(piece.data(), static_cast<std::size_t>(file.gcount())));
  }
  return golden::to_hex(sha.finish());
}

bool is_file(const fs::path& path) {
  std::error_code ignored;  // a piece that is no path at all
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// A word, and whatever of it stands between two of "= : , blanks and quotes": names may have some
/// of these in them.
std::vector<std::string> pieces_of(const std::string& word) {
  std::vector<std::size_t> starts = {0}, ends;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (std::string_view("=: ,'\"\t\n").find(word[i]) == std::string_view::npos) continue;
    starts.push_back(i + 1);
    ends.push_back(i);
  }
  ends.push_back(word.size());
  constexpr std::size_t kMostParts = 16;  // of one name
  std::vector<std::string> pieces;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    for (std::size_t e = s; e < ends.size(); ++e) {
      if (e >= s + kMostParts && e + 1 != ends.size()) continue;
      if (ends[e] > starts[s]) pieces.push_back(word.substr(starts[s], ends[e] - starts[s]));
    }
  }
  return pieces;
}

enum class FolderFiles : std::uint8_t { kNone, kVerilog, kAll };

class Collector {
 public:
  Collector(const fs::path& folder, bool has_manifests)
      : folder_(folder), has_manifests_(has_manifests) {}

  void add_word(const std::string& word, FolderFiles of_folders) {
    for (const std::string& piece : pieces_of(word)) {
      add_file(piece);
      if (of_folders != FolderFiles::kNone) add_folder(piece, of_folders);
    }
  }

  /// A text for a shell. The first word of a command is a program, and so may others be: exec,
  /// env, nice, timeout.
  void add_shell(const std::string& text, std::string path, fs::path at, int depth = 0) {
    constexpr int kDeepest = 3;  // sh -c '...'
    for (const std::vector<std::string>& words : shell_commands(text)) {
      std::string own_path = path;
      for (const std::string& word : words) {
        constexpr std::string_view kPath = "PATH=";
        if (word.starts_with(kPath)) own_path = word.substr(kPath.size());
        for (const std::string& piece : pieces_of(word)) add_file((at / piece).string());
        add_program(word, own_path, at);
        if (depth != kDeepest && word.find_first_of(" ;|&\n") != std::string::npos) {
          add_shell(word, own_path, at, depth + 1);
        }
      }
      // An assignment alone, or an export, holds for what follows.
      if (words.back().starts_with("PATH=")) path = own_path;
      if (words.front() == "cd" && words.size() > 1) at /= words.back();
    }
  }

  /// What the command says of itself: a file that is not there is one that it would read.
  void add_read(const std::string& name) {
    if (is_folder(folder_ / name)) return add_folder(name, FolderFiles::kVerilog);
    add_file(name);
    digests_.try_emplace(name, "");
  }

  [[nodiscard]] InputDigests take() { return std::move(digests_); }

 private:
  void add_file(const std::string& name) {
    if (digests_.contains(name) || !is_file(folder_ / name)) return;
    digests_[name] = digest_of_file(folder_ / name);
    if (has_manifests_) add_file(name + ".json");
  }

  void add_folder(const std::string& name, FolderFiles which) {
    constexpr std::array<std::string_view, 4> kVerilog = {".sv", ".svh", ".v", ".vh"};
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / name, ignored)) {
      const std::string end = entry.path().extension().string();
      const bool is_verilog = std::ranges::find(kVerilog, end) != kVerilog.end();
      if (which == FolderFiles::kAll || is_verilog) {
        add_file((fs::path(name) / entry.path().filename()).string());
      }
    }
  }

  /// The first program of this name in the folders of a PATH, which are relative to `at`.
  void add_program(const std::string& word, std::string_view path, const fs::path& at) {
    if (word.empty() || word.find('/') != std::string::npos) return;
    while (true) {
      const std::size_t end = std::min(path.find(':'), path.size());
      const fs::path file = folder_ / at / fs::path(path.substr(0, end)) / word;
      if (is_file(file) && ::access(file.c_str(), X_OK) == 0) {
        digests_.try_emplace(fmt::format("{} (by PATH)", word), digest_of_file(file));
        return;
      }
      if (end == path.size()) return;
      path.remove_prefix(end + 1);
    }
  }

  fs::path folder_;
  bool has_manifests_;
  InputDigests digests_;
};

}  // namespace

InputDigests inputs_of(const std::vector<std::string>& command,
                       const std::vector<std::string>& reads, const std::string& folder) {
  const InFolder here(folder);
  const bool is_of_goldens = command.front() == "verify-goldens";
  Collector all(folder, is_of_goldens);
  const char* const path = std::getenv("PATH");
  for (const std::string& word : command) {
    constexpr std::string_view kProcess = "process:";
    const std::size_t process = word.find(kProcess);
    const bool is_of_others =
        process != std::string::npos || word.find("plugin:") != std::string::npos;
    all.add_word(word, is_of_goldens  ? FolderFiles::kAll
                       : is_of_others ? FolderFiles::kNone
                                      : FolderFiles::kVerilog);
    if (process == std::string::npos) continue;
    all.add_shell(word.substr(process + kProcess.size()), path == nullptr ? "" : path, {});
  }
  for (const std::string& each : reads) all.add_read(each);
  return all.take();
}

}  // namespace mx::cli
