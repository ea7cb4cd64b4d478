#include "golden/identify/record.hpp"

#include <algorithm>
#include <utility>

#include "golden/compare/block_answers.hpp"

namespace mx::golden {
namespace {

constexpr std::uint64_t kValueNan = 0x7FC00000;

bool is_nan32(std::uint64_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

/// An answer of a subject, in its own codes, beside a record's.
Explanation compared_element(const ImplementationLog& log, const Subject& subject,
                             const LogRecord& record, BlockAnswer answer, OpenParts open) {
  const ElementFormat& destination = subject.element.conversion.destination;
  Explanation e{.expected = std::move(answer), .open = std::move(open)};
  const bool has_values = log.outputs == LogOutputs::kValues;
  std::uint64_t& code = e.expected.codes[0];
  const std::uint64_t seen = record.answer.codes[0];
  if (has_values) code = value32(destination, code);
  if (e.counts.add(is_known(record, 0), e.open.is_open(0))) {
    e.agrees = has_values ? same_value(destination, code, seen) : code == seen;
  }
  return e;
}

Explanation compared_block(const ImplementationLog& log, const Subject& subject,
                           const LogRecord& record, BlockAnswer answer, OpenParts open) {
  const QuantizerConfig& config = subject.block.config;
  const BlockInput& input = record.input;
  const std::size_t count = input.lanes.size();
  Explanation e{.expected = std::move(answer), .open = std::move(open)};
  std::vector<std::uint64_t> seen = record.answer.codes;
  const bool by_code =
      log.outputs == LogOutputs::kCodes && same_codes(config, reader_of(log.surface));
  if (!by_code) {
    e.expected.codes = decoded_values(config, input, e.expected.scale, e.expected.codes);
    if (log.outputs == LogOutputs::kCodes) {
      seen =
          decoded_values(reader_of(log.surface), input, record.answer.scale, record.answer.codes);
    }
  }
  const bool has_values = log.outputs == LogOutputs::kValues;
  // Codes of another element format mean nothing without their scale, nor do values of an open one.
  const bool reads_elements = by_code || has_values || record.has_scale;
  if (!by_code && e.open.scale) e.open.elements.assign(count, true);
  if (!by_code) e.open.scale = true;
  if (!has_values && e.counts.add(record.has_scale, e.open.scale)) {
    e.agrees = e.expected.scale == record.answer.scale;
  }
  if (!by_code) e.expected.scale = record.answer.scale;
  for (std::size_t i = 0; i < count; ++i) {
    if (!e.counts.add(reads_elements && is_known(record, i), e.open.is_open(i),
                      e.open.is_under_nan)) {
      continue;
    }
    const std::uint64_t expected = e.expected.codes[i];
    e.agrees = e.agrees && (by_code ? expected == seen[i]
                                    : same_value(config.format.element, expected, seen[i]));
  }
  return e;
}

}  // namespace

bool same_value(const ElementFormat& format, std::uint64_t a, std::uint64_t b) {
  if (format.kind == FormatKind::kTwosComplement && ((a | b) & 0x7FFFFFFF) == 0) return true;
  return a == b || (is_nan32(a) && is_nan32(b));
}

std::uint64_t value32(const ElementFormat& format, std::uint64_t code) {
  const Unpacked x = decode(format, code);
  if (x.cls == ValueClass::kNan) return kValueNan;
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  return encode(x, formats::fp32, policy, 0).code;
}

QuantizerConfig reader_of(const Surface& surface) {
  return {surface.source, surface.block, {}, {.rule = surface.block.rule}};
}

Explanation explain_answer(const ImplementationLog& log, const Subject& subject,
                           const LogRecord& record, BlockAnswer answer, OpenParts open) {
  return (log.surface.is_block ? compared_block : compared_element)(
      log, subject, record, std::move(answer), std::move(open));
}

Explanation explain_record(const ImplementationLog& log, const Subject& subject,
                           const LogRecord& record) {
  if (!log.surface.is_block) {
    return explain_answer(log, subject, record, answer_of(log.surface, subject, record.input),
                          open_parts(log.surface, subject, record.input));
  }
  FullAnswer answer = full_answer(subject.block.config, record.input);
  OpenParts open = open_parts(subject.block, record.input, answer.result);
  return explain_answer(log, subject, record, {answer.result.scale_code, std::move(answer.codes)},
                        std::move(open));
}

LogRecord record_of(const Surface& surface, const Subject& subject, const BlockInput& input) {
  const OpenParts open = open_parts(surface, subject, input);
  LogRecord record{
      .input = input, .answer = answer_of(surface, subject, input), .has_scale = !open.scale};
  if (std::ranges::find(open.elements, true) != open.elements.end()) record.unknown = open.elements;
  return record;
}

}  // namespace mx::golden
