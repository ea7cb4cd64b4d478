// The scoreboard: what was compared, by format, rounding and rule, and by source.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/report/elements.hpp"
#include "sim/report/report.hpp"

namespace mx::sim {
namespace {

using Out = std::back_insert_iterator<std::string>;

/// What the table is made by.
struct Names {
  std::string source, format, rounding, rule;
};

Names names_of(const QuantizerConfig& config) {
  return {std::string(config.source.name), std::string(config.format.element.name),
          is_stochastic(config.element.rounding) ? "stochastic"
                                                 : std::string(token_of(config.element.rounding)),
          std::string(token_of(config.block.rule))};
}

/// The names of every configuration that was run, with its tally.
struct Row {
  Names names;
  Tally tally;
};

std::vector<Row> rows_of(const RunResult& result) {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < result.tallies.cells().size(); ++i) {
    const Tally& tally = result.tallies.at(i);
    if (tally.blocks == 0) continue;
    rows.push_back({names_of(config_at(result.configs, i)), tally});
  }
  return rows;
}

/// The values of a name, in the order in which they come.
std::vector<std::string> values_of(const std::vector<Row>& rows, std::string Names::*name) {
  std::vector<std::string> values;
  for (const Row& row : rows) {
    if (std::ranges::find(values, row.names.*name) == values.end()) {
      values.push_back(row.names.*name);
    }
  }
  return values;
}

template <typename Predicate>
Tally sum_where(const std::vector<Row>& rows, Predicate predicate) {
  Tally sum;
  for (const Row& row : rows) {
    if (predicate(row.names)) sum += row.tally;
  }
  return sum;
}

/// Elements that were compared; a block may have other words that were.
std::string cell_text(const Tally& tally) {
  if (tally.blocks == 0) return "-";
  if (tally.bad_blocks != 0) return fmt::format("{} WRONG", with_commas(tally.bad_blocks));
  if (tally.words == 0) return "nothing";
  return tally.codes.compared == 0 ? "no elements" : with_commas(tally.codes.compared);
}

/// "ok", "3 wrong blocks", "nothing compared"; and what was not compared of the rest.
std::string row_verdict(const Tally& tally) {
  if (tally.words == 0 && tally.bad_blocks == 0) return "nothing compared";
  const std::string text =
      tally.bad_blocks == 0 ? "ok" : with_commas(tally.bad_blocks) + " wrong blocks";
  std::string left;
  if (tally.codes.left_out() != 0) left = with_commas(tally.codes.left_out()) + " elements";
  if (tally.unjudged != 0) {
    left += fmt::format("{}{} blocks", left.empty() ? "" : ", ", with_commas(tally.unjudged));
  }
  return left.empty() ? text : text + "; not compared: " + left;
}

std::string source_verdict(const Tally& tally) {
  if (tally.words == 0 && tally.bad_blocks == 0) return "nothing compared";
  const std::string_view verdict = tally.bad_blocks == 0 ? "ok" : "WRONG";
  if (tally.codes.left_out() == 0) return fmt::format("{} {}", elements_text(tally), verdict);
  // Elements alone would hide that there are scales and status bits.
  return fmt::format("{}, {} words {}", elements_text(tally), with_commas(tally.words), verdict);
}

}  // namespace

std::string table_text(const RunResult& result) {
  const std::vector<Row> rows = rows_of(result);
  const auto rules = values_of(rows, &Names::rule);
  std::string text = fmt::format("{:<8} {:<20}", "format", "rounding");
  for (const std::string& rule : rules) fmt::format_to(Out(text), " {:>14}", rule);
  text += fmt::format(" {:>14} {:>12}  {}\n", "elements", "blocks", "verdict");
  for (const std::string& format : values_of(rows, &Names::format)) {
    for (const std::string& rounding : values_of(rows, &Names::rounding)) {
      const auto is_row = [&](const Names& n) {
        return n.format == format && n.rounding == rounding;
      };
      const Tally sum = sum_where(rows, is_row);
      if (sum.blocks == 0) continue;
      fmt::format_to(Out(text), "{:<8} {:<20}", format, rounding);
      for (const std::string& rule : rules) {
        const Tally cell =
            sum_where(rows, [&](const Names& n) { return is_row(n) && n.rule == rule; });
        fmt::format_to(Out(text), " {:>14}", cell_text(cell));
      }
      fmt::format_to(Out(text), " {:>14} {:>12}  {}\n", with_commas(sum.codes.compared),
                     with_commas(sum.judged()), row_verdict(sum));
    }
  }
  text += "by source:";
  for (const std::string& source : values_of(rows, &Names::source)) {
    const Tally sum = sum_where(rows, [&](const Names& n) { return n.source == source; });
    fmt::format_to(Out(text), " {} {};", source, source_verdict(sum));
  }
  text.back() = text.back() == ';' ? '.' : text.back();
  return text + "\n";
}

}  // namespace mx::sim
