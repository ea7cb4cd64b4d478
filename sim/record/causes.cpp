#include "sim/record/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "golden/configuration/result_format.hpp"
#include "golden/otherwise/model.hpp"
#include "reference/number/unpacked.hpp"
#include "sim/judge/cause_waivers.hpp"
#include "sim/record/otherwise.hpp"

namespace mx::sim {
namespace {

using golden::Field;

/// A device that does some things otherwise.
class Other {
 public:
  Other(const golden::VectorHeader& header, const std::vector<const Otherwise*>& otherwise)
      : changes_(changes_of(otherwise)), model_(header, changes_) {}

  [[nodiscard]] bool explains(const RecordMismatch& m) {
    return model_.gives(m.expected, m.actual, 0, m.open);
  }
  [[nodiscard]] const std::vector<golden::Change>& changes() const { return changes_; }

 private:
  static std::vector<golden::Change> changes_of(const std::vector<const Otherwise*>& otherwise) {
    std::vector<golden::Change> changes;
    for (const Otherwise* each : otherwise) changes.push_back(each->change);
    return changes;
  }

  std::vector<golden::Change> changes_;
  golden::OtherwiseModel model_;
};

/// A hypothesis of the records that some things done otherwise explain; nothing where they explain
/// none, or would change an answer that was right.
std::optional<Hypothesis> tried(const golden::VectorHeader& header,
                                const std::vector<const Otherwise*>& changes,
                                std::span<const RecordMismatch> wrong,
                                std::span<const RecordMismatch> right) {
  Other model(header, changes);
  const auto fits = [&](const RecordMismatch& m) { return model.explains(m); };
  Hypothesis hypothesis;
  hypothesis.as = model.changes();
  for (const RecordMismatch& m : wrong) hypothesis.explained.push_back(fits(m));
  const bool has_any = std::ranges::find(hypothesis.explained, true) != hypothesis.explained.end();
  if (!has_any || !std::ranges::all_of(right, fits)) return {};
  return hypothesis;
}

/// Adds each single change that explains something.
void add_changes(const golden::VectorHeader& header, const std::vector<Otherwise>& changes,
                 std::span<const RecordMismatch> wrong, std::span<const RecordMismatch> right,
                 std::vector<Hypothesis>& list) {
  for (const Otherwise& change : changes) {
    std::optional<Hypothesis> hypothesis = tried(header, {&change}, wrong, right);
    if (!hypothesis) continue;
    hypothesis->text = "as with " + change.text;
    list.push_back(*std::move(hypothesis));
  }
}

std::size_t count_of(const std::vector<bool>& explained) {
  return static_cast<std::size_t>(std::ranges::count(explained, true));
}

/// Two changes at once, for wrong records that no single one explains. What explains fewer than
/// half of all wrong records, or fewer than three that no single one does, may be chance.
class PairSearch {
 public:
  PairSearch(const golden::VectorHeader& header, const std::vector<Otherwise>& changes,
             std::span<const RecordMismatch> wrong, std::span<const RecordMismatch> right)
      : header_(header), changes_(changes), wrong_(wrong), right_(right) {}

  void add_to(std::vector<Hypothesis>& list) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < wrong_.size(); ++i) {
      const auto explains = [&](const Hypothesis& each) { return each.explained[i]; };
      if (std::ranges::none_of(list, explains)) left.push_back(i);
    }
    if (left.size() < kFewest) return;
    // A pair that explains none of these explains too few.
    for (std::size_t i = 0; i < kProbes; ++i) probes_.push_back(left[i * left.size() / kProbes]);
    std::vector<Hypothesis> pairs;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      for (std::size_t j = i + 1; j < changes_.size(); ++j) {
        if (changes_[i].subject != changes_[j].subject) add_pair(i, j, left, pairs);
      }
    }
    list.insert(list.end(), pairs.begin(), pairs.end());
  }

 private:
  void add_pair(std::size_t i, std::size_t j, const std::vector<std::size_t>& left,
                std::vector<Hypothesis>& pairs) {
    const std::vector<const Otherwise*> both = {&changes_[i], &changes_[j]};
    Other model(header_, both);
    const auto explains = [&](std::size_t at) { return model.explains(wrong_[at]); };
    if (std::ranges::none_of(probes_, explains)) return;
    std::optional<Hypothesis> hypothesis = tried(header_, both, wrong_, right_);
    if (!hypothesis || 2 * count_of(hypothesis->explained) < wrong_.size()) return;
    const auto is_new = [&](std::size_t at) { return bool{hypothesis->explained[at]}; };
    if (std::ranges::count_if(left, is_new) < static_cast<std::ptrdiff_t>(kFewest)) return;
    hypothesis->text = fmt::format("as with {} and {}; {} of them need both", changes_[i].text,
                                   changes_[j].text, needing_both(both, hypothesis->explained));
    pairs.push_back(*std::move(hypothesis));
  }

  std::size_t needing_both(const std::vector<const Otherwise*>& both,
                           const std::vector<bool>& explained) {
    Other first(header_, {both[0]});
    Other second(header_, {both[1]});
    std::size_t count = 0;
    for (std::size_t i = 0; i < wrong_.size(); ++i) {
      const bool is_one = !explained[i] || first.explains(wrong_[i]) || second.explains(wrong_[i]);
      count += is_one ? 0U : 1U;
    }
    return count;
  }

  static constexpr std::size_t kFewest = 3;
  static constexpr std::size_t kProbes = 3;

  const golden::VectorHeader& header_;
  const std::vector<Otherwise>& changes_;
  std::span<const RecordMismatch> wrong_, right_;
  std::vector<std::size_t> probes_;
};

