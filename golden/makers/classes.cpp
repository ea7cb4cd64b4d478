// SPDX-License-Identifier: Apache-2.0
#include "golden/makers/classes.hpp"

#include <algorithm>
#include <utility>

#include "golden/compare/block_answers.hpp"
#include "golden/makers/search.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kStimulus = 400;    ///< inputs by which deviations are grouped
constexpr std::size_t kMostClasses = 16;  ///< of deviations that are reported

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

/// Groups what nothing tells apart, by exact comparison where the stimulus tells nothing.
class Grouping {
 public:
  Grouping(const Surface& surface, const std::vector<BlockInput>& stimulus)
      : surface_(surface), stimulus_(stimulus), comparer_(surface) {}

  /// The hypothesis stays where it is as long as the grouping.
  void add(const Hypothesis& hypothesis, std::vector<HypothesisClass>& classes) {
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
    classes.push_back({{hypothesis}, from_first});
    rows_.push_back(std::move(row));
  }

 private:
  const Surface& surface_;
  const std::vector<BlockInput>& stimulus_;
  SurfaceComparer comparer_;
  std::vector<Row> rows_;  ///< of the first members of the classes
};

}  // namespace

Classes::Classes(const Surface& surface)
    : surface_(surface),
      stimulus_(discriminating_inputs(surface, {}, kStimulus, Telling::kCandidates)) {}

std::vector<HypothesisClass> Classes::of_profiles(const std::vector<Ruling>& rulings) const {
  std::vector<HypothesisClass> classes;
  Grouping grouping(surface_, stimulus_);
  for (const Ruling& each : rulings) {
    if (each.explains()) grouping.add(each.hypothesis, classes);
  }
  return classes;
}

std::vector<HypothesisClass> Classes::of_deviations(const std::vector<Ruling>& profiles,
                                                    const std::vector<Hypothesis>& found) const {
  Distinct distinct(surface_);
  std::vector<Row> of_profiles;
  for (const Ruling& each : profiles) {
    if (!each.explains() || !distinct.insert(each.hypothesis.subject)) continue;
    of_profiles.emplace_back(surface_, each.hypothesis.subject, stimulus_);
  }
  std::vector<Row> rows;
  std::vector<HypothesisClass> classes;
  for (const Hypothesis& each : found) {
    Row row(surface_, each.subject, stimulus_);
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
      made.from_first = Difference{.input = stimulus_[at],
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

}  // namespace mx::golden
