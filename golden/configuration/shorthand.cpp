#include "golden/configuration/shorthand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "golden/configuration/idle.hpp"
#include "golden/configuration/overloaded.hpp"
#include "golden/configuration/text.hpp"
#include "golden/names/config_file.hpp"
#include "golden/names/names.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/policy/fields.hpp"
#include "reference/policy/scale_rule.hpp"
#include "reference/profiles/refusal.hpp"

namespace mx::golden {
namespace {

/// Why a shorthand is none; leaves parse_shorthand().
struct Unreadable {
  std::string why;
};

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  throw Unreadable{fmt::format(format, std::forward<Args>(args)...)};
}

/// The words that are still to be read.
class Words {
 public:
  explicit Words(std::string_view text) {
    Checked<std::map<std::string, std::string>> words = shorthand_words(text);
    if (!words) throw Unreadable{std::string(words.problem())};
    words_ = std::move(words).value();
    if (has("config")) add_file(take("config"));
  }

  [[nodiscard]] bool has(const std::string& name) const { return words_.contains(name); }
  [[nodiscard]] std::string take(const std::string& name, std::string_view otherwise) {
    const auto found = words_.find(name);
    if (found == words_.end()) return std::string(otherwise);
    return words_.extract(found).mapped();
  }
  [[nodiscard]] std::string take(const std::string& name) {
    if (!has(name)) refuse("{}= is missing", name);
    return take(name, "");
  }
  [[nodiscard]] const std::map<std::string, std::string>& rest() const { return words_; }
  /// Words of a configuration file, those of the line before them.
  void add(const ConfigFile& file) {
    try {
      const Settings settings = model_settings(file);
      const std::string op = has("op") ? words_.at("op") : value_of(settings, "op");
      for (const auto& [name, value] : settings) {
        words_.emplace(name == "format" ? format_word(op) : name, value);
      }
    } catch (const Refusal& refusal) {
      throw Unreadable{refusal.what()};
    }
  }

 private:
  void add_file(const std::string& path) {
    try {
      add(ConfigFile::read_config(path));
    } catch (const Refusal& refusal) {
      throw Unreadable{refusal.what()};
    }
  }
  static std::string value_of(const Settings& settings, std::string_view name) {
    for (const auto& [each, value] : settings) {
      if (each == name) return value;
    }
    return {};
  }
  /// What the format of an operation is called in a line.
  static std::string format_word(std::string_view op) {
    if (op == "cvt") return "destination";
    return op == "dot" || op == "mma" ? "a" : "format";
  }

  std::map<std::string, std::string> words_;
};

/// The name that is meant, in any spelling and by what others call it; "" for none.
std::string_view meant(const std::string& name, const std::string& text,
                       std::span<const std::string_view> known) {
  try {
    return known_as(name + "=", text, known);
  } catch (const Refusal& refusal) {
    throw Unreadable{refusal.what()};
  }
}

template <typename E>
E token(const std::string& name, const std::string& text) {
  if (const auto found = parse_token<E>(text)) return *found;
  std::vector<std::string_view> known;
  for (const Token<E>& each : tokens<E>()) known.push_back(each.text);
  if (const auto found = parse_token<E>(meant(name, text, known))) return *found;
  refuse("{}={}: one of {}", name, text, fmt::join(known, ", "));
}

/// A configuration before the words that change single fields: formats and policies by name.
class Base {
 public:
  Base(Words& words, FormatCatalog& catalog) : words_(words), catalog_(catalog) {}

  Configuration make(Operation operation) {
    switch (operation) {
      case Operation::kCvt:
        return conversion();
      case Operation::kBlock:
        return block();
      case Operation::kDot:
        return dot();
      case Operation::kArith:
        return arithmetic();
      case Operation::kCast:
        return cast();
      case Operation::kDequantize:
        return dequantize();
      case Operation::kMma:
        return mma();
    }
    return {};
  }

