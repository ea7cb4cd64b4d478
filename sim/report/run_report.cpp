// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_report.hpp"

#include <fmt/format.h>

#include <variant>

#include "golden/answers/verdict.hpp"

namespace mx::sim {
namespace {

using golden::Field;

/// The format of the codes of a computation; nullptr where they are words of their own.
const ElementFormat* format_of_codes(const golden::Computation& what) {
  if (const auto* const conversion = std::get_if<ConversionConfig>(&what)) {
    return &conversion->destination;
  }
  if (const auto* const block = std::get_if<QuantizerConfig>(&what)) return &block->format.element;
  if (const auto* const arithmetic = std::get_if<golden::ArithmeticCase>(&what)) {
    return &arithmetic->arithmetic.format;
  }
  if (const auto* const dot = std::get_if<golden::DotCase>(&what)) return &dot->dot.result;
  if (const auto* const values = std::get_if<golden::DequantizeCase>(&what)) {
    return &values->result;
  }
  if (const auto* const unit = std::get_if<golden::UnitCase>(&what)) return &unit->on.result;
  return nullptr;
}

const ElementFormat* format_of(const golden::Computation& what, Field field) {
  if (field == Field::kCode) return format_of_codes(what);
  const auto* const block = std::get_if<QuantizerConfig>(&what);
  return field == Field::kScale && block != nullptr ? &block->format.scale : nullptr;
}

/// What the element of a block is before it is rounded, under the scale that both gave; nothing
/// where they gave two, or none that scales.
std::optional<Unpacked> exact_of(const golden::Computation& what,
                                 const golden::RecordBatch& expected,
                                 const golden::RecordBatch& actual, std::size_t lane) {
  const auto* const block = std::get_if<QuantizerConfig>(&what);
  if (block == nullptr || !expected.has(Field::kScale)) return std::nullopt;
  const std::uint64_t scale = expected.word(Field::kScale, 0);
  if (scale != actual.word(Field::kScale, 0)) return std::nullopt;
  const Checked<Quantizer> quantizer = Quantizer::make(*block);
  if (!quantizer || decode(block->format.scale, scale).cls != ValueClass::kFinite) {
    return std::nullopt;
  }
  return quantizer->scaled_element(expected.of(Field::kSource, 0)[lane], scale, lane);
}

void add_wrong(const golden::FieldShape& shape, const golden::Computation& what,
               const golden::RecordBatch& expected, const golden::RecordBatch& actual,
               const golden::OpenAnswer& open, std::vector<ReportWord>& words) {
  const auto right = expected.of(shape.field, 0);
  const auto given = actual.of(shape.field, 0);
  const ElementFormat* const format = format_of(what, shape.field);
  for (std::size_t lane = 0; lane < right.size(); ++lane) {
    if (!golden::is_wrong(open, shape.field, lane, right[lane], given[lane])) continue;
    ReportWord word;
    word.name =
        right.size() == 1 ? std::string(token_of(shape.field)) : fmt::format("lane {}", lane);
    word.expected = right[lane];
    word.given = given[lane];
    word.bits = format == nullptr ? 8 * shape.bytes : format->bits;
    if (format != nullptr) word.format = *format;
    if (shape.field == Field::kCode) word.exact = exact_of(what, expected, actual, lane);
    words.push_back(std::move(word));
  }
}

}  // namespace

std::string_view RunReport::verdict() const {
  if (interrupted != 0) return "INTERRUPTED";
  if (exit_code == 3) return "NOTHING COMPARED";
  return exit_code == 0 ? "PASS" : "FAIL";
}

ReportCell report_cell(const golden::Configuration& configuration, const RecordRun& run,
                       std::size_t i) {
  ReportCell cell;
  cell.fields = golden::fields_of(configuration);
  cell.name = golden::summary_of(configuration);
  cell.counts.verdict = run.by_config[i];
  if (!run.certified.empty()) cell.counts.certificates = run.certified[i];
  return cell;
}

ReportMismatch mismatch_words(const golden::VectorHeader& header,
                              const golden::RecordBatch& expected,
                              const golden::RecordBatch& actual, const golden::OpenAnswer& open) {
  ReportMismatch mismatch;
  mismatch.configuration = expected.config(0);
  const golden::Computation& what = header.configs[mismatch.configuration].what;
  for (const golden::FieldShape& shape : header.shape().fields) {
    const std::string name(token_of(shape.field));
    const auto words_of = [&](const golden::RecordBatch& batch) {
      const auto words = batch.of(shape.field, 0);
      return std::pair(name, std::vector<std::uint64_t>(words.begin(), words.end()));
    };
    const bool is_passed = golden::is_passed_through(shape.field);
    if (!golden::is_result(shape.field)) mismatch.operands.push_back(words_of(expected));
    if (!golden::is_result(shape.field) && !is_passed) continue;
    mismatch.expected.push_back(words_of(expected));
    mismatch.given.push_back(words_of(actual));
    add_wrong(shape, what, expected, actual, open, mismatch.words);
  }
  return mismatch;
}

}  // namespace mx::sim
