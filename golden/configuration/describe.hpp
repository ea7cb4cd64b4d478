// The fields of each kind of configuration, once for writing and reading: describe() hands every
// field to an archive, which reads it from or writes it into the configuration.
#pragma once

#include <string>

#include "golden/configuration/configuration.hpp"
#include "reference/dot/fields.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {

template <class Archive>
void describe_block_format(Archive& archive, const std::string& prefix, BlockFormat& format) {
  archive.name(prefix + "format", format.name);
  archive.element(prefix + "element", format.element);
  archive.element(prefix + "scale", format.scale);
  archive.number(prefix + "block_size", format.block_size, 1, 1024);
  archive.number(prefix + "tile_lines", format.tile_lines, 1, 1024);
  archive.token(prefix + "extent", format.extent);
  archive.token(prefix + "tensor_scale", format.tensor_scale);
  archive.number(prefix + "sublevel_1", format.sublevels[0], 0, 1024);
  archive.number(prefix + "sublevel_2", format.sublevels[1], 0, 1024);
  archive.number(prefix + "cut_from", format.cut_from, 0, 64);
  archive.token(prefix + "negative_zero", format.negative_zero);
  archive.optional(prefix + "rule_emax", format.rule_emax);
  archive.code(prefix + "scale_limit", format.scale_limit);
  archive.token(prefix + "format_rule", format.rule);
}

template <class Archive>
void describe(Archive& archive, ConversionConfig& c) {
  archive.element("source", c.source);
  archive.element("destination", c.destination);
  archive.policies(FieldScope::kElement, c.policy);
}

template <class Archive>
void describe(Archive& archive, QuantizerConfig& c) {
  archive.element("source", c.source);
  describe_block_format(archive, "", c.format);
  archive.policies(FieldScope::kElement, c.element);
  archive.policies(FieldScope::kBlock, c.block);
  archive.code("tensor_amax", c.tensor.amax);
  archive.code("stored_tensor_scale", c.tensor.scale);
}

template <class Archive>
void describe(Archive& archive, AccumulatorModel& m) {
  visit_fields(m, [&]<typename Member>(const AccumulatorField& field, Member& member) {
    const std::string name(field.in_headers);
    if constexpr (std::is_same_v<Member, int>) {
      archive.number(name, member, field.least, field.most);
    } else if constexpr (std::is_same_v<Member, ElementFormat>) {
      archive.element(name, member);
    } else {
      archive.token(name, member);
    }
  });
}

template <class Archive>
void describe(Archive& archive, DotCase& c) {
  describe_block_format(archive, "a_", c.dot.a);
  describe_block_format(archive, "b_", c.dot.b);
  archive.token("mode", c.dot.mode);
  archive.element("result", c.dot.result);
  archive.token("rounding", c.dot.rounding);
  archive.token("overflow", c.dot.overflow);
  archive.token("addend", c.addend);
  archive.element("addend_format", c.dot.addend);
  describe(archive, c.dot.accumulator);
  archive.code("a_stored_tensor_scale", c.a_tensor_scale);
  archive.code("b_stored_tensor_scale", c.b_tensor_scale);
}

template <class Archive>
void describe(Archive& archive, ArithmeticCase& c) {
  archive.token("operation", c.operation);
  archive.element("format", c.arithmetic.format);
  // Operations without integers are spelled as they were before there were any.
  if (has_integer(c.operation)) archive.token("integer", c.arithmetic.integer.type);
  if (c.operation == ArithmeticOperation::kToInteger) {
    archive.token("out_of_range", c.arithmetic.integer.out_of_range);
  }
  archive.policies(FieldScope::kElement, c.arithmetic.policy);
}

template <class Archive>
void describe(Archive& archive, CastCase& c) {
  archive.word("cast", c.text);
  archive.token("mode", c.setting.mode);
  archive.token("platform", c.setting.platform);
  archive.token("source", c.source);
}

template <class Archive>
void describe(Archive& archive, DequantizeCase& c) {
  describe_block_format(archive, "", c.format);
  archive.element("result", c.result);
  archive.token("rounding", c.how.rounding);
  archive.token("dst_ftz", c.how.dst_ftz);
  archive.token("dequant_overflow", c.overflow);
  archive.token("rule", c.rule);
  archive.code("stored_tensor_scale", c.tensor_scale);
}

template <class Archive>
void describe(Archive& archive, UnitCase& c) {
  archive.unit(c.on.unit);
  archive.element("a_element", c.on.a.element);
  archive.element("b_element", c.on.b.element);
  archive.scales(c.on.a.scale);
  c.on.b.scale = c.on.a.scale;
  archive.element("result", c.on.result);
}

}  // namespace mx::golden