/// What kind of value was given for what; "" for two ordinary numbers.
std::string value_difference(const ElementFormat& format, const WrongCode& code) {
  if (code.given == golden::kNoCode) return "only what is no code";
  const Unpacked right = decode(format, code.right);
  const Unpacked given = decode(format, code.given & format.code_mask());
  const auto is = [](const Unpacked& x, ValueClass cls) { return x.cls == cls; };
  constexpr auto kZero = ValueClass::kZero;
  constexpr auto kInf = ValueClass::kInf;
  constexpr auto kNan = ValueClass::kNan;
  if (is(right, kNan) && is(given, kNan)) return "only other codes for NaN";
  if (is(right, kNan)) return "only numbers for NaN";
  if (is(given, kNan)) return "only NaN for numbers";
  if (is(right, kZero) && is(given, kZero)) return "only the signs of zeros";
  if (is(given, kZero)) return "only zeros for other numbers";
  if (is(right, kInf) && !is(given, kInf)) return "only finite numbers for infinities";
  if (is(given, kInf) && !is(right, kInf)) return "only infinities for finite numbers";
  return "";
}

/// Words for codes that differ; of records with one code its lane says nothing.
std::vector<std::string> code_words(const std::vector<WrongCode>& codes, int digits,
                                    const ElementFormat* format, std::size_t lanes) {
  std::vector<std::string> words = code_differences(codes, digits);
  if (lanes == 1 && !words.empty()) words.pop_back();
  if (format == nullptr || codes.empty()) return words;
  const std::string kind = value_difference(*format, codes.front());
  const bool is_same = std::ranges::all_of(
      codes, [&](const WrongCode& code) { return value_difference(*format, code) == kind; });
  if (is_same && !kind.empty()) {
    // It says more than a distance of codes.
    std::erase_if(words,
                  [](const std::string& word) { return word.starts_with("only codes off"); });
    words.push_back(kind);
  }
  return words;
}

/// What differs, in words that others may have in common.
std::vector<std::string> differences_of(const RecordMismatch& m, int code_digits,
                                        const ElementFormat* format) {
  std::string text;
  std::vector<WrongCode> codes;
  for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
    if (!m.expected.has(field)) continue;
    const auto right = m.expected.of(field, 0);
    const auto given = m.actual.of(field, 0);
    for (std::size_t lane = 0; lane < right.size(); ++lane) {
      if (!golden::is_wrong(m.expected, m.open, field, lane, right[lane], given[lane])) continue;
      if (field == Field::kCode) codes.push_back({lane, right[lane], given[lane]});
      if (field == Field::kScale) {
        text += given[lane] == golden::kNoCode
                    ? "scale that is no code"
                    : fmt::format("scale off by {:+}",
                                  static_cast<std::int64_t>(given[lane] - right[lane]));
      }
      if (field == Field::kFlags) {
        text += fmt::format("{}flags: {:02X} missing, {:02X} set", text.empty() ? "" : ", ",
                            right[lane] & ~given[lane], given[lane] & ~right[lane]);
      }
    }
  }
  if (text.empty()) return code_words(codes, code_digits, format, m.expected.lanes(Field::kCode));
  return {codes.empty() ? "only " + text : text + ", and codes"};
}

std::vector<golden::AnswerAt> answers_of(std::span<const RecordMismatch> records) {
  std::vector<golden::AnswerAt> answers;
  for (const RecordMismatch& m : records) {
    answers.push_back({m.expected, m.actual, 0, m.open, m.number});
  }
  return answers;
}

}  // namespace

std::vector<Cause> record_causes(const golden::VectorHeader& header,
                                 std::span<const RecordMismatch> wrong,
                                 std::span<const RecordMismatch> right) {
  std::vector<Hypothesis> list;
  const std::vector<Otherwise> changes = all_otherwise(header, wrong);
  add_changes(header, changes, wrong, right, list);
  PairSearch(header, changes, wrong, right).add_to(list);
  const golden::RecordShape shape = header.shape();
  std::vector<std::uint64_t> numbers;
  std::vector<std::vector<std::string>> words;
  for (const RecordMismatch& m : wrong) {
    numbers.push_back(m.number);
    words.push_back(differences_of(m, 2 * shape.find(Field::kCode)->bytes,
                                   golden::result_format(header.configs[m.expected.config(0)])));
  }
  add_differences(words, list);
  std::vector<Cause> causes = fewest_causes(list, numbers);
  add_cause_waivers(header, answers_of(wrong), answers_of(right), causes);
  return causes;
}

}  // namespace mx::sim
