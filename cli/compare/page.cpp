#include "cli/compare/page.hpp"
#include "cli/compare/cast_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cli/base/chunks.hpp"
#include "cli/compare/matrix.hpp"
#include "golden/questions/surface_text.hpp"
#include "golden/text/table.hpp"

namespace mx::cli {
namespace {

using golden::Surface;
using golden::SurfaceComparison;

constexpr std::string_view kHead = R"(# Known differences

This page shows which system differs where. docs/profiles.md names version and source of each system.
It has conversions and blocks from FP32. `mxgold diff-profile A B` shows every source and format of two systems.
`mxgold explain --profile all` shows one input under all of them.

`mxgold diff-profile --all --markdown` writes this page, `./dev generate` renews it, and a test compares.
So a change of what any system does is seen in a diff. In the site each profile has a page with its part.

Codes are hexadecimal. A block is written as its scale byte, a colon, its element codes. "open" or "--": unspecified, so it is
not compared. An empty cell: the system does not define the format.

## The same inputs under nine systems

Bold is what differs from most of the row.

)";

constexpr std::string_view kMatrix = R"(
## Who agrees with whom

d/c: they differ on d of the c formats that both define. =: they agree on all, proved. ~: no difference found, and some formats
were only searched. A dot: nothing in common. Rows and columns are the systems by their defaults.

)";

constexpr std::string_view kAgainst = R"(
## Each system against mxgold-default

mxgold-default is OCP MX 1.0 with its open points decided (docs/spec/formats.md F20). A row is one set of settings that makes a
difference. It has the smallest input that shows it, both answers, and the formats.
)";

/// Conversions and blocks from fp32 to the formats of the table.
std::vector<Surface> everyday_surfaces(FormatCatalog& catalog) {
  std::vector<Surface> chosen;
  for (const Surface& surface : golden::all_surfaces(catalog)) {
    const bool is_tabled = surface.is_block || find_format(surface.target()) != nullptr;
    if (surface.source.name == "fp32" && is_tabled) chosen.push_back(surface);
  }
  return chosen;
}

std::string matrix_table(const std::vector<Surface>& surfaces, int threads) {
  const Matrix matrix = compare_all(surfaces, threads);
  std::vector<std::size_t> speaking;
  for (std::size_t i = 0; i < matrix.profiles.size(); ++i) {
    if (matrix.at(i, i).common != 0) speaking.push_back(i);
  }
  golden::ListTable table{"", {"", "system"}, {}};
  for (std::size_t n = 1; n <= speaking.size(); ++n) table.head.push_back(std::to_string(n));
  for (std::size_t a = 0; a < speaking.size(); ++a) {
    std::vector<std::string> row = {std::to_string(a + 1), matrix.profiles[speaking[a]]};
    for (const std::size_t b : speaking) row.push_back(cell_text(matrix.at(speaking[a], b)));
    table.rows.push_back(std::move(row));
  }
  return markdown_of(table);
}

/// One set of causes: where it first shows, and on which other formats.
struct Finding {
  Surface surface;
  golden::Difference difference;
  std::vector<std::string> targets;
};

struct SystemFindings {
  std::size_t common = 0;
  std::size_t differ = 0;
  std::size_t masked = 0;  ///< formats that part only where one side is left open
  std::vector<Finding> findings;
};

void add(SystemFindings& system, const Surface& surface, const SurfaceComparison& found) {
  ++system.common;
  if (found.agree()) {
    system.masked += found.masked.empty() ? 0U : 1U;
    return;
  }
  ++system.differ;
  for (const golden::Difference& difference : found.differences) {
    const auto known = std::ranges::find_if(system.findings, [&](const Finding& finding) {
      return finding.difference.causes == difference.causes;
    });
    if (known == system.findings.end()) {
      system.findings.push_back({surface, difference, {std::string(surface.target())}});
    } else if (known->targets.back() != surface.target()) {
      known->targets.emplace_back(surface.target());
    }
  }
}

std::vector<SystemFindings> against_default(const std::vector<Surface>& surfaces, int threads) {
  const golden::Candidate base =
      golden::choose_candidate("mxgold-default", golden::Spelling::kOptions);
  const auto profiles = all_profiles();
  std::vector<std::vector<std::optional<SurfaceComparison>>> found(surfaces.size());
  for_each_chunk(surfaces.size(), 1, threads, [&](std::uint64_t s, std::uint64_t) {
    found[s].resize(profiles.size());
    const auto of_base = golden::subject_of(base, surfaces[s]);
    if (!of_base) return;
    golden::SurfaceComparer comparer(surfaces[s]);
    for (std::size_t p = 0; p < profiles.size(); ++p) {
      const auto subject = golden::subject_of({&profiles[p], ""}, surfaces[s]);
      if (subject) found[s][p] = comparer.compare(*of_base, *subject);
    }
  });
  std::vector<SystemFindings> systems(profiles.size());
  for (std::size_t s = 0; s < surfaces.size(); ++s) {
    for (std::size_t p = 0; p < profiles.size(); ++p) {
      if (found[s][p]) add(systems[p], surfaces[s], *found[s][p]);
    }
  }
  return systems;
}

std::string section_of(const Profile& profile, const SystemFindings& system) {
  std::string text =
      fmt::format("\n### {}\n\n{}, {}. ", profile.name, profile.system, profile.version);
  if (system.common == 0) return text + "No format of this page is answered (docs/profiles.md).\n";
  text += fmt::format("Differs on {} of {} formats", system.differ, system.common);
  if (system.masked != 0) {
    text += fmt::format("; on {} more only where one side is open", system.masked);
  }
  text += ".\n";
  if (system.findings.empty()) return text;
  golden::ListTable table{
      "", {"setting: default, system", "smallest input", "default", "system", "on"}, {}};
  for (const Finding& finding : system.findings) {
    const golden::Difference& d = finding.difference;
    table.rows.push_back({golden::causes_text(d), golden::input_text(finding.surface, d.input),
                          fmt::format("`{}`", golden::answer_text(finding.surface, d.a, d.open_a)),
                          fmt::format("`{}`", golden::answer_text(finding.surface, d.b, d.open_b)),
                          fmt::format("{}", fmt::join(finding.targets, ", "))});
  }
  return text + '\n' + markdown_of(table);
}

}  // namespace

std::string known_differences_page(FormatCatalog& catalog, int threads) {
  const std::vector<Surface> surfaces = everyday_surfaces(catalog);
  std::string page(kHead);
  page += systems_table(catalog);
  page += kMatrix;
  page += matrix_table(surfaces, threads);
  page += kAgainst;
  const std::vector<SystemFindings> systems = against_default(surfaces, threads);
  const auto profiles = all_profiles();
  for (std::size_t p = 0; p < profiles.size(); ++p) {
    if (profiles[p].name != "mxgold-default") page += section_of(profiles[p], systems[p]);
  }
  return page + cast_differences(threads);
}

}  // namespace mx::cli
