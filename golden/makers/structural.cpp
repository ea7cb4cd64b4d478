// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/structural.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "golden/makers/search.hpp"
#include "golden/text/filled.hpp"
#include "reference/parallel/threads.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kTrialRecords = 256;  ///< by which alterations are tried first
constexpr std::size_t kAsked = 48;          ///< inputs of each kind by which they are told apart
constexpr std::size_t kMostSuspected = 64;  ///< records that are asked first
constexpr std::size_t kLeastChanged = 2;    ///< outputs: one may be chance,
constexpr std::size_t kLeastBits = 16;      ///< of their codes: thousands of alterations are tried
constexpr std::size_t kMostClasses = 8;     ///< that are reported

/// Outputs that an alteration makes otherwise.
struct Changed {
  std::size_t outputs = 0;
  std::size_t bits = 0;  ///< of their codes
  [[nodiscard]] bool is_enough() const { return outputs >= kLeastChanged && bits >= kLeastBits; }
};

/// One of them on the records of a log.
class Trial {
 public:
  Trial(const ImplementationLog& log, const AlteredHypothesis& tried)
      : log_(log), tried_(tried), altered_(log.surface, tried.base.subject, *tried.alteration) {}

  bool agrees(std::size_t at) {
    const LogRecord& record = log_.records[at];
    const Subject& subject = tried_.base.subject;
    OpenParts open = open_parts(log_.surface, subject, record.input);
    if (!has_neighbor(at)) {
      if (tried_.alteration->neighbor == Alteration::Neighbor::kUsed) return true;
      open.scale = true;
    }
    return explain_answer(log_, subject, record, altered_(record.input, neighbor_of(at)),
                          std::move(open))
        .agrees;
  }

  /// The first records, after those by which hypotheses as they are fall, this one's before others.
  bool agrees(const std::vector<std::size_t>& suspects) {
    if (!agrees(tried_.record)) return false;
    if (!std::ranges::all_of(suspects, [&](std::size_t at) { return agrees(at); })) return false;
    const std::size_t count = std::min(log_.records.size(), kTrialRecords);
    for (std::size_t at = 0; at < count; ++at) {
      if (!agrees(at)) return false;
    }
    return true;
  }

  /// Do enough outputs of records that contradict the hypothesis come out otherwise?
  [[nodiscard]] bool changes_enough() {
    const std::size_t count = std::min(log_.records.size(), kTrialRecords);
    Changed changed;
    if (tried_.record < count) changed = changed_in(tried_.record);
    for (std::size_t at = 0; at < count && !changed.is_enough(); ++at) {
      if (at == tried_.record) continue;
      const Changed more = changed_in(at);
      changed.outputs += more.outputs;
      changed.bits += more.bits;
    }
    return changed.is_enough();
  }

 private:
  [[nodiscard]] Changed changed_in(std::size_t at) {
    const LogRecord& record = log_.records[at];
    const Subject& subject = tried_.base.subject;
    if (!has_neighbor(at) || explain_record(log_, subject, record).agrees) return {};
    const BlockAnswer own = answer_of(log_.surface, subject, record.input);
    const BlockAnswer other = altered_(record.input, neighbor_of(at));
    const Surface& surface = log_.surface;
    const auto bits = [](const ElementFormat& format) {
      return static_cast<std::size_t>(format.bits);
    };
    Changed changed;
    if (surface.is_block && own.scale != other.scale) changed = {1, bits(surface.block.scale)};
    for (std::size_t i = 0; i < own.codes.size(); ++i) {
      if (own.codes[i] == other.codes[i] || !is_known(record, i)) continue;
      ++changed.outputs;
      changed.bits += bits(surface.is_block ? surface.block.element : surface.destination);
    }
    return changed;
  }

  /// The right scale of the neighbor that an alteration speaks of.
  [[nodiscard]] std::optional<std::uint64_t> neighbor_of(std::size_t at) const {
    if (tried_.alteration->neighbor == Alteration::Neighbor::kNone || !has_neighbor(at)) {
      return std::nullopt;
    }
    const std::size_t from = at + static_cast<std::size_t>(tried_.alteration->away);
    return answer_of(log_.surface, tried_.base.subject, log_.records[from].input).scale;
  }

  /// Nobody knows what stood before the first block, and after the last.
  [[nodiscard]] bool has_neighbor(std::size_t at) const {
    return at + static_cast<std::size_t>(tried_.alteration->away) < log_.records.size();
  }

  const ImplementationLog& log_;
  const AlteredHypothesis& tried_;
  Altered altered_;
};

