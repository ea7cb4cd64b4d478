#include "golden/configuration/named_formats.hpp"

#include <fmt/format.h>

#include <optional>

#include "golden/configuration/overloaded.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {
namespace {

std::string contradiction(std::string_view field, std::string_view name) {
  return fmt::format("{} is \"{}\", a format of mxgold's, but its facts are others", field, name);
}

std::string element_problem(std::string_view field, const ElementFormat& format,
                            const std::optional<ElementFormat>& under_profile = {}) {
  const std::optional<ElementFormat> known = make_format(format.name);
  if (!known || *known == format || under_profile == format) return {};
  return contradiction(field, format.name);
}

std::string block_problem(std::string_view field, const BlockFormat& format, const Origin& origin,
                          const ElementFormat& source) {
  const BlockFormat* const known = find_block_format(format.name);
  if (known == nullptr) {
    if (!make_format(format.name)) return {};
    return fmt::format("{} is \"{}\", which is an element format and no block format", field,
                       format.name);
  }
  BlockFormat wanted = *known;
  if (wanted.extent == BlockExtent::kElements) wanted.block_size = format.block_size;
  if (wanted == format) return {};
  const std::string name = name_in_files(origin.profile);
  if (const auto [profile, variant] = named_profile(name); profile != nullptr) {
    const auto config = block_config(*profile, wanted, source, variant);
    if (config && config->format == format) return {};
  }
  return contradiction(field, format.name);
}

std::string first_of(std::initializer_list<std::string> problems) {
  for (const std::string& each : problems) {
    if (!each.empty()) return each;
  }
  return {};
}

std::optional<ElementFormat> destination_under_profile(const ConversionConfig& c,
                                                       const Origin& origin) {
  const auto [profile, variant] = named_profile(origin.profile);
  const std::optional<ElementFormat> known = make_format(c.destination.name);
  if (profile == nullptr || !known) return std::nullopt;
  const auto conversion = element_conversion(*profile, c.source, *known, variant);
  return conversion ? std::optional(conversion->destination) : std::nullopt;
}

}  // namespace

std::string named_format_problem(const Configuration& configuration) {
  const Origin& origin = configuration.origin;
  return std::visit(
      Overloaded{
          [&](const ConversionConfig& c) {
            return first_of({element_problem("source", c.source),
                             element_problem("destination", c.destination,
                                             destination_under_profile(c, origin))});
          },
          [&](const QuantizerConfig& c) {
            return first_of({element_problem("source", c.source),
                             block_problem("format", c.format, origin, c.source)});
          },
          [&](const DotCase& c) {
            return first_of({block_problem("a_format", c.dot.a, origin, formats::fp32),
                             block_problem("b_format", c.dot.b, origin, formats::fp32),
                             element_problem("result", c.dot.result),
                             element_problem("addend_format", c.dot.addend),
                             element_problem("acc_format", c.dot.accumulator.format)});
          },
          [&](const ArithmeticCase& c) { return element_problem("format", c.arithmetic.format); },
          [&](const DequantizeCase& c) {
            return first_of({block_problem("format", c.format, origin, formats::fp32),
                             element_problem("result", c.result)});
          },
          // Casts have texts, units formats that are known by name alone.
          [](const CastCase&) { return std::string(); },
          [](const UnitCase&) { return std::string(); }},
      configuration.what);
}

}  // namespace mx::golden
