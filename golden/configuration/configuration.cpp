#include "golden/configuration/configuration.hpp"

#include <array>

#include "golden/configuration/overloaded.hpp"
#include "reference/block/back.hpp"

namespace mx::golden {

std::string Origin::document() const {
  const NamedProfile named = named_profile(profile);
  if (named.profile == nullptr) return {};
  std::string text(named.profile->source);
  const NamedProfile blocks = named_profile(parts_of(named.variant).blocks_as);
  if (blocks.profile != nullptr) text.append(", blocks: ").append(blocks.profile->source);
  return text;
}

QuantizerConfig DequantizeCase::blocks() const {
  QuantizerConfig config{formats::fp32, format, {}, {}};
  config.block.rule = rule;
  config.block.dequant_overflow = overflow;
  config.tensor.scale = tensor_scale;
  return for_way_back(config);
}

namespace {

std::string problem_of_dequantizing(const DequantizeCase& c) {
  if (is_stochastic(c.how.rounding)) return "dequantizing takes no random words";
  if (const std::string_view why = invalid_reason(c.result); !why.empty()) return std::string(why);
  ElementPolicy policy;
  policy.rounding = c.how.rounding;
  policy.dst_ftz = c.how.dst_ftz;
  if (const std::string_view why = problem_of(policy); !why.empty()) return std::string(why);
  if (const std::string_view why = back_problem(c.overflow, c.result); !why.empty()) {
    return std::string(why);
  }
  return std::string(Quantizer::problem(c.blocks()));
}

}  // namespace

std::string problem_of(const Configuration& configuration) {
  return std::visit(
      Overloaded{[](const ConversionConfig& c) { return std::string(Conversion::problem(c)); },
                 [](const QuantizerConfig& c) { return Quantizer::refusal(c); },
                 [](const DotCase& c) { return std::string(DotProduct::problem(c.dot)); },
                 [](const ArithmeticCase& c) { return std::string(c.arithmetic.problem()); },
                 [](const CastCase& c) { return std::string(c.cast().problem()); },
                 [](const DequantizeCase& c) { return problem_of_dequantizing(c); },
                 [](const UnitCase& c) { return std::string(UnitDot::problem(c.on)); }},
      configuration.what);
}

bool leaves_open(const Configuration& configuration) {
  const auto* const c = std::get_if<UnitCase>(&configuration.what);
  return configuration.origin.masks != 0 || (c != nullptr && c->on.unit.open != UnitOpen::kNothing);
}

bool takes_random(const Configuration& configuration) {
  return std::visit(
      Overloaded{[](const ConversionConfig& c) { return is_stochastic(c.policy.rounding); },
                 [](const QuantizerConfig& c) {
                   return is_stochastic(c.element.rounding) || facts_of(c.block.rule).draws;
                 },
                 [](const CastCase& c) {
                   const auto row = row_of(c, 1);
                   return row && row->random_words != 0;
                 },
                 [](const auto&) { return false; }},
      configuration.what);
}

int random_bits_of(const Configuration& configuration) {
  return std::visit(Overloaded{[](const ConversionConfig& c) { return c.policy.random_bits; },
                               [](const QuantizerConfig& c) {
                                 // The rule takes the low bits of a whole word.
                                 return facts_of(c.block.rule).draws &&
                                                !is_stochastic(c.element.rounding)
                                            ? 32
                                            : c.element.random_bits;
                               },
                               [](const CastCase&) { return 32; }, [](const auto&) { return 1; }},
                    configuration.what);
}

std::size_t whole_group(const Configuration& configuration) {
  const auto* const c = std::get_if<UnitCase>(&configuration.what);
  return c == nullptr ? 1 : UnitDot::whole_group(c->on.unit);
}

std::size_t blocks_in(const BlockFormat& format, std::size_t elements) {
  if (format.extent != BlockExtent::kElements) return 1;
  const auto k = static_cast<std::size_t>(format.elements());
  return (elements + k - 1) / k;
}

std::size_t blocks_in(const UnitScale& scale, std::size_t elements) {
  const auto k = static_cast<std::size_t>(scale.block_size);
  return (elements + k - 1) / k;
}

int block_elements(const Configuration& configuration) {
  const auto of_format = [](const BlockFormat& format) {
    return format.extent == BlockExtent::kElements ? format.elements() : 0;
  };
  return std::visit(
      Overloaded{[](const ConversionConfig&) { return 1; },
                 [&](const QuantizerConfig& c) { return of_format(c.format); },
                 [&](const DotCase& c) { return of_format(c.dot.a); },
                 [](const ArithmeticCase&) { return 1; }, [](const CastCase&) { return 0; },
                 [&](const DequantizeCase& c) { return of_format(c.format); },
                 [](const UnitCase& c) { return c.on.a.scale ? c.on.a.scale->block_size : 0; }},
      configuration.what);
}

}  // namespace mx::golden
