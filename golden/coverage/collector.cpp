#include "golden/coverage/collector.hpp"

#include <fmt/format.h>

#include "golden/configuration/overloaded.hpp"
#include "golden/configuration/text.hpp"
#include "golden/coverage/collectors.hpp"

namespace mx::golden {

std::unique_ptr<Collector> make_collector(const VectorHeader& header, std::size_t config) {
  const auto lanes = static_cast<std::size_t>(header.lanes);
  const Masks masks = header.configs[config].origin.masks;
  return std::visit(
      Overloaded{
          [&](const ConversionConfig& c) { return make_conversion_collector(c, masks); },
          [&](const QuantizerConfig& c) { return make_block_collector(c, lanes, header.lengths); },
          [](const ArithmeticCase& c) { return make_arithmetic_collector(c); },
          [&](const DequantizeCase& c) { return make_dequantize_collector(c, lanes); },
          [&](const CastCase& c) { return make_cast_collector(c, lanes); },
          [&](const UnitCase& c) { return make_unit_collector(c, lanes, header.lengths); },
          [&](const DotCase& c) { return make_dot_collector(c, lanes, header.lengths); }},
      header.configs[config].what);
}

Covergroup group_of(const VectorHeader& header, std::size_t config) {
  const Configuration& configuration = header.configs[config];
  Covergroup group;
  group.configuration =
      fmt::format("op {}; lanes {}; lengths {}", token_of(header.op), header.lanes,
                  header.lengths == Lengths::kFull ? "full" : "vary");
  for (const auto& [field, value] : fields_of(configuration)) {
    group.configuration += fmt::format("; {} {}", field, value);
  }
  group.name = fmt::format("{} {}", token_of(header.op), summary_of(configuration));
  return group;
}

}  // namespace mx::golden
