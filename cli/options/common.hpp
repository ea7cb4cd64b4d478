// The options that several subcommands share: one name, one help text, one check and one default
// each. Every function adds its option to a subcommand and returns it, so that a caller may require
// it or say in the help what stands for a value that is not given (default_str).
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_line.hpp"
#include "golden/answers/observed.hpp"
#include "reference/policy/policy.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

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
CLI::Option* as_list(CLI::Option* option);

CLI::Option* format_option(CLI::App& app, std::string& format);
CLI::Option* format_option(CLI::App& app, Names& formats);
CLI::Option* source_option(CLI::App& app, std::string& source);
CLI::Option* source_option(CLI::App& app, Names& sources);
/// With --blocks-as, which makes the name that of a mixture.
CLI::Option* profile_option(CLI::App& app, std::string& profile);
CLI::Option* profile_option(CLI::App& app, Names& profiles);

CLI::Option* seed_option(CLI::App& app, std::uint64_t& seed);
/// 0 stands for no option: see random_bits_or_default.
CLI::Option* random_bits_option(CLI::App& app, int& random_bits);
[[nodiscard]] constexpr int random_bits_or_default(int random_bits) {
  return random_bits == 0 ? kDefaultRandomBits : random_bits;
}

CLI::Option* axis_option(CLI::App& app, std::int64_t& axis);
/// 0 stands for the format's own.
CLI::Option* block_size_option(CLI::App& app, int& block_size);
/// `all`, or one name.
CLI::Option* tensor_option(CLI::App& app, std::string& tensor);
/// 0 stands for those of the machine: see thread_count.
CLI::Option* threads_option(CLI::App& app, int& threads);
[[nodiscard]] int thread_count(int threads);

/// i/n; require_shard (cli/text/names.hpp) reads it.
CLI::Option* shard_option(CLI::App& app, std::string& shard);

/// The result fields that a device gives; `all` for every one. See require_observed.
CLI::Option* observe_option(CLI::App& app, Names& fields);
/// What --observe says of records of this shape. Error kUsage for other fields, or for none.
[[nodiscard]] golden::Observed require_observed(const Names& fields,
                                                const golden::RecordShape& shape);

CLI::Option* waivers_option(CLI::App& app, std::string& path);

/// The suites differ from subcommand to subcommand.
CLI::Option* suite_option(CLI::App& app, std::string& suite,
                          std::span<const std::string_view> names);
CLI::Option* json_option(CLI::App& app, bool& is_json);
/// `what` is written: "codes and scales"; `suffixes` are those of its format: names that promise
/// another one are refused. "-" is standard output.
CLI::Option* output_option(CLI::App& app, std::string& output, std::string_view what,
                           std::span<const std::string_view> suffixes);
inline constexpr std::array<std::string_view, 1> kTensorOutput = {".safetensors"};
inline constexpr std::array<std::string_view, 4> kVectorOutput = {".tv", ".mem", ".bin", ".jsonl"};
inline constexpr std::array<std::string_view, 1> kSvOutput = {".sv"};
inline constexpr std::array<std::string_view, 1> kJunitOutput = {".xml"};
inline constexpr std::array<std::string_view, 1> kHtmlOutput = {".html"};
inline constexpr std::array<std::string_view, 1> kCoverOutput = {".json"};
inline constexpr std::array<std::string_view, 1> kReceiptOutput = {".json"};
inline constexpr std::array<std::string_view, 1> kShrinkOutput = {".json"};
/// Where to tell people what was written: not into the output itself.
[[nodiscard]] std::FILE* report_stream(std::string_view output);

}  // namespace mx::cli
