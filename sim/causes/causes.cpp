#include "sim/causes/causes.hpp"

#include <fmt/format.h>

#include <array>

#include "golden/config_word/table.hpp"
#include "sim/causes/answer_causes.hpp"
#include "sim/causes/beside_constants.hpp"
#include "sim/causes/fault_causes.hpp"
#include "sim/judge/block_record.hpp"

namespace mx::sim {
namespace {

bool is_given(const Mismatch& m, const BlockOut& answer) {
  return agrees(m.compare, answer, m.open, m.actual);
}

std::vector<AnsweredBlock> answered(std::span<const Mismatch> blocks) {
  std::vector<AnsweredBlock> list;
  for (const Mismatch& m : blocks) {
    list.push_back(
        {m.block, m.previous, [&m](const BlockOut& answer) { return is_given(m, answer); }});
  }
  return list;
}

/// Does a block differ in what its record does not have: keep, last, codes of lanes not kept?
bool differs_beyond_record(const Mismatch& m) {
  BlockOut answer = m.expected;
  answer.status = m.actual.status;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((m.block.keep >> lane & 1) != 0) answer.codes[lane] = m.actual.codes[lane];
  }
  return !is_given(m, answer);
}

/// The answer with the codes that belong to the device's own scale.
BlockOut with_own_scale(const Mismatch& m, const Quantizer& quantizer) {
  BlockOut answer = m.expected;
  std::array<std::uint64_t, kLanes> source;
  source_codes(m.block, quantizer.config().source, source);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((m.block.keep >> lane & 1) == 0) continue;
    Trace trace;
    answer.codes[lane] = static_cast<std::uint8_t>(
        quantizer.explain_element(source[lane], m.actual.scale(), m.block.random[lane], trace)
            .code);
  }
  answer.status = static_cast<std::uint16_t>((m.expected.status & 0xFF00) | m.actual.scale());
  return answer;
}

std::string status_difference(std::uint16_t missing, std::uint16_t extra) {
  std::string text, numbers;
  const auto add = [&](std::uint16_t bits, std::string_view how) {
    for (const golden::StatusBit& bit : golden::kStatusBits) {
      if ((bits >> bit.bit & 1) == 0) continue;
      const char* const comma = text.empty() ? "" : ", ";
      text += fmt::format("{}{} {}", comma, bit.name, how);
      numbers += fmt::format("{}{}", comma, bit.bit);
    }
  };
  add(missing, "missing");
  add(extra, "set");
  return text +
         (text.find(',') == std::string::npos ? "; broken: status bit "
                                              : "; broken: status bits ") +
         numbers + " (spec R6)";
}

/// What the difference is, in words that others may have in common.
std::vector<std::string> differences_of(const Mismatch& m, ReferenceModel& model) {
  const BlockOut& right = m.expected;
  const BlockOut given = m.open.observed.completed(m.actual, right);
  if (given.keep != right.keep || given.last != right.last)
    return {"keep or last is not the input's; broken: they pass through (spec R6)"};
  const std::uint32_t compared = compared_lanes(m.compare, m.open) & m.block.keep;
  std::vector<WrongCode> codes;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (given.codes[lane] == right.codes[lane] || (compared >> lane & 1) == 0) continue;
    codes.push_back({lane, right.codes[lane], given.codes[lane]});
  }
  if (given.scale() != right.scale() && !m.open.scale) {
    const std::string off = fmt::format("scale code off by {:+}", given.scale() - right.scale());
    if (given.scale() == 0xFF || right.scale() == 0xFF) {
      return {fmt::format("scale {:02X} for {:02X}", given.scale(), right.scale())};
    }
    BlockOut own = with_own_scale(m, model.quantizer(m.block.config));
    own.status = given.status;
    if (is_given(m, own)) return {off + "; codes agree with the device's own scale"};
    return {off + (codes.empty() ? "; codes are those of the right scale"
                                 : "; codes agree with neither")};
  }
  if (!codes.empty()) return code_differences(codes, 2);
  if (given.status == right.status) {
    return {"only codes of lanes that are not kept; broken: they leave as code 0 (spec R6)"};
  }
  return {"only status bits: " +
          status_difference(static_cast<std::uint16_t>(right.status & ~given.status),
                            static_cast<std::uint16_t>(given.status & ~right.status))};
}

/// Blocks as records that stay.
class Records {
 public:
  Records(const golden::VectorHeader& header, std::span<const Mismatch> blocks) : blocks_(blocks) {
    BlockRecords records(header);
    for (const Mismatch& m : blocks) records_.push_back(records.of(m));
  }
  [[nodiscard]] std::vector<golden::AnswerAt> answers() const {
    std::vector<golden::AnswerAt> answers;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const BlockRecord& record = records_[i];
      answers.push_back({record.expected, record.actual, 0, record.open, blocks_[i].index});
    }
    return answers;
  }

 private:
  std::span<const Mismatch> blocks_;
  std::vector<BlockRecord> records_;
};

}  // namespace

namespace {

/// Of devices that compute every field.
std::vector<Cause> causes_of_computed(std::span<const Mismatch> wrong,
                                      std::span<const Mismatch> right,
                                      const Configurations& configs) {
  if (wrong.empty()) return {};
  ReferenceModel model(configs);
  std::vector<bool> beyond_records;
  std::vector<std::vector<std::string>> words;
  for (const Mismatch& m : wrong) {
    beyond_records.push_back(differs_beyond_record(m));
    words.push_back(differences_of(m, model));
  }
  const golden::VectorHeader header = block_header(configs);
  const Records wrong_records(header, wrong), right_records(header, right);
  const std::vector<golden::AnswerAt> wrong_answers = wrong_records.answers();
  const std::vector<golden::AnswerAt> right_answers = right_records.answers();
  return answer_causes({.header = header,
                        .wrong = wrong_answers,
                        .right = right_answers,
                        .beyond_records = std::move(beyond_records),
                        .others = fault_hypotheses(answered(wrong), answered(right), configs),
                        .words = std::move(words)});
}

void leave_out(Mismatch& m, golden::Field field) {
  m.open.scale = m.open.scale || field == golden::Field::kScale;
  m.open.flags = m.open.flags || field == golden::Field::kFlags;
  if (field == golden::Field::kCode) m.open.lanes = kAllLanes;
}

}  // namespace

std::vector<Cause> causes_of(std::span<const Mismatch> wrong, std::span<const Mismatch> right,
                             const Configurations& configs) {
  const golden::VectorHeader header = block_header(configs);
  std::vector<ConstantField> constant;
  {
    const Records wrong_records(header, wrong), right_records(header, right);
    constant = constant_fields(wrong_records.answers(), right_records.answers());
  }
  if (constant.empty()) return causes_of_computed(wrong, right, configs);
  return causes_beside_constants(
      std::span<const ConstantField>(constant), wrong, right, leave_out,
      [](const Mismatch& m) { return is_given(m, m.expected); },
      [](const Mismatch& m) { return m.index; },
      [&](std::span<const Mismatch> rest, std::span<const Mismatch> others) {
        return causes_of_computed(rest, others, configs);
      });
}

}  // namespace mx::sim
