#include "golden/identify/identify.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "golden/compare/block_answers.hpp"
#include "golden/identify/judging.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kStimulus = 400;      ///< inputs by which deviations are grouped
constexpr std::size_t kMostClasses = 16;    ///< of deviations that are reported
constexpr std::size_t kPairBases = 12;      ///< configurations whose pairs of changes are tried
constexpr std::size_t kMostSuspects = 256;  ///< records that are asked first

bool can_judge(const ImplementationLog& log, const Subject& subject) {
  return log.has_random || !draws_random(log.surface, subject);
}

std::vector<Subject> subjects_of(const std::vector<Hypothesis>& hypotheses) {
  std::vector<Subject> subjects;
  for (const Hypothesis& each : hypotheses) subjects.push_back(each.subject);
  return subjects;
}

/// What the log says of each hypothesis that it can judge; nothing of the others.
std::vector<Ruling> rule_on(const ImplementationLog& log, const std::vector<Hypothesis>& hypotheses,
                            int threads) {
  std::vector<Ruling> rulings;
  std::vector<Hypothesis> judged;
  for (const Hypothesis& each : hypotheses) {
    const bool can = can_judge(log, each.subject);
    rulings.push_back({.hypothesis = each, .judged = can, .first = {}});
    if (can) judged.push_back(each);
  }
  const std::vector<Tally> tallies = judge_all(log, subjects_of(judged), threads);
  auto tally = tallies.begin();
  for (Ruling& ruling : rulings) {
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
  return rulings;
}

/// A set of hypotheses, each configuration once.
class Distinct {
 public:
  explicit Distinct(const Surface& surface) : surface_(surface) {}
  bool insert(const Subject& subject) {
    const Subject wanted = normalized(surface_, subject);
    for (const Subject& known : known_) {
      if (same_normalized(surface_, known, wanted)) return false;
    }
    known_.push_back(wanted);
    return true;
  }
  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  const Surface& surface_;
  std::vector<Subject> known_;
};

/// Answers to a stimulus, by which hypotheses are told apart quickly, each computed when it is
/// first asked for.
class Row {
 public:
  Row(const Surface& surface, const Subject& subject, const std::vector<BlockInput>& stimulus)
      : subject_(&subject), stimulus_(&stimulus), told_(stimulus.size()) {
    if (surface.is_block) {
      blocks_.emplace(subject.block.config);
      answers_.resize(stimulus.size());
    } else {
      elements_ = Conversion::make(subject.element.conversion).value();
      codes_.resize(stimulus.size());
    }
  }

  /// The first place where two rows say different things, and neither leaves any part open.
  [[nodiscard]] std::optional<std::size_t> parting(Row& other) {
    for (std::size_t i = 0; i < told_.size(); ++i) {
      if (!is_told(i) || !other.is_told(i)) continue;
      if (blocks_ ? answers_[i] != other.answers_[i] : codes_[i] != other.codes_[i]) return i;
    }
    return std::nullopt;
  }

  /// Of a place that a parting has.
  [[nodiscard]] BlockAnswer answer(std::size_t i) const {
    return blocks_ ? answers_[i] : BlockAnswer{0, {codes_[i]}};
  }

 private:
  enum class Told : std::uint8_t { kNotAsked, kOpen, kTold };

  bool is_told(std::size_t i) {
    if (told_[i] == Told::kNotAsked) {
      const BlockInput& input = (*stimulus_)[i];
      told_[i] = (blocks_ ? take_block(input, answers_[i]) : take_element(input, codes_[i]))
                     ? Told::kTold
                     : Told::kOpen;
    }
    return told_[i] == Told::kTold;
  }

  bool take_block(const BlockInput& input, BlockAnswer& answer) {
    FullAnswer full = full_answer(*blocks_, input);
    answer = {full.result.scale_code, std::move(full.codes)};
    return !open_parts(subject_->block, input, full.result).any();
  }

  bool take_element(const BlockInput& input, std::uint64_t& code) const {
    const std::uint32_t word = input.random.empty() ? 0 : input.random.front();
    code = (*elements_)(input.lanes[0], word).code;
    return !is_masked(subject_->element.masks, elements_->config(), input.lanes[0]);
  }

  const Subject* subject_;
  const std::vector<BlockInput>* stimulus_;
  std::vector<Told> told_;
  std::optional<Answering> blocks_;
  std::optional<Conversion> elements_;
  std::vector<BlockAnswer> answers_;  ///< of blocks
  std::vector<std::uint64_t> codes_;  ///< of single values
};

/// Inputs that tell configurations of a surface apart.
std::vector<BlockInput> stimulus_of(const Surface& surface) {
  return discriminating_inputs(surface, {}, kStimulus, Telling::kCandidates);
}

/// Groups what nothing tells apart, by exact comparison where the stimulus tells nothing.
class Grouping {
 public:
  Grouping(const Surface& surface, const std::vector<BlockInput>& stimulus)
      : surface_(surface), stimulus_(stimulus), comparer_(surface) {}

  /// The hypothesis stays where it is as long as the grouping.
  void add(const Hypothesis& hypothesis, std::vector<HypothesisClass>& classes, std::size_t limit) {
    Row row(surface_, hypothesis.subject, stimulus_);
    std::optional<Difference> from_first;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      // How one parts from the first is told, by the smallest input.
      if (i != 0 && rows_[i].parting(row)) continue;
      HypothesisClass& each = classes[i];
      const SurfaceComparison found =
          comparer_.compare(each.members.front().subject, hypothesis.subject, Detail::kFirst);
      if (found.agree()) {
        each.members.push_back(hypothesis);
        return;
      }
      if (!from_first) from_first = found.differences.front();
    }
    if (classes.size() == limit) return;
    classes.push_back({{hypothesis}, from_first});
    rows_.push_back(std::move(row));
  }

 private:
  const Surface& surface_;
  const std::vector<BlockInput>& stimulus_;
  SurfaceComparer comparer_;
  std::vector<Row> rows_;  ///< of the first members of the classes
};

