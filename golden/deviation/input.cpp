#include "golden/deviation/input.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "golden/configuration/overloaded.hpp"
#include "golden/coverpoints/block_shape_points.hpp"

namespace mx::golden {
namespace {

constexpr std::string_view kNan = "nan";

/// Ends of a range of kinds are of the kind, too.
std::string_view wider(std::string_view kind) {
  if (kind == "min_subnormal" || kind == "max_subnormal") return "subnormal";
  if (kind == "min_normal" || kind == "max_normal") return "normal";
  if (kind == "quiet_nan" || kind == "signaling_nan") return kNan;
  return "";
}

struct OperandField {
  Field field;
  const ElementFormat* format;
};

/// The fields with values, and their formats.
std::vector<OperandField> operands_of(const Configuration& configuration) {
  return std::visit(
      Overloaded{[](const ConversionConfig& c) -> std::vector<OperandField> {
                   return {{Field::kSource, &c.source}};
                 },
                 [](const QuantizerConfig& c) -> std::vector<OperandField> {
                   return {{Field::kSource, &c.source}};
                 },
                 [](const DotCase& c) -> std::vector<OperandField> {
                   return {{Field::kA, &c.dot.a.element},
                           {Field::kB, &c.dot.b.element},
                           {Field::kC, &c.dot.addend}};
                 },
                 [](const ArithmeticCase& c) -> std::vector<OperandField> {
                   const ElementFormat* const format = &c.operand();
                   return {{Field::kA, format}, {Field::kB, format}, {Field::kC, format}};
                 },
                 [](const CastCase& c) -> std::vector<OperandField> {
                   return {{Field::kSource, &casts::format_of(c.source)}};
                 },
                 [](const DequantizeCase& c) -> std::vector<OperandField> {
                   return {{Field::kA, &c.format.element}};
                 },
                 [](const UnitCase& c) -> std::vector<OperandField> {
                   return {{Field::kA, &c.on.a.element},
                           {Field::kB, &c.on.b.element},
                           {Field::kC, &c.on.result}};
                 }},
      configuration.what);
}

bool has_blocks(Operation operation) {
  return operation != Operation::kCvt && operation != Operation::kArith;
}

bool has_scale(const std::optional<CodeRange>& range, const RecordBatch& batch, Field field,
               std::size_t i) {
  if (!range) return true;
  return batch.has(field) && std::ranges::all_of(batch.of(field, i), [&](std::uint64_t code) {
           return range->first <= code && code <= range->second;
         });
}

}  // namespace

std::vector<std::string> input_words(Operation operation) {
  std::vector<std::string> words;
  for (const Token<SourceClass>& kind : tokens<SourceClass>()) words.emplace_back(kind.text);
  words.emplace_back(kNan);
  const std::size_t kinds = words.size();
  for (const char* sign : {"+", "-"}) {
    for (std::size_t k = 0; k < kinds; ++k) words.push_back(sign + words[k]);
  }
  if (!has_blocks(operation)) return words;
  for (const Token<BlockShape>& shape : tokens<BlockShape>()) words.emplace_back(shape.text);
  return words;
}

std::string problem_of(const InputPredicate& predicate, Operation operation) {
  const std::vector<std::string> known = input_words(operation);
  for (const std::string& word : predicate.has) {
    if (std::ranges::find(known, word) != known.end()) continue;
    return fmt::format("where.has: '{}': give words of {}", word, fmt::join(known, ", "));
  }
  const bool is_dequantize = operation == Operation::kDequantize;
  if (predicate.scale && !is_dequantize) {
    return fmt::format("where.scale: records of {} have no scale as an operand: {}",
                       token_of(operation),
                       operation == Operation::kBlock ? "say expected_scale" : "leave it out");
  }
  const bool has_scales = operation == Operation::kBlock || operation == Operation::kCast;
  if (predicate.expected_scale && !has_scales) {
    return fmt::format("where.expected_scale: answers of {} have no scale: {}", token_of(operation),
                       is_dequantize ? "say scale" : "leave it out");
  }
  return {};
}

const SourceClasses& InputKinds::classes_of(std::size_t config, Field field,
                                            const ElementFormat& format) {
  std::unique_ptr<SourceClasses>& slot = classes_[{config, field}];
  if (!slot) slot = std::make_unique<SourceClasses>(format);
  return *slot;
}

std::vector<std::string> InputKinds::words_of(const RecordBatch& expected, std::size_t i) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view sign, std::string_view kind) {
    for (const std::string_view each : {kind, wider(kind)}) {
      if (each.empty()) continue;
      words.emplace_back(each);
      words.push_back(std::string(sign).append(each));
    }
  };
  const std::size_t config = expected.config(i);
  for (const auto& [field, format] : operands_of(header_->configs[config])) {
    if (!expected.has(field)) continue;
    const SourceClasses& classes = classes_of(config, field, *format);
    const std::size_t n = field == Field::kC ? 1 : expected.elements(field, i);
    std::vector<Unpacked> values;
    for (const std::uint64_t code : expected.of(field, i).first(n)) {
      values.push_back(decode(*format, code & format->code_mask()));
      const std::string name = SourceClasses::name(classes.index(values.back()));
      add(name.substr(0, 1), std::string_view(name).substr(1));
    }
    const auto shape = shape_of(*format, values);
    if (shape && has_blocks(header_->op)) words.emplace_back(token_of(*shape));
  }
  return words;
}

bool InputKinds::has(const RecordBatch& expected, std::size_t i, const InputPredicate& predicate) {
  if (!has_scale(predicate.scale, expected, Field::kAScale, i)) return false;
  if (!has_scale(predicate.expected_scale, expected, Field::kScale, i)) return false;
  if (predicate.has.empty()) return true;
  const std::vector<std::string> words = words_of(expected, i);
  return std::ranges::all_of(predicate.has, [&](const std::string& word) {
    return std::ranges::find(words, word) != words.end();
  });
}

}  // namespace mx::golden
