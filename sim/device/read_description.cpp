#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "golden/bytes/json_text.hpp"
#include "golden/bytes/source.hpp"
#include "golden/configuration/shorthand.hpp"
#include "golden/configuration/text.hpp"
#include "golden/names/config_file.hpp"
#include "golden/vectors/record.hpp"
#include "reference/policy/fields.hpp"
#include "sim/device/description.hpp"
#include "sim/device/members.hpp"
#include "sim/record/offer.hpp"

namespace mx::sim {
namespace {

using Json = Members::Json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;
constexpr unsigned kMaxLanes = 4096, kMaxBeats = 4096, kMaxCycles = 1 << 20;

/// Repetition would count as coverage: each value of a list has to be another.
void require_distinct(const Members& members, const std::string& name,
                      const std::vector<std::string>& values) {
  std::set<std::string_view> seen;
  for (const std::string& each : values) {
    if (seen.insert(each).second) continue;
    members.refuse(name, fmt::format("has '{}' twice; leave one out", each));
  }
}

/// One part of a port: what its bits carry.
DescribedPart read_part(const std::string& path, const std::string& place, const Json& json) {
  Members members(path, place, json);
  DescribedPart part;
  part.place = place;
  part.at = members.count("at", 0, 1 << 20);
  part.width = members.count("width", 1, 64);
  part.slot = members.count("slot", 1, 64);
  part.lanes = members.count("lanes", 1, kMaxLanes);
  part.has_high_first = members.choice("order", {"low_first", "high_first"}) == 1;
  constexpr std::string_view kKinds[] = {"field", "keep", "last", "select", "value"};
  std::string_view kind;
  for (const std::string_view each : kKinds) {
    if (!json.contains(each)) continue;
    if (!kind.empty()) members.refuse(each, fmt::format("stands beside {}; give one", kind));
    kind = each;
  }
  if (kind == "field") {
    part.field = members.text("field");
    if (!parse_token<golden::Field>(part.field)) {
      members.refuse(
          "field", fmt::format("is '{}', which no record has (docs/vector-fields.md)", part.field));
    }
    part.beats = static_cast<bench::Beats>(members.choice("beats", {"all", "first", "last"}));
    part.offset = members.number("offset", -(1LL << 40), 1LL << 40).value_or(0);
    part.is_signed = members.flag("signed");
    part.is_shared = members.flag("shared");
    part.taken_by = members.text("taken_by");
  } else if (kind == "keep") {
    part.what = bench::What::kKeep;
    part.slot = part.width = members.count("keep", 1, 64);
  } else if (kind == "last") {
    part.what = bench::What::kLast;
    part.slot = part.width = 1;
    if (!members.flag("last")) members.refuse("last", "has to be true");
  } else if (kind == "select") {
    part.what = bench::What::kSelect;
    part.field = members.text("select");
    const Json& values = members.need("values", "a value of the port for each value of the field");
    if (!values.is_object() || values.empty())
      members.refuse("values", "has to be {\"x\": 0, ...}");
    for (const auto& [text, value] : values.items()) {
      part.choices.emplace_back(text, members.bits("values." + text, value));
    }
  } else if (kind == "value") {
    part.what = bench::What::kTie;
    part.value = members.bits("value", *members.find("value"));
  } else {
    members.refuse(
        "", fmt::format("says nothing of its bits; give one of {}", fmt::join(kKinds, ", ")));
  }
  members.end();
  return part;
}

/// A part, or a list of them.
std::vector<DescribedPart> read_parts(const Members& members, const std::string& name,
                                      const Json& json) {
  const std::string place = members.place_of(name);
  if (!json.is_array()) return {read_part(members.path(), place, json)};
  std::vector<DescribedPart> parts;
  for (std::size_t i = 0; i < json.size(); ++i) {
    parts.push_back(read_part(members.path(), fmt::format("{}[{}]", place, i), json[i]));
  }
  if (parts.empty()) members.refuse(name, "is an empty list");
  return parts;
}

DescribedStream read_stream(const Members& above, const Json& json) {
  Members members(above.path(), above.place_of("packed"), json);
  DescribedStream stream;
  stream.port = members.needed_text("port", "the name of the data port");
  stream.slot = members.count("slot", 1, 64).value_or(8);
  stream.slot_valid = members.text("slot_valid");
  stream.slot_ready = members.text("slot_ready");
  stream.takes_all = members.choice("takes", {"any", "all"}) == 1;
  const Json& words = members.need("words", "the fields, in the order in which they stand");
  if (!words.is_array() || words.empty()) members.refuse("words", "has to be a list of fields");
  stream.words = read_parts(members, "words", words);
  for (const DescribedPart& part : stream.words) {
    if (part.what != bench::What::kWords) members.refuse("words", "may hold fields alone");
    if (part.at || part.slot || part.beats != bench::Beats::kAll || part.has_high_first) {
      members.refuse("words", "follow each other: at, slot, order and beats say nothing here");
    }
    if (part.width.value_or(stream.slot) % stream.slot != 0) {
      members.refuse("words", fmt::format("have to be whole slots of {} bits wide", stream.slot));
    }
  }
  members.end();
  return stream;
}

/// `own`: a member that only this side has; read_ends reads it.
DescribedSide read_side(Members& above, const char* name, const char* own) {
  Members members(above.path(), name, above.need(name, "which ports carry what"));
  DescribedSide side;
  side.valid = members.text("valid");
  side.ready = members.text("ready");
  side.beats = members.count("beats", 1, kMaxBeats).value_or(1);
  if (const Json* const ports = members.find("ports")) {
    Members list(above.path(), members.place_of("ports"), *ports);
    for (const auto& [port, parts] : ports->items()) {
      side.ports.push_back({port, read_parts(list, port, parts)});
    }
  }
  if (const Json* const packed = members.find("packed"))
    side.packed = read_stream(members, *packed);
  if (side.ports.empty() && !side.packed)
    members.refuse("ports", "is missing: which ports carry what");
  if (side.packed && side.beats != 1) members.refuse("beats", "says nothing of packed words");
  if (!side.ready.empty() && side.valid.empty()) {
    members.refuse("ready", "needs valid: a handshake has both");
  }
  static_cast<void>(members.find(own));
  members.end();
  return side;
}

/// The members that only one side has.
void read_ends(const Members& above, Description& description, const Json& input,
               const Json& output) {
  if (input.contains("last")) {
    const Json& rule = input["last"];
    if (rule != "ends" && rule != "passes") above.refuse("input.last", "has to be ends or passes");
    description.last_rule = rule == "ends" ? bench::LastRule::kEnds : bench::LastRule::kPasses;
  }
  if (!output.contains("nan")) return;
  const Json& nan = output["nan"];
  if (nan == "any") {
    description.nan.has_any = true;
    return;
  }
  if (!nan.is_array() || nan.empty()) {
    above.refuse("output.nan", "has to be \"any\" or a list of codes [\"0x7f\", ...]");
  }
  for (const Json& each : nan) {
    const std::uint64_t code = above.bits("output.nan", each);
    if (std::ranges::find(description.nan.codes, code) != description.nan.codes.end()) {
      above.refuse("output.nan", fmt::format("has the code {:#x} twice; leave one out", code));
    }
    description.nan.codes.push_back(code);
  }
}

/// "${NAME}" stands for a variable of the environment: where a checkout is.
std::string expanded(const Members& members, const char* name, const std::string& text) {
  std::string path;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = text.find("${", at);
    const std::size_t end = start == std::string::npos ? start : text.find('}', start);
    if (end == std::string::npos) return path + text.substr(at);
    const std::string variable = text.substr(start + 2, end - start - 2);
    const char* const value = std::getenv(variable.c_str());
    if (value == nullptr) {
      members.refuse(name, fmt::format("names {}, and the environment has no {}", text, variable));
    }
    path += text.substr(at, start - at);
    path += value;
    at = end + 1;
  }
  return path;
}

/// Relative to the folder of the device file; what is not there is refused.
std::vector<std::string> files_of(Members& members, const char* name, const std::string& folder,
                                  bool is_folder) {
  std::vector<std::string> files;
  for (const std::string& each : members.texts(name)) {
    std::string path = std::filesystem::path(folder) / expanded(members, name, each);
    if (path.find_first_of("\n\r$") != std::string::npos) {
      members.refuse(name,
                     fmt::format("names {}: Verilator takes $ for a variable and reads no line "
                                 "break in a path; rename the file or folder",
                                 path));
    }
    std::error_code ignored;  // a name that no file can have
    const bool exists = is_folder ? std::filesystem::is_directory(path, ignored)
                                  : std::filesystem::is_regular_file(path, ignored);
    if (!exists) {
      members.refuse(name, fmt::format("names {}, which is no {} (looked for {})", each,
                                       is_folder ? "folder" : "file", path));
    }
    std::error_code problem;  // of a file that has no name any more, behind /proc/self/fd
    files.push_back(std::filesystem::weakly_canonical(path, problem));
    if (problem) {
      members.refuse(name, fmt::format("names {}, which the system finds no place for ({}: {})",
                                       each, path, problem.message()));
    }
  }
  require_distinct(members, name, files);
  return files;
}

std::vector<std::pair<std::string, std::string>> settings_of(Members& members, const char* name) {
  std::vector<std::pair<std::string, std::string>> list;
  const Json* const found = members.find(name);
  if (found == nullptr) return list;
  if (!found->is_object()) members.refuse(name, "has to be {\"NAME\": \"value\", ...}");
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string() && !value.is_number_integer()) {
      members.refuse(fmt::format("{}.{}", name, key), "has to be a text or a whole number");
    }
    list.emplace_back(key, value.is_string() ? value.get<std::string>() : golden::dumped(value));
  }
  return list;
}