/// Hypotheses that explain every record, and some answer of them.
class DeviationSearch {
 public:
  DeviationSearch(const ImplementationLog& log, const std::vector<Ruling>& profiles, int threads)
      : log_(log), threads_(threads), known_(log.surface) {
    for (const Ruling& each : profiles) {
      known_.insert(each.hypothesis.subject);
      if (each.first) suspect(each.first->record);
    }
  }

  /// Judges those whose configuration is new.
  void add(const std::vector<Hypothesis>& hypotheses) {
    std::vector<Hypothesis> fresh;
    for (const Hypothesis& each : hypotheses) {
      if (can_judge(log_, each.subject) && known_.insert(each.subject)) fresh.push_back(each);
    }
    const std::vector<Tally> tallies =
        judge_until_contradicted(log_, subjects_of(fresh), suspects_, threads_);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      if (tallies[i].first) suspect(*tallies[i].first);
      if (tallies[i].contradicted != 0 || tallies[i].counts.compared == 0) continue;
      fresh[i].counts = tallies[i].counts;
      found_.push_back(std::move(fresh[i]));
    }
  }

  [[nodiscard]] const std::vector<Hypothesis>& found() const { return found_; }
  [[nodiscard]] std::uint64_t tried() const { return known_.size(); }

 private:
  /// A record that contradicted one hypothesis may contradict others, however late it comes.
  void suspect(std::size_t record) {
    const bool is_new = std::ranges::find(suspects_, record) == suspects_.end();
    if (is_new && suspects_.size() < kMostSuspects) suspects_.push_back(record);
  }

  const ImplementationLog& log_;
  int threads_;
  Distinct known_;
  std::vector<Hypothesis> found_;
  std::vector<std::size_t> suspects_;
};

