// The blocks of `mxgold run`: a suite, the tensors of a file, or a golden file.
#include <algorithm>
#include <array>

#include "cli/base/command.hpp"
#include "cli/options/policies.hpp"
#include "cli/run/options.hpp"
#include "cli/text/names.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "reference/catalog/catalog.hpp"
#include "sim/stimulus/tensor_source.hpp"
#include "sim/stimulus/vector_source.hpp"

namespace mx::cli {
namespace {

/// A format of the configuration word; the block formats of OCP MX stand for their elements.
const ElementFormat& format_of(std::string_view kind, std::string_view name,
                               std::span<const std::string_view> known) {
  for (const BlockFormat& block : mx_block_formats()) {
    if (block.name == name) name = block.element.name;
  }
  if (std::ranges::find(known, name) == known.end()) {
    refuse_named_only(name);
    const bool is_format = find_block_format(name) != nullptr || make_format(name).has_value();
    if (is_format) {
      fail(Exit::kUsage,
           "{} {}: the configuration word of a device knows {} only (docs/spec/rtl.md R5.6); for "
           "other elements pipe mxgold gen --op cvt through your device into mxgold check",
           kind, printable(name), fmt::join(known, ", "));
    }
    throw Error(Exit::kUsage, unknown_name(kind, name, known));
  }
  return *find_format(name);
}

golden::ConfigWordContext context_of(const RunCommand& command) {
  golden::ConfigWordContext context;
  context.random_bits = command.random_bits;
  return context;
}

// The configuration words of a selection for tensors: the source field is the tensor's business.
std::vector<std::uint32_t> tensor_words(const RunCommand& command, const sim::Selection& selection,
                                        const std::function<bool(std::uint32_t)>& supports) {
  std::vector<std::uint32_t> words;
  for (const ElementFormat& element : selection.formats) {
    for (const Rounding rounding : selection.roundings) {
      for (const ScaleRule rule : selection.rules) {
        QuantizerConfig config;
        config.source = formats::fp32;
        config.format = {"", element, formats::e8m0, sim::kLanes};
        config.element.rounding = rounding;
        config.element.random_bits = command.random_bits;
        config.block.rule = rule;
        const std::optional<std::uint32_t> word = golden::config_word_of(config);
        if (!word) {
          fail(Exit::kUsage, "{} {} has no configuration word", token_of(rounding), token_of(rule));
        }
        if (supports(*word)) words.push_back(*word);
      }
    }
  }
  return words;
}

RunInput suite_input(const RunCommand& command, const sim::Selection& selection,
                     const std::function<bool(std::uint32_t)>& supports) {
  sim::SuiteOptions options;
  options.selection = selection;
  options.size = command.suite == "full" ? sim::SuiteSize::kFull : sim::SuiteSize::kSmoke;
  options.seed = command.seed;
  options.elements = command.elements;
  options.context = context_of(command);
  options.supports = supports;
  options.threads = static_cast<unsigned>(thread_count(command.threads));
  RunInput input;
  auto source = std::make_unique<sim::SuiteSource>(options);
  input.note = fmt::format("{} configurations", source->configurations());
  if (source->left_out() != 0) {
    input.note += fmt::format(", {} left out: the device does not do them", source->left_out());
  }
  input.source = std::move(source);
  input.name = "suite " + command.suite;
  return input;
}

RunInput tensor_input(const RunCommand& command, const sim::Selection& selection,
                      const std::function<bool(std::uint32_t)>& supports) {
  RunInput input;
  input.file = std::make_unique<TensorFile>(TensorFile::open(command.input));
  std::vector<sim::TensorView> views;
  for (const Tensor* tensor : select_tensors(*input.file, command.tensor)) {
    if (std::ranges::find(selection.sources, *tensor->format) == selection.sources.end()) {
      fmt::print(stderr, "mxgold run: skipped tensor {}: {} is not among the sources run here\n",
                 printable(tensor->name), tensor->dtype);
      continue;
    }
    input.tensors.push_back(tensor);
    views.push_back({tensor->name, *tensor->format, tensor->shape, tensor->data, tensor->index});
  }
  const std::vector<std::uint32_t> words = tensor_words(command, selection, supports);
  if (views.empty()) fail(Exit::kBadInput, "{}: no tensor to run", command.input);
  if (words.empty()) fail(Exit::kUsage, "the device does none of these configurations");
  auto source = std::make_unique<sim::TensorSource>(std::move(views), words, context_of(command),
                                                    command.seed);
  input.note = fmt::format("{} tensors, {} values, {} configurations", input.tensors.size(),
                           source->values(), words.size());
  input.source = std::move(source);
  input.name = command.input;
  return input;
}

RunInput vector_input(const RunCommand& command, std::unique_ptr<sim::VectorSource> vectors,
                      const std::function<bool(std::uint32_t)>& supports) {
  for (const std::uint32_t word : vectors->configurations()) {
    if (!supports(word)) {
      fail(Exit::kUsage, "{}: the device does not do configuration {:08x} of this file",
           command.vectors, word);
    }
  }
  RunInput input;
  input.name = command.vectors;
  input.source = std::move(vectors);
  return input;
}

std::string quoted(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,=+%@";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

/// The configuration word of a profile for MX blocks; Error kUsage where it has none, or where its
/// other policies are not those that suites run with.
void require_word(const ProfileChoice& profile, QuantizerConfig config) {
  config.format.block_size = sim::kLanes;
  const auto word = golden::config_word_of(config);
  QuantizerConfig plain{config.source, config.format, {}, {}};
  plain.element.rounding = config.element.rounding;
  plain.block.rule = config.block.rule;
  if (!word || word != golden::config_word_of(plain)) {
    fail(Exit::kUsage,
         "profile {} on {} has policies beyond rounding and rule that suites do not run with (or "
         "that have no configuration word); mxgold gen --profile and mxgold check --profile judge "
         "it",
         profile.name(), config.format.name);
  }
}

/// Leaves the formats and sources that a profile speaks of, its rounding and its rule.
void select_profile(const RunCommand& command, sim::Selection& selection) {
  const ProfileChoice profile = require_profile(command.profile);
  std::vector<ElementFormat> formats;
  std::vector<ElementFormat> sources;
  selection.roundings.clear();
  selection.rules.clear();
  const auto add_once = [](auto& list, const auto& value) {
    if (std::ranges::find(list, value) == list.end()) list.push_back(value);
  };
  for (const BlockFormat& format : mx_block_formats()) {
    if (std::ranges::find(selection.formats, format.element) == selection.formats.end()) continue;
    for (const ElementFormat& source : selection.sources) {
      const auto config = block_config(*profile.profile, format, source, profile.variant);
      if (!config) continue;
      require_word(profile, *config);
      add_once(formats, format.element);
      add_once(sources, source);
      add_once(selection.roundings, config->element.rounding);
      add_once(selection.rules, config->block.rule);
    }
  }
  if (formats.empty()) {
    fail(Exit::kUsage, "profile {} speaks of no MX block format and source chosen here",
         profile.name());
  }
  selection.formats = formats;
  selection.sources = sources;
}

}  // namespace

sim::Selection run_selection(const RunCommand& command) {
  sim::Selection selection = sim::Selection::all();
  if (!command.input.empty() && !command.has_all_modes) {
    selection.roundings = {Rounding::kTiesToEven};
    selection.rules = {ScaleRule::kFloor};
  }
  const auto is_chosen = [](const Names& names) { return !names.empty() && !is_all(names); };
  if (is_chosen(command.formats)) {
    selection.formats.clear();
    for (const std::string& name : command.formats) {
      selection.formats.push_back(format_of("element format", name, golden::kFormatCodes));
    }
  }
  if (is_chosen(command.sources)) {
    selection.sources.clear();
    for (const std::string& name : command.sources) {
      selection.sources.push_back(format_of("source format", name, golden::kSourceCodes));
    }
  }
  if (!command.profile.empty()) select_profile(command, selection);
  if (is_all(command.roundings)) selection.roundings = sim::Selection::all().roundings;
  if (is_chosen(command.roundings)) {
    selection.roundings.clear();
    for (const std::string& name : command.roundings) {
      selection.roundings.push_back(require_token<Rounding>("rounding", name));
    }
  }
  if (is_all(command.rules)) selection.rules = sim::Selection::all().rules;
  if (is_chosen(command.rules)) {
    selection.rules.clear();
    for (const std::string& name : command.rules) {
      selection.rules.push_back(require_token<ScaleRule>("scale rule", name));
    }
  }
  return selection;
}

golden::VectorHeader run_header(const RunCommand& command, const sim::Selection& selection) {
  golden::VectorHeader header;
  header.context = context_of(command);
  header.source = selection.sources.front();
  for (const ElementFormat& format : selection.formats) header.formats.emplace_back(format.name);
  for (const Rounding rounding : selection.roundings) {
    header.roundings.emplace_back(token_of(rounding));
    if (is_stochastic(rounding)) header.random_words = golden::RandomWords::kPresent;
  }
  for (const ScaleRule rule : selection.rules) header.rules.emplace_back(token_of(rule));
  header.overflows = {std::string(token_of(Overflow::kSatFinite))};
  header.suite = command.input.empty() ? command.suite : "tensors";
  header.seed = command.seed;
  header.generator = fmt::format("mxgold {}", version());
  return header;
}

RunInput run_input(const RunCommand& command, const sim::Selection& selection,
                   std::unique_ptr<sim::VectorSource> vectors,
                   const std::function<bool(std::uint32_t)>& supports) {
  if (!command.input.empty()) return tensor_input(command, selection, supports);
  if (vectors) return vector_input(command, std::move(vectors), supports);
  return suite_input(command, selection, supports);
}

std::string run_replay(const RunCommand& command, std::uint64_t first, std::uint64_t last) {
  const RunCommand standard;
  std::string text = "mxgold run --dut " + quoted(command.dut);
  const auto add = [&](std::string_view option, const std::string& value) {
    text += fmt::format(" {} {}", option, quoted(value));
  };
  const auto add_list = [&](std::string_view option, const std::vector<std::string>& values) {
    if (!values.empty()) add(option, fmt::format("{}", fmt::join(values, ",")));
  };
  if (!command.vectors.empty()) add("--vectors", command.vectors);
  if (!command.input.empty()) add("--input", command.input);
  if (!command.suite.empty()) add("--suite", command.suite);
  if (command.tensor != standard.tensor) add("--tensor", command.tensor);
  if (command.has_all_modes) text += " --all-modes";
  if (!command.profile.empty()) add("--profile", command.profile);
  add_list("--format", command.formats);
  add_list("--rounding", command.roundings);
  add_list("--rule", command.rules);
  add_list("--source", command.sources);
  if (command.elements != 0) add("--elements", std::to_string(command.elements));
  if (command.vectors.empty() &&
      command.random_bits != default_random_bits(run_dut_kind(command.dut))) {
    add("--random-bits", std::to_string(command.random_bits));
  }
  if (command.compare != standard.compare) add("--compare", command.compare);
  add("--seed", std::to_string(command.seed));
  if (command.stall != standard.stall) add("--stall", command.stall);
  if (command.reset != standard.reset) add("--reset", command.reset);
  add("--only", last == first + 1 ? std::to_string(first) : fmt::format("{}:{}", first, last));
  return text;
}

}  // namespace mx::cli
