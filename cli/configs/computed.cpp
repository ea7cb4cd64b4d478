// Dot products, arithmetic, and casts of systems.
#include <fmt/format.h>

#include "cli/base/error.hpp"
#include "cli/configs/choices.hpp"
#include "cli/configs/operations.hpp"
#include "cli/systems/system_options.hpp"
#include "cli/text/names.hpp"
#include "emulators/casts/casts.hpp"

namespace mx::cli {
namespace {

using golden::Configuration;

bool is_dot_policy(std::string_view name) { return name == "rounding" || name == "overflow"; }

}  // namespace

void add_dots(const ConfigOptions& options, std::vector<Configuration>& list) {
  refuse_policies(options, is_dot_policy, "dot");
  require_default_profile(options);
  const Names defaults{"mxfp8_e4m3"};
  const Names& names = format_names(options, defaults);
  if (names.size() > 2) fail(Exit::kUsage, "--format: give one block format, or A's and B's");
  const FormatChoice a = require_block(options, names.front());
  const FormatChoice b = require_block(options, names.back());
  Policies start;
  start.element.overflow = DotConfig().overflow;
  for (const Policies& policies : combinations(options, start)) {
    golden::DotCase what;
    what.dot =
        dot_config(options.dot, *options.book, sized(options, *a.block), sized(options, *b.block));
    what.dot.rounding = policies.element.rounding;
    what.dot.overflow = policies.element.overflow;
    if (!options.addend.empty()) {
      what.addend = golden::Addend::kPresent;
      what.dot.addend = options.book->require_element("value of --addend", options.addend);
    }
    const Configuration configuration{what, {"mxgold-default", chosen_text(options), 0}};
    require_computable(configuration);
    list.push_back(configuration);
  }
}

void add_arithmetic(const ConfigOptions& options, std::vector<Configuration>& list) {
  refuse_policies(options, is_element_policy, "arith");
  require_default_profile(options);
  const Names defaults{"fp32"};
  const ArithmeticOperation operation = arith_operation(options.arith);
  const IntegerConversion integer = integer_conversion(options.arith);
  for (const std::string& name : format_names(options, defaults)) {
    const ElementFormat& format = options.book->require_element("format", name);
    Policies start;
    start.element = Arithmetic::ieee(format).policy;
    for (const Policies& policies : combinations(options, start)) {
      const Configuration configuration{
          golden::ArithmeticCase{operation, {format, policies.element, integer}},
          {"mxgold-default", chosen_text(options), 0}};
      require_computable(configuration);
      list.push_back(configuration);
    }
  }
  refuse_unread(options, list);
}

void add_casts(const ConfigOptions& options, const ElementFormat& source,
               std::vector<Configuration>& list) {
  refuse_policies(
      options, [](std::string_view) { return false; }, "cast");
  require_default_profile(options);
  const auto type = tensor_type(source.name);
  if (!type) fail(Exit::kUsage, "--source {}: systems cast fp32, bf16, fp16 and fp64", source.name);
  if (options.formats.empty()) {
    fail(Exit::kUsage, "--op cast: give --format 'SYSTEM:BODY', as in 'dmx:MXFP8[E4M3]{{32}}'");
  }
  for (const std::string& text : rejoined(options.formats)) {
    const casts::CastPointer cast = require_cast(text, options.cast_mode(), options.platform);
    const std::string canonical = text.substr(0, text.find(':') + 1) + cast->text();
    const casts::Setting setting{*parse_token<SystemMode>(options.cast_mode()),
                                 *parse_token<Platform>(options.platform)};
    const Configuration configuration{
        golden::CastCase{emulators::make_cast, canonical, setting, *type},
        {"mxgold-default", "", 0}};
    require_computable(configuration);
    list.push_back(configuration);
  }
}

}  // namespace mx::cli
