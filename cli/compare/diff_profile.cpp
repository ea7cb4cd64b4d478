// mxgold diff-profile: the smallest inputs that tell two profiles apart, or how it is known that
// they agree.
#include <fmt/format.h>

#include <memory>

#include "cli/base/asked.hpp"
#include "cli/base/command.hpp"
#include "cli/compare/cast_diff.hpp"
#include "cli/compare/matrix.hpp"
#include "cli/compare/page.hpp"
#include "cli/options/common.hpp"
#include "cli/systems/system_options.hpp"
#include "golden/questions/diff.hpp"

namespace mx::cli {
namespace {

constexpr const char* kDiffProfileExamples = R"(
A profile is named with or without variants: onnx-ref, cuda-13.0-host:nosat (mxgold list profiles).
Compared is everything that both define: element conversions from every source, and block formats,
tensor level 1 and some tensor maxima. Inputs that a profile does not specify are counted and are no
differences. Each conversion has the smallest input for every set of settings that makes a
difference (fewest nonzero elements, then smallest magnitude), both answers, and the settings of
A | B.

A cast of an emulated system has settings instead of profiles: strict, compat, compat/cuda,
compat/aarch64. Every 16-bit pattern alone, beside 1.0 and in directed rows of 64 is cast under both; each
kind of difference comes with its smallest row.

Exit code: 0 the profiles agree on all they have in common (also if that is nothing), 1 they differ,
3 both settings of a cast refuse every row.

Examples:
  mxgold diff-profile torchao-0.18 torchao-0.19dev
  mxgold diff-profile mxgold-default ggml --format e2m1fn
  mxgold diff-profile cuda-13.0-host ml_dtypes-0.6 --source bf16 --format e4m3fn --json
  mxgold diff-profile te torchao-0.18:rceil --format mxfp8_e4m3,mxfp8_e5m2
  mxgold diff-profile strict compat --format 'dmx:MXFP8[E4M3]{32}'
  mxgold diff-profile --all)";

struct DiffProfileOptions {
  std::string a;
  std::string b;
  Names sources;
  Names formats;
  int threads = 0;
  bool all = false;
  bool is_json = false;
  bool is_markdown = false;
};

/// Options that a comparison of casts reads.
constexpr std::string_view kOptionsOfCasts[] = {"--format", "--source", "--json", "--help"};

Exit run_casts(const Command& command, const DiffProfileOptions& options, const Names& casts) {
  refuse_other_options(command, kOptionsOfCasts, casts.front());
  for (const std::string& each : casts) {
    if (!is_cast(each)) fail(Exit::kUsage, "{}: no cast of a system; compare it on its own", each);
  }
  if (options.b.empty()) fail(Exit::kUsage, "two settings are needed, strict and compat");
  constexpr int kElements = 64;
  return diff_casts({options.a, options.b, casts, options.sources, kElements, options.is_json});
}

Exit run(const DiffProfileOptions& options) {
  FormatCatalog catalog;
  const int threads = thread_count(options.threads);
  const auto surfaces = [&] {
    return asked([&] { return golden::surfaces_of(options.formats, options.sources, catalog); });
  };
  if (options.all) {
    if (!options.a.empty()) fail(Exit::kUsage, "--all compares all profiles: name none");
    if (options.is_markdown && options.is_json) {
      fail(Exit::kUsage, "--markdown: --json writes the same table otherwise; give one of them");
    }
    if (options.is_markdown) {
      fmt::print("{}", known_differences_page(catalog, threads));
      return Exit::kPass;
    }
    return print_matrix(compare_all(surfaces(), threads), options.is_json);
  }
  if (options.is_markdown) fail(Exit::kUsage, "--markdown goes with --all");
  if (options.b.empty()) fail(Exit::kUsage, "two profiles are needed, or --all; see --help");
  const golden::DiffQuestion question{options.a,       options.b, options.formats,
                                      options.sources, threads,   golden::Spelling::kOptions};
  const golden::Answer answer = asked([&] { return golden::diff(question, catalog); });
  fmt::print("{}", options.is_json ? answer.data.indented_json() + "\n" : answer.text);
  return answer.holds ? Exit::kPass : Exit::kMismatch;
}

}  // namespace

void add_diff_profile(const Command& root, Exit& exit) {
  const auto options = std::make_shared<DiffProfileOptions>();
  const Command command = root.add_subcommand(
      "diff-profile", "Show the smallest inputs on which two profiles differ, or that they agree");
  command.add_option("A", options->a, "Profile, with :VARIANT[+VARIANT...] if any");
  command.add_option("B", options->b, "Profile");
  source_option(command, options->sources).default_str("all");
  format_option(command, options->formats).default_str("all");
  threads_option(command, options->threads);
  command.add_flag("--all", options->all, "Every two profiles: a matrix");
  json_option(command, options->is_json);
  command.add_flag("--markdown", options->is_markdown,
                   "With --all: the page docs/known-differences.md");
  command.footer(kDiffProfileExamples);
  command.callback([options, command, &exit] {
    const Names casts = rejoined(options->formats);
    const bool has_casts = !casts.empty() && is_cast(casts.front());
    exit = has_casts ? run_casts(command, *options, casts) : run(*options);
  });
}

}  // namespace mx::cli
