#include "cli/options/dot_fields.hpp"

#include "reference/dot/fields.hpp"
#include "reference/policy/policy.hpp"

namespace mx::cli {

void add_dot_fields(const DotConfig& config, FormatBook& book,
                    std::map<std::string, std::string>& fields) {
  const auto add_format = [&](const std::string& key, const ElementFormat& format) {
    fields[key] = std::string(format.name);
    const std::string definitions = book.definitions_of({format.name, nullptr, &format});
    if (!definitions.empty()) fields["definitions." + key] = definitions;
  };
  fields["dot_mode"] = std::string(token_of(config.mode));
  add_format("result", config.result);
  fields["rounding"] = std::string(token_of(config.rounding));
  fields["overflow"] = std::string(token_of(config.overflow));
  if (config.mode != DotMode::kAccumulator) return;
  visit_fields(config.accumulator, [&](const AccumulatorField& field, const auto& member) {
    fields[std::string(field.name)] = member_text(member);
  });
  add_format("acc_format", config.accumulator.format);
}

}  // namespace mx::cli
