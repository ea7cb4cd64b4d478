#include "cli/options/common.hpp"

#include <functional>
#include <utility>

#include "cli/base/chunks.hpp"
#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/new_file.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::cli {
namespace {

constexpr const char* kFormat = "Block or element format (mxgold list)";
constexpr const char* kSource = "Source format";
constexpr const char* kProfile =
    "NAME or NAME:VARIANT: the policies of a system (mxgold list profiles); options for policies "
    "override it";
constexpr const char* kBlocksAsHelp =
    "Of blocks: --profile's conversions under the block rules of this one, mxgold-default or "
    "another "
    "(a mixture, named NAME:blocks-as=NAME)";
constexpr const char* kPolicies = "Policies";

Option add_names(const Command& app, const char* option, Names& names, const std::string& help) {
  return as_list(app.add_option(option, names, help + "; may be a list")).type_name("NAME[,NAME]");
}

}  // namespace

bool is_all(const Names& names) { return names.size() == 1 && names.front() == "all"; }

Option as_list(Option option) {
  return option.delimiter(',').expected(1, -1).take_all().allow_extra_args(false);
}

Option format_option(const Command& app, std::string& format) {
  return app.add_option("--format", format, kFormat).type_name("NAME").capture_default_str();
}

Option format_option(const Command& app, Names& formats) {
  return add_names(app, "--format", formats, kFormat);
}

Option source_option(const Command& app, std::string& source) {
  return app.add_option("--source", source, kSource).type_name("NAME").capture_default_str();
}

Option source_option(const Command& app, Names& sources) {
  return add_names(app, "--source", sources, kSource);
}

namespace {

/// Beside --profile, and after it: CLI11 calls what takes values in the order of the options.
void add_blocks_as(const Command& app, const std::function<void(const std::string&)>& take) {
  app.add_option_function("--blocks-as", take, kBlocksAsHelp).type_name("NAME").group(kPolicies);
}

std::string mixed(const std::string& profile, const std::string& blocks_as) {
  if (profile.empty() || profile == "all") {
    fail(Exit::kUsage, "--blocks-as {}: goes with --profile and one name", blocks_as);
  }
  return with_blocks_as(profile, blocks_as);
}

}  // namespace

Option profile_option(const Command& app, std::string& profile) {
  const Option option =
      app.add_option("--profile", profile, kProfile).type_name("NAME").capture_default_str();
  add_blocks_as(app, [&profile](const std::string& name) { profile = mixed(profile, name); });
  return option.group(kPolicies);
}

Option profile_option(const Command& app, Names& profiles) {
  const Option option = add_names(app, "--profile", profiles, kProfile);
  if (!profiles.empty()) option.capture_default_str();
  add_blocks_as(app, [&profiles](const std::string& name) {
    for (std::string& each : profiles) each = mixed(each, name);
  });
  return option.group(kPolicies);
}

Option seed_option(const Command& app, std::uint64_t& seed) {
  return app.add_option("--seed", seed, "Key of all random numbers").capture_default_str();
}

Option random_bits_option(const Command& app, int& random_bits) {
  return app.add_option("--random-bits", random_bits, "N of the stochastic roundings")
      .range(1, 32)
      .default_str(fmt::format("the device's or the profile's, else {}", kDefaultRandomBits));
}

Option axis_option(const Command& app, std::int64_t& axis) {
  return app.add_option("--axis", axis, "Axis that blocks lie along; negative from the end")
      .capture_default_str();
}

Option block_size_option(const Command& app, int& block_size) {
  return app.add_option("--block-size", block_size, "Elements of a block")
      .range(1, 1024)
      .default_str("the format's");
}

Option tensor_option(const Command& app, std::string& tensor) {
  return app.add_option("--tensor", tensor, "Name of a tensor, or all")
      .type_name("NAME")
      .capture_default_str();
}

Option threads_option(const Command& app, int& threads) {
  return app.add_option("--threads", threads, "Threads; the result does not depend on them")
      .range(0, 1024)
      .default_str("0, the machine's");
}

int thread_count(int threads) { return threads == 0 ? default_threads() : threads; }

Option shard_option(const Command& app, std::string& shard) {
  return app.add_option("--shard", shard, "Part i of n of the whole, i in 0..n-1")
      .type_name("i/n")
      .capture_default_str();
}

Option observe_option(const Command& app, Names& fields) {
  return as_list(app.add_option("--observe", fields,
                                "Result fields that the device gives (scale, code, flags), or all; "
                                "the others are counted as unobserved and not compared"))
      .type_name("FIELD[,FIELD]")
      .default_str("all");
}

Option waivers_option(const Command& app, std::string& path) {
  return as_input(
      app.add_option("--waivers", path,
                     "Known deviations (docs/waivers.md): counted as waived, not as mismatches"));
}

golden::Observed require_observed(const Names& fields, const golden::RecordShape& shape) {
  const Checked<golden::Observed> observed = golden::Observed::make(fields, shape);
  if (!observed) fail(Exit::kUsage, "--observe: {}", observed.problem());
  return *observed;
}

Option suite_option(const Command& app, std::string& suite,
                    std::span<const std::string_view> names) {
  return app
      .add_option("--suite", suite, fmt::format("Stimulus made here: {}", fmt::join(names, " | ")))
      .type_name("NAME")
      .default_str(std::string(names.front()));
}

Option log_option(const Command& app, std::string& path) {
  return as_output(
      app.add_option("--log", path, "Write the verdict with all its counts, in one long line"),
      kLogOutput);
}

Option json_option(const Command& app, bool& is_json) {
  return app.add_flag("--json", is_json, "The result as JSON on standard output");
}

Option output_option(const Command& app, std::string& output, std::string_view what,
                     std::span<const std::string_view> suffixes) {
  const Option option = app.add_option(
      "-o,--output", output,
      fmt::format("Where to write {}, {}; - for standard output", what, fmt::join(suffixes, ", ")));
  return as_output(option, suffixes).capture_default_str();
}

std::unique_ptr<golden::NewFile> report_file(const std::string& path) {
  return path.empty() ? nullptr : std::make_unique<golden::NewFile>(path);
}

std::FILE* report_stream(std::string_view output) {
  return golden::is_standard_output(output) ? stderr : stdout;
}

}  // namespace mx::cli
