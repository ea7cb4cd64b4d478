// Sets of vectors with the reference's answers, for every operation.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/answers/answers.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "golden/vectors/header.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {

/// What a vector file holds.
struct GoldenSet {
  VectorHeader header;
  RecordBatch records;
};

inline Configuration conversion(const ElementFormat& source, const ElementFormat& destination,
                                Rounding rounding = Rounding::kTiesToEven) {
  ConversionConfig what{source, destination, {}};
  what.policy.rounding = rounding;
  what.policy.random_bits = 8;
  return {what, {}};
}

/// A block format under a rule. Two-level formats: as part of a tensor whose largest magnitude is
/// 2688, where NVFP4 has the tensor scale 1.
inline Configuration block(const ElementFormat& source, const BlockFormat& format,
                           Rounding rounding, ScaleRule rule) {
  QuantizerConfig what{source, format, {}, {}};
  what.element.rounding = rounding;
  what.element.random_bits = 8;
  what.block.rule = rule;
  if (format.tensor_scale != TensorScale::kNone) {
    what.tensor = tensor_level(what, unpack_integer(false, 2688, 0));
  }
  return {what, {}};
}
inline Configuration block(const ElementFormat& source, const BlockFormat& format,
                           Rounding rounding = Rounding::kTiesToEven) {
  return block(source, format, rounding, format.rule);
}
inline Configuration block(const ElementFormat& source, std::string_view format,
                           Rounding rounding = Rounding::kTiesToEven) {
  return block(source, *find_block_format(format), rounding);
}

/// Every block format that has a procedure, from fp32.
inline std::vector<Configuration> every_block() {
  std::vector<Configuration> configs;
  for (const BlockFormat& format : all_block_formats()) {
    configs.push_back(block(formats::fp32, format));
  }
  return configs;
}

inline Configuration dot(std::string_view a, std::string_view b, Addend addend = Addend::kAbsent) {
  DotCase what;
  what.dot.a = *find_block_format(a);
  what.dot.b = *find_block_format(b);
  what.addend = addend;
  return {what, {}};
}

inline Configuration arith(ArithmeticOperation operation, const ElementFormat& format) {
  return {ArithmeticCase{operation, Arithmetic::ieee(format)}, {}};
}
inline Configuration arith(ArithmeticOperation operation, const ElementFormat& format,
                           IntegerConversion integer) {
  ArithmeticCase what{operation, Arithmetic::ieee(format)};
  what.arithmetic.integer = integer;
  return {what, {}};
}

/// Conversions between floats and every integer type, under every rule.
inline std::vector<Configuration> every_integer_conversion(const ElementFormat& format) {
  std::vector<Configuration> list;
  for (const Token<IntegerType>& type : tokens<IntegerType>()) {
    list.push_back(arith(ArithmeticOperation::kFromInteger, format, {.type = type.value}));
    for (const Token<OutOfRange>& rule : tokens<OutOfRange>()) {
      list.push_back(arith(ArithmeticOperation::kToInteger, format, {type.value, rule.value}));
    }
  }
  return list;
}

/// A block format's values under the rule that belongs to it.
inline Configuration dequantize(std::string_view format, const ElementFormat& result,
                                Dequantizing how = {},
                                DequantOverflow overflow = DequantOverflow::kInf) {
  DequantizeCase what{*find_block_format(format), result, how, overflow, ScaleRule::kFloor};
  what.rule = what.format.rule;
  return {what, {}};
}

/// A matrix unit on operands of its formats, under one of its scales where it takes some.
inline Configuration mma(std::string_view unit, const ElementFormat& a, const ElementFormat& b,
                         const ElementFormat& result = formats::fp32, std::size_t scale = 0) {
  UnitCase what{{*find_unit(unit), {a}, {b}, result}};
  const auto scales = what.on.unit.scales;
  if (!scales.empty()) what.on.a.scale = what.on.b.scale = scales[scale];
  return {what, {}};
}
inline Configuration mma(std::string_view unit) {
  const ElementFormat& first = find_unit(unit)->inputs.front();
  return mma(unit, first, first);
}

/// Every unit on its first and last format, for every result and every scale.
inline std::vector<Configuration> every_unit() {
  std::vector<Configuration> list;
  for (const MatrixUnit& unit : matrix_units()) {
    const ElementFormat& last = unit.inputs.back();
    for (const ElementFormat* result : {&formats::fp32, &formats::fp16}) {
      for (std::size_t scale = 0; scale < std::max<std::size_t>(unit.scales.size(), 1); ++scale) {
        const Configuration each =
            mma(unit.name, unit.takes_mixed ? unit.inputs.front() : last, last, *result, scale);
        if (problem_of(each).empty()) list.push_back(each);
      }
    }
  }
  return list;
}

/// Two blocks of a sum of products, 40 lanes where a block has no size of its own.
inline int lanes_of(const Configuration& configuration) {
  const int elements = block_elements(configuration);
  if (elements == 0) return 40;
  const bool has_two =
      configuration.operation() == Operation::kDot || configuration.operation() == Operation::kMma;
  return has_two ? 2 * elements : elements;
}

/// The header of all vectors of a suite.
inline VectorHeader header_of(std::vector<Configuration> configs, SuiteKind kind,
                              std::uint64_t drawn = 0, std::uint64_t seed = 5,
                              Lengths lengths = Lengths::kVary) {
  VectorHeader header;
  header.op = configs.front().operation();
  header.lanes = lanes_of(configs.front());
  const bool has_lanes = header.op == Operation::kBlock || header.op == Operation::kDot ||
                         header.op == Operation::kDequantize || header.op == Operation::kMma;
  header.lengths = has_lanes ? lengths : Lengths::kFull;
  header.random_words =
      std::ranges::any_of(configs, takes_random) ? RandomWords::kPresent : RandomWords::kAbsent;
  header.configs = std::move(configs);
  header.suite = token_of(kind);
  header.seed = seed;
  // The suite policy counts the vectors of all configurations.
  header.drawn = kind == SuiteKind::kPolicy ? drawn * header.configs.size() : drawn;
  header.generator = "test";
  header.count = Stimulus(header).size();
  return header;
}

/// The operands of a header's set.
inline RecordBatch operands_of_set(const VectorHeader& header) {
  RecordBatch records;
  Stimulus(header).fill(0, header.count, records);
  return records;
}

/// Answers what stands in the batch.
inline void answer(const VectorHeader& header, RecordBatch& records) {
  ReferenceAnswerer reference(header);
  reference.answer(records, 0, records.size());
  fill_open(reference, records);
}

inline GoldenSet golden_set(std::vector<Configuration> configs, SuiteKind kind,
                            std::uint64_t drawn = 0, std::uint64_t seed = 5,
                            Lengths lengths = Lengths::kVary) {
  GoldenSet set{header_of(std::move(configs), kind, drawn, seed, lengths), {}};
  set.records = operands_of_set(set.header);
  answer(set.header, set.records);
  return set;
}

/// A name for messages.
inline std::string name_of(const Configuration& configuration) {
  VectorHeader header;
  header.op = configuration.operation();
  header.configs = {configuration};
  header.suite = "";
  header.level = 0;
  return header.set_id();
}

}  // namespace mx::golden