/// Deviations by their answers; those that part from no profile that explains the log are left out.
std::vector<HypothesisClass> grouped(const Surface& surface,
                                     const std::vector<BlockInput>& stimulus,
                                     const std::vector<Ruling>& profiles,
                                     const std::vector<Hypothesis>& found) {
  Distinct distinct(surface);
  std::vector<Row> of_profiles;
  for (const Ruling& each : profiles) {
    if (!each.explains() || !distinct.insert(each.hypothesis.subject)) continue;
    of_profiles.emplace_back(surface, each.hypothesis.subject, stimulus);
  }
  std::vector<Row> rows;
  std::vector<HypothesisClass> classes;
  for (const Hypothesis& each : found) {
    Row row(surface, each.subject, stimulus);
    const auto is_same = [&](Row& other) { return !other.parting(row); };
    if (std::ranges::any_of(of_profiles, is_same)) continue;
    const auto same = std::ranges::find_if(rows, is_same);
    if (same != rows.end()) {
      classes[static_cast<std::size_t>(same - rows.begin())].members.push_back(each);
      continue;
    }
    if (classes.size() == kMostClasses) continue;
    HypothesisClass made{{each}, {}};
    Row* const first = !of_profiles.empty() ? &of_profiles.front()
                       : !rows.empty()      ? &rows.front()
                                            : nullptr;
    if (first != nullptr) {
      const std::size_t at = *first->parting(row);
      made.from_first = Difference{.input = stimulus[at],
                                   .a = first->answer(at),
                                   .b = row.answer(at),
                                   .kind = InputKind::kFinite,
                                   .causes = {}};
    }
    classes.push_back(std::move(made));
    rows.push_back(std::move(row));
  }
  return classes;
}

Subject without_masks(Subject subject) {
  subject.element.masks = 0;
  subject.block.masks = 0;
  return subject;
}

/// What explains the outputs that profiles leave open too; nothing where some profile leaves none.
std::vector<HypothesisClass> inside_of(const ImplementationLog& log,
                                       const std::vector<BlockInput>& stimulus,
                                       const std::vector<Ruling>& profiles, int threads) {
  const auto explains_whole = [&](const Ruling& r) {
    const Subject& subject = r.hypothesis.subject;
    const Masks masks = log.surface.is_block ? subject.block.masks : subject.element.masks;
    return r.explains() && masks == 0;
  };
  if (std::ranges::any_of(profiles, explains_whole)) return {};
  std::vector<Hypothesis> bared;
  for (const Ruling& each : profiles) {
    if (!each.explains()) continue;
    const Subject bare = without_masks(each.hypothesis.subject);
    bared.push_back({each.hypothesis.base, {}, bare});
    for (const DeviatingSubject& other : deviations(log.surface, bare)) {
      bared.push_back({each.hypothesis.base, other.deviations, other.subject});
    }
  }
  DeviationSearch search(log, {}, threads);
  search.add(bared);
  return grouped(log.surface, stimulus, {}, search.found());
}

/// Records of a log, spread over it, by which hypotheses are ranked.
ImplementationLog sample_of(const ImplementationLog& log) {
  constexpr std::size_t kRecords = 100;
  ImplementationLog sample{log.surface, log.outputs, log.has_random, {}, log.names};
  const std::size_t step = (log.records.size() + kRecords - 1) / kRecords;
  for (std::size_t i = 0; i < log.records.size(); i += step) {
    sample.records.push_back(log.records[i]);
  }
  return sample;
}

/// The hypothesis, leaving nothing open, that the fewest records contradict: the first of them.
std::optional<Ruling> least_contradicted(const ImplementationLog& log,
                                         std::vector<Hypothesis> hypotheses, int threads) {
  for (Hypothesis& each : hypotheses) each.subject = without_masks(each.subject);
  std::optional<Ruling> best;
  for (Ruling& each : rule_on(log, hypotheses, threads)) {
    if (each.counts.compared == 0) continue;
    if (!best || each.contradicted < best->contradicted) best = std::move(each);
  }
  return best;
}

