// SPDX-License-Identifier: Apache-2.0
#include "golden/names/level.hpp"

#include "golden/names/names.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "reference/element/encode.hpp"
#include "reference/policy/scale_rule.hpp"

namespace mx::golden {
namespace {

/// A finite number of no sign from an argument's text.
Unpacked magnitude_of(std::string_view argument, const std::string& text) {
  const auto number = parse_number(text);
  const bool is_finite =
      number && (number->cls == ValueClass::kFinite || number->cls == ValueClass::kZero);
  if (!is_finite || number->negative) {
    throw Refusal(filled("{} {}: give a finite number of 0 or more (448, 1e-3, 0x1.8p-3)", argument,
                         printable(text)));
  }
  return *number;
}

}  // namespace

void LevelTexts::check(const BlockFormat* format, std::string_view name, ScaleRule rule,
                       Spelling spelling) const {
  if (amax.empty() && scale.empty()) return;
  const std::string for_amax = spelled(spelling, "tensor_amax");
  const std::string for_scale = spelled(spelling, "tensor_scale");
  const std::string& argument = amax.empty() ? for_scale : for_amax;
  if (!amax.empty() && !scale.empty()) {
    throw Refusal(filled("{} and {} exclude each other", for_amax, for_scale));
  }
  if (format == nullptr || format->tensor_scale == TensorScale::kNone) {
    throw Refusal(
        filled("{}: {} has no tensor scale; nvfp4 is a format that has one", argument, name));
  }
  if (!scale.empty() && facts_of(rule).tensor != RuleTensor::kScale) {
    throw Refusal(
        filled("{}: rule {} does not take one; give {}", for_scale, token_of(rule), for_amax));
  }
  static_cast<void>(magnitude_of(argument, amax.empty() ? scale : amax));
}

TensorLevel LevelTexts::level(const QuantizerConfig& config, const Unpacked& found,
                              Spelling spelling) const {
  TensorLevel level = tensor_level(
      config, amax.empty() ? found : magnitude_of(spelled(spelling, "tensor_amax"), amax));
  if (!scale.empty()) {
    ElementPolicy nearest;
    nearest.overflow = Overflow::kNoneInfOrNan;
    const Unpacked given = magnitude_of(spelled(spelling, "tensor_scale"), scale);
    level.scale = static_cast<std::uint32_t>(encode(given, formats::fp32, nearest, 0).code);
  }
  QuantizerConfig leveled = config;
  leveled.tensor = level;
  const std::string_view problem = Quantizer::problem(leveled);
  if (!problem.empty()) {
    throw Refusal(filled("tensor scale {} from maximum {}: {}",
                         hex_float(decode(formats::fp32, level.scale)),
                         hex_float(decode(formats::fp32, level.amax)), problem));
  }
  return level;
}

}  // namespace mx::golden
