#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/cover/report.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

using golden::Bin;
using golden::Covergroup;
using golden::Coverpoint;
using golden::Reach;
using golden::Score;
using golden::with_commas;

constexpr std::string_view kStyle = R"(<style>
:root { color-scheme: light dark; --ink: #1f2328; --page: #fff; --dim: #57606a; --rule: #d8dee4; --soft: #f3f6f9; --good: #1a7431; --good-soft: #e3f4e7;
  --bad: #b3261e; --bad-soft: #fdecea; --w1: #fbe0dc; --w2: #f6c1b8; --w3: #ee9688; --w4: #b3261e; --on-w4: #fff; --fill: #0b62b8;
  --m: #d7301f; --u: #e6e6e6; --x: #000; --a: #c7e3f3; --b: #7fbadb; --c: #3182bd; --d: #08519c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --page: #0d1117; --dim: #9aa4af; --rule: #3d444d; --soft: #161b22; --good: #6fcf87; --good-soft: #14301d;
  --bad: #ff8a80; --bad-soft: #3a1d1b; --w1: #3a1d1b; --w2: #5a2621; --w3: #7d2f28; --w4: #ff8a80; --on-w4: #0d1117; --fill: #6cb6ff;
  --m: #ff6b5b; --u: #30363d; --x: #fff; --a: #16324a; --b: #1f5580; --c: #3182bd; --d: #7cc0f0; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 70rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; }
h2 { font-size: 1rem; margin: 2rem 0 .25rem; overflow-wrap: anywhere; }
p { margin: .25rem 0; }
section { border-top: 1px solid var(--rule); margin-top: 1rem; } section > h2 { margin-top: .75rem; }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .375rem 0; overflow-wrap: anywhere; }
.score { font-variant-numeric: tabular-nums; }
.bad { color: var(--bad); font-weight: 600; }
.bar { display: inline-block; width: 7rem; height: .625rem; border-radius: .3125rem; background: var(--u); overflow: hidden; vertical-align: baseline; }
.bar > span { display: block; height: 100%; background: var(--fill); }
.map { display: flex; flex-wrap: wrap; gap: 1px; margin: .25rem 0; }
.map i { width: 9px; height: 9px; }
.key i { display: inline-block; width: 12px; height: 12px; vertical-align: -1px; }
.m { background: var(--m); } .u { background: var(--u); } .x { background: var(--x); }
.a { background: var(--a); } .b { background: var(--b); } .c { background: var(--c); } .d { background: var(--d); }
ul { margin: .25rem 0; padding-left: 1.25rem; columns: 16rem; } li { overflow-wrap: anywhere; }
@media print { details { break-inside: avoid; } .map i, .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
</style>
)";

/// The colour of a bin: missing, unreachable, contradicted, or one of four for its hits.
char colour(const Bin& bin) {
  if (bin.reach == Reach::kUnreachable) return bin.hits == 0 ? 'u' : 'x';
  if (bin.hits == 0) return 'm';
  const auto digits = std::bit_width(bin.hits);
  return digits <= 3 ? 'a' : digits <= 7 ? 'b' : digits <= 12 ? 'c' : 'd';
}

std::string score_html(const Score& score) {
  const double share = static_cast<double>(score.per_10000()) / 100;
  return fmt::format(
      "<span class=bar><span style=\"width:{:.1f}%\"></span></span> "
      "<span class=\"score{}\">{}</span>, {} of {} bins, {} unreachable",
      share, score.complete() ? "" : " bad", percent(score), with_commas(score.hit),
      with_commas(score.bins), with_commas(score.unreachable));
}

/// The bins as a row of cells that wraps; neighbours of one colour and no title share nothing, so
/// that a cell stands for one bin.
void add_map(std::string& html, const Coverpoint& point) {
  html += "<div class=\"map\" role=\"img\" aria-label=\"bins in order\">";
  for (const Bin& bin : point.bins) {
    html +=
        fmt::format("<i class={} title=\"{}: {}\"></i>", colour(bin), escaped(bin.name), bin.hits);
  }
  html += "</div>\n";
}

void add_point(std::string& html, const Coverpoint& point) {
  const Score score = point.score();
  html += fmt::format("<details{}><summary><b>{}</b>: {} ({})</summary>\n",
                      score.complete() ? "" : " open", escaped(point.name), score_html(score),
                      escaped(point.meaning));
  add_map(html, point);
  if (!score.complete()) {
    constexpr std::size_t kMost = 60;
    std::size_t left = 0;
    html += "<ul>\n";
    for (const Bin& bin : point.bins) {
      const char kind = colour(bin);
      if (kind != 'm' && kind != 'x') continue;
      if (++left > kMost) continue;
      html += fmt::format("<li>{}{}</li>\n", escaped(bin.name),
                          kind == 'x' ? " (proved unreachable, and hit)" : "");
    }
    html += "</ul>\n";
    if (left > kMost) html += fmt::format("<p>and {} more</p>\n", left - kMost);
  }
  html += "</details>\n";
}

}  // namespace

std::string page_head(std::string_view title) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n{}",
      escaped(title), kStyle);
}

std::string cover_sections(const std::vector<Covergroup>& groups) {
  Score total;
  std::uint64_t samples = 0;
  for (const Covergroup& group : groups) {
    total += group.score();
    samples += group.samples;
  }
  std::string html = fmt::format(
      "<p>{}</p>\n<p>{} vectors, {} configurations</p>\n<p class=\"key\">"
      "A cell is a bin: <i class=m></i> nothing hit it, <i class=u></i> nothing can, <i "
      "class=a></i> up "
      "to 7 hits, <i class=b></i> up to 127, <i class=c></i> up to 4,095, <i class=d></i> more; <i "
      "class=x></i> a "
      "proof contradicted.</p>\n",
      score_html(total), with_commas(samples), with_commas(groups.size()));
  for (const Covergroup& group : groups) {
    html += fmt::format("<section>\n<h2>{}</h2>\n<p>{}; {} vectors</p>\n", escaped(group.name),
                        score_html(group.score()), with_commas(group.samples));
    for (const Coverpoint& point : group.points) add_point(html, point);
    html += "</section>\n";
  }
  return html;
}

std::string cover_html(const std::vector<Covergroup>& groups) {
  return page_head("mxgold coverage") + "<h1>Coverage</h1>\n" + cover_sections(groups) +
         "</html>\n";
}

}  // namespace mx::cli
