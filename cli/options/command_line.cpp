#include "cli/options/command_line.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/new_file.hpp"

namespace mx::cli {
namespace {

// What the help shows of a file, and how the checks below know one.
constexpr const char* kInput = "FILE";
constexpr const char* kOutput = "OUT";

/// Suffixes that promise a format to whoever reads the name.
constexpr std::array<std::string_view, 20> kKnownSuffixes = {
    ".safetensors", ".npy", ".npz", ".tv",  ".mem", ".bin", ".json", ".xml",  ".html",  ".svg",
    ".hex",         ".txt", ".csv", ".png", ".pt",  ".pth", ".onnx", ".gguf", ".jsonl", ".sv"};

struct FileId {
  dev_t device;
  ino_t inode;
  bool operator==(const FileId&) const = default;
};

std::optional<FileId> id_of(int status, const struct stat& info) {
  if (status != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

/// The regular file that a name leads to, if there is one; "-" is the standard stream.
std::optional<FileId> id_of(const std::string& name, int standard_stream) {
  struct stat info {};
  if (name == "-") return id_of(::fstat(standard_stream, &info), info);
  return id_of(::stat(name.c_str(), &info), info);
}

std::vector<Option> given(const Command& command, std::string_view type) {
  std::vector<Option> options = command.get_options();
  std::erase_if(options, [&](const Option& option) {
    return option.count() == 0 || option.get_type_name() != type;
  });
  return options;
}

/// The option as the user typed it: "-o", "--input", or the name of a positional argument.
std::string name_of(const Option& option) {
  if (!option.get_snames().empty()) return "-" + option.get_snames().front();
  return option.get_name();
}

/// `output` is what the user knows the file by.
void refuse_same_file(const Command& command, std::string_view output, const std::string& path) {
  const auto id = id_of(path, STDOUT_FILENO);
  if (!id) return;
  for (const Option input : given(command, kInput)) {
    for (const std::string& name : input.results()) {
      if (id_of(name, STDIN_FILENO) != id) continue;
      fail(Exit::kUsage, "{} {}: is the same file as {} {}; an output does not replace an input",
           output, path, name_of(input), name);
    }
  }
}

/// Two outputs in one file: the later would replace the earlier, or stand in the middle of it.
void refuse_same_output(const Option& output, const Option& other) {
  const std::string& path = output.results().back();
  if (path != other.results().back()) return;
  std::error_code error;
  const bool is_device = std::filesystem::exists(path, error) &&
                         !std::filesystem::is_regular_file(path, error) && path != "-";
  if (is_device) return;
  fail(Exit::kUsage, "{} {}: {} writes there too; name another file", name_of(output), path,
       name_of(other));
}

/// Repetition would count as coverage: no value of a list is given twice.
void refuse_repeats(const Command& command) {
  for (const Option option : command.get_options()) {
    // "NAME[,NAME]", "TOKEN[,TOKEN]", "FIELD[,FIELD]". Two formats may be those of two operands:
    // who takes a list of them looks at it.
    const bool is_list = option.get_type_name().find("[,") != std::string::npos;
    if (!is_list || std::ranges::find(option.get_lnames(), "format") != option.get_lnames().end())
      continue;
    std::set<std::string_view> seen;
    for (const std::string& value : option.results()) {
      if (seen.insert(value).second) continue;
      fail(Exit::kUsage, "{}: {} is given twice; leave one out", name_of(option), printable(value));
    }
  }
}

/// The one reading of whole numbers on the command line: "010" is 10, "0x1f" is 31, both as plain
/// decimal digits; what is no such number stays as it is. CLI11 itself takes a leading 0 for octal.
std::string plain_number(const std::string& text) {
  const std::string_view sign = text.starts_with('-') ? "-" : "";
  std::string_view digits = std::string_view(text).substr(sign.size());
  const bool is_hex = digits.starts_with("0x");
  if (is_hex) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, is_hex ? 16 : 10);
  if (error != std::errc{} || stop != end) return text;
  return fmt::format("{}{}", sign, value);
}

/// "" for a whole number of 63 bits and a sign.
std::string check_signed(const std::string& text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end) return "";
  return printable(text) + " is not a whole number of -2^63 to 2^63 - 1";
}

std::string check_measure(const std::string& text) {
  constexpr double kLargest = 1e9;  // thirty years of seconds still fit a clock
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && stop == end && value >= 0 && value <= kLargest) return "";
  return fmt::format("{} is not a number of 0 to {}", printable(text), kLargest);
}

}  // namespace

Option as_input(Option option) { return option.type_name(kInput); }

Option as_output(Option option, std::span<const std::string_view> suffixes) {
  return option.type_name(kOutput)
      .check([suffixes](const std::string& path) { return refuse_suffix(path, suffixes); })
      .transform([](std::string path) { return golden::is_standard_output(path) ? "-" : path; });
}

std::string refuse_suffix(const std::string& path, std::span<const std::string_view> suffixes) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  std::error_code error;
  if (std::ranges::find(kKnownSuffixes, suffix) == kKnownSuffixes.end() ||
      std::ranges::find(suffixes, suffix) != suffixes.end() ||
      std::filesystem::is_directory(path, error)) {
    return "";
  }
  return fmt::format("{}: what is written is {}, and {} says otherwise; choose another name",
                     printable(path), fmt::join(suffixes, " or "), suffix);
}

void check_numbers(const Command& root) {
  for (const Command command : root.get_subcommands()) {
    for (const Option option : command.get_options()) {
      const std::string type = option.get_type_name();
      const bool is_signed = type.starts_with("INT");
      if (is_signed || type.starts_with("UINT")) {
        // First of all: what is checked and converted behind it is decimal.
        option.transform(plain_number);
        option.check(is_signed ? check_signed : check_unsigned);
      }
      if (type.starts_with("FLOAT")) option.check(check_measure);
    }
  }
}

void check_outputs(const Command& command) {
  refuse_repeats(command);
  const bool prints_json = std::ranges::any_of(command.get_options(), [](const Option& option) {
    return option.count() > 0 && option.get_name() == "--json";
  });
  std::vector<Option> earlier;
  for (const Option output : given(command, kOutput)) {
    const std::string& path = output.results().back();
    for (const Option other : earlier) refuse_same_output(output, other);
    earlier.push_back(output);
    refuse_same_file(command, name_of(output), path);
    if (path == "-" && prints_json) {
      fail(Exit::kUsage, "{} -: --json writes to standard output too; name a file",
           name_of(output));
    }
  }
}

void check_beside(const Command& command, std::string_view what, const std::string& path) {
  refuse_same_file(command, what, path);
}

}  // namespace mx::cli