/// Options that say what Verilator makes, how it is called or where it goes, by their names without
/// dashes; the bench is compiled with what it makes.
constexpr std::string_view kNotForDevices[] = {"Mdir",
                                               "prefix",
                                               "mod-prefix",
                                               "l2-name",
                                               "o",
                                               "version",
                                               "V",
                                               "help",
                                               "getenv",
                                               "get-supported",
                                               "build",
                                               "binary",
                                               "main",
                                               "make",
                                               "no-verilate",
                                               "lib-create",
                                               "protect-lib",
                                               "protect-ids",
                                               "generate-key",
                                               "hierarchical",
                                               "sc",
                                               "no-cc",
                                               "no-exe",
                                               "lint-only",
                                               "E",
                                               "xml-only",
                                               "xml-output",
                                               "json-only",
                                               "dpi-hdr-only",
                                               "json-only-output",
                                               "MMD",
                                               "MP",
                                               "waiver-output",
                                               "gdb",
                                               "gdbbt",
                                               "rr",
                                               "json-only-meta-output"};

void refuse_options(const Members& members, const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    const std::string_view name =
        std::string_view(option).substr(std::min(option.find_first_not_of('-'), option.size()));
    if (name.size() == option.size() ||
        std::ranges::find(kNotForDevices, name) == std::ranges::end(kNotForDevices)) {
      continue;
    }
    members.refuse("verilator", fmt::format("'{}' would change what Verilator makes, or where; the "
                                            "bench needs it as it is: leave it out",
                                            option));
  }
}

