#include "cli/page/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/cover/report.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

using golden::with_commas;

constexpr std::string_view kRunStyle = R"(<style>
.verdict { padding: .5rem .75rem; border-left: .5rem solid; overflow-wrap: anywhere; white-space: pre-line; }
.pass { border-color: #1b7837; background: #eaf5ec; } .fail { border-color: #a1260d; background: #fbece8; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .125rem 1rem; margin: .5rem 0; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .125rem .5rem; text-align: right; border: 1px solid #ddd; white-space: nowrap; }
th:first-child { text-align: left; white-space: normal; } thead th { background: #f4f4f4; }
td.ok { background: #dbeede; } td.wrong { background: #f3b5a5; font-weight: 600; } td.none { color: #777; }
pre { overflow-x: auto; background: #f7f7f7; padding: .5rem; font-size: .8125rem; line-height: 1.35; }
pre.again { white-space: pre-wrap; overflow-wrap: anywhere; }
.bits { font-family: ui-monospace, monospace; font-size: .875rem; }
.bits td { text-align: left; }
.bits b { display: inline-block; min-width: .75em; text-align: center; font-weight: 400; }
.bits b.d { background: #a1260d; color: #fff; } .bits s { display: inline-block; width: .375em; }
@media print { pre { white-space: pre-wrap; overflow-wrap: anywhere; } .wide { overflow: visible; }
  td, .verdict, .bits b { print-color-adjust: exact; -webkit-print-color-adjust: exact; } section { break-inside: auto; } }
</style>
)";

void add_facts(std::string& html, const PageFacts& facts) {
  html += "<dl>\n";
  for (const auto& [name, value] : facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  }
  html += "</dl>\n";
}

void add_list(std::string& html, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  html += fmt::format("<section>\n<h2>{}</h2>\n<ul style=\"columns: auto\">\n", title);
  for (const std::string& line : lines) html += fmt::format("<li>{}</li>\n", escaped(line));
  html += "</ul>\n</section>\n";
}

/// Values of a member in the order in which they come.
std::vector<std::string> values_of(const std::vector<PageCell>& cells,
                                   std::string PageCell::*name) {
  std::vector<std::string> values;
  for (const PageCell& cell : cells) {
    if (std::ranges::find(values, cell.*name) == values.end()) values.push_back(cell.*name);
  }
  return values;
}

std::string cell_html(const std::vector<PageCell>& cells, std::string_view row,
                      std::string_view column) {
  PageCell sum;
  bool is_there = false;
  for (const PageCell& cell : cells) {
    if (cell.row != row || cell.column != column) continue;
    is_there = true;
    sum.compared += cell.compared;
    sum.left_out += cell.left_out;
    sum.words += cell.words;
    sum.wrong += cell.wrong;
  }
  if (!is_there) return "<td class=none>-</td>";
  if (sum.words == 0 && sum.wrong == 0) return "<td class=none>nothing compared</td>";
  std::string count = with_commas(sum.compared);
  if (sum.left_out != 0) count += " of " + with_commas(sum.compared + sum.left_out);
  if (sum.wrong == 0) return fmt::format("<td class=ok>{}</td>", count);
  return fmt::format("<td class=wrong>{} wrong of {}</td>", with_commas(sum.wrong), count);
}

void add_scoreboard(std::string& html, const std::vector<PageCell>& cells) {
  if (cells.empty()) return;
  const std::vector<std::string> columns = values_of(cells, &PageCell::column);
  html += "<section>\n<h2>Scoreboard</h2>\n<div class=wide><table>\n<thead><tr><th></th>";
  for (const std::string& column : columns) html += fmt::format("<th>{}</th>", escaped(column));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : values_of(cells, &PageCell::row)) {
    html += fmt::format("<tr><th>{}</th>", escaped(row));
    for (const std::string& column : columns) html += cell_html(cells, row, column);
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n</section>\n";
}

/// The bits of a word, fields apart, those that differ marked.
std::string bits_html(std::uint64_t word, std::uint64_t other, const std::vector<int>& fields) {
  int bit = std::accumulate(fields.begin(), fields.end(), 0);
  std::string html;
  for (const int width : fields) {
    for (int i = 0; i < width; ++i) {
      --bit;
      const bool differs = ((word ^ other) >> bit & 1) != 0;
      html += fmt::format("<b{}>{}</b>", differs ? " class=d" : "", word >> bit & 1);
    }
    if (bit > 0 && width > 0) html += "<s></s>";
  }
  return html;
}

void add_words(std::string& html, const std::vector<PageWord>& words) {
  if (words.empty()) return;
  html +=
      "<div class=wide><table class=bits>\n<thead><tr><th></th><th>expected</th><th></th>"
      "<th>device</th><th></th></tr></thead>\n<tbody>\n";
  for (const PageWord& word : words) {
    html += fmt::format(
        "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(word.name),
        bits_html(word.expected, word.given, word.fields), escaped(word.expected_value),
        bits_html(word.given, word.expected, word.fields), escaped(word.given_value));
  }
  html += "</tbody></table></div>\n";
}

void add_failures(std::string& html, const RunPage& page) {
  if (page.failures.empty() && page.unshown == 0) return;
  html += "<section>\n<h2>Failures</h2>\n";
  for (const PageFailure& failure : page.failures) {
    html += fmt::format("<details open><summary><b>{}</b></summary>\n", escaped(failure.title));
    add_words(html, failure.words);
    if (!failure.text.empty()) html += fmt::format("<pre>{}</pre>\n", escaped(failure.text));
    if (!failure.replay.empty()) {
      html += fmt::format("<p>again:</p>\n<pre class=again>{}</pre>\n", escaped(failure.replay));
    }
    html += "</details>\n";
  }
  if (page.unshown != 0) {
    html += fmt::format("<p>and {} more, counted and not shown</p>\n", with_commas(page.unshown));
  }
  html += "</section>\n";
}

}  // namespace

std::string run_page_html(const RunPage& page) {
  std::string html = page_head(page.has_passed ? "PASS - mxgold run" : "FAIL - mxgold run");
  html += kRunStyle;
  html += fmt::format("<h1>mxgold run</h1>\n<p class=\"verdict {}\">{}</p>\n",
                      page.has_passed ? "pass" : "fail", escaped(page.verdict));
  add_facts(html, page.facts);
  html += "<section>\n<h2>Compared, and not</h2>\n";
  add_facts(html, page.counts);
  html += "</section>\n";
  add_list(html, "Not offered to the device", page.absent);
  add_list(html, "Causes", page.causes);
  add_scoreboard(html, page.cells);
  add_failures(html, page);
  if (!page.waivers.empty()) {
    html += fmt::format("<section>\n<h2>Waivers</h2>\n<pre>{}</pre>\n</section>\n",
                        escaped(page.waivers));
  }
  if (!page.coverage.empty()) {
    html += "<section>\n<h2>Coverage</h2>\n" + cover_sections(page.coverage) + "</section>\n";
  }
  return html + "</html>\n";
}

}  // namespace mx::cli
