#include "cli/options/format_book.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/files/mapped_file.hpp"
#include "cli/options/command_line.hpp"
#include "golden/bytes/json_text.hpp"
#include "reference/catalog/block_fields.hpp"
#include "reference/catalog/definitions.hpp"

namespace mx::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLargestFile = 1 << 20;
constexpr int kDeepestDefinition = 4;

/// What is wrong with a piece of text, before the place is known.
struct Refusal {
  std::string text;
};

/// JSON without depth.
ordered_json parse_json(std::string_view text) {
  if (text.size() > kLargestFile) {
    throw Refusal{fmt::format("{} bytes; definitions take at most {}", text.size(), kLargestFile)};
  }
  ordered_json definitions;
  const auto problem = golden::parse_json(text, definitions, kDeepestDefinition);
  if (problem && problem->kind == golden::JsonProblem::Kind::kRepeated) {
    throw Refusal{fmt::format("field {}: the field is there twice; keep one of them",
                              printable(problem->name))};
  }
  if (problem) throw Refusal{golden::text_of(*problem, text)};
  return definitions;
}

/// A JSON value as the text of a field.
std::string field_text(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 64);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs pairs_of(const ordered_json& object) {
  if (!object.is_object()) throw Refusal{"a definition is an object of fields"};
  Pairs pairs;
  for (const auto& [key, value] : object.items()) pairs.emplace_back(key, field_text(value));
  return pairs;
}

/// Keeps control characters and foreign bytes of values out of messages.
std::string safe(const FormatProblem& problem) {
  std::string text = fmt::format("field {}", printable(problem.field));
  if (!problem.value.empty()) text += fmt::format(", value {}", printable(problem.value));
  return text + fmt::format(": {}; {}", problem.reason, problem.remedy);
}

std::string name_of(const Pairs& pairs) {
  std::string name;
  int count = 0;
  for (const auto& [field, value] : pairs) {
    if (field != "name") continue;
    name = value;
    ++count;
  }
  if (count == 0) throw Refusal{"field 'name': missing; a format needs a name"};
  if (count > 1) throw Refusal{"field 'name': the field is there twice; keep one of them"};
  if (!is_format_name(name)) {
    throw Refusal{
        fmt::format("field 'name', value {}: not a name; give a letter, then letters, "
                    "digits and underscores, 64 at most",
                    printable(name))};
  }
  return name;
}

template <typename Draft, typename Format>
Format finished(Draft& draft, const Pairs& pairs) {
  for (const auto& [field, value] : pairs) {
    if (field == "name") continue;
    if (const auto problem = draft.set(field, value)) throw Refusal{safe(*problem)};
  }
  Format format;
  if (const auto problem = draft.finish(format)) throw Refusal{safe(*problem)};
  return format;
}

void add_definition(FormatCatalog& catalog, const Pairs& pairs) {
  const std::string name = name_of(pairs);
  const bool is_block = std::any_of(pairs.begin(), pairs.end(),
                                    [](const auto& pair) { return pair.first == "element"; });
  try {
    std::string taken;
    if (is_block) {
      BlockDraft draft(catalog);
      taken = catalog.define_block(name, finished<BlockDraft, BlockFormat>(draft, pairs));
    } else {
      FormatDraft draft;
      taken = catalog.define(name, finished<FormatDraft, ElementFormat>(draft, pairs));
    }
    if (!taken.empty()) {
      throw Refusal{fmt::format("field 'name', value '{}': {}; choose another", name, taken)};
    }
  } catch (const Refusal& refusal) {
    throw Refusal{fmt::format("format '{}': {}", name, refusal.text)};
  }
}

void add_array(FormatCatalog& catalog, const std::string& key, const ordered_json& array) {
  if (!array.is_array()) throw Refusal{fmt::format("field '{}': not an array of formats", key)};
  for (std::size_t i = 0; i < array.size(); ++i) {
    try {
      add_definition(catalog, pairs_of(array[i]));
    } catch (const Refusal& refusal) {
      throw Refusal{fmt::format("{}[{}]: {}", key, i, refusal.text)};
    }
  }
}

