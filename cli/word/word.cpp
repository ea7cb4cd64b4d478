// SPDX-License-Identifier: Apache-2.0
// mxgold word: s_axis_tuser of an RTL unit from names, and the names in a word.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/base/asked.hpp"
#include "cli/base/command.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/config_word/unit_words.hpp"
#include "golden/explain/input.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {
namespace {

using golden::Tree;
using golden::UnitField;
using golden::UnitWord;

constexpr const char* kWordExamples = R"(
Without WORD, the answer is one word in hexadecimal. With WORD, each field is printed by name.
An option that is not given has code 0. For the quantizer, --profile gives it.
The profile mxgold-default is all zeros.

Examples:
  mxgold word --format mxfp4 --source bf16 --rounding RNE --rule floor
  mxgold word 0x00000404
  mxgold word --format mxfp8_e4m3 --rounding stochastic_a --scale-sat to_nan
  mxgold word --unit mx_dequantizer --format mxfp4 --scale 7f --result bf16
  mxgold word --unit mx_dot --format mxfp8_e4m3,mxfp4 --scale 7f,80 --c 1.5
  mxgold word --unit mx_nvfp4_quantizer --tensor-scale 0x39c30c31 --source bf16)";

struct WordOptions {
  std::string word;
  std::string unit = "mx_quantizer";
  Names formats;
  std::string source = "fp32";
  std::string result = "fp32";
  Names scales;
  std::string addend = "0";
  std::string tensor_scale = "1";
  bool is_json = false;
  PolicyOptions policies;
};

const UnitWord& require_unit(const std::string& name) {
  Names names;
  for (const UnitWord& each : golden::unit_words()) names.emplace_back(each.unit);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view unit = cli::require_known("value of --unit", name, known);
  return *std::ranges::find(golden::unit_words(), unit, &UnitWord::unit);
}

/// Which options of this command set fields of a unit.
std::vector<std::string_view> options_of(const UnitWord& unit) {
  std::vector<std::string_view> options = {"--unit", "--json"};
  const auto add = [&](std::string_view name, std::string_view option) {
    if (unit.field(name) != nullptr) options.push_back(option);
  };
  for (const PolicyOption& each : policy_options()) {
    if (unit.field(each.name) == nullptr) continue;
    options.push_back(each.option.substr(0, each.option.find(',')));
  }
  add("format", "--format");
  add("format_a", "--format");
  add("source", "--source");
  add("result", "--result");
  add("scale", "--scale");
  add("scale_a", "--scale");
  add("c", "--c");
  add("tensor_scale", "--tensor-scale");
  add("rounding", "--profile");
  add("rounding", "--blocks-as");
  return options;
}

/// Error kUsage for an option that was given and that says nothing here.
void refuse_others(const Command& command, const std::vector<std::string_view>& known,
                   std::string_view why) {
  for (const Option& option : command.get_options()) {
    const std::string name = option.get_name();
    if (option.count() == 0 || !name.starts_with("--") || name == "--config") continue;
    if (std::ranges::find(known, name) != known.end()) continue;
    fail(Exit::kUsage, "{}: {}", name, why);
  }
}

/// The name of an element among a field's, of a block or an element format.
std::string_view element_of(const UnitWord& unit, const UnitField& field, const std::string& name) {
  const FormatChoice choice = require_format(name);
  const std::string_view given = choice.block == nullptr ? choice.element->name : choice.name;
  for (const std::string_view value : field.values) {
    if (value == given) return value;
    if (choice.block == nullptr) continue;
    const auto& blocks = mx_block_formats();
    const auto is_mx = [&](const BlockFormat& row) {
      return row.name == choice.name && row.element.name == value;
    };
    if (std::ranges::any_of(blocks, is_mx)) return value;
  }
  std::string_view other;
  for (const UnitWord& each : golden::unit_words()) {
    if (choice.name == "nvfp4" && each.unit == "mx_nvfp4_quantizer") other = each.unit;
  }
  fail(Exit::kUsage, "--format {}: no code of {}, which has {}{}", printable(name), unit.unit,
       fmt::join(field.values, ", "),
       other.empty() ? std::string() : fmt::format("; --unit {} makes the word of nvfp4", other));
}

/// The number of an option: a number in FP32, or its bits.
std::uint64_t fp32_of(std::string_view option, const std::string& text) {
  return asked([&] {
    try {
      return golden::parse_input(formats::fp32, text, golden::BitsFirst::kNo,
                                 golden::Spelling::kOptions)
          .code;
    } catch (const golden::Refusal& refusal) {
      throw golden::Refusal(fmt::format("{} {}: {}", option, printable(text), refusal.what()));
    }
  });
}

