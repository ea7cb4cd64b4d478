#include "golden/coverage/collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "golden/configuration/configuration.hpp"
#include "golden/configuration/overloaded.hpp"
#include "golden/configuration/text.hpp"
#include "golden/coverage/collectors.hpp"
#include "golden/vectors/header_parse.hpp"

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

namespace {

/// "op cvt; lanes 1; source bf16": name and value of each field; the last of two of a name.
std::map<std::string, std::string> fields_of_line(std::string_view line) {
  constexpr std::string_view kBetween = "; ";
  std::map<std::string, std::string> fields;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(kBetween), line.size());
    const std::string_view field = line.substr(0, end);
    const std::size_t blank = std::min(field.find(' '), field.size());
    fields[std::string(field.substr(0, blank))] = field.substr(std::min(blank + 1, field.size()));
    line.remove_prefix(std::min(end + kBetween.size(), line.size()));
  }
  return fields;
}

}  // namespace

std::optional<Covergroup> model_of(const std::string& configuration, casts::CastMaker casts) {
  std::map<std::string, std::string> fields = fields_of_line(configuration);
  const std::optional<Operation> op = parse_token<Operation>(fields["op"]);
  std::uint64_t lanes = 0;
  if (!op || !parse_decimal(fields["lanes"], lanes) || lanes == 0 || lanes > kMaxLanes) return {};
  VectorHeader header;
  header.catalog = std::make_shared<FormatCatalog>(casts);
  header.op = *op;
  header.lanes = static_cast<int>(lanes);
  header.lengths = fields["lengths"] == "full" ? Lengths::kFull : Lengths::kVary;
  header.configs.resize(1);
  if (parse_fields(*op, fields, *header.catalog, header.configs.front())) return {};
  if (takes_random(header.configs.front())) header.random_words = RandomWords::kPresent;
  if (!header.problem().empty()) return {};
  Covergroup group = group_of(header, 0);
  // What is read is written again: fields that no configuration has are found here.
  if (group.configuration != configuration) return {};
  group.points = make_collector(header, 0)->points();
  return group;
}

}  // namespace mx::golden