std::vector<AlteredHypothesis> all_of(const ImplementationLog& log,
                                      const std::vector<Contradicted>& hypotheses, Tried tried) {
  std::vector<AlteredHypothesis> list;
  Distinct distinct(log.surface);
  for (const auto& [each, record] : hypotheses) {
    if (!can_judge(log, each.subject) || !distinct.insert(each.subject)) continue;
    for (const Alteration& alteration : alterations()) {
      const bool is_of_words = alteration.structure.name == "random_words";
      if (tried == Tried::kRandomWords && !is_of_words) continue;
      // Records that are not all there have no neighbors.
      if (alteration.neighbor != Alteration::Neighbor::kNone && !log.places.empty()) continue;
      if (Altered::can_be(log.surface, each.subject, alteration)) {
        list.push_back({each, &alteration, record});
      }
    }
  }
  return list;
}

/// Their answers to some inputs, by which they are grouped.
class AnswersOf {
 public:
  AnswersOf(const Surface& surface, const AlteredHypothesis& one,
            const std::vector<BlockInput>& inputs) {
    const Respondent respondent = respondent_of(surface, one);
    for (const BlockInput& input : inputs) answers_.push_back(respondent.answer(input));
  }
  [[nodiscard]] bool are_as(const AnswersOf& other) const {
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      const bool are_told = answers_[i] && other.answers_[i];
      if (are_told && *answers_[i] != *other.answers_[i]) return false;
    }
    return true;
  }

 private:
  std::vector<std::optional<BlockAnswer>> answers_;
};

std::vector<AlteredClass> grouped(const ImplementationLog& log, const Classes& classes,
                                  const std::vector<AlteredHypothesis>& found) {
  std::vector<BlockInput> inputs = classes.stimulus();
  inputs.resize(std::min(inputs.size(), kAsked));
  for (std::size_t i = 0; i < std::min(log.records.size(), kAsked); ++i) {
    inputs.push_back(log.records[i].input);
  }
  std::vector<AlteredClass> groups;
  std::vector<AnswersOf> answers;
  for (const AlteredHypothesis& each : found) {
    AnswersOf own(log.surface, each, inputs);
    // What is said of neighbors shows in no single block.
    const auto is_alike = [&](std::size_t i) {
      const Alteration& first = *groups[i].members.front().alteration;
      return first.neighbor == each.alteration->neighbor && first.away == each.alteration->away &&
             answers[i].are_as(own);
    };
    std::size_t at = 0;
    while (at < groups.size() && !is_alike(at)) ++at;
    if (at == groups.size()) {
      groups.emplace_back();
      answers.push_back(std::move(own));
    }
    groups[at].members.push_back(each);
  }
  return groups;
}

/// Does it explain the records after the first ones, too?
bool explains_rest(const ImplementationLog& log, const AlteredHypothesis& one, int threads) {
  constexpr std::uint64_t kPiece = 512;
  if (log.records.size() <= kTrialRecords) return true;
  std::atomic<bool> explains = true;
  share_work(log.records.size() - kTrialRecords, kPiece, threads,
             [&](std::uint64_t first, std::uint64_t last) {
               Trial trial(log, one);
               for (std::uint64_t i = first; i < last && explains; ++i) {
                 if (!trial.agrees(kTrialRecords + i)) explains = false;
               }
             });
  return explains;
}

}  // namespace

std::string AlteredHypothesis::name() const {
  return filled("{} with {}", base.name(), alteration->structure.text);
}

std::vector<AlteredClass> explained_structures(const ImplementationLog& log,
                                               const std::vector<Contradicted>& hypotheses,
                                               const Classes& classes, Tried tried, int threads) {
  const std::vector<AlteredHypothesis> list = all_of(log, hypotheses, tried);
  if (list.empty()) return {};
  std::vector<std::size_t> suspects;
  for (const Contradicted& each : hypotheses) {
    if (suspects.size() == kMostSuspected) break;
    if (std::ranges::find(suspects, each.record) == suspects.end()) {
      suspects.push_back(each.record);
    }
  }
  std::vector<std::uint8_t> explains(list.size());
  share_work(list.size(), 16, threads, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      Trial trial(log, list[i]);
      explains[i] = trial.agrees(suspects) && trial.changes_enough() ? 1 : 0;
    }
  });
  std::vector<AlteredHypothesis> found;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (explains[i] != 0) found.push_back(list[i]);
  }
  std::vector<AlteredClass> groups = grouped(log, classes, found);
  std::vector<AlteredClass> left;
  for (AlteredClass& each : groups) {
    if (left.size() == kMostClasses) break;
    if (explains_rest(log, each.members.front(), threads)) left.push_back(std::move(each));
  }
  return left;
}

Respondent respondent_of(const Surface& surface, const AlteredHypothesis& hypothesis) {
  const auto altered =
      std::make_shared<Altered>(surface, hypothesis.base.subject, *hypothesis.alteration);
  return {hypothesis.name(),
          [&surface, &hypothesis, altered](const BlockInput& input) -> std::optional<BlockAnswer> {
            if (open_parts(surface, hypothesis.base.subject, input).any()) return std::nullopt;
            return (*altered)(input);
          }};
}

}  // namespace mx::golden