void read_sources(Members& members, Description& description) {
  const std::string folder = std::filesystem::path(description.path).parent_path();
  static_cast<void>(members.need("sources", "the module's files, packages first"));
  description.sources = files_of(members, "sources", folder, false);
  if (description.sources.empty()) members.refuse("sources", "is empty: name the module's files");
  description.include = files_of(members, "include", folder, true);
  description.define = settings_of(members, "define");
  description.parameter = settings_of(members, "parameter");
  description.top = members.needed_text("top", "the name of the module");
  description.verilator = members.texts("verilator");
  refuse_options(members, description.verilator);
}

void read_assumed(const Members& above, const Json& json, Description& description) {
  const Members members(above.path(), "assume", json);
  for (const auto& [name, value] : json.items()) {
    const auto field = parse_token<golden::Field>(name);
    if (!field || golden::is_result(*field)) {
      members.refuse(name, "is no operand of a record (docs/vector-fields.md)");
    }
    const bool is_range = value.is_array();
    if (is_range && value.size() != 2) members.refuse(name, "has to be a value or [least, most]");
    AssumedOperand operand{name, members.bits(name, is_range ? value[0] : value),
                           members.bits(name, is_range ? value[1] : value)};
    if (operand.least > operand.most) members.refuse(name, "is an empty range");
    description.assume.push_back(std::move(operand));
  }
}