 private:
  struct Named {
    const Profile* profile = nullptr;
    std::string variant;
    std::string text;
  };
  Named profile() {
    Named named;
    named.text = words_.take("profile", "mxgold-default");
    if (words_.has("blocks_as")) named.text = with_blocks_as(named.text, words_.take("blocks_as"));
    const NamedProfile found = named_profile(named.text);
    named.profile = found.profile;
    named.variant = found.variant;
    if (named.profile == nullptr) {
      refuse("profile={}: no profile is called that", named.text.substr(0, named.text.find(':')));
    }
    return named;
  }
  ElementFormat element(const std::string& name, const std::string& text) {
    const ElementFormat* found = catalog_.find(text);
    if (found == nullptr) {
      std::vector<std::string_view> known;
      for (const ElementFormat& each : all_formats()) known.push_back(each.name);
      found = catalog_.find(meant(name, text, known));
    }
    if (found == nullptr) refuse("{}={}: no element format is called that", name, text);
    return *found;
  }
  BlockFormat block_format(const std::string& name, const std::string& text) {
    const BlockFormat* found = catalog_.find_block(text);
    if (found == nullptr) {
      std::vector<std::string_view> known;
      for (const BlockFormat& each : all_block_formats()) known.push_back(each.name);
      found = catalog_.find_block(meant(name, text, known));
    }
    if (found == nullptr) refuse("{}={}: no block format is called that", name, text);
    return *found;
  }
  /// Profiles may speak of some sizes only.
  BlockFormat sized(BlockFormat format) {
    const std::string text = words_.take("block_size", "");
    if (text.empty()) return format;
    if (format.extent != BlockExtent::kElements) {
      refuse("block_size={}: a block of {} reaches as far as its {}", text, format.name,
             token_of(format.extent));
    }
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), format.block_size);
    if (error != std::errc{} || end != text.data() + text.size() || format.block_size < 1 ||
        format.block_size > 1024) {
      refuse("block_size={}: a number from 1 to 1024", text);
    }
    return format;
  }

  Configuration conversion() {
    const ElementFormat source = element("source", words_.take("source", "fp32"));
    const ElementFormat destination = element("destination", words_.take("destination"));
    const Named from = profile();
    const auto found = element_conversion(*from.profile, source, destination, from.variant);
    if (!found) {
      refuse("profile={}: {}", from.text,
             refusal_of(*from.profile, source, destination, from.variant));
    }
    return {*found,
            {from.text, "", element_masks(*from.profile, source, destination, from.variant)}};
  }
  QuantizerConfig quantizer(const Named& from, const BlockFormat& format,
                            const ElementFormat& source) {
    const BlockFormat whole = sized(format);
    const auto found = block_config(*from.profile, whole, source, from.variant);
    if (!found) {
      refuse("profile={}: {}", from.text,
             refusal_of(*from.profile, whole, source, from.variant, "blocks_as=mxgold-default"));
    }
    return *found;
  }
  Configuration block() {
    const ElementFormat source = element("source", words_.take("source", "fp32"));
    const BlockFormat format = block_format("format", words_.take("format"));
    const Named from = profile();
    return {quantizer(from, format, source),
            {from.text, "", block_masks(*from.profile, format, source, from.variant)}};
  }
  Configuration dequantize() {
    const BlockFormat format = block_format("format", words_.take("format"));
    const Named from = profile();
    const QuantizerConfig blocks = quantizer(from, format, formats::fp32);
    DequantizeCase what;
    what.format = blocks.format;
    what.result = formats::fp32;
    what.overflow = blocks.block.dequant_overflow;
    what.rule = blocks.block.rule;
    return {what, {from.text, "", 0}};
  }
  Configuration dot() {
    DotCase what;
    const std::string a = words_.take("a");
    what.dot.a = block_format("a", a);
    what.dot.b = block_format("b", words_.take("b", a));
    return {what, {}};
  }
  Configuration arithmetic() {
    ArithmeticCase what;
    what.operation = token<ArithmeticOperation>("operation", words_.take("operation"));
    what.arithmetic = Arithmetic::ieee(element("format", words_.take("format", "fp32")));
    return {what, {}};
  }
  /// With the first of the scales that the unit takes, if it takes any.
  Configuration mma() {
    UnitCase what;
    const std::string name = words_.take("unit");
    const MatrixUnit* const found = find_unit(name);
    if (found == nullptr) refuse("unit={}: no matrix unit is called that", name);
    what.on.unit = *found;
    const std::string a = words_.take("a");
    what.on.a.element = element("a", a);
    what.on.b.element = element("b", words_.take("b", a));
    if (!found->scales.empty()) what.on.a.scale = what.on.b.scale = found->scales.front();
    return {what, {}};
  }
  Configuration cast() {
    CastCase what;
    what.make = catalog_.cast_maker();
    what.text = words_.take("cast");
    return {what, {}};
  }

  Words& words_;
  FormatCatalog& catalog_;
};

