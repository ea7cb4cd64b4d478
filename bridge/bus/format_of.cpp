#include "bridge/bus/format_of.hpp"

#include "golden/configuration/overloaded.hpp"

namespace mx::bridge {
namespace {

using golden::Field;

ElementFormat scale_of(const BlockFormat& format) {
  // Bits of sublevels stand above the scale's own.
  return format.scale_bits() == format.scale.bits ? format.scale : ElementFormat{};
}

ElementFormat dot_format(const golden::DotCase& c, Field field) {
  switch (field) {
    case Field::kA:
      return c.dot.a.element;
    case Field::kB:
      return c.dot.b.element;
    case Field::kAScale:
      return scale_of(c.dot.a);
    case Field::kBScale:
      return scale_of(c.dot.b);
    case Field::kC:
      return c.dot.addend;
    default:
      return field == Field::kCode ? c.dot.result : ElementFormat{};
  }
}

ElementFormat unit_format(const UnitConfig& config, Field field) {
  switch (field) {
    case Field::kA:
      return config.a.element;
    case Field::kB:
      return config.b.element;
    case Field::kAScale:
    case Field::kBScale:
      return config.a.scale ? config.a.scale->format : ElementFormat{};
    default:
      return field == Field::kC || field == Field::kCode ? config.result : ElementFormat{};
  }
}

}  // namespace

ElementFormat format_of(const golden::Configuration& configuration, Field field) {
  if (field == Field::kFlags || field == Field::kRandom) return {};
  return std::visit(
      golden::Overloaded{[&](const ConversionConfig& c) {
                           return field == Field::kSource ? c.source : c.destination;
                         },
                         [&](const QuantizerConfig& c) {
                           if (field == Field::kSource) return c.source;
                           return field == Field::kScale ? scale_of(c.format) : c.format.element;
                         },
                         [&](const golden::DotCase& c) { return dot_format(c, field); },
                         [&](const golden::UnitCase& c) { return unit_format(c.on, field); },
                         [&](const golden::ArithmeticCase& c) {
                           return field == Field::kCode ? c.result() : c.operand();
                         },
                         [&](const golden::CastCase& c) {
                           return field == Field::kSource ? casts::format_of(c.source)
                                                          : ElementFormat{};
                         },
                         [&](const golden::DequantizeCase& c) {
                           if (field == Field::kCode) return c.result;
                           return field == Field::kAScale ? scale_of(c.format) : c.format.element;
                         }},
      configuration.what);
}

}  // namespace mx::bridge
