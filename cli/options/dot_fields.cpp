#include "cli/options/dot_fields.hpp"

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
  const AccumulatorModel& model = config.accumulator;
  fields["group"] = std::to_string(model.group);
  fields["align_bits"] = std::to_string(model.alignment_bits);
  fields["align_rounding"] = std::string(token_of(model.align_rounding));
  fields["order"] = std::string(token_of(model.order));
  fields["carry"] = std::string(token_of(model.carry));
  fields["align"] = std::string(token_of(model.align));
  fields["normalize"] = std::string(token_of(model.normalize));
  add_format("acc_format", model.format);
  fields["acc_rounding"] = std::string(token_of(model.rounding));
  fields["acc_overflow"] = std::string(token_of(model.overflow));
  fields["acc_ftz"] = std::string(token_of(model.ftz));
  fields["acc_zero_sign"] = std::string(token_of(model.zero_sign));
}

}  // namespace mx::cli
