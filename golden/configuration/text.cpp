#include "golden/configuration/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <charconv>
#include <utility>

#include "golden/bytes/number_text.hpp"
#include "golden/configuration/describe.hpp"
#include "golden/configuration/policies.hpp"
#include "reference/catalog/fields.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/masks.hpp"

namespace mx::golden {
namespace {

constexpr std::string_view kDefinition = "_definition";
/// In place of a definition: the name says everything.
constexpr std::string_view kByName = "by_name";
constexpr std::string_view kNone = "none";

/// Does the name alone mean this format?
bool is_named(const ElementFormat& format) {
  std::optional<ElementFormat> known = make_format(format.name);
  if (!known) return false;
  known->name = format.name;
  return *known == format;
}

Policies both(const ElementPolicy& policy) { return {policy, {}}; }
Policies both(const BlockPolicy& policy) { return {{}, policy}; }
void take(const Policies& policies, ElementPolicy& policy) { policy = policies.element; }
void take(const Policies& policies, BlockPolicy& policy) { policy = policies.block; }

class Writer {
 public:
  void add(const std::string& field, std::string value) {
    fields_.emplace_back(field, std::move(value));
  }
  void name(const std::string& field, std::string_view value) {
    add(field, value.empty() ? std::string(kNone) : std::string(value));
  }
  void word(const std::string& field, const std::string& value) { add(field, value); }
  void element(const std::string& field, const ElementFormat& format) {
    name(field, format.name);
    add(field + std::string(kDefinition),
        is_named(format) ? std::string(kByName) : format_text(format));
  }
  void number(const std::string& field, int value, int, int) { add(field, std::to_string(value)); }
  template <typename Word>
  void code(const std::string& field, Word value) {
    add(field, hex(value, 8 * static_cast<int>(sizeof value)));
  }
  void optional(const std::string& field, const std::optional<int>& value) {
    add(field, value ? std::to_string(*value) : std::string(kNone));
  }
  template <typename E>
  void token(const std::string& field, E value) {
    add(field, std::string(token_of(value)));
  }
  /// By its name; what no source settles of it stands beside.
  void unit(const MatrixUnit& unit) {
    name("unit", unit.name);
    token("unit_open", unit.open);
  }
  void scales(const std::optional<UnitScale>& scale) {
    name("scale", scale ? scale->format.name : "");
    add("block_size", std::to_string(scale ? scale->block_size : 0));
  }
  template <typename Policy>
  void policies(FieldScope scope, const Policy& policy) {
    for (const PolicyField& field : policy_fields()) {
      if (field.scope == scope) add(std::string(field.name), field.read(both(policy)));
    }
  }
  [[nodiscard]] ConfigurationFields take_fields() { return std::move(fields_); }

 private:
  ConfigurationFields fields_;
};

/// Keeps the first problem; what follows it is read all the same.
class Reader {
 public:
  Reader(const std::map<std::string, std::string>& fields, FormatCatalog& catalog)
      : fields_(fields), catalog_(catalog) {}

  [[nodiscard]] const std::optional<FieldProblem>& problem() const { return problem_; }

  void refuse(const std::string& field, const std::string& expected) {
    if (problem_) return;
    const auto found = fields_.find(field);
    problem_ = {field, found == fields_.end()
                           ? "is missing"
                           : fmt::format("is \"{}\", expected {}", found->second, expected)};
  }
  [[nodiscard]] std::string text(const std::string& field) {
    const auto found = fields_.find(field);
    if (found == fields_.end()) refuse(field, "");
    return found == fields_.end() ? std::string() : found->second;
  }
  void name(const std::string& field, std::string_view& value) {
    value = catalog_.intern(text(field));
    if (value == kNone) value = {};
  }
  void word(const std::string& field, std::string& value) { value = text(field); }
  void element(const std::string& field, ElementFormat& format) {
    const std::string name = text(field);
    const std::string definition = text(field + std::string(kDefinition));
    if (definition == kByName) {
      const ElementFormat* const found = catalog_.find(name);
      if (found == nullptr) return refuse(field, "a format that mxgold list names");
      format = *found;
      return;
    }
    std::string described;
    if (const auto wrong = parse_format_text(definition, described, format)) {
      return refuse(field + std::string(kDefinition), wrong->text());
    }
    if (described != name) refuse(field, "the name in its definition");
    format.name = catalog_.intern(name);
  }
  void number(const std::string& field, int& value, int low, int high) {
    const std::string given = text(field);
    int number = 0;
    const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), number);
    const bool is_number = error == std::errc{} && end == given.data() + given.size();
    if (!is_number || number < low || number > high) {
      return refuse(field, fmt::format("a number from {} to {}", low, high));
    }
    value = number;
  }
  template <typename Word>
  void code(const std::string& field, Word& value) {
    const std::string given = text(field);
    const auto parsed = parse_hex(given);
    if (!parsed || given.size() != 2 * sizeof value) {
      return refuse(field, fmt::format("{} hex digits", 2 * sizeof value));
    }
    value = static_cast<Word>(*parsed);
  }
  void optional(const std::string& field, std::optional<int>& value) {
    value.reset();
    if (text(field) == kNone) return;
    number(field, value.emplace(), -1024, 1024);
  }
  template <typename E>
  void token(const std::string& field, E& value) {
    if (const auto parsed = parse_token<E>(text(field))) {
      value = *parsed;
      return;
    }
    std::string known;
    for (const Token<E>& each : tokens<E>()) {
      known += known.empty() ? "" : ", ";
      known += each.text;
    }
    refuse(field, "one of " + known);
  }
  void unit(MatrixUnit& unit) {
    const MatrixUnit* const found = find_unit(text("unit"));
    if (found == nullptr) return refuse("unit", "a unit that mxgold list names");
    unit = *found;
    UnitOpen open = unit.open;
    token("unit_open", open);
    if (open != unit.open) refuse("unit_open", std::string(token_of(unit.open)) + " for this unit");
  }
  /// Units have scales of few formats, all known by name.
  void scales(std::optional<UnitScale>& scale) {
    scale.reset();
    UnitScale given;
    number("block_size", given.block_size, 0, 1024);
    const std::string name = text("scale");
    if (name == kNone) {
      if (given.block_size != 0) refuse("block_size", "0 where there are no scales");
      return;
    }
    const ElementFormat* const found = catalog_.find(name);
    if (found == nullptr) return refuse("scale", "a scale format that mxgold list names, or none");
    given.format = *found;
    scale = given;
  }
  template <typename Policy>
  void policies(FieldScope scope, Policy& policy) {
    Policies policies = both(policy);
    for (const PolicyField& field : policy_fields()) {
      const std::string name(field.name);
      if (field.scope != scope) continue;
      if (!field.write(policies, text(name))) refuse(name, "one of its tokens");
    }
    take(policies, policy);
  }