std::uint64_t tensor_scale_of(const std::string& text) {
  const std::uint64_t bits = fp32_of("--tensor-scale", text);
  if (bits == 0 || bits >= 0x7F800000) {
    fail(Exit::kUsage, "--tensor-scale {}: the scale of a tensor is a finite number above 0",
         printable(text));
  }
  return bits;
}

/// The value of an operand: the first, the second where two are given.
const std::string& operand(const Names& values, std::size_t which, std::string_view option) {
  if (values.empty() || values.size() > 2) {
    fail(Exit::kUsage, "{}: {} values; give one for both operands, or two", option, values.size());
  }
  return which == 1 ? values.back() : values.front();
}

const std::string& only_one(const Names& values, std::string_view option, std::string_view unit) {
  if (values.size() == 1) return values.front();
  fail(Exit::kUsage, "{}: {} values; {} takes one", option, values.size(), unit);
}

/// The code that the options give a field; nothing where it was left to code 0.
std::uint64_t field_code(const WordOptions& options, const UnitWord& unit, const UnitField& field) {
  const auto named = [&](std::string_view option, const std::string& text) {
    const auto value = cli::require_known(fmt::format("value of {}", option), text, field.values);
    return static_cast<std::uint64_t>(std::ranges::find(field.values, value) -
                                      field.values.begin());
  };
  const auto format = [&](const std::string& text) {
    return named("--format", std::string(element_of(unit, field, text)));
  };
  const auto scale = [&](const std::string& text) {
    return asked([&] { return golden::parse_bits("--scale", text, 0xFF); });
  };
  if (field.name == "source") return named("--source", options.source);
  if (field.name == "result") return named("--result", options.result);
  if (field.name == "c") return fp32_of("--c", options.addend);
  if (field.name == "tensor_scale") return tensor_scale_of(options.tensor_scale);
  if (field.name == "format") return format(only_one(options.formats, "--format", unit.unit));
  if (field.name == "scale") return scale(only_one(options.scales, "--scale", unit.unit));
  const std::size_t which = field.name.ends_with('b') ? 1 : 0;
  if (field.name.starts_with("format_")) return format(operand(options.formats, which, "--format"));
  if (field.name.starts_with("scale_")) return scale(operand(options.scales, which, "--scale"));
  for (const auto& [name, text] : options.policies.settings()) {
    if (name == field.name) return named(option_name(*find_policy_option(name)), text);
  }
  return 0;
}

/// The quantizer's word: all of a profile, or the first policy that it cannot say.
std::uint64_t quantizer_word(const WordOptions& options, const UnitWord& unit) {
  const std::string& name = only_one(options.formats, "--format", unit.unit);
  const std::string_view element = element_of(unit, *unit.field("format"), name);
  const auto block = std::ranges::find(mx_block_formats(), element,
                                       [](const BlockFormat& row) { return row.element.name; });
  const FormatChoice format{block->name, &*block, &block->element};
  const std::string_view source =
      cli::require_known("value of --source", options.source, unit.field("source")->values);
  const ElementFormat& source_format = require_element_format("source", source);
  const ProfiledFormat chosen = options.policies.resolve(format, source_format);
  QuantizerConfig config{source_format, *block, chosen.policies.element, chosen.policies.block};
  config.format.element = chosen.element;
  const golden::ConfigWord word = golden::config_word_of(config);
  if (!word.holds()) {
    fail(Exit::kUsage, "{}: {} in the word of {}; docs/vector-fields.md lists what it can say",
         options.policies.profile(), word.problem, unit.unit);
  }
  return word.word;
}

std::uint64_t word_of(const WordOptions& options, const UnitWord& unit) {
  if (options.formats.empty() && unit.field("tensor_scale") == nullptr) {
    fail(Exit::kUsage, "give --format, or a word to read: mxgold word 0x00000404");
  }
  if (unit.field("rounding") != nullptr) return quantizer_word(options, unit);
  std::uint64_t word = 0;
  for (const UnitField& field : unit.fields) {
    word |= field_code(options, unit, field) << field.place.lsb;
  }
  return word;
}

std::string word_text(const UnitWord& unit, std::uint64_t word) {
  return "0x" + golden::hex(word, unit.width);
}

/// What a code says: its name, or the number.
std::string value_text(const UnitField& field, std::uint64_t code) {
  if (!field.values.empty()) return std::string(field.values[code]);
  if (field.place.width != 32) return golden::hex(code, field.place.width);
  return fmt::format("{} ({})", golden::hex(code, 32),
                     golden::short_decimal(decode(formats::fp32, code)));
}

