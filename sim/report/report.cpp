#include "sim/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/judge/explain.hpp"
#include "sim/report/elements.hpp"
#include "sim/report/texts.hpp"

namespace mx::sim {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::size_t count_configurations(const TallyTable& tallies) {
  return static_cast<std::size_t>(
      std::ranges::count_if(tallies.cells(), [](const Tally& t) { return t.blocks != 0; }));
}

}  // namespace

std::string part_text(const RunPart& part, std::string_view things) {
  if (part.left_out() == 0) return {};
  std::string which = part.shards == 1 ? "" : fmt::format("shard {}/{}", part.shard, part.shards);
  if (!part.only.empty()) which += (which.empty() ? "--only " : ", --only ") + part.only;
  return fmt::format("{}: {} of {} {}, {} left to other runs", which, with_commas(part.run),
                     with_commas(part.whole), things, with_commas(part.left_out()));
}

std::string judge_text(std::string_view judge) {
  if (judge == "oracle") return "judged by the reference and the oracle";
  return judge == "certificate" ? "judged by certificates alone" : "";
}

std::string narrowed_text(const Narrowed& narrowed) {
  if (narrowed.by.empty()) return {};
  return fmt::format("narrowed to {}: {} of the suite's {} configurations have other values",
                     narrowed.by, with_commas(narrowed.others), with_commas(narrowed.whole));
}

std::span<const Mismatch> shown_of(const RunResult& result, const ReportFacts& facts) {
  return std::span(result.mismatches).first(std::min(facts.shown, result.mismatches.size()));
}

std::string mismatch_text(const Mismatch& mismatch, ReferenceModel& model,
                          const ReportFacts& facts) {
  return fmt::format("MISMATCH block {}: {}\n{}  replay     {}\n", mismatch.index,
                     facts.describe(mismatch.index), explain(mismatch, model),
                     facts.replay(mismatch.index, mismatch.index + 1));
}

std::string disagreements_text(const RunResult& result, const ReportFacts& facts) {
  std::string text;
  const std::size_t shown = std::min(facts.shown, result.disagreements.size());
  for (const Disagreement& each : std::span(result.disagreements).first(shown)) {
    const QuantizerConfig& config = config_at(result.configs, each.block.config);
    const std::string where =
        each.lane < 0 ? std::string("scale")
                      : fmt::format("lane {}, input {:0{}x} under scale {:02x}", each.lane,
                                    each.source, (config.source.bits + 3) / 4, each.scale);
    std::string inputs;
    if (each.lane < 0) {
      inputs = ", inputs";
      for (std::size_t i = 0; i < kLanes; ++i) {
        if ((each.block.keep >> i & 1) == 0) continue;
        fmt::format_to(Out(inputs), " {:0{}x}", each.block.source[i], (config.source.bits + 3) / 4);
      }
    }
    fmt::format_to(Out(text),
                   "JUDGES DISAGREE block {}: {}\n  {}: expected {:02x}, the certificate says "
                   "{:02x}{}\n  replay     {}\n",
                   each.index, facts.describe(each.index), where, each.expected, each.certified,
                   inputs, facts.replay(each.index, each.index + 1));
  }
  if (result.disagreed > shown) {
    fmt::format_to(Out(text), "({} more words on which the judges disagree)\n",
                   with_commas(result.disagreed - shown));
  }
  return text;
}

std::string failure_text(const ProtocolFailure& failure, const ReportFacts& facts) {
  return fmt::format("PROTOCOL in blocks {} to {}: {}\n  replay     {}\n", failure.first,
                     failure.last - 1, failure.what, facts.replay(failure.first, failure.last));
}

std::string failures_text(const RunResult& result, const ReportFacts& facts) {
  std::string text = disagreements_text(result, facts);
  ReferenceModel model(result.configs);
  const std::span<const Mismatch> shown = shown_of(result, facts);
  for (const Mismatch& mismatch : shown) text += mismatch_text(mismatch, model, facts);
  const std::uint64_t bad = result.tallies.total().bad_blocks;
  if (bad > shown.size()) {
    fmt::format_to(Out(text), "({} more wrong blocks counted, not shown; --errors N shows more)\n",
                   with_commas(bad - shown.size()));
  }
  text += causes_text(facts.causes, bad, "block");
  for (const ProtocolFailure& failure : result.failures) {
    text += failure_text(failure, facts);
  }
  return text;
}

