#include "sim/compile/read_files.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "golden/bytes/sha256.hpp"
#include "sim/compile/compiled.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;  // a word that is no path at all
  return fs::is_regular_file(path, ignored);
}
bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path below = path.lexically_normal().lexically_relative(folder);
  return !below.empty() && !below.native().starts_with("..");
}

/// "" of what is no file that can be read.
std::string digest_of(const fs::path& path) {
  if (!is_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  return golden::to_hex(golden::sha256(std::string(std::istreambuf_iterator<char>(file), {})));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The words of a list of make, where spaces in names stand behind a backslash.
std::vector<std::string> words_of_make(const std::string& text) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_coded = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ' ';
    if (is_coded) ++i;
    if (!is_coded && (text[i] == ' ' || text[i] == '\n')) {
      words.emplace_back();
    } else {
      words.back() += text[i];
    }
  }
  return words;
}

/// What the options of a Verilator name, in lists of options (-f) too.
class NamedFiles {
 public:
  std::vector<fs::path> files, folders;

  /// Words that are relative to `base`.
  void add(const std::vector<std::string>& words, const fs::path& base, int depth = 0) {
    constexpr int kDeepest = 8;  // a list that names itself ends here
    std::string option;
    for (const std::string& word : words) {
      add_word(word, base);
      const bool is_list = option == "-f" || option == "-F" || option == "-file";
      option = word;
      const fs::path list = base / word;
      if (!is_list || depth == kDeepest || !is_file(list)) continue;
      // What -F lists is relative to the list.
      add(words_of(whole_file(list)), base, depth + 1);
      add(words_of(whole_file(list)), list.parent_path(), depth + 1);
    }
  }

 private:
  void add_word(const std::string& word, const fs::path& base) {
    // "-CFLAGS" and "-LDFLAGS" hold several words in one.
    for (const std::string& each : words_of(word)) add_path(each, base);
    add_path(word, base);
    for (const std::string_view prefix : {"-I", "-y", "-L"}) {
      if (word.starts_with(prefix)) add_path(word.substr(prefix.size()), base);
    }
    constexpr std::string_view kFolders = "+incdir+";
    if (!word.starts_with(kFolders)) return;
    std::istringstream rest(word.substr(kFolders.size()));
    for (std::string each; std::getline(rest, each, '+');) add_path(each, base);
  }

  void add_path(const std::string& word, const fs::path& base) {
    if (word.empty()) return;
    const fs::path path = base / word;
    if (is_file(path)) files.push_back(path);
    if (is_folder(path)) folders.push_back(path);
  }
};

/// The paths of Verilator's list: lines S, names in quotes that nothing escapes.
std::vector<fs::path> paths_of_verilator(const std::string& list) {
  std::vector<fs::path> paths;
  std::istringstream in(list);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find('"');
    const std::size_t last = line.rfind('"');
    if (!line.starts_with("S ") || first == last) continue;
    fs::path path = line.substr(first + 1, last - first - 1);
    // The program itself, whose version belongs to every key.
    if (!path.filename().native().starts_with("verilator_bin")) paths.push_back(std::move(path));
  }
  return paths;
}

/// Files that a Verilator would take for `file` if they were in a folder that it looks into.
void add_rivals(const fs::path& file, const std::vector<fs::path>& folders, ReadFiles& files) {
  std::vector<fs::path> names = {file.filename()};
  for (const fs::path& folder : folders) {
    if (is_below(file, folder)) names.push_back(file.lexically_relative(folder));
  }
  for (const fs::path& name : names) {
    fs::path stem = name;
    stem.replace_extension();
    for (const fs::path& folder : folders) {
      files.add(folder / name);
      for (const char* const end : {"", ".v", ".sv"}) files.add((folder / stem) += end);
    }
  }
}

}  // namespace

void ReadFiles::add(const fs::path& file) {
  std::string& digest = digests_[file.native()];
  if (digest.empty()) digest = digest_of(file);
}

std::string ReadFiles::names() const {
  std::string text;
  for (const auto& [name, digest] : digests_) text += name + '\0';
  return text;
}

ReadFiles ReadFiles::now(std::string_view names) {
  ReadFiles files;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('\0'), names.size() - 1);
    files.add(names.substr(0, end));
    names.remove_prefix(end + 1);
  }
  return files;
}

ReadFiles files_of_verilator(const fs::path& folder, const std::vector<std::string>& options,
                             const std::vector<std::string>& search) {
  NamedFiles named;
  named.add(options, folder);
  named.folders.insert(named.folders.end(), search.begin(), search.end());
  ReadFiles files;
  for (const fs::path& each : named.files) {
    if (!is_below(each, folder)) files.add(each);
  }
  for (const fs::path& each : paths_of_verilator(whole_file(folder / "Vdevice__verFiles.dat"))) {
    const fs::path file = folder / each;
    if (is_below(file, folder)) continue;
    files.add(file);
    add_rivals(file, named.folders, files);
  }
  return files;
}

void add_files_of_compiler(const fs::path& folder, ReadFiles& files) {
  for (const auto& list : fs::directory_iterator(folder)) {
    if (list.path().extension() != ".d") continue;
    for (const std::string& word : words_of_make(whole_file(list.path()))) {
      // Names in the folder itself are relative; the system's are as old as its packages.
      if (word.starts_with('/') && !word.starts_with("/usr/") && !word.ends_with(':')) {
        files.add(word);
      }
    }
  }
}

}  // namespace mx::sim
