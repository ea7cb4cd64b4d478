#include "sim/plugin/instance.hpp"

#include <algorithm>

#include "golden/config_word/config_word.hpp"
#include "golden/names/asking.hpp"

namespace mx::sim {
namespace {

std::string printable_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c >= ' ' && c <= '~' ? c : '?';
  return line;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    names.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

/// The word of a block for the RTL, where there is one.
std::optional<std::uint32_t> word_of(const golden::Configuration& configuration) {
  const auto* const config = std::get_if<QuantizerConfig>(&configuration.what);
  if (config == nullptr) return std::nullopt;
  const golden::ConfigWord word = golden::config_word_of(*config);
  return word.holds() ? std::optional(word.word) : std::nullopt;
}

}  // namespace

std::string PluginInstance::Message::text() const {
  const auto end = std::ranges::find(text_, '\0');
  return printable_line({text_.data(), static_cast<std::size_t>(end - text_.begin())});
}

PluginInstance::Told::Told(const golden::Configuration& configuration)
    : texts(golden::fields_of(configuration)) {
  for (const auto& [name, value] : texts) fields.push_back({name.c_str(), value.c_str()});
}

mxgold_device_configuration PluginInstance::Told::plain(std::optional<std::uint32_t> tuser) const {
  return {fields.data(), fields.size(), tuser ? 1U : 0U, tuser.value_or(0)};
}

PluginInstance::PluginInstance(std::shared_ptr<const PluginLibrary> library)
    : library_(std::move(library)) {
  Message message;
  const mxgold_device_status status = call_plugin(library_->place(), "create", [&] {
    return table().create(library_->arguments().c_str(), &device_, message.here());
  });
  if (status != MXGOLD_DEVICE_OK) device_ = nullptr;
  require("create", status, message);
  if (device_ == nullptr) {
    throw DutError(place() + ": create() succeeded and made no device (NULL)");
  }
  try {
    read_facts();
  } catch (...) {
    call_plugin(library_->place(), "destroy", [&] { table().destroy(device_); });
    throw;
  }
}

PluginInstance::~PluginInstance() {
  try {
    call_plugin(library_->place(), "destroy", [&] { table().destroy(device_); });
  } catch (const DutError& error) {
    fmt::print(stderr, "mxgold: {}\n", error.what());
  }
  watch_thread_end(library_->place());
}

void PluginInstance::require(const char* name, mxgold_device_status status,
                             const Message& message) const {
  if (status == MXGOLD_DEVICE_OK) return;
  const std::string why = message.text().empty() ? "no reason given" : message.text();
  switch (status) {
    case MXGOLD_DEVICE_BAD_ARGUMENTS:
      throw UnsupportedError(fmt::format("{}: arguments '{}': {}", place(),
                                         printable_line(library_->arguments()), why));
    case MXGOLD_DEVICE_UNSUPPORTED:
      throw UnsupportedError(fmt::format("{}: {}", place(), why));
    case MXGOLD_DEVICE_FAILED:
      throw DutError(fmt::format("{}: {}() failed: {}", place(), name, why));
    default:
      throw DutError(fmt::format("{}: {}() returned {}, which is no mxgold_device_status", place(),
                                 name, status));
  }
}

void PluginInstance::require_functions(bool is_clocked) const {
  const auto require_one = [&](bool is_there, std::string_view member, std::string_view kind) {
    if (is_there) return;
    throw DutError(
        fmt::format("{}: facts() says {}, and the table's {} is NULL", place(), kind, member));
  };
  if (is_clocked) {
    require_one(table().reset != nullptr, "reset", "clocked");
    require_one(table().tick != nullptr, "tick", "clocked");
  } else {
    require_one(table().answer != nullptr, "answer", "records");
  }
}

void PluginInstance::read_facts() {
  mxgold_device_facts facts{};
  call("facts", table().facts, &facts);
  const auto refuse = [&](std::string_view member, const std::string& expected) {
    throw DutError(fmt::format("{}: facts(): {}: expected {}", place(), member, expected));
  };
  if (facts.name == nullptr || *facts.name == '\0') refuse("name", "a line of text");
  if (facts.kind != MXGOLD_DEVICE_CLOCKED && facts.kind != MXGOLD_DEVICE_RECORDS) {
    refuse("kind", "MXGOLD_DEVICE_CLOCKED or MXGOLD_DEVICE_RECORDS");
  }
  facts_.is_clocked = facts.kind == MXGOLD_DEVICE_CLOCKED;
  require_functions(facts_.is_clocked);
  const auto operation =
      facts.operation == nullptr ? std::nullopt : parse_token<VectorOperation>(facts.operation);
  if (!operation) refuse("operation", "one of " + operation_names());
  facts_.offer.operation = *operation;
  facts_.offer.lanes = facts.lanes;
  facts_.offer.takes_short = facts.takes_short != 0;
  if (facts_.is_clocked) {
    if (*operation != golden::Operation::kBlock) {
      refuse("operation", "block: clocked devices quantize; other operations are records");
    }
    if (facts.lanes != MXGOLD_DEVICE_LANES) {
      refuse("lanes", fmt::format("{}: clocked devices have so many; other shapes are records",
                                  MXGOLD_DEVICE_LANES));
    }
  }
  if (facts.configuration == nullptr && facts.configuration_count != 0) {
    refuse("configuration", "a list, or configuration_count 0");
  }
  for (std::size_t i = 0; i < facts.configuration_count; ++i) {
    const mxgold_device_field& each = facts.configuration[i];
    if (each.name == nullptr || each.value == nullptr) {
      refuse(fmt::format("configuration[{}]", i), "a name and a value");
    }
    std::string value = each.value;
    try {
      value = known_word(*operation, each.name, value);
    } catch (const golden::Refusal& refusal) {
      refuse(fmt::format("configuration[{}]: {}", i, refusal.what()), "one of them");
    }
    const std::string known = wrong_word(*operation, each.name, value);
    if (!known.empty()) {
      refuse(fmt::format("configuration[{}]: {} is '{}'", i, each.name, printable_line(each.value)),
             known);
    }
    facts_.offer.configuration[each.name].push_back(value);
  }
  facts_.observes = {"all"};
  if (facts.observes != nullptr) facts_.observes = names_in(facts.observes);
  if (facts.ready_is_registered != 0 && table().peek == nullptr) {
    refuse("ready_is_registered", "0, or a function peek that shows it");
  }
  facts_.ready_is_registered = facts.ready_is_registered != 0;
  if (facts.patience != 0) facts_.patience = facts.patience;
  facts_.name = fmt::format("{} ({})", place(), printable_line(facts.name));
}

std::string PluginInstance::refusal(const golden::Configuration& configuration) const {
  std::string why = refusal_of(facts_.offer, configuration);
  if (!why.empty() || table().supports == nullptr) return why;
  const Told told(configuration);
  const mxgold_device_configuration plain = told.plain(word_of(configuration));
  try {
    call("supports", table().supports, &plain);
  } catch (const UnsupportedError& error) {
    why = error.what();
  }
  return why;
}

void PluginInstance::configure(const std::vector<golden::Configuration>& configurations,
                               std::uint64_t seed, const golden::VectorHeader* header) {
  for (const golden::Configuration& each : configurations) {
    configurations_.push_back(told_.emplace_back(each).plain(word_of(each)));
  }
  if (header != nullptr) {
    for (const golden::FieldShape& each : header->shape().fields) {
      // Tokens are literals.
      shapes_.push_back({token_of(each.field).data(), static_cast<std::uint32_t>(each.lanes),
                         static_cast<std::uint32_t>(each.bytes),
                         golden::is_result(each.field) ? 1U : 0U});
    }
  }
  run_ = {seed,           configurations_.data(), configurations_.size(),
          shapes_.data(), shapes_.size(),         header == nullptr ? 0 : header->count};
  call("configure", table().configure, &run_);
}

PluginFacts facts_of_plugin(const std::string& argument, std::chrono::milliseconds time_out) {
  return PluginInstance(std::make_shared<PluginLibrary>(plugin_name(argument), time_out)).facts();
}

}  // namespace mx::sim