 private:
  const std::map<std::string, std::string>& fields_;
  FormatCatalog& catalog_;
  std::optional<FieldProblem> problem_;
};

void write_origin(Writer& out, const Origin& origin) {
  out.add("profile", origin.profile);
  out.name("profile_document", origin.document());
  out.name("chosen", origin.chosen);
  out.add("open", mask_list(origin.masks));
}

void read_origin(Reader& in, Origin& origin) {
  origin.profile = in.text("profile");
  if (origin.document().empty()) in.refuse("profile", "a profile that mxgold list names");
  origin.chosen = in.text("chosen");
  if (origin.chosen == kNone) origin.chosen.clear();
  if (const auto masks = parse_block_masks(in.text("open"))) {
    origin.masks = *masks;
  } else {
    in.refuse("open", "a list of what a profile may leave open");
  }
}

/// The alternatives are in the order of Operation.
template <std::size_t... kIndex>
Computation alternative(std::size_t wanted, std::index_sequence<kIndex...>) {
  Computation what;
  static_cast<void>(((kIndex == wanted && (what.emplace<kIndex>(), true)) || ...));
  return what;
}

Computation empty_computation(Operation operation) {
  using All = std::make_index_sequence<std::variant_size_v<Computation>>;
  return alternative(static_cast<std::size_t>(operation), All());
}

}  // namespace

ConfigurationFields fields_of(const Configuration& configuration) {
  Writer writer;
  Computation copy = configuration.what;
  std::visit([&](auto& what) { describe(writer, what); }, copy);
  write_origin(writer, configuration.origin);
  return writer.take_fields();
}

std::optional<FieldProblem> parse_fields(Operation operation,
                                         const std::map<std::string, std::string>& fields,
                                         FormatCatalog& catalog, Configuration& configuration) {
  Reader reader(fields, catalog);
  configuration.what = empty_computation(operation);
  std::visit([&](auto& what) { describe(reader, what); }, configuration.what);
  if (auto* const c = std::get_if<CastCase>(&configuration.what)) c->make = catalog.cast_maker();
  read_origin(reader, configuration.origin);
  if (reader.problem()) return reader.problem();
  if (const std::string why = problem_of(configuration); !why.empty()) {
    return FieldProblem{"", "the configuration cannot be computed: " + why};
  }
  return std::nullopt;
}

std::string summary_of(const Configuration& configuration) {
  Policies policies = default_policies(configuration);
  policies.block = {};  // a rule is told, though it be the format's own
  const Configuration plain =
      with_policies({empty_computation(configuration.operation()), {}}, policies);
  const ConfigurationFields defaults = fields_of(plain);
  std::string text;
  const ConfigurationFields fields = fields_of(configuration);
  for (const auto& [field, value] : fields) {
    // Operations on integers have fields that the default one has not.
    const auto usual = std::ranges::find(defaults, field, &ConfigurationFields::value_type::first);
    const bool is_usual = usual != defaults.end() && value == usual->second;
    const bool says_nothing =
        is_usual || value == kByName || field == "profile_document" || value.empty();
    if (says_nothing) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", field, value);
  }
  return text;
}

}  // namespace mx::golden