void add_json(FormatCatalog& catalog, std::string_view text) {
  const ordered_json value = parse_json(text);
  if (value.is_array()) return add_array(catalog, "", value);
  const bool is_collection =
      value.is_object() && (value.contains("formats") || value.contains("blocks"));
  if (!is_collection) return add_definition(catalog, pairs_of(value));
  for (const auto& [key, each] : value.items()) {
    if (key != "formats" && key != "blocks") {
      throw Refusal{
          fmt::format("field {}: no such field; give formats and blocks beside each "
                      "other, or one format's fields",
                      printable(key))};
    }
    static_cast<void>(each);
  }
  for (const char* const key : {"formats", "blocks"}) {
    if (value.contains(key)) add_array(catalog, key, value[key]);
  }
}

ordered_json json_of(std::string_view name,
                     const std::vector<std::pair<std::string_view, std::string>>& fields) {
  ordered_json object = {{"name", name}};
  for (const auto& [field, value] : fields) object[std::string(field)] = value;
  return object;
}

}  // namespace

void FormatBook::load(const std::filesystem::path& path) {
  const MappedFile file(path);
  const std::span<const std::byte> bytes = file.bytes();
  define(path.string(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
         Exit::kBadInput);
}

void FormatBook::define(std::string_view where, std::string_view text, Exit exit) {
  try {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_json = exit == Exit::kBadInput || (first != std::string_view::npos &&
                                                     (text[first] == '{' || text[first] == '['));
    if (is_json) return add_json(catalog_, text);
    Pairs pairs;
    if (const auto problem = split_pairs(text, pairs)) throw Refusal{safe(*problem)};
    add_definition(catalog_, pairs);
  } catch (const Refusal& refusal) {
    fail(exit, "{}: {}", where, refusal.text);
  }
}

/// `e4m3` in a paper or a library is often OCP's, which is called e4m3fn here as in ml_dtypes.
void FormatBook::note_namesake(std::string_view name) {
  const std::string of_ocp = std::string(name) + "fn";
  const auto is_it = [&](const ElementFormat* each) { return each->name == name; };
  if (find_format(of_ocp) == nullptr || std::ranges::any_of(catalog_.defined(), is_it)) return;
  if (!noted_.insert(of_ocp).second) return;
  fmt::print(stderr,
             "note: {} has infinities and NaN as IEEE 754; the format of OCP and of most systems "
             "is {}\n",
             name, of_ocp);
}

FormatChoice FormatBook::require(std::string_view name) {
  const FormatChoice choice =
      asked([&] { return golden::choose_format(catalog_, name, golden::Spelling::kOptions); });
  note_namesake(choice.name);
  return choice;
}

const ElementFormat& FormatBook::require_element(std::string_view kind, std::string_view name) {
  const ElementFormat& element = asked([&]() -> const ElementFormat& {
    return golden::choose_element(catalog_, kind, name, golden::Spelling::kOptions);
  });
  note_namesake(element.name);
  return element;
}

std::string FormatBook::definitions_of(const FormatChoice& choice) const {
  ordered_json list = ordered_json::array();
  const auto needs = [&](std::string_view name) {
    if (choice.block == nullptr) return choice.name == name;
    return choice.block->element.name == name || choice.block->scale.name == name;
  };
  for (const ElementFormat* format : catalog_.defined()) {
    if (needs(format->name)) list.push_back(json_of(format->name, describe_format(*format)));
  }
  for (const BlockFormat* format : catalog_.defined_blocks()) {
    if (choice.block == format) list.push_back(json_of(format->name, describe_block(*format)));
  }
  return list.empty() ? "" : golden::dumped(list);
}

void FormatOptions::add_to(const Command& command) {
  const auto list = [&](const char* names, std::vector<std::string>& values, const char* help) {
    return command.add_option(names, values, help)
        .expected(1)
        .take_all()
        .allow_extra_args(false)
        .group("Formats");
  };
  as_input(list(
      "--format-file,--block-file", files_,
      "JSON file that defines formats and block formats (docs/format-tables.md); may be repeated"));
  list("--define", texts_,
       "Defines a format: 'name=tiny, exp_bits=3, man_bits=1, nan=outer_one_per_sign', or JSON; "
       "may be repeated");
}

std::shared_ptr<FormatBook> FormatOptions::book() const {
  auto book = std::make_shared<FormatBook>();
  for (const std::string& file : files_) book->load(file);
  for (const std::string& text : texts_) book->define("--define", text, Exit::kUsage);
  return book;
}

std::string FormatOptions::text() const {
  std::string text;
  for (const std::string& file : files_) text += fmt::format(" --format-file '{}'", file);
  for (const std::string& each : texts_) text += fmt::format(" --define '{}'", each);
  return text;
}

}  // namespace mx::cli