/// Fields that follow from others, or that say what a format is.
bool is_derived(std::string_view field) {
  constexpr std::string_view kDerived[] = {"profile",  "profile_document", "open", "format",
                                           "a_format", "b_format",         "unit", "unit_open"};
  return field.ends_with("_definition") ||
         std::ranges::find(kDerived, field) != std::ranges::end(kDerived);
}

/// Does a field say what a block format is, of either side of a product too?
bool is_fact_of_format(std::string_view field) {
  constexpr std::string_view kFacts[] = {
      "element",    "scale",    "tile_lines",    "extent",    "tensor_scale", "sublevel_1",
      "sublevel_2", "cut_from", "negative_zero", "rule_emax", "scale_limit",  "format_rule"};
  if (field.starts_with("a_") || field.starts_with("b_")) field.remove_prefix(2);
  return std::ranges::find(kFacts, field) != std::ranges::end(kFacts);
}

/// A format by its name is that format, whole.
void refuse_other_facts(const Configuration& base, const Words& words) {
  if (base.operation() == Operation::kMma) return;
  for (const auto& [field, value] : fields_of(base)) {
    const auto given = words.rest().find(field);
    if (given == words.rest().end() || given->second == value || !is_fact_of_format(field))
      continue;
    refuse("{}={}: the format that the words name has {}; leave it out", field, given->second,
           value);
  }
}

/// Words that nothing reads in what the others say.
void refuse_idle_words(const Configuration& configuration, const Words& words) {
  for (const auto& [field, value] : words.rest()) {
    const std::string reason = idle_reason(configuration, field);
    if (!reason.empty()) refuse("{}={}: {}", field, value, reason);
  }
}

/// The tensor's scale under the rule, where its largest magnitude alone was given.
void set_level(Configuration& configuration) {
  auto* const config = std::get_if<QuantizerConfig>(&configuration.what);
  if (config == nullptr) return;
  const Unpacked amax = decode(formats::fp32, config->tensor.amax);
  config->tensor = {};
  config->tensor = tensor_level(*config, amax);
}

/// Sets the fields of the words that are left.
Configuration changed(const Configuration& base, const Words& words, FormatCatalog& catalog) {
  std::map<std::string, std::string> fields;
  std::string chosen;
  for (const auto& [field, value] : fields_of(base)) {
    const auto given = words.rest().find(field);
    if (given == words.rest().end() || is_derived(field)) {
      fields.emplace(field, value);
      continue;
    }
    const PolicyField* const policy = find_policy_field(field);
    const std::string_view token = policy == nullptr
                                       ? std::string_view()
                                       : meant(std::string(field), given->second, policy->values());
    fields.insert_or_assign(field, token.empty() ? given->second : std::string(token));
    // A format by name takes the place of the definition that follows.
    fields.insert_or_assign(field + "_definition", "by_name");
    if (policy != nullptr) chosen += (chosen.empty() ? "" : ",") + field;
  }
  for (const auto& [field, value] : words.rest()) {
    if (!fields.contains(field) || is_derived(field)) {
      refuse("{}={}: op={} has no such field", field, value, token_of(base.operation()));
    }
  }
  if (!chosen.empty() && !words.has("chosen")) fields.insert_or_assign("chosen", chosen);
  Configuration result;
  if (const auto problem = parse_fields(base.operation(), fields, catalog, result)) {
    refuse("{}{}{}", problem->field, problem->field.empty() ? "" : " ", problem->what);
  }
  return result;
}

