#include "sim/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>
#include <vector>

#include "golden/config_word/table.hpp"
#include "sim/judge/explain.hpp"

namespace mx::sim {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::uint32_t field_of(std::uint32_t config_word, const golden::ConfigWordField& field) {
  return config_word >> field.lsb & ((1U << field.width) - 1);
}

std::string format_name(std::uint32_t config_word) {
  const std::uint32_t code = field_of(config_word, golden::config_word_field::kFormat);
  return code < golden::kFormatCodes.size() ? std::string(golden::kFormatCodes[code]) : "?";
}

std::string rounding_name(std::uint32_t config_word) {
  const std::uint32_t code = field_of(config_word, golden::config_word_field::kRounding);
  if (code == golden::kStochasticCode) return "stochastic";
  return code < golden::kRoundingCodes.size() ? std::string(token_of(golden::kRoundingCodes[code]))
                                              : "?";
}

std::string rule_name(std::uint32_t config_word) {
  const std::uint32_t code = field_of(config_word, golden::config_word_field::kRule);
  return code < golden::kRuleCodes.size() ? std::string(token_of(golden::kRuleCodes[code])) : "?";
}

std::string source_name(std::uint32_t config_word) {
  const std::uint32_t code = field_of(config_word, golden::config_word_field::kSource);
  return code < golden::kSourceCodes.size() ? std::string(golden::kSourceCodes[code]) : "?";
}

// Sums of the cells whose word agrees with `word` on the bits of `mask`.
Tally sum_where(const TallyTable& tallies, std::uint32_t mask, std::uint32_t word) {
  Tally sum;
  for (std::uint32_t i = 0; i < TallyTable::kCells; ++i) {
    if ((i & mask) == word) sum += tallies.at(i);
  }
  return sum;
}

std::uint32_t mask_of(const golden::ConfigWordField& field) {
  return ((1U << field.width) - 1) << field.lsb;
}

// The values of a field that occur, as words with all other bits zero.
std::vector<std::uint32_t> values_of(const TallyTable& tallies,
                                     const golden::ConfigWordField& field) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t code = 0; code < 1U << field.width; ++code) {
    const std::uint32_t word = code << field.lsb;
    if (sum_where(tallies, mask_of(field), word).blocks != 0) values.push_back(word);
  }
  return values;
}

std::string cell_text(const Tally& tally) {
  if (tally.blocks == 0) return "-";
  if (tally.bad_blocks == 0) return with_commas(tally.elements);
  return fmt::format("{} WRONG", with_commas(tally.bad_blocks));
}

std::size_t count_configurations(const TallyTable& tallies) {
  return static_cast<std::size_t>(
      std::ranges::count_if(tallies.cells(), [](const Tally& t) { return t.blocks != 0; }));
}

// XML has few control characters, and bytes beyond ASCII need not be UTF-8.
std::string xml_text(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return (c < ' ' || c > '~') && c != '\n'; }, '?');
  return text;
}

pugi::xml_node add_case(pugi::xml_node suite, const std::string& dut, const std::string& name) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = xml_text(dut).c_str();
  test.append_attribute("name") = name.c_str();
  return test;
}

void add_problem(pugi::xml_node test, const char* kind, const std::string& message) {
  test.append_child(kind).append_attribute("message") = xml_text(message).c_str();
}

}  // namespace

