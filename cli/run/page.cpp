#include "cli/run/page.hpp"

#include <fmt/format.h>

#include "cli/page/failing_line.hpp"
#include "cli/vectors/check_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "sim/report/elements.hpp"

namespace mx::cli {
namespace {

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

PageWord page_word(const sim::ReportWord& word) {
  if (word.format) {
    return code_word(word.name, *word.format, word.expected, word.given, word.exact);
  }
  return {word.name, word.expected, word.given, {word.bits}, "", "", ""};
}

std::vector<PageCause> page_causes(const std::vector<sim::Cause>& causes) {
  std::uint64_t looked = 0;
  for (const sim::Cause& cause : causes) looked += cause.count;
  std::vector<PageCause> shown;
  for (const sim::Cause& cause : causes) {
    // What a policy would change of right answers was looked at: nothing, or it were no cause.
    shown.push_back({cause.text, cause.count, looked, cause.right, cause.waiver});
  }
  return shown;
}

/// Of a verdict that counts nothing: what went wrong.
std::string first_part(const std::string& verdict) { return verdict.substr(0, verdict.find(';')); }

/// What was compared, and the words that were not.
std::string compared_line(const std::string& things, const golden::Verdict& counts) {
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

PageFacts facts_of(const sim::RunReport& report) {
  PageFacts facts = {
      {"device", report.dut},
      {"input", report.input},
      {"operation", report.operation},
      {"set", report.set_id},
      {"seed", std::to_string(report.seed)},
      {"seed of the set", report.set_seed == report.seed ? "" : std::to_string(report.set_seed)},
      {"judged by", report.judged_by.text()},
      {"observed", report.observed}};
  facts.insert(facts.end(), report.schedule.begin(), report.schedule.end());
  facts.emplace_back("digest", report.digest.empty()
                                   ? fmt::format("none: not every {} was compared", report.thing)
                                   : report.digest);
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

PageFacts counts_of(const sim::RunReport& report) {
  const golden::Verdict& total = report.counts.verdict;
  const std::string things = report.thing + "s";
  PageFacts counts = {{things + " compared", fmt::format("{} of {}", with_commas(total.judged()),
                                                         with_commas(report.declared))},
                      {"wrong " + things, with_commas(total.mismatches)}};
  if (total.codes.all() != 0) {
    counts.emplace_back(
        "elements compared",
        fmt::format("{} of {}{}", with_commas(total.codes.compared), with_commas(total.codes.all()),
                    sim::left_out_text(total.codes)));
  }
  counts.emplace_back("words compared", with_commas(total.words));
  counts.emplace_back("don't-care", with_commas(total.dont_care));
  counts.emplace_back("open", with_commas(total.open));
  counts.emplace_back("unobserved", with_commas(total.unobserved));
  counts.emplace_back("waived", with_commas(total.waived));
  counts.emplace_back(things + " without a compared word", with_commas(total.unjudged));
  return counts;
}

/// What was not offered or not compared, and why.
std::vector<std::string> absent_of(const sim::RunReport& report) {
  std::vector<std::string> absent;
  for (const sim::NotOffered& each : report.not_offered) {
    absent.push_back(fmt::format("{} configurations, {} blocks: {}",
                                 with_commas(each.configurations), with_commas(each.blocks),
                                 each.why));
  }
  for (const std::string& more : {sim::narrowed_text(report.narrowed), report.held_to,
                                  sim::part_text(report.part, report.thing + "s")}) {
    if (!more.empty()) absent.push_back(more);
  }
  return absent;
}

PageCell cell_of(const sim::ReportCell& cell, bool is_block) {
  const golden::Verdict& verdict = cell.counts.verdict;
  PageCell shown{cell.row,         cell.column,   verdict.judged(),
                 verdict.unjudged, verdict.words, verdict.mismatches};
  if (is_block) {
    shown.compared = verdict.codes.compared;
    shown.left_out = verdict.codes.left_out();
  }
  return shown;
}

std::vector<PageFailure> failures_of(const sim::RunReport& report) {
  std::vector<PageFailure> failures;
  for (const sim::ReportMismatch& m : report.mismatches) {
    PageFailure failure;
    failure.title =
        fmt::format("{} {}{}{}", report.thing, m.number, m.from.empty() ? "" : ": ", m.from);
    failure.text = m.text;
    failure.replay = m.replay;
    for (const sim::ReportWord& word : m.words) failure.words.push_back(page_word(word));
    failures.push_back(std::move(failure));
  }
  for (const sim::ReportFailure& each : report.failures) {
    std::string title = "protocol";
    if (each.last > each.first) {
      title += fmt::format(", {}s {} to {}", report.thing, each.first, each.last - 1);
    }
    const std::string shift = report.out_of_step.empty() ? "" : "\n" + report.out_of_step;
    failures.push_back({std::move(title), each.what + shift, each.replay, {}});
  }
  return failures;
}

std::string result_line(const sim::RunReport& report) {
  const golden::Verdict& total = report.counts.verdict;
  if (report.exit_code == 0) {
    return fmt::format("PASS: all {} {}s are right, bit for bit", with_commas(total.judged()),
                       report.thing);
  }
  if (total.mismatches == 0) return first_part(report.line);
  return fmt::format("FAIL: {} of {} {}s differ", with_commas(total.mismatches),
                     with_commas(total.judged()), report.thing);
}

}  // namespace

RunPage page_of(const sim::RunReport& report, std::vector<golden::Covergroup> coverage) {
  RunPage page;
  page.verdict = report.line;
  page.has_passed = report.exit_code == 0;
  page.facts = facts_of(report);
  page.counts = counts_of(report);
  page.absent = absent_of(report);
  page.causes = page_causes(report.causes);
  for (const sim::ReportCell& cell : report.cells) {
    page.cells.push_back(cell_of(cell, report.thing == "block"));
  }
  page.failures = failures_of(report);
  page.unshown = report.unshown();
  const std::string judged = fmt::format(
      "{} {}s of {}", with_commas(report.counts.verdict.judged()), report.thing, report.input);
  page.headline = {result_line(report), compared_line(judged, report.counts.verdict),
                   page.failures.empty() ? "Again:" : "The first failure again:"};
  page.again = page.failures.empty() ? report.again : page.failures.front().replay;
  page.waivers = report.waivers.text();
  page.coverage = std::move(coverage);
  return page;
}

}  // namespace mx::cli