/// A value in any spelling that is known, as records spell it.
std::string meant_word(const Members& fields, golden::Operation operation, const std::string& name,
                       const std::string& value) {
  try {
    return known_word(operation, name, value);
  } catch (const golden::Refusal& refusal) {
    fields.refuse(name, fmt::format("is '{}': {}", value, refusal.what()));
  }
}

/// What a field of the configuration is called by a configuration file; "" for no such key.
std::string field_of(golden::Operation operation, std::string_view key) {
  constexpr std::string_view kSame[] = {"source",     "operation",  "integer", "out-of-range",
                                        "mode",       "platform",   "result",  "unit",
                                        "block-size", "random-bits"};
  if (key == "format") {
    return operation == golden::Operation::kCvt   ? "destination"
           : operation == golden::Operation::kDot ? "a_format"
           : operation == golden::Operation::kMma ? "a_element"
                                                  : "format";
  }
  std::string field(key);
  std::ranges::replace(field, '-', '_');
  const bool is_same = std::ranges::find(kSame, key) != std::end(kSame);
  return is_same || find_policy_field(field) != nullptr ? field : "";
}

/// The policies that the profile of a configuration file sets.
void add_profile(const Members& members, const golden::ConfigFile& file, Description& description) {
  FormatCatalog catalog;
  const auto whole = golden::configuration_of(file, description.operation, catalog);
  if (!whole) members.refuse("config", fmt::format("names {}: {}", file.path(), whole.problem()));
  for (const auto& [field, value] : golden::fields_of(*whole)) {
    const bool is_policy = find_policy_field(field) != nullptr;
    if (is_policy) description.configuration.try_emplace(field, std::vector{value});
  }
}

/// What a configuration file says of the fields that `configuration` leaves out.
void read_config_file(Members& members, Description& description) {
  const std::string name = members.text("config");
  if (name.empty()) return;
  try {
    const std::string path = std::filesystem::path(description.path).parent_path() / name;
    const golden::ConfigFile file = golden::ConfigFile::read_config(path);
    for (const golden::ConfigEntry& entry : file.entries()) {
      const std::string field = field_of(description.operation, entry.key);
      if (field.empty() || description.configuration.contains(field)) continue;
      std::vector<std::string>& values = description.configuration[field];
      for (const std::string& value : entry.values) {
        values.push_back(known_word(description.operation, field, value));
        const std::string known = wrong_word(description.operation, field, values.back());
        if (known.empty()) continue;
        members.refuse("config",
                       fmt::format("{} is '{}'; give {}", file.place(entry), value, known));
      }
      require_distinct(members, "config", values);
    }
    if (file.find("profile") != nullptr) add_profile(members, file, description);
  } catch (const golden::Refusal& refusal) {
    members.refuse("config", fmt::format("names what cannot be used: {}", refusal.what()));
  }
}

