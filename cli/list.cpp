// mxgold list: every name the other subcommands take, with its parameters.
#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "list_profiles.hpp"
#include "mx/cli/command.hpp"
#include "mx/cli/exact.hpp"
#include "mx/cli/names.hpp"
#include "mx/cli/policies.hpp"
#include "mx/format_table.hpp"
#include "mx/golden/stimulus.hpp"
#include "mx/unpacked.hpp"

namespace mx::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  mxgold list
  mxgold list formats
  mxgold list profiles
  mxgold list policies --json)";

std::string_view text_of(FormatKind kind) {
  return kind == FormatKind::kFloat ? "float" : "twos_compl_fixed";
}

std::string_view text_of(ZeroKind kind) {
  constexpr std::array<std::string_view, 3> kTexts = {"pos_and_neg", "pos_only", "none"};
  return kTexts.at(static_cast<std::size_t>(kind));
}

std::string_view text_of(InfKind kind) {
  constexpr std::array<std::string_view, 3> kTexts = {"none", "ieee_top", "p3109_top"};
  return kTexts.at(static_cast<std::size_t>(kind));
}

std::string_view text_of(NanKind kind) {
  constexpr std::array<std::string_view, 5> kTexts = {"none", "ieee_all", "outer_one_per_sign",
                                                      "neg_zero_slot", "top_code"};
  return kTexts.at(static_cast<std::size_t>(kind));
}

ordered_json json_of(const Unpacked& x) {
  return {{"hex", hex_float(x)}, {"decimal", exact_decimal(x)}};
}

Unpacked smallest_positive(const ElementFormat& format) {
  return decode(format, format.zero == ZeroKind::kNone ? 0 : 1);
}

ordered_json formats_json() {
  ordered_json list = ordered_json::array();
  for (const ElementFormat& f : all_formats()) {
    ordered_json row = {{"name", f.name},
                        {"kind", text_of(f.kind)},
                        {"bits", f.bits},
                        {"storage_bits", f.storage_bits},
                        {"signed", f.is_signed}};
    if (f.kind == FormatKind::kFloat) {
      row["exp_bits"] = f.exp_bits;
      row["man_bits"] = f.man_bits;
      row["bias"] = f.bias;
      row["has_subnormal"] = f.has_subnormal;
      row["min_normal"] = json_of(unpack_integer(false, 1, f.emin()));
    } else {
      row["frac_bits"] = f.frac_bits;
    }
    row["emax"] = f.emax();
    row["zero"] = text_of(f.zero);
    row["inf"] = text_of(f.inf);
    row["nan"] = text_of(f.nan);
    row["max_code"] = hex_code(f, f.max_code);
    if (f.has_nan()) row["canonical_nan"] = hex_code(f, f.canonical_nan);
    row["max"] = json_of(decode(f, f.max_code));
    row["min_positive"] = json_of(smallest_positive(f));
    list.push_back(row);
  }
  return list;
}

ordered_json blocks_json() {
  ordered_json list = ordered_json::array();
  for (const BlockFormat& b : all_block_formats()) {
    list.push_back({{"name", b.name},
                    {"element", b.element.name},
                    {"scale", b.scale.name},
                    {"block_size", b.block_size},
                    {"default_rule", token_of(b.rule)}});
  }
  return list;
}

ordered_json policies_json() {
  ordered_json list = ordered_json::array();
  for (const PolicyField& field : policy_fields()) {
    const std::string option(field.option.substr(0, field.option.find(',')));
    list.push_back({{"name", field.name},
                    {"option", option},
                    {"meaning", field.meaning},
                    {"default", field.get(Policies{})},
                    {"values", field.values()}});
  }
  return list;
}

ordered_json suites_json() {
  using golden::SuiteKind;
  constexpr std::array<std::pair<SuiteKind, std::string_view>, 4> kSuites = {
      {{SuiteKind::kSmoke, "every code, threshold +-1 ulp and special once"},
       {SuiteKind::kDirected, "every directed class in full"},
       {SuiteKind::kRandom, "seeded, a count of vectors, the classes in turn"},
       {SuiteKind::kPolicy, "blocks, seeded, the configuration drawn for every block"}}};
  ordered_json list = ordered_json::array();
  for (const auto& [kind, meaning] : kSuites) {
    list.push_back({{"name", golden::to_string(kind)}, {"meaning", meaning}});
  }
  return list;
}

std::vector<std::string_view> names_of(std::string_view policy) {
  return find_policy_field(policy)->values();
}

/// A section: its name on the command line, what makes it, and how it is printed.
struct Section {
  std::string_view name;
  ordered_json (*json)();
  void (*print)();
};

