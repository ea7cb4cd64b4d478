#include "sim/judge/cause_waivers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/answers/verdict.hpp"
#include "golden/otherwise/model.hpp"

namespace mx::sim {
namespace {

using golden::Change;
using golden::Field;

/// Several changes at once.
using Changes = std::vector<Change>;

std::string hex(std::uint64_t word, int digits = 2) { return fmt::format("{:0{}X}", word, digits); }

void add_scale_changes(const golden::AnswerAt& at, std::vector<Changes>& list) {
  if (at.expected.lanes(Field::kScale) != 1) return;
  const std::uint64_t right = at.expected.word(Field::kScale, at.i);
  const std::uint64_t given = at.actual.word(Field::kScale, at.i);
  const bool differs = golden::is_compared(at.expected, at.open, Field::kScale, 0);
  if (right == given || given == golden::kNoCode || !differs) return;
  const std::string offset = fmt::format("{}", static_cast<std::int64_t>(given - right));
  list.push_back({{"scale_offset", "", offset}});
  list.push_back({{"scale_codes", hex(right), hex(given)}});
  list.push_back({{"shown_scale_offset", "", offset}});
}

void add_flag_changes(const golden::AnswerAt& at, std::vector<Changes>& list) {
  if (!at.expected.has(Field::kFlags)) return;
  if (!golden::is_compared(at.expected, at.open, Field::kFlags, 0)) return;
  const std::uint64_t right = at.expected.word(Field::kFlags, at.i);
  const std::uint64_t given = at.actual.word(Field::kFlags, at.i);
  Changes changes;
  if ((right & ~given) != 0) changes.push_back({"flags_missing", "", hex(right & ~given)});
  if ((given & ~right) != 0) changes.push_back({"flags_set", "", hex(given & ~right)});
  if (!changes.empty()) list.push_back(std::move(changes));
}

void add_code_changes(const golden::AnswerAt& at, std::vector<Changes>& list) {
  Changes changes;
  const auto right = at.expected.of(Field::kCode, at.i);
  const auto given = at.actual.of(Field::kCode, at.i);
  for (std::size_t lane = 0; lane < right.size(); ++lane) {
    if (right[lane] == given[lane] || given[lane] == golden::kNoCode) continue;
    if (!golden::is_compared(at.expected, at.open, Field::kCode, lane)) continue;
    Change change{"codes", hex(right[lane]), hex(given[lane])};
    if (std::ranges::find(changes, change) == changes.end()) changes.push_back(std::move(change));
  }
  // More would be a table of wrong answers, and no cause.
  constexpr std::size_t kMost = 2;
  if (!changes.empty() && changes.size() <= kMost) list.push_back(std::move(changes));
}

class Finder {
 public:
  Finder(const golden::VectorHeader& header, std::span<const golden::AnswerAt> wrong,
         std::span<const golden::AnswerAt> right)
      : header_(header), wrong_(wrong), right_(right) {}

  /// Nothing where no changes are known that make the answers.
  [[nodiscard]] Changes changes_of(const Cause& cause) const {
    if (cause.which.empty()) return {};
    std::vector<Changes> list;
    if (!cause.as.empty()) list.push_back(cause.as);
    const golden::AnswerAt& first = wrong_[cause.which.front()];
    add_scale_changes(first, list);
    add_flag_changes(first, list);
    add_code_changes(first, list);
    for (const Changes& changes : list) {
      if (is_cause(changes, cause.which)) return golden::in_short(changes, header_.configs);
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_cause(const Changes& changes, const std::vector<std::size_t>& which) const {
    const auto is_right = [&](const Change& each) {
      return golden::problem_of(each, header_.op).empty();
    };
    if (!std::ranges::all_of(changes, is_right)) return false;
    golden::OtherwiseModel model(header_, changes);
    const auto gives = [&](const golden::AnswerAt& at) {
      return model.gives(at.expected, at.actual, at.i, at.open);
    };
    return std::ranges::all_of(which, [&](std::size_t at) { return gives(wrong_[at]); }) &&
           std::ranges::all_of(right_, gives);
  }

  const golden::VectorHeader& header_;
  std::span<const golden::AnswerAt> wrong_, right_;
};

}  // namespace

void add_cause_waivers(const golden::VectorHeader& header, std::span<const golden::AnswerAt> wrong,
                       std::span<const golden::AnswerAt> right, std::vector<Cause>& causes) {
  const Finder finder(header, wrong, right);
  for (Cause& cause : causes) {
    cause.as = finder.changes_of(cause);
    if (!cause.as.empty()) cause.waiver = golden::as_text(cause.as);
  }
}

}  // namespace mx::sim