std::string table_text(const TallyTable& tallies) {
  namespace field = golden::config_word_field;
  const auto rules = values_of(tallies, field::kRule);
  std::string text = fmt::format("{:<8} {:<20}", "format", "rounding");
  for (const std::uint32_t rule : rules) fmt::format_to(Out(text), " {:>14}", rule_name(rule));
  text += fmt::format(" {:>14} {:>12}  {}\n", "elements", "blocks", "verdict");
  const std::uint32_t row_mask = mask_of(field::kFormat) | mask_of(field::kRounding);
  for (const std::uint32_t format : values_of(tallies, field::kFormat)) {
    for (const std::uint32_t rounding : values_of(tallies, field::kRounding)) {
      const std::uint32_t row = format | rounding;
      const Tally sum = sum_where(tallies, row_mask, row);
      if (sum.blocks == 0) continue;
      fmt::format_to(Out(text), "{:<8} {:<20}", format_name(row), rounding_name(row));
      for (const std::uint32_t rule : rules) {
        const Tally cell = sum_where(tallies, row_mask | mask_of(field::kRule), row | rule);
        fmt::format_to(Out(text), " {:>14}", cell_text(cell));
      }
      fmt::format_to(Out(text), " {:>14} {:>12}  {}\n", with_commas(sum.elements),
                     with_commas(sum.blocks),
                     sum.bad_blocks == 0 ? "ok" : with_commas(sum.bad_blocks) + " wrong blocks");
    }
  }
  text += "by source:";
  for (const std::uint32_t source : values_of(tallies, field::kSource)) {
    const Tally sum = sum_where(tallies, mask_of(field::kSource), source);
    fmt::format_to(Out(text), " {} {} elements{}", source_name(source), with_commas(sum.elements),
                   sum.bad_blocks == 0 ? " ok;" : " WRONG;");
  }
  text.back() = text.back() == ';' ? '.' : text.back();
  return text + "\n";
}

std::string failures_text(const RunResult& result, const ReportFacts& facts,
                          const golden::ConfigWordContext& context) {
  std::string text;
  ReferenceModel model(context);
  for (const Mismatch& mismatch : result.mismatches) {
    fmt::format_to(Out(text), "MISMATCH block {}: {}\n", mismatch.index,
                   facts.describe(mismatch.index));
    text += explain(mismatch, model);
    fmt::format_to(Out(text), "  replay     {}\n",
                   facts.replay(mismatch.index, mismatch.index + 1));
  }
  const std::uint64_t bad = result.tallies.total().bad_blocks;
  if (bad > result.mismatches.size()) {
    fmt::format_to(Out(text), "({} more wrong blocks counted, not shown; --errors N shows more)\n",
                   with_commas(bad - result.mismatches.size()));
  }
  for (const ProtocolFailure& failure : result.failures) {
    fmt::format_to(Out(text), "PROTOCOL in blocks {} to {}: {}\n  replay     {}\n", failure.first,
                   failure.last - 1, failure.what, facts.replay(failure.first, failure.last));
  }
  return text;
}

std::string verdict_line(const RunResult& result, const ReportFacts& facts) {
  const Tally total = result.tallies.total();
  const std::string run = fmt::format("{}, seed {}, dut {}", facts.input, facts.seed, facts.dut);
  switch (result.exit_code()) {
    case 0: {
      const double rate =
          static_cast<double>(total.elements) / 1e6 / std::max(result.seconds, 1e-9);
      return fmt::format(
          "PASS {0}/{0} elements, {1}/{2} blocks, {3} configurations, {4} resets, stalls in {5} of "
          "{6} segments; {7}; {8:.1f} s, {9:.1f} M elements/s; sha256:{10}\n",
          with_commas(total.elements), with_commas(total.blocks), with_commas(result.declared),
          count_configurations(result.tallies), with_commas(result.drive.resets),
          result.stalled_segments, result.segments, run, result.seconds, rate, result.digest);
    }
    case 4:
      if (!result.failures.empty()) {
        return fmt::format("FAIL protocol: {}; {} of {} blocks checked; {}\n",
                           result.failures.front().what, with_commas(total.blocks),
                           with_commas(result.declared), run);
      }
      return fmt::format("FAIL counts: declared {}, offered {}, collected {}, checked {}; {}\n",
                         result.declared, result.drive.offered, result.drive.collected,
                         total.blocks, run);
    default:
      return fmt::format("FAIL {} of {} blocks differ, {} of {} elements; {}\n",
                         with_commas(total.bad_blocks), with_commas(total.blocks),
                         with_commas(total.bad_elements), with_commas(total.elements), run);
  }
}

