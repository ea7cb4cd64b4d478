#include "sim/record/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "golden/configuration/policies.hpp"
#include "golden/configuration/result_format.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::sim {
namespace {

using golden::Field;
using golden::RecordBatch;

/// Does the device give these answers, as far as they are compared?
bool is_given(const RecordMismatch& m, const RecordBatch& answer) {
  golden::Verdict ignored;
  return golden::compare_answer(answer, m.actual, 0, m.open, ignored);
}

/// The reference under another configuration, a record at a time.
class OtherReference {
 public:
  OtherReference(const golden::VectorHeader& header, const golden::Configuration& configuration)
      : header_(header) {
    header_.configs = {configuration};
    header_.count = 1;
    if (header_.problem().empty()) reference_.emplace(header_);
  }

  [[nodiscard]] bool gives(const RecordMismatch& m) {
    if (!reference_) return false;
    RecordBatch answer(header_.shape(), 1);
    const golden::RecordShape shape = header_.shape();
    for (const golden::FieldShape& each : shape.fields) {
      if (golden::is_result(each.field) || !m.expected.has(each.field)) continue;
      if (each.field == Field::kTuser) continue;
      std::ranges::copy(m.expected.of(each.field, 0), answer.of(each.field, 0).begin());
    }
    golden::fill_config_words(header_, answer);
    reference_->answer(answer, 0, 1);
    // The results alone, in records of the run's shape.
    RecordBatch given = m.expected;
    for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
      if (given.has(field)) std::ranges::copy(answer.of(field, 0), given.of(field, 0).begin());
    }
    return is_given(m, given);
  }

 private:
  golden::VectorHeader header_;
  std::optional<golden::ReferenceAnswerer> reference_;
};

/// One policy set otherwise in configurations that have its first value.
class PolicyModel {
 public:
  PolicyModel(const PolicyField& field, std::string from, std::string_view to,
              const golden::VectorHeader& header)
      : field_(&field), from_(std::move(from)), to_(to), header_(&header) {}

  bool explains(const RecordMismatch& m) {
    const std::unique_ptr<OtherReference>& other = of(m.expected.config(0));
    return other ? other->gives(m) : is_given(m, m.expected);
  }

 private:
  const std::unique_ptr<OtherReference>& of(std::size_t config) {
    const auto [entry, is_new] = others_.try_emplace(config);
    if (!is_new) return entry->second;
    std::optional<Policies> policies = golden::policies_of(header_->configs[config]);
    if (!policies || field_->read(*policies) != from_ || !field_->write(*policies, to_)) {
      return entry->second;
    }
    const golden::Configuration other = golden::with_policies(header_->configs[config], *policies);
    if (golden::problem_of(other).empty()) {
      entry->second = std::make_unique<OtherReference>(*header_, other);
    }
    return entry->second;
  }

  const PolicyField* field_;
  std::string from_, to_;
  const golden::VectorHeader* header_;
  std::map<std::size_t, std::unique_ptr<OtherReference>> others_;
};

void add_policies(const golden::VectorHeader& header, std::span<const RecordMismatch> wrong,
                  std::span<const RecordMismatch> right, std::vector<Hypothesis>& list) {
  for (const PolicyField& field : policy_fields()) {
    if (!golden::is_policy_of(header.op, field)) continue;
    std::set<std::string> present;
    for (const RecordMismatch& m : wrong) {
      const auto policies = golden::policies_of(header.configs[m.expected.config(0)]);
      if (policies) present.insert(field.read(*policies));
    }
    for (const std::string& from : present) {
      for (const std::string_view to : field.values()) {
        if (to == from) continue;
        PolicyModel model(field, from, to, header);
        Hypothesis hypothesis{Hypothesis::Kind::kPolicy, policy_cause(field.name, from, to), {}};
        for (const RecordMismatch& m : wrong) hypothesis.explained.push_back(model.explains(m));
        const auto fits = [&](const RecordMismatch& m) { return model.explains(m); };
        const bool has_any =
            std::ranges::find(hypothesis.explained, true) != hypothesis.explained.end();
        if (has_any && std::ranges::all_of(right, fits)) list.push_back(std::move(hypothesis));
      }
    }
  }
}

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
      if (right[lane] == given[lane] || !golden::is_compared(m.expected, m.open, field, lane)) {
        continue;
      }
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

}  // namespace

std::vector<Cause> record_causes(const golden::VectorHeader& header,
                                 std::span<const RecordMismatch> wrong,
                                 std::span<const RecordMismatch> right) {
  std::vector<Hypothesis> list;
  add_policies(header, wrong, right, list);
  const golden::RecordShape shape = header.shape();
  std::vector<std::uint64_t> numbers;
  std::vector<std::vector<std::string>> words;
  for (const RecordMismatch& m : wrong) {
    numbers.push_back(m.number);
    words.push_back(differences_of(m, 2 * shape.find(Field::kCode)->bytes,
                                   golden::result_format(header.configs[m.expected.config(0)])));
  }
  add_differences(words, list);
  return fewest_causes(list, numbers);
}

}  // namespace mx::sim
