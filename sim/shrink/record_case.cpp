#include "sim/shrink/record_case.hpp"

#include <algorithm>

#include "golden/answers/answers.hpp"
#include "golden/configuration/overloaded.hpp"
#include "golden/vectors/operand_check.hpp"
#include "sim/dut/dut.hpp"

namespace mx::sim {
namespace {

using golden::Field;
using golden::FieldShape;

/// Of what the words of an operand are codes; nullptr for numbers.
const ElementFormat* format_of(const golden::Configuration& configuration, Field field) {
  const auto of_dot = [&](const golden::DotCase& c) -> const ElementFormat* {
    if (field == Field::kA) return &c.dot.a.element;
    if (field == Field::kB) return &c.dot.b.element;
    return field == Field::kC ? &c.dot.addend : nullptr;
  };
  const auto of_unit = [&](const golden::UnitCase& c) -> const ElementFormat* {
    if (field == Field::kA) return &c.on.a.element;
    if (field == Field::kB) return &c.on.b.element;
    return field == Field::kC ? &c.on.result : nullptr;
  };
  const bool is_source = field == Field::kSource;
  return std::visit(
      golden::Overloaded{[&](const ConversionConfig& c) { return is_source ? &c.source : nullptr; },
                         [&](const QuantizerConfig& c) { return is_source ? &c.source : nullptr; },
                         of_dot, of_unit,
                         [&](const golden::ArithmeticCase& c) { return &c.operand(); },
                         [&](const golden::CastCase& c) {
                           return is_source ? &casts::format_of(c.source) : nullptr;
                         },
                         [&](const golden::DequantizeCase& c) {
                           return field == Field::kA ? &c.format.element : nullptr;
                         }},
      configuration.what);
}

std::uint64_t mask_of(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

bool is_put(Field field) {
  return !golden::is_result(field) && field != Field::kConfig && field != Field::kTuser &&
         field != Field::kOpen;
}

std::vector<Slot> record_slots(const golden::VectorHeader& header,
                               const golden::Configuration& configuration) {
  std::vector<Slot> slots;
  const golden::RecordShape shape = header.shape();
  for (const FieldShape& each : shape.fields) {
    if (!is_put(each.field)) continue;
    Slot slot{format_of(configuration, each.field), mask_of(8 * each.bytes), 0};
    if (slot.format != nullptr) slot.mask = slot.format->code_mask();
    if (each.field == Field::kRandom) slot.mask = mask_of(header.random_bits());
    if (each.field == Field::kElements) {
      slot.rest = static_cast<std::uint64_t>(header.lanes);
    }
    slots.insert(slots.end(), static_cast<std::size_t>(each.lanes), slot);
  }
  return slots;
}

Case record_case(const golden::VectorHeader& header, const golden::RecordBatch& records) {
  Case result;
  result.configs = header.configs;
  const golden::RecordShape shape = header.shape();
  for (std::size_t i = 0; i < records.size(); ++i) {
    Question question{static_cast<std::uint32_t>(records.config(i)), {}};
    for (const FieldShape& each : shape.fields) {
      if (!is_put(each.field)) continue;
      const auto words = records.of(each.field, i);
      question.words.insert(question.words.end(), words.begin(), words.end());
    }
    result.questions.push_back(std::move(question));
  }
  return result;
}

golden::RecordBatch records_of(const Case& failure, golden::VectorHeader& header) {
  header.configs = failure.configs;
  header.count = failure.questions.size();
  const golden::RecordShape shape = header.shape();
  golden::RecordBatch records(shape, failure.questions.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Question& question = failure.questions[i];
    if (records.has(Field::kConfig)) records.word(Field::kConfig, i) = question.config;
    auto word = question.words.begin();
    for (const FieldShape& each : shape.fields) {
      if (!is_put(each.field)) continue;
      std::ranges::copy_n(word, each.lanes, records.of(each.field, i).begin());
      word += each.lanes;
    }
  }
  golden::fill_config_words(header, records);
  return records;
}

std::optional<RecordRun> run_case(const Case& failure, const RecordSetting& setting) {
  golden::VectorHeader header = setting.header;
  const golden::RecordBatch records = records_of(failure, header);
  if (!header.problem().empty()) return {};
  if (golden::OperandCheck(header).find(records, 0, records.size())) return {};
  RecordInput input;
  input.fill = [&](std::uint64_t first, std::uint64_t last, golden::RecordBatch& batch) {
    batch = golden::RecordBatch(header.shape());
    batch.append(records, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  };
  RecordRunOptions options = setting.options;
  options.first = 0;
  options.progress = nullptr;
  options.waivers = setting.options.waivers.of_others(header);
  const std::unique_ptr<RecordDevice> device = setting.make();
  try {
    return run_records(header, input, *device, options);
  } catch (const UnsupportedError&) {
    return {};
  }
}

bool has_failed(const RecordRun& run) {
  return !run.protocol().empty() || run.verdict.mismatches != 0;
}

bool fails_like(const RecordRun& run, const RecordRun& other) {
  return has_failed(run) && run.protocol().empty() == other.protocol().empty();
}

}  // namespace mx::sim
