// mxgold diff-profile: the smallest inputs that tell two profiles apart, or how it is known that
// they agree.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/compare/cast_diff.hpp"
#include "cli/compare/matrix.hpp"
#include "cli/compare/page.hpp"
#include "cli/compare/profile_text.hpp"
#include "cli/options/common.hpp"
#include "cli/systems/system_options.hpp"
#include "golden/bytes/json_text.hpp"

namespace mx::cli {
namespace {

using golden::Surface;
using golden::SurfaceComparison;

constexpr const char* kDiffProfileExamples = R"(
A profile is named with or without variants: onnx-ref, cuda-13.0-host:nosat (mxgold list profiles).
Compared is everything that both speak of: element conversions from every source, and block formats,
tensor level 1 and some tensor maxima. Inputs that a profile leaves open are reported as masked and
are no differences. For each surface: the smallest input for every set of settings that makes a
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

std::vector<Surface> chosen_surfaces(const DiffProfileOptions& options, FormatCatalog& catalog) {
  const bool has_every_source = options.sources.empty() || is_all(options.sources);
  const Names sources = has_every_source ? golden::source_names() : options.sources;
  std::vector<Surface> surfaces;
  if (!options.formats.empty() && !is_all(options.formats)) {
    for (const std::string& format : options.formats) {
      for (const std::string& source : sources) {
        surfaces.push_back(require_surface(source, format, catalog));
      }
    }
    return surfaces;
  }
  if (!has_every_source) {
    for (const std::string& source : sources) (void)require_surface(source, "fp32", catalog);
  }
  for (const Surface& surface : golden::all_surfaces(catalog)) {
    if (has_every_source || std::ranges::find(sources, surface.source.name) != sources.end()) {
      surfaces.push_back(surface);
    }
  }
  return surfaces;
}

struct Compared {
  Surface surface;
  SurfaceComparison comparison;
};

std::vector<Compared> compare_pair(const golden::Candidate& a, const golden::Candidate& b,
                                   const std::vector<Surface>& surfaces, int threads) {
  std::vector<std::optional<SurfaceComparison>> found(surfaces.size());
  for_each_chunk(surfaces.size(), 1, threads, [&](std::uint64_t first, std::uint64_t) {
    const Surface& surface = surfaces[first];
    const auto of_a = golden::subject_of(a, surface);
    const auto of_b = golden::subject_of(b, surface);
    if (of_a && of_b) found[first] = golden::SurfaceComparer(surface).compare(*of_a, *of_b);
  });
  std::vector<Compared> compared;
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    if (found[i]) compared.push_back({surfaces[i], std::move(*found[i])});
  }
  return compared;
}

void print_differences(const Surface& surface, const std::vector<golden::Difference>& list,
                       std::string_view mark) {
  for (const golden::Difference& d : list) {
    fmt::print("  {}{}\n      A {}   B {}\n      {}\n", mark, input_text(surface, d.input),
               answer_text(surface, d.a, d.open_a), answer_text(surface, d.b, d.open_b),
               causes_text(d));
  }
}

/// Surfaces that agree, those established alike on one line.
void print_agreements(const std::vector<Compared>& compared) {
  std::map<std::string, std::vector<std::string>> by_basis;
  for (const Compared& each : compared) {
    if (!each.comparison.agree()) continue;
    std::string name = each.surface.name();
    if (!each.comparison.masked.empty()) name += " (masked inputs apart)";
    std::string basis = golden::basis_text(each.comparison);
    if (each.comparison.basis == golden::Basis::kSearched) basis += ", no difference found";
    by_basis[basis].push_back(std::move(name));
  }
  for (const auto& [basis, names] : by_basis) {
    fmt::print("\nagree, {}:\n  {}\n", basis, fmt::join(names, "\n  "));
  }
}

void print_text(const DiffProfileOptions& options, const std::vector<Compared>& compared,
                std::size_t differing) {
  if (compared.empty()) {
    fmt::print("A {}\nB {}\nno common surface: there is nothing that both profiles speak of\n",
               options.a, options.b);
    return;
  }
  fmt::print("A {}\nB {}\n{} of {} common surfaces differ\n", options.a, options.b, differing,
             compared.size());
  for (const Compared& each : compared) {
    if (each.comparison.agree()) continue;
    fmt::print("\n{}: differ ({}{})\n", each.surface.name(), golden::basis_text(each.comparison),
               each.comparison.by_value ? "; element formats differ, values compared" : "");
    print_differences(each.surface, each.comparison.differences, "");
    print_differences(each.surface, each.comparison.masked, "masked: ");
  }
  print_agreements(compared);
}

void print_json(const DiffProfileOptions& options, const std::vector<Compared>& compared,
                std::size_t differing) {
  nlohmann::ordered_json json{{"a", options.a},
                              {"b", options.b},
                              {"common_surfaces", compared.size()},
                              {"differing_surfaces", differing},
                              {"surfaces", nlohmann::ordered_json::array()}};
  for (const Compared& each : compared) {
    nlohmann::ordered_json surface{
        {"source", each.surface.source.name},   {"target", each.surface.target()},
        {"agree", each.comparison.agree()},     {"basis", golden::to_string(each.comparison.basis)},
        {"compared", each.comparison.compared}, {"by_value", each.comparison.by_value}};
    surface["differences"] = nlohmann::ordered_json::array();
    surface["masked"] = nlohmann::ordered_json::array();
    for (const golden::Difference& d : each.comparison.differences) {
      surface["differences"].push_back(difference_json(each.surface, d));
    }
    for (const golden::Difference& d : each.comparison.masked) {
      surface["masked"].push_back(difference_json(each.surface, d));
    }
    json["surfaces"].push_back(std::move(surface));
  }
  fmt::print("{}\n", golden::dumped(json, 2));
}

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
  const std::vector<Surface> surfaces = chosen_surfaces(options, catalog);
  const int threads = thread_count(options.threads);
  if (options.all) {
    if (!options.a.empty()) fail(Exit::kUsage, "--all compares all profiles: name none");
    if (options.is_markdown && options.is_json) {
      fail(Exit::kUsage, "--markdown: --json writes the same table otherwise; give one of them");
    }
    if (options.is_markdown) {
      fmt::print("{}", known_differences_page(catalog, threads));
      return Exit::kPass;
    }
    return print_matrix(compare_all(surfaces, threads), options.is_json);
  }
  if (options.is_markdown) fail(Exit::kUsage, "--markdown goes with --all");
  if (options.b.empty()) fail(Exit::kUsage, "two profiles are needed, or --all; see --help");
  const golden::Candidate a = require_candidate(options.a);
  const golden::Candidate b = require_candidate(options.b);
  const std::vector<Compared> compared = compare_pair(a, b, surfaces, threads);
  std::size_t differing = 0;
  for (const Compared& each : compared) differing += each.comparison.agree() ? 0U : 1U;
  options.is_json ? print_json(options, compared, differing)
                  : print_text(options, compared, differing);
  return differing == 0 ? Exit::kPass : Exit::kMismatch;
}

}  // namespace

void add_diff_profile(const Command& root, Exit& exit) {
  const auto options = std::make_shared<DiffProfileOptions>();
  const Command command = root.add_subcommand(
      "diff-profile", "The smallest inputs that tell two profiles apart, or that they agree");
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