namespace {

/// What was compared and what was not.
std::string coverage_text(const Tally& total) {
  return fmt::format(
      "{} words compared, {} don't-care, {} open, {} unobserved, {} waived; {} of {} blocks "
      "without a compared word",
      with_commas(total.words), with_commas(total.dont_care), with_commas(total.open),
      with_commas(total.unobserved), with_commas(total.waived), with_commas(total.unjudged),
      with_commas(total.blocks));
}

/// What was not offered to the device, and what is left to other runs.
std::string not_offered_text(const ReportFacts& facts) {
  std::uint64_t configurations = 0;
  std::uint64_t blocks = 0;
  std::string why;
  for (const NotOffered& each : facts.not_offered) {
    configurations += each.configurations;
    blocks += each.blocks;
    why += (why.empty() ? ": " : "; ") + each.why;
  }
  std::string text = fmt::format("{} configurations, {} blocks not offered{}",
                                 with_commas(configurations), with_commas(blocks), why);
  for (const std::string& more : {narrowed_text(facts.narrowed), part_text(facts.part, "blocks")}) {
    if (!more.empty()) text += "; " + more;
  }
  return text;
}

/// What certificates had to say.
std::string certificates_text(const RunResult& result) {
  if (result.judge == Judge::kReference) return "certificates not asked";
  const Tally total = result.tallies.total();
  return fmt::format("{} elements and {} scales compared with certificates, {} elements had none",
                     with_commas(total.certified), with_commas(total.certified_scales),
                     with_commas(total.uncertified));
}

}  // namespace

std::string verdict_line(const RunResult& result, const ReportFacts& facts) {
  const Tally total = result.tallies.total();
  const std::string seen =
      facts.observed == Observes{} ? "" : ", observed " + facts.observed.text();
  const std::string policies = facts.judged_by.text();
  const std::string judge = judge_text(facts.judge);
  const std::string run =
      fmt::format("{}, seed {}, dut {}{}{}{}{}{}; {}", facts.input, facts.seed, facts.dut, seen,
                  judge.empty() ? "" : "; ", judge, policies.empty() ? "" : "; ", policies,
                  not_offered_text(facts));
  // A run that broke off has none.
  const std::string digest = result.digest.empty() ? "" : "; sha256:" + result.digest;
  if (result.interrupted != 0) {
    return fmt::format(
        "INTERRUPTED by signal {} ({}): {} of {} blocks checked, {} differ; {}; {}\n",
        result.interrupted, strsignal(result.interrupted), with_commas(total.blocks),
        with_commas(result.declared), with_commas(total.bad_blocks), coverage_text(total), run);
  }
  switch (result.exit_code()) {
    case 0: {
      const double rate =
          static_cast<double>(total.elements) / 1e6 / std::max(result.seconds, 1e-9);
      return fmt::format(
          "PASS {0}/{0} blocks, {1}, {2}; {3} configurations, {4} resets, stalls in {5} "
          "of "
          "{6} segments; {11}; {7}; {8:.1f} s, {9:.1f} M elements/s; sha256:{10}\n",
          with_commas(total.judged()), elements_text(total), coverage_text(total),
          count_configurations(result.tallies), with_commas(result.drive.resets),
          result.stalled_segments, result.segments, run, result.seconds, rate, result.digest,
          certificates_text(result));
    }
    case 6:
      return fmt::format(
          "FAIL judges disagree: the certificates contradict what is expected in {} words, so no "
          "verdict on the device; {}; {}\n",
          with_commas(result.disagreed), certificates_text(result), run);
    case 3:
      return fmt::format("NOTHING COMPARED in {} blocks: {}; {}\n", with_commas(total.blocks),
                         coverage_text(total), run);
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
      if (total.bad_blocks == 0) {
        return fmt::format("FAIL {3}, {0}/{0} blocks; {1}; {2}{4}\n", with_commas(total.judged()),
                           coverage_text(total), run, result.waivers.failure(), digest);
      }
      return fmt::format("FAIL {}/{} blocks: {} differ, {} of {} elements{}; {}; {}; {}{}\n",
                         with_commas(total.judged() - total.bad_blocks),
                         with_commas(total.judged()), with_commas(total.bad_blocks),
                         with_commas(total.bad_elements), with_commas(total.codes.compared),
                         left_out_text(total.codes), coverage_text(total),
                         certificates_text(result), run, digest);
  }
}

}  // namespace mx::sim