std::string report_json(const RunResult& result, const ReportFacts& facts) {
  nlohmann::ordered_json report;
  const Tally total = result.tallies.total();
  report["verdict"] = result.exit_code() == 0 ? "PASS" : "FAIL";
  report["exit_code"] = result.exit_code();
  report["dut"] = facts.dut;
  report["input"] = facts.input;
  report["seed"] = facts.seed;
  report["stall"] = facts.stall;
  report["reset"] = facts.reset;
  report["blocks"] = {{"declared", result.declared},
                      {"offered", result.drive.offered},
                      {"collected", result.drive.collected},
                      {"checked", total.blocks},
                      {"wrong", total.bad_blocks}};
  report["elements"] = {{"checked", total.elements}, {"wrong", total.bad_elements}};
  report["cycles"] = result.drive.cycles;
  report["resets"] = result.drive.resets;
  report["seconds"] = result.seconds;
  report["digest"] = result.digest;
  report["cells"] = nlohmann::ordered_json::array();
  for (std::uint32_t i = 0; i < TallyTable::kCells; ++i) {
    const Tally& cell = result.tallies.at(i);
    if (cell.blocks == 0) continue;
    report["cells"].push_back({{"source", source_name(i)},
                               {"format", format_name(i)},
                               {"rounding", rounding_name(i)},
                               {"rule", rule_name(i)},
                               {"blocks", cell.blocks},
                               {"elements", cell.elements},
                               {"wrong_blocks", cell.bad_blocks},
                               {"wrong_elements", cell.bad_elements}});
  }
  report["mismatches"] = nlohmann::ordered_json::array();
  for (const Mismatch& m : result.mismatches) {
    report["mismatches"].push_back({{"block", m.index},
                                    {"from", facts.describe(m.index)},
                                    {"tuser", fmt::format("{:08x}", m.block.config_word)},
                                    {"source", m.block.source},
                                    {"random", m.block.random},
                                    {"keep", m.block.keep},
                                    {"expected_status", m.expected.status},
                                    {"device_status", m.actual.status},
                                    {"expected_codes", m.expected.codes},
                                    {"device_codes", m.actual.codes},
                                    {"replay", facts.replay(m.index, m.index + 1)}});
  }
  report["protocol_failures"] = nlohmann::ordered_json::array();
  for (const ProtocolFailure& f : result.failures) {
    report["protocol_failures"].push_back({{"first", f.first},
                                           {"last", f.last},
                                           {"what", f.what},
                                           {"replay", facts.replay(f.first, f.last)}});
  }
  return report.dump(2) + "\n";
}

std::string report_junit(const RunResult& result, const ReportFacts& facts) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suite = document.append_child("testsuite");
  suite.append_attribute("name") = xml_text(facts.input).c_str();
  for (const char* count : {"tests", "failures", "errors"}) suite.append_attribute(count) = 0;
  suite.append_attribute("time") = fmt::format("{:.3f}", result.seconds).c_str();
  unsigned wrong = 0;
  for (std::uint32_t i = 0; i < TallyTable::kCells; ++i) {
    const Tally& cell = result.tallies.at(i);
    if (cell.blocks == 0) continue;
    const pugi::xml_node test = add_case(
        suite, facts.dut,
        fmt::format("{}-{}.{}.{}", source_name(i), format_name(i), rounding_name(i), rule_name(i)));
    if (cell.bad_blocks == 0) continue;
    ++wrong;
    add_problem(test, "failure",
                fmt::format("{} of {} blocks differ", cell.bad_blocks, cell.blocks));
  }
  const pugi::xml_node protocol = add_case(suite, facts.dut, "protocol");
  const bool broken = result.exit_code() == 4;
  if (broken) add_problem(protocol, "error", verdict_line(result, facts));
  suite.attribute("tests") = count_configurations(result.tallies) + 1;
  suite.attribute("failures") = wrong;
  suite.attribute("errors") = broken ? 1 : 0;
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

}  // namespace mx::sim