/// The words that make the base of a configuration.
std::string base_words(const Configuration& configuration) {
  const auto sized = [](const BlockFormat& format) {
    return format.extent == BlockExtent::kElements
               ? fmt::format(" block_size={}", format.block_size)
               : std::string();
  };
  const std::string text = std::visit(
      Overloaded{
          [](const ConversionConfig& c) {
            return fmt::format("source={} destination={}", c.source.name, c.destination.name);
          },
          [&](const QuantizerConfig& c) {
            return fmt::format("source={} format={}{}", c.source.name, c.format.name,
                               sized(c.format));
          },
          [](const DotCase& c) { return fmt::format("a={} b={}", c.dot.a.name, c.dot.b.name); },
          [](const ArithmeticCase& c) {
            return fmt::format("operation={} format={}", token_of(c.operation),
                               c.arithmetic.format.name);
          },
          [](const CastCase& c) { return fmt::format("cast={}", c.text); },
          [&](const DequantizeCase& c) {
            return fmt::format("format={}{}", c.format.name, sized(c.format));
          },
          [](const UnitCase& c) {
            return fmt::format("unit={} a={} b={}", c.on.unit.name, c.on.a.element.name,
                               c.on.b.element.name);
          }},
      configuration.what);
  const bool has_profile = configuration.operation() == Operation::kCvt ||
                           configuration.operation() == Operation::kBlock ||
                           configuration.operation() == Operation::kDequantize;
  return fmt::format("op={} {}{}", token_of(configuration.operation()), text,
                     has_profile ? " profile=" + configuration.origin.profile : "");
}

}  // namespace

Checked<std::map<std::string, std::string>> shorthand_words(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  std::map<std::string, std::string> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.empty()) return words;
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == word.size()) {
      return Problem{fmt::format("\"{}\" is no NAME=VALUE", word)};
    }
    const auto [at, is_new] = words.emplace(word.substr(0, equals), word.substr(equals + 1));
    if (!is_new) return Problem{fmt::format("{}= stands twice", at->first)};
  }
}

namespace {

Configuration configuration_of(Words& words, FormatCatalog& catalog) {
  const auto operation = token<Operation>("op", words.take("op", "block"));
  const Configuration base = Base(words, catalog).make(operation);
  refuse_other_facts(base, words);
  Configuration result = changed(base, words, catalog);
  refuse_idle_words(result, words);
  if (words.has("tensor_amax") && !words.has("stored_tensor_scale")) set_level(result);
  return result;
}

}  // namespace

Checked<Configuration> parse_shorthand(std::string_view text, FormatCatalog& catalog) {
  try {
    Words words(text);
    return configuration_of(words, catalog);
  } catch (const Unreadable& refusal) {
    return Problem{refusal.why};
  }
}

Checked<Configuration> configuration_of(const ConfigFile& file, Operation operation,
                                        FormatCatalog& catalog) {
  try {
    Words words(fmt::format("op={}", token_of(operation)));
    words.add(file);
    return configuration_of(words, catalog);
  } catch (const Unreadable& refusal) {
    return Problem{refusal.why};
  }
}

std::optional<std::string> shorthand_of(const Configuration& given) {
  Configuration configuration = given;
  const bool has_blocks =
      given.operation() == Operation::kBlock || given.operation() == Operation::kDequantize;
  if (has_blocks) configuration.origin.profile = name_in_files(given.origin.profile);
  std::string text = base_words(configuration);
  const auto* const cast = std::get_if<CastCase>(&given.what);
  FormatCatalog catalog(cast == nullptr ? casts::no_casts : cast->make);
  const Checked<Configuration> base = parse_shorthand(text, catalog);
  if (!base) return std::nullopt;
  const ConfigurationFields plain = fields_of(*base);
  const ConfigurationFields wanted = fields_of(configuration);
  std::string chosen;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [field, value] = wanted[i];
    if (field == "chosen") chosen = fmt::format(" chosen={}", value);
    if (value == plain[i].second || is_derived(field) || field == "chosen") continue;
    text += fmt::format(" {}={}", field, value);
  }
  for (const std::string& whole : {text, text + chosen}) {
    const Checked<Configuration> again = parse_shorthand(whole, catalog);
    if (again && fields_of(*again) == wanted) return whole;
  }
  return std::nullopt;
}

}  // namespace mx::golden