/// The nearest by a sample: the best profile or the best deviation, then of the whole log.
std::optional<Ruling> closest_of(const ImplementationLog& log, const std::vector<Ruling>& profiles,
                                 const std::vector<Hypothesis>& single, int threads) {
  const ImplementationLog sample = sample_of(log);
  std::vector<Hypothesis> candidates;
  for (const Ruling& each : profiles) candidates.push_back(each.hypothesis);
  const std::optional<Ruling> profile = least_contradicted(sample, candidates, threads);
  std::vector<Hypothesis> best;
  if (profile) {
    best.push_back(profile->hypothesis);
    candidates = best;
  } else {
    candidates.clear();
  }
  candidates.insert(candidates.end(), single.begin(), single.end());
  const std::optional<Ruling> deviation = least_contradicted(sample, candidates, threads);
  if (!deviation) return deviation;
  best.push_back(deviation->hypothesis);
  return least_contradicted(log, best, threads);
}

}  // namespace

std::string Hypothesis::name() const {
  std::string text = base.name();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    text += filled("{}{}={}", i == 0 ? " with " : " ", changes[i].field, changes[i].to);
  }
  return text;
}

bool Identification::compared_anything() const {
  return std::ranges::any_of(profiles, [](const Ruling& r) { return r.counts.compared > 0; });
}

std::vector<Ruling> rule_on_profiles(const ImplementationLog& log, int threads) {
  if (log.records.empty()) throw std::logic_error("a log without records");
  std::vector<Hypothesis> hypotheses;
  for (const Candidate& candidate : candidates_of(log.surface)) {
    hypotheses.push_back({candidate, {}, *subject_of(candidate, log.surface)});
  }
  return rule_on(log, hypotheses, threads);
}

Identification identify(const ImplementationLog& log, int threads) {
  const Surface& surface = log.surface;
  Identification result{};
  result.profiles = rule_on_profiles(log, threads);
  const std::vector<BlockInput> stimulus = stimulus_of(surface);
  Grouping grouping(surface, stimulus);
  for (const Ruling& each : result.profiles) {
    if (each.explains()) grouping.add(each.hypothesis, result.classes, result.profiles.size());
  }
  if (!result.compared_anything()) return result;
  DeviationSearch search(log, result.profiles, threads);
  std::vector<Hypothesis> single;
  for (const Ruling& each : result.profiles) {
    for (const DeviatingSubject& other : deviations(surface, each.hypothesis.subject)) {
      single.push_back({each.hypothesis.base, other.deviations, other.subject});
    }
  }
  search.add(single);
  result.changed_policies = search.found().empty() ? 0 : 1;
  if (result.classes.empty() && search.found().empty()) {
    Distinct bases(surface);
    for (const Ruling& each : result.profiles) {
      if (bases.size() == kPairBases) break;
      if (!bases.insert(each.hypothesis.subject)) continue;
      std::vector<Hypothesis> pairs;
      for (const DeviatingSubject& other : deviation_pairs(surface, each.hypothesis.subject)) {
        if (!can_judge(log, other.subject)) continue;
        pairs.push_back({each.hypothesis.base, other.deviations, other.subject});
      }
      search.add(pairs);
      if (!search.found().empty()) break;
    }
    result.changed_policies = search.found().empty() ? 0 : 2;
  }
  result.tried = search.tried();
  if (!search.found().empty()) {
    result.deviations = grouped(surface, stimulus, result.profiles, search.found());
  }
  if (result.deviations.empty()) result.changed_policies = 0;
  if (!result.classes.empty()) result.inside = inside_of(log, stimulus, result.profiles, threads);
  if (result.classes.empty() && result.deviations.empty()) {
    result.closest = closest_of(log, result.profiles, single, threads);
  }
  return result;
}

}  // namespace mx::golden
