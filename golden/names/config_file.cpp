// SPDX-License-Identifier: Apache-2.0
#include "golden/names/config_file.hpp"

#include <algorithm>
#include <fstream>
#include <optional>

#include "golden/names/names.hpp"
#include "golden/text/filled.hpp"
#include "golden/text/flat_toml.hpp"
#include "reference/catalog/aliases.hpp"
#include "reference/dot/fields.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

/// What is computed, before the policies, and how a device is driven, behind them.
constexpr std::string_view kFirstKeys[] = {
    "op",         "format",      "source",      "profile",     "blocks-as",
    "block-size", "random-bits", "tensor-amax", "format-file", "define"};
constexpr std::string_view kKeysOfOthers[] = {  // than blocks; the accumulator's stand behind them
    "operation", "integer", "out-of-range", "mode",        "platform",
    "result",    "addend",  "unit",         "scale-format"};
constexpr std::string_view kOtherKeys[] = {
    // of tensors
    "axis", "hadamard", "hadamard-signs", "packed", "scale-layout", "backend",
    // of a device and its runs
    "dut", "lanes", "lengths", "observe", "compare", "judge", "waivers", "pipe", "answer-prefix",
    "time-out", "start-time-out", "time-limit", "suite", "count", "elements", "seed", "stall",
    "reset", "errors", "threads"};
constexpr std::string_view kPathKeys[] = {"format-file", "waivers"};
/// Second names of options.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"element-nan", "nan"}, {"negative-zero", "zero-sign"}, {"block-file", "format-file"}};

std::string with_dashes(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  for (const auto& [other, here] : kOtherNames) {
    if (text == other) return std::string(here);
  }
  return text;
}

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '-', '_');
  return text;
}

/// A path of the file, from the current folder.
std::string found_from(const std::string& file, const std::string& path) {
  const std::size_t slash = file.rfind('/');
  if (path.starts_with('/') || path == "-" || slash == std::string::npos) return path;
  return file.substr(0, slash + 1) + path;
}

std::string whole_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || !stream.eof()) {
    const bool is_long = stream.is_open() && stream.good();
    throw Refusal(is_long
                      ? filled("{}: a configuration file has at most {} bytes", path, kMostBytes)
                      : filled("cannot read the configuration file {}", printable(path)));
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

const std::vector<std::string>& accumulator_keys() {
  static const std::vector<std::string> kKeys = [] {
    std::vector<std::string> keys;
    const AccumulatorModel model;
    visit_fields(model, [&](const AccumulatorField& field, const auto&) {
      keys.push_back(with_dashes(field.name));
    });
    return keys;
  }();
  return kKeys;
}

}  // namespace

std::span<const ConfigKey> config_keys() {
  static const std::vector<std::string> kPolicies = [] {
    std::vector<std::string> names;
    for (const PolicyField& field : policy_fields()) {
      if (field.name != "random_bits") names.push_back(with_dashes(field.name));
    }
    return names;
  }();
  static const std::vector<ConfigKey> kKeys = [] {
    std::vector<ConfigKey> keys;
    const auto add = [&](std::string_view name) {
      const bool is_path = std::ranges::find(kPathKeys, name) != std::end(kPathKeys);
      keys.push_back({name, is_path});
    };
    for (const std::string_view name : kFirstKeys) add(name);
    for (const std::string& name : kPolicies) add(name);
    for (const std::string_view name : kKeysOfOthers) add(name);
    for (const std::string& name : accumulator_keys()) add(name);
    for (const std::string_view name : kOtherKeys) add(name);
    return keys;
  }();
  return kKeys;
}

