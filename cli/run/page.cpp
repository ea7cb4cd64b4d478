#include "cli/run/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "cli/page/failing_line.hpp"
#include "cli/vectors/check_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/text.hpp"
#include "golden/vectors/protocol.hpp"
#include "sim/judge/explain.hpp"
#include "sim/report/elements.hpp"

namespace mx::cli {
namespace {

using golden::Field;
using golden::with_commas;

/// The fields of a code from the top.
std::vector<int> fields_of(const ElementFormat& format) {
  const int sign = format.is_signed ? 1 : 0;
  if (format.kind == FormatKind::kFloat &&
      sign + format.exp_bits + format.man_bits == format.bits) {
    return {sign, format.exp_bits, format.man_bits};
  }
  return {sign, format.bits - sign};
}

PageWord code_word(std::string name, const ElementFormat& format, std::uint64_t expected,
                   std::uint64_t given, const std::optional<Unpacked>& exact = {}) {
  // Bits above the code's are shown where the device gave some.
  std::vector<int> fields = fields_of(format);
  int above = 0;
  while (format.bits + above < 64 && given >> (format.bits + above) != 0) ++above;
  if (above != 0) fields.insert(fields.begin(), above);
  std::string line = failing_line(name, format, expected, given, exact);
  return {std::move(name),
          expected,
          given,
          std::move(fields),
          code_text(format, expected),
          code_text(format, given),
          std::move(line)};
}

PageWord plain_word(std::string name, int bits, std::uint64_t expected, std::uint64_t given) {
  return {std::move(name), expected, given, {bits}, "", "", ""};
}

/// What a lane's element is before it is rounded, under the scale that both gave; nothing where
/// they gave two, or none that scales.
std::optional<Unpacked> exact_of(const sim::Mismatch& m, const QuantizerConfig& config,
                                 std::size_t lane) {
  if (m.expected.scale() != m.actual.scale()) return std::nullopt;
  const Checked<Quantizer> quantizer = Quantizer::make(config);
  if (!quantizer || decode(config.format.scale, m.expected.scale()).cls != ValueClass::kFinite)
    return std::nullopt;
  return quantizer->scaled_element(m.block.source[lane], m.expected.scale(), lane);
}

std::vector<PageWord> words_of(const sim::Mismatch& m, const QuantizerConfig& config) {
  std::vector<PageWord> words;
  const auto add_plain = [&](std::string name, int bits, std::uint64_t expected,
                             std::uint64_t given) {
    if (expected == given) return;
    words.push_back(plain_word(std::move(name), bits, expected, given));
  };
  const sim::Observes& observed = m.open.observed;
  if (observed.scale && !m.open.scale && m.expected.scale() != m.actual.scale()) {
    words.push_back(code_word("scale", config.format.scale, m.expected.scale(), m.actual.scale()));
  }
  if (observed.flags && !m.open.flags) {
    add_plain("status", 8, m.expected.status >> 8, m.actual.status >> 8);
  }
  if (observed.keep) add_plain("keep", 32, m.expected.keep, m.actual.keep);
  if (observed.last) {
    add_plain("last", 1, m.expected.last ? 1U : 0U, m.actual.last ? 1U : 0U);
  }
  for (std::size_t lane = 0; observed.codes && lane < m.expected.codes.size(); ++lane) {
    const bool is_free = m.open.dont_care && m.compare != sim::Compare::kStrict;
    if (is_free || (m.open.lanes >> lane & 1) != 0) continue;
    if (m.expected.codes[lane] == m.actual.codes[lane]) continue;
    words.push_back(code_word(fmt::format("lane {}", lane), config.format.element,
                              m.expected.codes[lane], m.actual.codes[lane],
                              exact_of(m, config, lane)));
  }
  return words;
}

/// The format of a computation's answers; nullptr where they are words of their own.
const ElementFormat* format_of_answers(const golden::Computation& what) {
  if (const auto* const conversion = std::get_if<ConversionConfig>(&what)) {
    return &conversion->destination;
  }
  if (const auto* const block = std::get_if<QuantizerConfig>(&what)) return &block->format.element;
  if (const auto* const arithmetic = std::get_if<golden::ArithmeticCase>(&what)) {
    return &arithmetic->arithmetic.format;
  }
  if (const auto* const dot = std::get_if<golden::DotCase>(&what)) return &dot->dot.result;
  if (const auto* const values = std::get_if<golden::DequantizeCase>(&what)) {
    return &values->result;
  }
  if (const auto* const unit = std::get_if<golden::UnitCase>(&what)) return &unit->on.result;
  return nullptr;
}

std::vector<PageWord> words_of(const sim::RecordMismatch& m, const golden::VectorHeader& header) {
  std::vector<PageWord> words;
  const ElementFormat* const format = format_of_answers(header.configs[m.expected.config(0)].what);
  for (const golden::FieldShape& shape : header.shape().fields) {
    if (!golden::is_result(shape.field)) continue;
    const auto expected = m.expected.of(shape.field, 0);
    const auto given = m.actual.of(shape.field, 0);
    for (std::size_t lane = 0; lane < expected.size(); ++lane) {
      if (!golden::is_wrong(m.open, shape.field, lane, expected[lane], given[lane])) {
        continue;
      }
      std::string name =
          expected.size() == 1 ? std::string(token_of(shape.field)) : fmt::format("lane {}", lane);
      words.push_back(
          shape.field == Field::kCode && format != nullptr
              ? code_word(std::move(name), *format, expected[lane], given[lane])
              : plain_word(std::move(name), 8 * shape.bytes, expected[lane], given[lane]));
    }
  }
  return words;
}

std::vector<PageCause> page_causes(const std::vector<sim::Cause>& causes, std::uint64_t right) {
  std::uint64_t looked = 0;
  for (const sim::Cause& cause : causes) looked += cause.count;
  std::vector<PageCause> shown;
  for (const sim::Cause& cause : causes) {
    // What a policy would change of right answers was looked at: nothing, or it were no cause.
    shown.push_back({cause.text, cause.count, looked, cause.as.empty() ? 0 : right, cause.waiver});
  }
  return shown;
}

/// Of a verdict that counts nothing: what went wrong.
std::string first_part(const std::string& verdict) { return verdict.substr(0, verdict.find(';')); }

/// What was compared, and the words that were not.
template <typename Counts>
std::string compared_line(const std::string& things, const Counts& counts) {
  std::string left;
  const auto add = [&](std::uint64_t count, std::string_view why) {
    if (count != 0)
      left += fmt::format("{}{} {}", left.empty() ? "" : ", ", with_commas(count), why);
  };
  add(counts.dont_care, "don't-care");
  add(counts.open, "open");
  add(counts.unobserved, "unobserved");
  add(counts.waived, "waived");
  return fmt::format("Compared: {}, {} words. {}", things, with_commas(counts.words),
                     left.empty() ? "All words were compared." : "Not compared: " + left + ".");
}

/// A line without its line feed.
std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void add_cells(const sim::RunResult& result, std::vector<PageCell>& cells) {
  for (std::uint32_t i = 0; i < result.tallies.cells().size(); ++i) {
    const sim::Tally& tally = result.tallies.at(i);
    if (tally.blocks == 0) continue;
    const QuantizerConfig& config = sim::config_at(result.configs, i);
    cells.push_back(
        {fmt::format("{} {}", config.format.element.name,
                     is_stochastic(config.element.rounding) ? std::string_view("stochastic")
                                                            : token_of(config.element.rounding)),
         std::string(token_of(config.block.rule)), tally.codes.compared, tally.codes.left_out(),
         tally.words, tally.bad_blocks});
  }
}

}  // namespace

RunPage stream_page(const sim::RunResult& result, const sim::ReportFacts& facts,
                    std::vector<golden::Covergroup> coverage) {
  RunPage page;
  page.verdict = trimmed(sim::verdict_line(result, facts));
  page.has_passed = result.exit_code() == 0;
  page.facts = {
      {"device", facts.dut},
      {"input", facts.input},
      {"seed", std::to_string(facts.seed)},
      {"judged by", facts.judged_by.text()},
      {"stalls", facts.stall},
      {"resets", facts.reset},
      {"observed", facts.observed.text()},
      {"digest", result.digest.empty() ? "none: not every block was compared" : result.digest}};
  const sim::Tally total = result.tallies.total();
  page.counts = {{"blocks compared", fmt::format("{} of {}", with_commas(total.judged()),
                                                 with_commas(result.declared))},
                 {"wrong blocks", with_commas(total.bad_blocks)},
                 {"elements compared",
                  fmt::format("{} of {}{}", with_commas(total.codes.compared),
                              with_commas(total.elements), sim::left_out_text(total.codes))},
                 {"words compared", with_commas(total.words)},
                 {"don't-care", with_commas(total.dont_care)},
                 {"open", with_commas(total.open)},
                 {"unobserved", with_commas(total.unobserved)},
                 {"waived", with_commas(total.waived)},
                 {"blocks without a compared word", with_commas(total.unjudged)}};
  for (const sim::NotOffered& each : facts.not_offered) {
    page.absent.push_back(fmt::format("{} configurations, {} blocks: {}",
                                      with_commas(each.configurations), with_commas(each.blocks),
                                      each.why));
  }
  if (!facts.narrowed.by.empty()) page.absent.push_back(sim::narrowed_text(facts.narrowed));
  if (facts.part.left_out() != 0) page.absent.push_back(sim::part_text(facts.part, "blocks"));
  page.causes = page_causes(facts.causes, result.right.size());
  add_cells(result, page.cells);
  sim::ReferenceModel model(result.configs);
  const std::size_t shown = std::min(facts.shown, result.mismatches.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const sim::Mismatch& m = result.mismatches[i];
    page.failures.push_back({fmt::format("block {}: {}", m.index, facts.describe(m.index)),
                             sim::explain(m, model), facts.replay(m.index, m.index + 1),
                             words_of(m, sim::config_at(result.configs, m.block.config))});
  }
  page.unshown = total.bad_blocks - shown;
  for (const sim::ProtocolFailure& failure : result.failures) {
    page.failures.push_back(
        {fmt::format("protocol, blocks {} to {}", failure.first, failure.last - 1),
         failure.what,
         facts.replay(failure.first, failure.last),
         {}});
  }
  page.headline = {
      page.has_passed
          ? fmt::format("PASS: all {} blocks are right, bit for bit", with_commas(total.judged()))
      : total.bad_blocks != 0
          ? fmt::format("FAIL: {} of {} blocks differ", with_commas(total.bad_blocks),
                        with_commas(total.judged()))
          : first_part(page.verdict),
      compared_line(fmt::format("{} blocks of {}", with_commas(total.judged()), facts.input),
                    total),
      page.failures.empty() ? "Again:" : "The first failure again:"};
  page.again =
      page.failures.empty() ? facts.replay(0, result.declared) : page.failures.front().replay;
  page.waivers = result.waivers.text();
  page.coverage = std::move(coverage);
  return page;
}

RunPage record_page(const sim::RecordRun& run, const RecordFacts& facts) {
  RunPage page;
  page.verdict = trimmed(record_verdict_line(run, facts));
  page.has_passed = run.exit_code() == 0;
  page.facts = {
      {"device", facts.dut},
      {"input", facts.input},
      {"operation", std::string(token_of(facts.header.op))},
      {"set", facts.header.set_id()},
      {"seed", std::to_string(facts.seed)},
      {"seed of the set", std::to_string(facts.header.seed)},
      {"judged by", golden::judged_by(facts.header.configs).text()},
      {"observed", facts.observed.text(facts.header.shape())},
      {"digest", run.digest.empty() ? "none: not every record was compared" : run.digest}};
  page.facts.insert(page.facts.end(), facts.schedule.begin(), facts.schedule.end());
  const golden::Verdict& total = run.verdict;
  page.counts = {{"records compared",
                  fmt::format("{} of {}", with_commas(total.judged()), with_commas(run.declared))},
                 {"wrong records", with_commas(total.mismatches)},
                 {"words compared", with_commas(total.words)},
                 {"don't-care", with_commas(total.dont_care)},
                 {"open", with_commas(total.open)},
                 {"unobserved", with_commas(total.unobserved)},
                 {"waived", with_commas(total.waived)},
                 {"records without a compared word", with_commas(total.unjudged)}};
  if (!facts.held.empty()) page.absent.push_back(facts.held);
  if (facts.part.left_out() != 0) page.absent.push_back(sim::part_text(facts.part, "records"));
  page.causes = page_causes(facts.causes, run.right.size());
  for (std::size_t i = 0; i < run.by_config.size(); ++i) {
    const golden::Verdict& verdict = run.by_config[i];
    if (verdict.vectors == 0) continue;
    page.cells.push_back({golden::summary_of(facts.header.configs[i]), "records", verdict.judged(),
                          verdict.unjudged, verdict.words, verdict.mismatches});
  }
  golden::RecordLines lines(facts.header.shape());
  const std::size_t shown = std::min(facts.shown, run.mismatches.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const sim::RecordMismatch& m = run.mismatches[i];
    page.failures.push_back({fmt::format("record {}", m.number),
                             difference(facts.header, m.expected, m.actual, 0, m.open) +
                                 "  operands: " + std::string(lines.operands(m.expected, 0)),
                             facts.replay(m.number), words_of(m, facts.header)});
  }
  page.unshown = total.mismatches - shown;
  if (!run.protocol().empty()) {
    page.failures.push_back({"protocol",
                             run.shift.empty() ? run.protocol() : run.protocol() + "\n" + run.shift,
                             facts.replay_all(),
                             {}});
  }
  page.headline = {
      page.has_passed
          ? fmt::format("PASS: all {} records are right, bit for bit", with_commas(total.judged()))
      : total.mismatches != 0
          ? fmt::format("FAIL: {} of {} records differ", with_commas(total.mismatches),
                        with_commas(total.judged()))
          : first_part(page.verdict),
      compared_line(fmt::format("{} records of {}", with_commas(total.judged()), facts.input),
                    total),
      page.failures.empty() ? "Again:" : "The first failure again:"};
  page.again = page.failures.empty() ? facts.replay_all() : page.failures.front().replay;
  page.waivers = run.waivers.text();
  return page;
}

}  // namespace mx::cli
