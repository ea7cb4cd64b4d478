// mxgold list: every name the other subcommands take, with its parameters.
#include <array>
#include <memory>

#include "cli/base/asked.hpp"
#include "cli/base/command.hpp"
#include "cli/list/casts.hpp"
#include "cli/list/checkpoints.hpp"
#include "cli/list/faults.hpp"
#include "cli/list/formats.hpp"
#include "cli/list/markdown.hpp"
#include "cli/list/profiles.hpp"
#include "cli/list/units.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "cli/systems/known_casts.hpp"
#include "cli/text/names.hpp"
#include "golden/questions/facts.hpp"
#include "golden/stimulus/suite.hpp"

namespace mx::cli {
namespace {

using golden::Tree;

constexpr const char* kListExamples = R"(
Examples:
  mxgold list
  mxgold list formats
  mxgold list format e4m3fn
  mxgold list format binary6p3sf --json
  mxgold list families
  mxgold list profiles
  mxgold list profiles onnx-ref
  mxgold list policies --json
  mxgold list casts
  mxgold list cast 'dmx:BFP[8|8]{64}(SN)'
  mxgold list units
  mxgold list checkpoints
  mxgold list faults)";

Tree policies_json() {
  Tree list = Tree::list();
  for (const PolicyOption& field : policy_options()) {
    const std::string option(field.option.substr(0, field.option.find(',')));
    const PolicyDefault usual = default_of(field.get);
    list.push_back({{"name", field.name},
                    {"option", option},
                    {"meaning", field.meaning},
                    {"default", usual.value},
                    {"values", field.values()}});
    if (!usual.is_one()) list.back()["default_with_infinities"] = usual.with_infinities;
  }
  return list;
}

Tree suites_json() {
  constexpr std::array<std::string_view, tokens<VectorSuite>().size()> kMeanings = {
      "a reduced directed set and a few random vectors", "every directed class in full",
      "seeded, a count of vectors, the classes in turn",
      "blocks, seeded, the configurations drawn and taking turns"};
  Tree list = Tree::list();
  for (std::size_t i = 0; i < kMeanings.size(); ++i) {
    list.push_back({{"name", tokens<VectorSuite>()[i].text}, {"meaning", kMeanings[i]}});
  }
  list.push_back({{"name", "full"},
                  {"meaning", "of run: dir, for every configuration of a device with a clock"}});
  return list;
}

std::vector<std::string_view> names_of(std::string_view policy) {
  return find_policy_option(policy)->values();
}

/// A section: its name on the command line, what makes it, and how it is printed.
struct Section {
  std::string_view name;
  Tree (*json)(FormatBook&);
  void (*print)(FormatBook&);
};

template <golden::ListTable (*Table)(FormatBook&)>
void print_table(FormatBook& book) {
  fmt::print("{}", text_of(Table(book)));
}

void print_tokens(std::string_view title, std::string_view policy) {
  fmt::print("{}\n", title);
  for (const std::string_view name : names_of(policy)) fmt::print("  {}\n", name);
}

void print_policies() {
  fmt::print("Policies (option: values, the default in brackets)\n");
  for (const PolicyOption& field : policy_options()) {
    const PolicyDefault usual = default_of(field.get);
    std::string values;
    for (const std::string_view value : field.values()) {
      const bool is_default = value == usual.value;
      values += is_default ? fmt::format(" [{}]", value) : fmt::format(" {}", value);
    }
    const std::string_view option = field.option.substr(0, field.option.find(','));
    fmt::print("  {:30} {}\n  {:30} {}\n", option, field.meaning, "", values.substr(1));
    if (!usual.is_one()) fmt::print("  {:30} default {}\n", "", usual.text());
  }
}

void print_suites() {
  fmt::print("Suites\n");
  for (const auto& row : suites_json()) {
    fmt::print("  {:8} {}\n", row.at("name").text(), row.at("meaning").text());
  }
}

constexpr std::array kSections = {
    Section{"formats", formats_json, print_table<formats_table>},
    Section{"families", families_json, print_table<families_table>},
    Section{"scales", scales_json, print_table<scales_table>},
    Section{"blocks", blocks_json, print_table<blocks_table>},
    Section{"rules", [](FormatBook&) { return Tree(names_of("rule")); },
            [](FormatBook&) { print_tokens("Scale rules", "rule"); }},
    Section{"roundings", [](FormatBook&) { return Tree(names_of("rounding")); },
            [](FormatBook&) { print_tokens("Roundings", "rounding"); }},
    Section{"policies", [](FormatBook&) { return policies_json(); },
            [](FormatBook&) { print_policies(); }},
    Section{"profiles", [](FormatBook&) { return profiles_json(); },
            [](FormatBook&) { print_profiles(); }},
    Section{"casts", casts_json, print_table<casts_table>},
    Section{"units", units_json, print_table<units_table>},
    Section{"checkpoints", checkpoints_json, print_table<checkpoints_table>},
    Section{"suites", [](FormatBook&) { return suites_json(); },
            [](FormatBook&) { print_suites(); }},
    Section{"faults", [](FormatBook&) { return faults_json(); },
            [](FormatBook&) { print_faults(); }}};

struct ListOptions {
  std::string what = "all";
  std::string name;
  bool is_json = false;
  bool is_markdown = false;
  FormatOptions formats;
};

/// One format, whatever kind of name it is.
void list_one(const ListOptions& options, FormatBook& book) {
  if (options.name.empty()) {
    fail(Exit::kUsage, "list format: name one, for instance mxgold list format e4m3fn");
  }
  book.note_namesake(options.name);
  const golden::Answer answer = asked([&] {
    return golden::facts(options.name, golden::Codes::kEach, book.catalog(),
                         golden::Spelling::kOptions);
  });
  fmt::print("{}", options.is_json ? answer.data.indented_json() + "\n" : answer.text);
}

/// One cast whole: its properties as lines, those of strict where they differ.
void list_cast(const ListOptions& options) {
  if (options.name.empty()) {
    fail(Exit::kUsage, "list cast: give a text, for instance mxgold list cast '{}'",
         known_casts().front());
  }
  const Tree json = one_cast_json(options.name);
  if (options.is_json) {
    fmt::print("{}\n", json.indented_json());
    return;
  }
  fmt::print("{}\n", json.at("cast").text());
  const auto line = [](std::string_view name, std::string_view text) {
    fmt::print("  {:42} {}\n", name, text);
  };
  for (const auto& name : json.at("takes_as_data")) line("takes as data", name.text());
  line("draws random words", json.at("draws_random_words").truth() ? "yes" : "no");
  const Tree& strict = json.at("properties_strict");
  const Tree& properties = json.at("properties");
  for (std::size_t i = 0; i < properties.size(); ++i) {
    const std::string& name = properties.name(i);
    const std::string& text = properties.at(i).text();
    line(name, text);
    if (strict.text_of(name, text) != text) line(name + " (strict)", strict.at(name).text());
  }
}

void list(const ListOptions& options) {
  if (options.is_markdown && options.what != "all" && options.what != "profiles") {
    fail(Exit::kUsage, "--markdown writes whole pages: alone, or with profiles");
  }
  if (options.is_markdown && options.is_json) fail(Exit::kUsage, "give --markdown or --json");
  const bool is_profile = options.what == "profiles" && !options.name.empty();
  if (options.is_markdown && is_profile) fail(Exit::kUsage, "--markdown: writes all profiles");
  if (options.is_markdown && options.what == "profiles") return print_profiles_markdown();
  if (options.is_markdown) {
    fmt::print("{}", formats_page());
    return;
  }
  if (options.what == "cast") return list_cast(options);
  const std::shared_ptr<FormatBook> book = options.formats.book();
  if (options.what == "format") return list_one(options, *book);
  std::vector<std::string_view> known = {"all", "format", "cast"};
  for (const Section& section : kSections) known.push_back(section.name);
  if (std::find(known.begin(), known.end(), options.what) == known.end()) {
    throw Error(Exit::kUsage, unknown_name("section", options.what, known));
  }
  if (is_profile) {
    const golden::Answer answer = one_profile(options.name);
    fmt::print("{}", options.is_json ? answer.data.indented_json() + "\n" : answer.text);
    return;
  }
  if (!options.name.empty()) {
    fail(Exit::kUsage,
         "unexpected argument {}: list {} shows all there are; format, cast and profiles take a "
         "name (mxgold list format e4m3fn)",
         printable(options.name), options.what);
  }
  Tree result;
  bool is_first = true;
  for (const Section& section : kSections) {
    if (options.what != "all" && options.what != section.name) continue;
    if (options.is_json) {
      result[std::string(section.name)] = section.json(*book);
      continue;
    }
    if (!is_first) fmt::print("\n");
    is_first = false;
    section.print(*book);
  }
  if (options.is_json) fmt::print("{}\n", result.indented_json());
}

}  // namespace

void add_list(const Command& root, Exit&) {
  const Command command =
      root.add_subcommand("list", "List formats, policies, profiles, units, suites and more");
  const auto options = std::make_shared<ListOptions>();
  std::string sections = "all, format, cast";
  for (const Section& section : kSections) sections += fmt::format(", {}", section.name);
  command.add_option("WHAT", options->what, sections);
  command.add_option("NAME", options->name, "With format, cast or profiles: the one to show whole");
  json_option(command, options->is_json);
  command.add_flag("--markdown", options->is_markdown,
                   "As a page: docs/format-tables.md; with profiles docs/profiles.md");
  options->formats.add_to(command);
  command.footer(kListExamples);
  command.callback([options] { list(*options); });
}

}  // namespace mx::cli
