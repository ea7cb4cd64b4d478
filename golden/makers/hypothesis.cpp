// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/hypothesis.hpp"

#include <algorithm>
#include <utility>

#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

Masks masks_of(const Surface& surface, const Subject& subject) {
  return surface.is_block ? subject.block.masks : subject.element.masks;
}

/// A record of which only what was compared under a hypothesis is known.
LogRecord as_compared(const LogRecord& record, const OpenParts& open) {
  LogRecord part = record;
  part.has_scale = record.has_scale && !open.scale;
  part.unknown.resize(record.answer.codes.size());
  for (std::size_t i = 0; i < part.unknown.size(); ++i) {
    if (open.is_open(i)) part.unknown[i] = true;
  }
  return part;
}

}  // namespace

std::string Hypothesis::name() const {
  std::string text = base.name();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += filled("{}{}={}", i == 0 ? " with " : " ", changes[i].field, changes[i].to);
  }
  return text;
}

Rulings rule_on(const ImplementationLog& log, const std::vector<Hypothesis>& hypotheses,
                int threads, std::uint64_t counted) {
  Rulings rulings;
  std::vector<Subject> subjects;
  for (const Hypothesis& each : hypotheses) {
    const bool can = can_judge(log, each.subject);
    rulings.list.push_back({.hypothesis = each, .judged = can, .first = {}});
    if (can) subjects.push_back(each.subject);
  }
  Judged judged = judge_and_mark(log, subjects, threads, counted);
  rulings.marks = std::move(judged.marks);
  auto tally = judged.tallies.begin();
  for (Ruling& ruling : rulings.list) {
    if (!ruling.judged) continue;
    ruling.contradicted = tally->contradicted;
    ruling.left_open = tally->left_open;
    ruling.counts = ruling.hypothesis.counts = tally->counts;
    if (tally->first) {
      Explanation e = explain_record(log, ruling.hypothesis.subject, log.records[*tally->first]);
      ruling.first = Contradiction{*tally->first, std::move(e.expected), std::move(e.open)};
    }
    ++tally;
  }
  for (Ruling& ruling : rulings.list) {
    ruling.is_silent = ruling.agrees() && is_silent(log, ruling.hypothesis.subject, rulings);
  }
  return rulings;
}

Rulings rule_on(const ImplementationLog& log, const std::vector<Hypothesis>& hypotheses,
                int threads) {
  return rule_on(log, hypotheses, threads, log.records.size());
}

bool can_judge(const ImplementationLog& log, const Subject& subject) {
  return log.has_random || !draws_random(log.surface, subject);
}

bool is_silent(const ImplementationLog& log, const Subject& subject, const Rulings& profiles) {
  if (!has_masks(log.surface, subject)) return false;
  bool is_any_telling = false;
  for (std::size_t i = 0; i < log.records.size(); ++i) {
    if (profiles.marks.telling[i] == 0) continue;
    is_any_telling = true;
    const Explanation e = explain_record(log, subject, log.records[i]);
    if (e.counts.compared == 0) continue;
    if (!e.open.any()) return false;
    const LogRecord part = as_compared(log.records[i], e.open);
    const bool tells = std::ranges::any_of(profiles.list, [&](const Ruling& each) {
      return each.contradicted != 0 && !explain_record(log, each.hypothesis.subject, part).agrees;
    });
    if (tells) return false;
  }
  return is_any_telling;
}

Subject without_masks(Subject subject) {
  subject.element.masks = 0;
  subject.block.masks = 0;
  return subject;
}

bool has_masks(const Surface& surface, const Subject& subject) {
  return masks_of(surface, subject) != 0;
}

}  // namespace mx::golden