void read_configuration(Members& members, Description& description) {
  const std::string op = members.needed_text("operation", "one of " + operation_names());
  const auto operation = parse_token<golden::Operation>(op);
  if (!operation) {
    members.refuse("operation", fmt::format("is '{}'; give one of {}", op, operation_names()));
  }
  description.operation = *operation;
  if (const Json* const found = members.find("configuration")) {
    Members fields(members.path(), "configuration", *found);
    for (const auto& [name, value] : found->items()) {
      std::vector<std::string> values =
          value.is_string() ? std::vector{value.get<std::string>()} : fields.texts(name);
      if (values.empty()) fields.refuse(name, "allows no value");
      for (std::string& word : values) {
        word = meant_word(fields, description.operation, name, word);
      }
      require_distinct(fields, name, values);
      for (const std::string& word : values) {
        const std::string known = wrong_word(description.operation, name, word);
        if (!known.empty()) fields.refuse(name, fmt::format("is '{}'; give {}", word, known));
      }
      description.configuration[name] = std::move(values);
    }
  }
  read_config_file(members, description);
  description.lanes = members.count("lanes", 1, kMaxLanes).value_or(1);
  description.records = members.count("records", 1, kMaxLanes).value_or(1);
  if (const Json* const found = members.find("assume")) read_assumed(members, *found, description);
}

void read_clocking(Members& members, Description& description) {
  description.clock = members.text("clock");
  if (const Json* const found = members.find("reset")) {
    Members reset(members.path(), "reset", *found);
    DescribedReset& described = description.reset.emplace();
    described.port = reset.needed_text("port", "the name of the port");
    described.is_active_low = reset.choice("active", {"low", "high"}) == 0;
    described.is_synchronous = reset.choice("kind", {"asynchronous", "synchronous"}) == 1;
    described.cycles = reset.count("cycles", 0, 4096).value_or(0);
    reset.end();
  }
  if (const Json* const found = members.find("tie")) {
    Members tie(members.path(), "tie", *found);
    for (const auto& [port, value] : found->items()) {
      description.tie.emplace_back(port, tie.bits(port, value));
    }
  }
  description.latency = members.count("latency", 0, kMaxCycles);
  description.patience = members.count("patience", 2, kMaxCycles).value_or(4096);
}

/// Every text of a new file that is still to be replaced: "configuration.source: ...".
void find_unfilled(const std::string& place, const Json& json, std::string& found) {
  if (json.is_string() && json.get_ref<const std::string&>().starts_with(kFillIn)) {
    found +=
        fmt::format("\n  {}:{}", place, json.get_ref<const std::string&>().substr(kFillIn.size()));
  }
  if (!json.is_structured()) return;
  for (const auto& [name, each] : json.items()) {
    const std::string_view between = place.empty() ? "" : ".";
    find_unfilled(json.is_array() ? fmt::format("{}[{}]", place, name)
                                  : fmt::format("{}{}{}", place, between, name),
                  each, found);
  }
}

}  // namespace

Description read_description(const std::string& path) {
  Description description;
  description.path = path;
  description.device = "device:" + path;
  description.text = golden::whole_text(path, {kMostBytes, "--dut device: takes a JSON file"});
  const Json json = golden::json_of_file(path, description.text);
  std::string unfilled;
  find_unfilled("", json, unfilled);
  if (!unfilled.empty()) {
    throw golden::VectorError(
        fmt::format("{}: lines are to be filled in (docs/device-files.md):{}", path, unfilled));
  }
  Members members(path, "", json);
  if (members.need("device_schema", "write \"device_schema\": 1") != 1) {
    members.refuse("device_schema", "has to be 1");
  }
  read_sources(members, description);
  read_configuration(members, description);
  read_clocking(members, description);
  description.input = read_side(members, "input", "last");
  description.output = read_side(members, "output", "nan");
  read_ends(members, description, json["input"], json["output"]);
  members.end();
  check_together(description);
  return description;
}

}  // namespace mx::sim