ConfigFile ConfigFile::parse_config(std::string_view text, const std::string& path) {
  const Checked<std::vector<TomlEntry>> toml = parse_flat_toml(text);
  if (!toml) {
    // "line 3: why" as "FILE:3: why".
    throw Refusal(filled("{}:{}", path, toml.problem().substr(5)));
  }
  std::vector<std::string_view> known;
  for (const ConfigKey& key : config_keys()) known.push_back(key.name);
  ConfigFile file;
  file.path_ = path;
  for (const TomlEntry& each : *toml) {
    ConfigEntry entry{with_dashes(each.key), {}, each.line};
    const auto key = std::ranges::find(config_keys(), entry.key, &ConfigKey::name);
    if (key == config_keys().end()) {
      throw Refusal(filled("{}:{}: {}", path, each.line, unknown_name("key", each.key, known)));
    }
    if (const ConfigEntry* const earlier = file.find(entry.key)) {
      throw Refusal(filled("{}:{}: {} stands twice; the first is in line {}", path, each.line,
                           entry.key, earlier->line));
    }
    for (const TomlValue& value : each.values) {
      entry.values.push_back(key->is_path ? found_from(path, value.text) : value.text);
    }
    if (std::ranges::find(entry.values, "") != entry.values.end() || entry.values.empty()) {
      throw Refusal(filled("{}: has no value; leave the line out", file.place(entry)));
    }
    file.entries_.push_back(std::move(entry));
  }
  return file;
}

ConfigFile ConfigFile::read_config(const std::string& path) {
  return parse_config(whole_file(path), path);
}

const ConfigEntry* ConfigFile::find(std::string_view key) const {
  const auto found = std::ranges::find(entries_, key, &ConfigEntry::key);
  return found == entries_.end() ? nullptr : &*found;
}

std::string ConfigFile::place(const ConfigEntry& entry) const {
  return filled("{}:{}: {}", path_, entry.line, entry.key);
}

const std::string& ConfigFile::one(const ConfigEntry& entry, std::string_view who) const {
  if (entry.values.size() == 1) return entry.values.front();
  throw Refusal(filled("{}: has {} values; {} takes one", place(entry), entry.values.size(), who));
}

Settings model_settings(const ConfigFile& file) {
  // What models say by other names, or not at all: better refused than left out in silence.
  constexpr std::string_view kNotOfModels[] = {"format-file", "define", "addend", "scale-format"};
  constexpr std::string_view kOfModels[] = {
      "op",           "format",      "source",      "profile",   "blocks-as",
      "block-size",   "random-bits", "tensor-amax", "operation", "integer",
      "out-of-range", "mode",        "platform",    "result",    "unit"};
  Settings settings;
  for (const ConfigEntry& entry : file.entries()) {
    const std::string name = with_underscores(entry.key);
    const PolicyField* const policy = find_policy_field(name);
    if (std::ranges::find(kNotOfModels, entry.key) != std::end(kNotOfModels) ||
        std::ranges::find(accumulator_keys(), entry.key) != accumulator_keys().end()) {
      throw Refusal(
          filled("{}: options of the program say this; a model takes it from its own line",
                 file.place(entry)));
    }
    if (policy == nullptr && std::ranges::find(kOfModels, entry.key) == std::end(kOfModels)) {
      continue;
    }
    std::string value = file.one(entry, "a model");
    if (policy != nullptr && !policy->values().empty()) {
      const std::vector<std::string_view> values = policy->values();
      const std::string_view meant = known_as(file.place(entry), value, values);
      if (meant.empty()) {
        throw Refusal(filled("{}: {}", file.place(entry), unknown_name("value", value, values)));
      }
      value = meant;
    }
    settings.emplace_back(name, value);
  }
  return settings;
}

Answer config_answer(const ConfigFile& file) {
  Tree settings = Tree::record();
  std::vector<std::string> line;
  for (const auto& [name, value] : model_settings(file)) {
    settings[name] = value;
    line.push_back(spelled(Spelling::kNames, name, value));
  }
  Tree keys = Tree::record();
  for (const ConfigEntry& entry : file.entries()) keys[entry.key] = entry.values;
  return {{{"path", file.path()}, {"settings", settings}, {"keys", keys}},
          joined(line, " ") + "\n"};
}

}  // namespace mx::golden