void print_formats() {
  fmt::print("Element and scale formats\n");
  fmt::print("  {:8} {:>4} {:>7} {:>9} {:>4}  {:>16} {:>4}  {:<12} {}\n", "name", "bits", "storage",
             "S/E/M", "bias", "largest code", "emax", "inf", "largest, smallest positive");
  for (const ElementFormat& f : all_formats()) {
    const std::string fields =
        f.kind == FormatKind::kFloat
            ? fmt::format("{}/{}/{}", f.is_signed ? 1 : 0, f.exp_bits, f.man_bits)
            : fmt::format("int * 2^-{}", f.frac_bits);
    fmt::print("  {:8} {:>4} {:>7} {:>9} {:>4}  {:>16} {:>4}  {:<12} {}, {}\n", f.name, f.bits,
               f.storage_bits, fields, f.kind == FormatKind::kFloat ? fmt::to_string(f.bias) : "-",
               hex_code(f, f.max_code), f.emax(), text_of(f.inf),
               short_decimal(decode(f, f.max_code)), short_decimal(smallest_positive(f)));
  }
}

void print_blocks() {
  fmt::print("Block formats\n");
  for (const BlockFormat& b : all_block_formats()) {
    fmt::print("  {:22} {} elements of {}, one {} scale, rule {}\n", b.name, b.block_size,
               b.element.name, b.scale.name, token_of(b.rule));
  }
}

void print_tokens(std::string_view title, std::string_view policy) {
  fmt::print("{}\n", title);
  for (const std::string_view name : names_of(policy)) fmt::print("  {}\n", name);
}

void print_policies() {
  fmt::print("Policies (option: values, the default in brackets)\n");
  for (const PolicyField& field : policy_fields()) {
    std::string values;
    for (const std::string_view value : field.values()) {
      const bool is_default = value == field.get(Policies{});
      values += is_default ? fmt::format(" [{}]", value) : fmt::format(" {}", value);
    }
    const std::string_view option = field.option.substr(0, field.option.find(','));
    fmt::print("  {:30} {}\n  {:30} {}\n", option, field.meaning, "", values.substr(1));
  }
}

void print_suites() {
  fmt::print("Suites\n");
  for (const auto& row : suites_json()) {
    fmt::print("  {:8} {}\n", row["name"].get<std::string>(), row["meaning"].get<std::string>());
  }
}

constexpr std::array kSections = {
    Section{"formats", formats_json, print_formats},
    Section{"blocks", blocks_json, print_blocks},
    Section{"rules", [] { return ordered_json(names_of("rule")); },
            [] { print_tokens("Scale rules", "rule"); }},
    Section{"roundings", [] { return ordered_json(names_of("rounding")); },
            [] { print_tokens("Roundings", "rounding"); }},
    Section{"policies", policies_json, print_policies},
    Section{"profiles", profiles_json, print_profiles},
    Section{"suites", suites_json, print_suites}};

void list(const std::string& what, bool is_json, bool is_markdown) {
  if (is_markdown) {
    if (what != "profiles") fail(Exit::kUsage, "--markdown goes with: mxgold list profiles");
    print_profiles_markdown();
    return;
  }
  std::vector<std::string_view> known = {"all"};
  for (const Section& section : kSections) known.push_back(section.name);
  if (std::find(known.begin(), known.end(), what) == known.end()) {
    throw Error(Exit::kUsage, unknown_name("section", what, known));
  }
  ordered_json result;
  bool is_first = true;
  for (const Section& section : kSections) {
    if (what != "all" && what != section.name) continue;
    if (is_json) {
      result[std::string(section.name)] = section.json();
      continue;
    }
    if (!is_first) fmt::print("\n");
    is_first = false;
    section.print();
  }
  if (is_json) fmt::print("{}\n", result.dump(2));
}

}  // namespace

void add_list(CLI::App& root, Exit&) {
  CLI::App& command =
      *root.add_subcommand("list", "Formats, rules, roundings, policies, profiles and suites");
  struct Options {
    std::string what = "all";
    bool is_json = false;
    bool is_markdown = false;
  };
  const auto options = std::make_shared<Options>();
  command.add_option("WHAT", options->what,
                     "all, formats, blocks, rules, roundings, policies, profiles or suites");
  command.add_flag("--json", options->is_json, "For machines");
  command.add_flag("--markdown", options->is_markdown, "docs/profiles.md (profiles only)");
  command.footer(kExamples);
  command.callback([options] { list(options->what, options->is_json, options->is_markdown); });
}

}  // namespace mx::cli