/// The options that make the word again.
std::string options_text(const UnitWord& unit, std::uint64_t word) {
  std::string text = unit.unit == "mx_quantizer" ? "" : fmt::format(" --unit {}", unit.unit);
  const auto code = [&](std::string_view name) { return unit.field(name)->code_of(word); };
  const auto value = [&](std::string_view name) {
    const UnitField& field = *unit.field(name);
    return field.values.empty() ? golden::hex(field.code_of(word), field.place.width)
                                : std::string(field.values[field.code_of(word)]);
  };
  for (const UnitField& field : unit.fields) {
    const std::string_view name = field.name;
    if (name.ends_with("_b")) continue;
    if (name.ends_with("_a")) {
      const std::string stem(name.substr(0, name.size() - 2));
      text += fmt::format(" --{} {},{}", stem, value(name), value(stem + "_b"));
    } else if (name == "c" || name == "tensor_scale") {
      text += fmt::format(" --{} 0x{}", name == "c" ? "c" : "tensor-scale", value(name));
    } else if (const PolicyOption* const policy = find_policy_option(name)) {
      if (code(name) == 0) continue;
      const std::string token = value(name);
      text += fmt::format(" {} {}", option_name(*policy),
                          token == golden::kStochasticName ? "stochastic_a" : token);
    } else {
      text += fmt::format(" --{} {}", name, value(name));
    }
  }
  return text;
}

void print_json(const UnitWord& unit, std::uint64_t word) {
  Tree fields = Tree::list();
  for (const UnitField& field : unit.fields) {
    const std::uint64_t code = field.code_of(word);
    fields.push_back({{"name", field.name},
                      {"bits", field.bits()},
                      {"code", code},
                      {"value", field.values.empty() ? golden::hex(code, field.place.width)
                                                     : std::string(field.values[code])}});
  }
  const Tree tree{{"unit", unit.unit}, {"word", word_text(unit, word)}, {"fields", fields}};
  fmt::print("{}\n", tree.indented_json());
}

void print_fields(const UnitWord& unit, std::uint64_t word) {
  fmt::print("{} of {} (s_axis_tuser)\n", word_text(unit, word), unit.unit);
  for (const UnitField& field : unit.fields) {
    const std::uint64_t code = field.code_of(word);
    const std::string number = field.values.empty() ? "" : std::to_string(code);
    std::string value = value_text(field, code);
    if (value == golden::kStochasticName) value += " (which one, the build's SrVariant says)";
    fmt::print("  {:>6}  {:26} {:>2}  {}\n", field.bits(), field.name, number, value);
  }
  fmt::print("again: mxgold word{}\n", options_text(unit, word));
}

void word(const Command& command, const WordOptions& options) {
  const UnitWord& unit = require_unit(options.unit);
  if (options.word.empty()) {
    refuse_others(command, options_of(unit), fmt::format("no field of the word of {}", unit.unit));
    const std::uint64_t made = word_of(options, unit);
    if (options.is_json) return print_json(unit, made);
    fmt::print("{}\n", word_text(unit, made));
    return;
  }
  refuse_others(command, {"--unit", "--json"}, "says nothing beside a word, which says it all");
  const std::uint64_t read =
      asked([&] { return golden::parse_bits("WORD", options.word, ~std::uint64_t{0}); });
  if (const std::string problem = unit.problem(read); !problem.empty()) {
    fail(Exit::kUsage, "WORD {}: {}", printable(options.word), problem);
  }
  options.is_json ? print_json(unit, read) : print_fields(unit, read);
}

}  // namespace

void add_word(const Command& root, Exit&) {
  const Command command =
      root.add_subcommand("word", "The configuration word of an RTL unit from names, and back");
  const auto options = std::make_shared<WordOptions>();
  command.add_option("WORD", options->word, "A word in hexadecimal, to be read");
  std::string units;
  for (const UnitWord& each : golden::unit_words()) {
    units += fmt::format("{}{}", units.empty() ? "" : " | ", each.unit);
  }
  command.add_option("--unit", options->unit, "Whose word: " + units)
      .type_name("NAME")
      .capture_default_str();
  format_option(command, options->formats);
  source_option(command, options->source);
  command.add_option("--result", options->result, "Result of the dequantizer")
      .type_name("NAME")
      .capture_default_str();
  as_list(command.add_option("--scale", options->scales,
                             "Scale code in hexadecimal; of mx_dot one for both operands, or two"))
      .type_name("HEX");
  command.add_option("--c", options->addend, "What mx_dot adds to, a number or FP32 bits")
      .capture_default_str();
  command
      .add_option("--tensor-scale", options->tensor_scale,
                  "Of mx_nvfp4_quantizer, a number or FP32 bits")
      .capture_default_str();
  json_option(command, options->is_json);
  options->policies.add_to(command);
  command.footer(kWordExamples);
  command.callback([options, command] { word(command, *options); });
}

}  // namespace mx::cli
