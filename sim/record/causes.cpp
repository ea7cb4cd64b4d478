#include "sim/record/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "golden/answers/verdict.hpp"
#include "golden/configuration/result_format.hpp"
#include "reference/number/unpacked.hpp"
#include "sim/causes/answer_causes.hpp"
#include "sim/causes/beside_constants.hpp"
#include "sim/causes/fault_causes.hpp"

namespace mx::sim {
namespace {

using golden::Field;

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
      if (!golden::is_wrong(m.open, field, lane, right[lane], given[lane])) continue;
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

std::vector<AnsweredBlock> answered(const std::vector<golden::AnswerAt>& answers,
                                    std::span<const RecordMismatch> records) {
  std::vector<AnsweredBlock> list;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& previous = records[i].previous;
    list.push_back(answered_block(answers[i], previous ? &*previous : nullptr));
  }
  return list;
}

/// Of devices that compute every field.
std::vector<Cause> causes_of_computed(const golden::VectorHeader& header,
                                      std::span<const RecordMismatch> wrong,
                                      std::span<const RecordMismatch> right) {
  if (wrong.empty()) return {};
  const int digits = 2 * header.shape().find(Field::kCode)->bytes;
  std::vector<std::vector<std::string>> words;
  for (const RecordMismatch& m : wrong) {
    const golden::Configuration& configuration = header.configs[m.expected.config(0)];
    words.push_back(differences_of(m, digits, golden::result_format(configuration)));
  }
  const std::vector<golden::AnswerAt> wrong_answers = answers_of(wrong);
  const std::vector<golden::AnswerAt> right_answers = answers_of(right);
  std::vector<Hypothesis> faults;
  if (are_like_streams(header)) {
    faults = fault_hypotheses(answered(wrong_answers, wrong), answered(right_answers, right),
                              header.configs);
  }
  return answer_causes({.header = header,
                        .wrong = wrong_answers,
                        .right = right_answers,
                        .others = std::move(faults),
                        .words = std::move(words)});
}

void leave_out(RecordMismatch& m, Field field) {
  m.open.scale = m.open.scale || field == Field::kScale;
  m.open.flags = m.open.flags || field == Field::kFlags;
  m.open.codes = m.open.codes || field == Field::kCode;
}

bool is_right(const RecordMismatch& m) {
  golden::Verdict ignored;
  return golden::compare_answer(m.expected, m.actual, 0, m.open, ignored);
}

}  // namespace

std::vector<Cause> record_causes(const golden::VectorHeader& header,
                                 std::span<const RecordMismatch> wrong,
                                 std::span<const RecordMismatch> right) {
  const auto constant = constant_fields(answers_of(wrong), answers_of(right));
  if (constant.empty()) return causes_of_computed(header, wrong, right);
  return causes_beside_constants(
      std::span<const ConstantField>(constant), wrong, right, leave_out, is_right,
      [](const RecordMismatch& m) { return m.number; },
      [&](std::span<const RecordMismatch> rest, std::span<const RecordMismatch> others) {
        return causes_of_computed(header, rest, others);
      });
}

}  // namespace mx::sim
