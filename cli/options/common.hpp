// The options that several subcommands share: one name, one help text, one check and one default
// each. Every function adds its option to a subcommand and returns it, so that a caller may require
// it or say in the help what stands for a value that is not given (default_str).
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command.hpp"
#include "cli/options/command_line.hpp"
#include "golden/answers/observed.hpp"
#include "golden/bytes/new_file.hpp"
#include "reference/policy/policy.hpp"

namespace mx::cli {

/// The key of everything drawn at random: stimulus, stalls, random words.
inline constexpr std::uint64_t kDefaultSeed = 0;
/// N of the stochastic roundings, where neither the option nor a device or profile says it.
inline constexpr int kDefaultRandomBits = ElementPolicy{}.random_bits;

/// What a list option was given, in order: a,b or the option again.
using Names = std::vector<std::string>;
/// Is it the one name `all`, which many lists take?
[[nodiscard]] bool is_all(const Names& names);

/// Makes the option of a list take a,b, be given again, and leave positional arguments alone.
Option as_list(Option option);

Option format_option(const Command& app, std::string& format);
Option format_option(const Command& app, Names& formats);
Option source_option(const Command& app, std::string& source);
Option source_option(const Command& app, Names& sources);
/// With --blocks-as, which makes the name that of a mixture.
Option profile_option(const Command& app, std::string& profile);
Option profile_option(const Command& app, Names& profiles);

Option seed_option(const Command& app, std::uint64_t& seed);
/// 0 stands for no option: see random_bits_or_default.
Option random_bits_option(const Command& app, int& random_bits);
[[nodiscard]] constexpr int random_bits_or_default(int random_bits) {
  return random_bits == 0 ? kDefaultRandomBits : random_bits;
}

Option axis_option(const Command& app, std::int64_t& axis);
/// 0 stands for the format's own.
Option block_size_option(const Command& app, int& block_size);
/// `all`, or one name.
Option tensor_option(const Command& app, std::string& tensor);
/// 0 stands for those of the machine: see thread_count.
Option threads_option(const Command& app, int& threads);
[[nodiscard]] int thread_count(int threads);

/// i/n; require_shard (cli/text/names.hpp) reads it.
Option shard_option(const Command& app, std::string& shard);

/// The result fields that a device gives; `all` for every one. See require_observed.
Option observe_option(const Command& app, Names& fields);
/// What --observe says of records of this shape. Error kUsage for other fields, or for none.
[[nodiscard]] golden::Observed require_observed(const Names& fields,
                                                const golden::RecordShape& shape);

Option waivers_option(const Command& app, std::string& path);

/// The suites differ from subcommand to subcommand.
Option suite_option(const Command& app, std::string& suite,
                    std::span<const std::string_view> names);
/// The verdict with every count, in one long line, to a file.
Option log_option(const Command& app, std::string& path);
Option json_option(const Command& app, bool& is_json);
/// `what` is written: "codes and scales"; `suffixes` are those of its format: names that promise
/// another one are refused. "-" is standard output.
Option output_option(const Command& app, std::string& output, std::string_view what,
                     std::span<const std::string_view> suffixes);
inline constexpr std::array<std::string_view, 1> kTensorOutput = {".safetensors"};
inline constexpr std::array<std::string_view, 4> kVectorOutput = {".tv", ".mem", ".bin", ".jsonl"};
inline constexpr std::array<std::string_view, 1> kSvOutput = {".sv"};
inline constexpr std::array<std::string_view, 1> kJunitOutput = {".xml"};
inline constexpr std::array<std::string_view, 2> kLogOutput = {".log", ".txt"};
inline constexpr std::array<std::string_view, 1> kHtmlOutput = {".html"};
inline constexpr std::array<std::string_view, 1> kCoverOutput = {".json"};
inline constexpr std::array<std::string_view, 1> kReceiptOutput = {".json"};
inline constexpr std::array<std::string_view, 1> kShrinkOutput = {".json"};
/// The file of a report, open before the work is done: what nobody gets is no report. Nothing for
/// "".
[[nodiscard]] std::unique_ptr<golden::NewFile> report_file(const std::string& path);
/// Where to tell people what was written: not into the output itself.
[[nodiscard]] std::FILE* report_stream(std::string_view output);

}  // namespace mx::cli
