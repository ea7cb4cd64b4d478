#include "cli/page/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/cover/report.hpp"
#include "cli/page/run_style.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

using golden::with_commas;

void add_facts(std::string& html, const PageFacts& facts) {
  html += "<dl>\n";
  for (const auto& [name, value] : facts) {
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  }
  html += "</dl>\n";
}

/// A command with a button that copies it; without scripts there is no button.
std::string command_html(std::string_view command) {
  return fmt::format(
      "<div class=copy><pre class=again>{}</pre><button type=button hidden>copy</button></div>\n",
      escaped(command));
}

void add_headline(std::string& html, const RunPage& page) {
  html += fmt::format("<div class=\"verdict {}\">\n", page.has_passed ? "pass" : "fail");
  for (const std::string& line : page.headline) html += fmt::format("<p>{}</p>\n", escaped(line));
  if (!page.again.empty()) html += command_html(page.again);
  html += "</div>\n";
}

/// A bar that is filled by a share of the whole, with its number in words.
std::string bar_html(std::uint64_t part, std::uint64_t whole, std::string_view text) {
  const double share =
      whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("<span class=bar><span style=\"width:{:.1f}%\"></span></span> {}", share,
                     text);
}

void add_causes(std::string& html, const std::vector<PageCause>& causes) {
  if (causes.empty()) return;
  html += "<section>\n<h2>Causes</h2>\n";
  for (const PageCause& cause : causes) {
    html += fmt::format("<div class=cause>\n<p>{}</p>\n<p>{}</p>\n", escaped(cause.text),
                        bar_html(cause.wrong, cause.looked,
                                 fmt::format("explains {} of {} wrong answers looked at",
                                             with_commas(cause.wrong), with_commas(cause.looked))));
    if (cause.right != 0) {
      html += fmt::format(
          "<p>{}</p>\n",
          bar_html(cause.right, cause.right,
                   fmt::format("keeps all {} right answers looked at", with_commas(cause.right))));
    }
    if (!cause.waiver.empty())
      html +=
          fmt::format("<p class=long>to waive it: <code>{}</code></p>\n", escaped(cause.waiver));
    html += "</div>\n";
  }
  html += "</section>\n";
}

void add_list(std::string& html, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  html += fmt::format("<section>\n<h2>{}</h2>\n<ul style=\"columns: auto\">\n", title);
  for (const std::string& line : lines) html += fmt::format("<li>{}</li>\n", escaped(line));
  html += "</ul>\n</section>\n";
}

/// Values of a member in the order in which they come.
std::vector<std::string> names_in(const std::vector<PageCell>& cells, std::string PageCell::*name) {
  std::vector<std::string> values;
  for (const PageCell& cell : cells) {
    if (std::ranges::find(values, cell.*name) == values.end()) values.push_back(cell.*name);
  }
  return values;
}

/// "512", "69.8k", "1.2M".
std::string short_count(std::uint64_t count) {
  const auto number = static_cast<double>(count);
  if (count < 1000) return std::to_string(count);
  if (count < 1000000) return fmt::format("{:.{}f}k", number / 1e3, count < 100000 ? 1 : 0);
  return fmt::format("{:.1f}M", number / 1e6);
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
  if (!is_there) return "<td></td>";
  if (sum.words == 0 && sum.wrong == 0)
    return "<td class=none title=\"nothing compared\">none</td>";
  std::string count = with_commas(sum.compared);
  if (sum.left_out != 0) count += " of " + with_commas(sum.compared + sum.left_out);
  if (sum.wrong == 0)
    return fmt::format("<td class=ok title=\"{}\">{}</td>", count, short_count(sum.compared));
  // Four shades by the share of the wrong ones.
  const double share =
      static_cast<double>(sum.wrong) / static_cast<double>(std::max(sum.compared, sum.wrong));
  const int shade = share < 0.001 ? 1 : share < 0.01 ? 2 : share < 0.1 ? 3 : 4;
  return fmt::format("<td class=\"wrong w{0}\" title=\"{1} wrong of {2}\">{1}</td>", shade,
                     with_commas(sum.wrong), count);
}

void add_scoreboard(std::string& html, const std::vector<PageCell>& cells) {
  if (cells.empty()) return;
  const std::vector<std::string> columns = names_in(cells, &PageCell::column);
  html +=
      "<section>\n<h2>Scoreboard</h2>\n<p>Green: how many elements or records were compared, and "
      "all are right. Red: how many blocks or records are wrong, darker for a larger "
      "share.</p>\n<div class=wide><table class=board>\n<thead><tr><th></th>";
  for (const std::string& column : columns) html += fmt::format("<th>{}</th>", escaped(column));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::string& row : names_in(cells, &PageCell::row)) {
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
      "<div class=wide><table "
      "class=bits>\n<thead><tr><th></th><th>expected</th><th></th><th>device</th><th></th></tr></"
      "thead>\n<tbody>\n";
  for (const PageWord& word : words) {
    html += fmt::format(
        "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(word.name),
        bits_html(word.expected, word.given, word.fields), escaped(word.expected_value),
        bits_html(word.given, word.expected, word.fields), escaped(word.given_value));
  }
  html += "</tbody></table></div>\n";
  constexpr std::size_t kMostLines = 3;
  std::size_t lines = 0;
  html += "<div class=lines>\n";
  for (const PageWord& word : words) {
    if (word.line.empty() || ++lines > kMostLines) continue;
    html += "<div class=line>" + word.line + "</div>\n";
  }
  html += "</div>\n";
}

void add_failures(std::string& html, const RunPage& page) {
  if (page.failures.empty() && page.unshown == 0) return;
  html += "<section>\n<h2>Failures</h2>\n";
  for (const PageFailure& failure : page.failures) {
    html += fmt::format("<details open><summary><b>{}</b></summary>\n", escaped(failure.title));
    add_words(html, failure.words);
    if (!failure.text.empty()) html += fmt::format("<pre>{}</pre>\n", escaped(failure.text));
    if (!failure.replay.empty()) {
      html += "<p>again:</p>\n" + command_html(failure.replay);
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
  html += "<h1>mxgold run</h1>\n";
  add_headline(html, page);
  add_causes(html, page.causes);
  add_failures(html, page);
  add_scoreboard(html, page.cells);
  html += "<section>\n<h2>The run</h2>\n";
  add_facts(html, page.facts);
  html += fmt::format(
      "<details><summary>the verdict in one line</summary>\n<p "
      "class=long>{}</p>\n</details>\n</section>\n",
      escaped(page.verdict));
  html += "<section>\n<h2>Compared, and not</h2>\n";
  add_facts(html, page.counts);
  html += "</section>\n";
  add_list(html, "Not offered to the device", page.absent);
  if (!page.waivers.empty()) {
    html += fmt::format("<section>\n<h2>Waivers</h2>\n<pre>{}</pre>\n</section>\n",
                        escaped(page.waivers));
  }
  if (!page.coverage.empty()) {
    html += "<section>\n<h2>Coverage</h2>\n" + cover_sections(page.coverage) + "</section>\n";
  }
  return html + std::string(kRunScript) + "</html>\n";
}

}  // namespace mx::cli
