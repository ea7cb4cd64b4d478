#include "cli/list/profiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/options/policies.hpp"
#include "golden/questions/profile_facts.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/format/rows.hpp"
#include "reference/policy/fields.hpp"

namespace mx::cli {
namespace {

using golden::Tree;

/// mxgold-default's policies for the formats of a list, or what is known by pattern: all of them.
std::vector<Policies> defaults_of(std::string_view destinations) {
  std::vector<Policies> list;
  while (!destinations.empty()) {
    const std::size_t end = std::min(destinations.find(' '), destinations.size());
    if (const auto format = make_format(destinations.substr(0, end))) {
      list.push_back({default_policy(*format), {}});
    } else {
      list.push_back({});
      list.push_back({default_policy(formats::fp32), {}});
    }
    destinations.remove_prefix(std::min(end + 1, destinations.size()));
  }
  return list;
}

/// The policies of a row that differ from one of mxgold-default's: "rounding=ties_to_away".
std::vector<std::string> differences(const Policies& policies, std::span<const Policies> defaults,
                                     FieldScope scope) {
  std::vector<std::string> list;
  for (const PolicyField& field : policy_fields()) {
    if (field.scope != scope) continue;
    const std::string value = field.read(policies);
    const bool is_rule = field.name == "rule";
    const bool differs = std::ranges::any_of(
        defaults, [&](const Policies& each) { return value != field.read(each); });
    if (is_rule || differs) {
      list.push_back(fmt::format("{}={}", field.name, value));
    }
  }
  return list;
}

std::string joined(const std::vector<std::string>& list) {
  return list.empty() ? "defaults" : fmt::format("{}", fmt::join(list, ", "));
}

std::string extras(const ElementRow& row) {
  std::string text;
  if (row.random_source != RandomSource::kDirect) {
    text += fmt::format(", random words {}", token_of(row.random_source));
  }
  if (row.canonical_nan) text += fmt::format(", NaN code {:02X}", *row.canonical_nan);
  if (row.parity == Parity::kImplicitOdd) text += ", ties up";
  return text;
}

std::string element_policies(const ElementRow& row) {
  if (row.policy_of_destination) return joined({}) + extras(row);
  const std::vector<Policies> defaults = defaults_of(row.destinations);
  return joined(differences({row.policy, {}}, defaults, FieldScope::kElement)) + extras(row);
}

std::string block_policies(const BlockRow& row) {
  if ((row.masks & kMaskAllBlocks) != 0) return "-";
  const Policies policies{row.element, row.block};
  const std::array<Policies, 1> defaults = {};
  std::vector<std::string> list = differences(policies, defaults, FieldScope::kBlock);
  for (const std::string& each : differences(policies, defaults, FieldScope::kElement)) {
    list.push_back(each);
  }
  if (row.rule_of_format) {
    std::ranges::replace_if(
        list, [](const std::string& each) { return each.starts_with("rule="); },
        "rule=the format's");
  }
  if (row.element_format != nullptr) {
    list.push_back(fmt::format("elements {}", row.element_format->name));
  }
  if (row.canonical_nan) list.push_back(fmt::format("NaN code {:02X}", *row.canonical_nan));
  return joined(list);
}

std::string variants_text(std::span<const ProfileVariant> variants) {
  std::string text;
  for (const ProfileVariant& variant : variants) {
    text += fmt::format("{}`{}` ({}", text.empty() ? "" : "; ", variant.name, variant.settings);
    const auto masks = golden::open_texts(variant.masks);
    if (!masks.empty()) text += fmt::format("; open: {}", fmt::join(masks, ", "));
    text += ")";
  }
  return text.empty() ? "-" : text;
}

std::string cell(const std::vector<std::string_view>& list) {
  return list.empty() ? "-" : fmt::format("{}", fmt::join(list, ", "));
}

void print_element_rows(const Profile& profile) {
  fmt::print("\n| formats | from | policies | variants | open |\n|---|---|---|---|---|\n");
  for (const ElementRow& row : profile.elements) {
    const bool is_unmodelled = (row.masks & kMaskAll) != 0;
    fmt::print("| {} | {} | {} | {} | {} |\n", row.destinations, row.sources,
               is_unmodelled ? "-" : element_policies(row), variants_text(row.variants),
               cell(golden::open_texts(row.masks)));
  }
}

void print_block_rows(const Profile& profile) {
  fmt::print("\n| block formats | from | policies | variants | open |\n|---|---|---|---|---|\n");
  for (const BlockRow& row : profile.blocks) {
    fmt::print("| {} | {} | {} | {} | {} |\n", row.formats, row.sources, block_policies(row),
               variants_text(row.variants), cell(golden::open_texts(row.masks)));
  }
}

}  // namespace

Tree profiles_json() {
  Tree list = Tree::list();
  for (const Profile& profile : all_profiles()) list.push_back(golden::facts_of(profile));
  return list;
}

golden::Answer one_profile(std::string_view name) {
  return asked([&] { return golden::profile_facts(name, golden::Spelling::kOptions); });
}

void print_profiles() {
  fmt::print("Profiles (name, system, version, source)\n");
  for (const Profile& profile : all_profiles()) {
    fmt::print("  {}\n    {}, {}\n    {}\n    {}\n", profile.name, profile.system, profile.version,
               profile.source, profile.description);
  }
}

void print_profiles_markdown() {
  fmt::print(
      "# Profiles\n\n"
      "<!-- Generated: mxgold list profiles --markdown. The test cli_profiles_page "
      "compares. "
      "-->\n\n"
      "A profile says what one version of one system does: the value of every policy, for the "
      "formats that it defines. In the site each profile has a page, with its differences from "
      "other systems. `mxgold list profiles NAME` shows one. This page has all of them, so that a "
      "change of one is seen in a diff.\n\n"
      "`--profile NAME` sets every policy. `--profile NAME:VARIANT` takes an option that the "
      "system documents; several variants are joined by `+`. Other options override the "
      "profile.\n\n"
      "*policies* lists what differs from `mxgold-default`, and the rule. *open* is unspecified: "
      "the source does not say it, or no policy expresses it, so comparisons skip it. A profile "
      "answers only for what its tables name. `--blocks-as NAME` asks for a mixture: blocks by the "
      "rules of NAME, their elements by the conversions of `--profile`. `*` is every format, "
      "`binary*` the P3109 family.\n\n"
      "| profile | system | version | source |\n|---|---|---|---|\n");
  for (const Profile& profile : all_profiles()) {
    fmt::print("| `{}` | {} | {} | {} |\n", profile.name, profile.system, profile.version,
               profile.source);
  }
  for (const Profile& profile : all_profiles()) {
    fmt::print("\n## {}\n\n{}.\n", profile.name, profile.description);
    if (!profile.elements.empty()) print_element_rows(profile);
    if (!profile.blocks.empty()) print_block_rows(profile);
  }
}

}  // namespace mx::cli
