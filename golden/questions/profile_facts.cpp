// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/profile_facts.hpp"

#include <algorithm>

#include "golden/names/profile_choice.hpp"
#include "golden/text/filled.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/refusal.hpp"

namespace mx::golden {
namespace {

Tree variants_json(std::span<const ProfileVariant> variants) {
  Tree list = Tree::list();
  for (const ProfileVariant& variant : variants) {
    list.push_back({{"name", variant.name},
                    {"settings", variant.settings},
                    {"open", open_texts(variant.masks)},
                    {"masks", block_mask_tokens(variant.masks)}});
  }
  return list;
}

Tree policies_json(const Policies& policies, FieldScope scope) {
  Tree json = Tree::record();
  for (const PolicyField& field : policy_fields()) {
    if (scope == FieldScope::kBlock || field.scope == scope) {
      json[std::string(field.name)] = field.read(policies);
    }
  }
  return json;
}

/// What rows speak of: single values are converted to a format, blocks also brought back.
constexpr std::string_view kToFormat = "to";
constexpr std::string_view kBothWays = "both";

Tree json_of(const ElementRow& row, const Profile& profile) {
  Tree json = {{"destinations", row.destinations},
               {"sources", row.sources},
               {"direction", kToFormat},
               {"source", profile.source},
               {"policies", policies_json({row.policy, {}}, FieldScope::kElement)},
               {"random_source", token_of(row.random_source)},
               {"variants", variants_json(row.variants)},
               {"open", open_texts(row.masks)},
               {"masks", block_mask_tokens(row.masks)}};
  if (row.policy_of_destination) json["policies"]["overflow"] = "the destination's";
  if (row.canonical_nan) json["canonical_nan"] = filled("{:02X}", *row.canonical_nan);
  if (row.parity == Parity::kImplicitOdd) json["parity"] = "implicit_odd";
  return json;
}

Tree json_of(const BlockRow& row, const Profile& profile) {
  Tree json = {{"formats", row.formats},
               {"sources", row.sources},
               {"direction", kBothWays},
               {"source", profile.source},
               {"policies", policies_json({row.element, row.block}, FieldScope::kBlock)},
               {"variants", variants_json(row.variants)},
               {"open", open_texts(row.masks)},
               {"masks", block_mask_tokens(row.masks)}};
  if (row.rule_of_format) json["policies"]["rule"] = "the format's";
  if (row.element_format != nullptr) json["element"] = row.element_format->name;
  if (row.canonical_nan) json["canonical_nan"] = filled("{:02X}", *row.canonical_nan);
  return json;
}

}  // namespace

Tree facts_of(const Profile& profile) {
  Tree row = {{"name", profile.name},
              {"system", profile.system},
              {"version", profile.version},
              {"source", profile.source},
              {"description", profile.description}};
  row["elements"] = Tree::list();
  for (const ElementRow& each : profile.elements) row["elements"].push_back(json_of(each, profile));
  row["blocks"] = Tree::list();
  for (const BlockRow& each : profile.blocks) row["blocks"].push_back(json_of(each, profile));
  return row;
}

namespace {

/// Formats that have the same sources, on one line.
struct ProfileSide {
  std::vector<std::string_view> formats;
  std::vector<std::string_view> sources;
};

template <typename Sources>
std::vector<ProfileSide> sides_of(const std::vector<std::string_view>& formats, Sources&& sources) {
  std::vector<ProfileSide> sides;
  for (const std::string_view format : formats) {
    const std::vector<std::string_view> from = sources(format);
    const auto same = std::ranges::find(sides, from, &ProfileSide::sources);
    ProfileSide& side = same == sides.end() ? sides.emplace_back(ProfileSide{{}, from}) : *same;
    side.formats.push_back(format);
  }
  return sides;
}

std::string text_of(std::string_view title, const std::vector<ProfileSide>& sides) {
  std::string text = filled("  {}:{}\n", title, sides.empty() ? " none" : "");
  for (const ProfileSide& side : sides) {
    text += filled("    {} from {}\n", joined(side.formats, ", "), joined(side.sources, ", "));
  }
  return text;
}

std::string text_of(const Profile& profile) {
  const std::vector<ProfileSide> conversions =
      sides_of(destinations_of(profile), [&](auto to) { return sources_of(profile.elements, to); });
  const std::vector<ProfileSide> blocks = sides_of(
      block_formats_of(profile), [&](auto format) { return sources_of(profile.blocks, format); });
  std::string text = filled("{}\n  {}, {}\n  {}\n  {}\n", profile.name, profile.system,
                            profile.version, profile.source, profile.description);
  text += text_of("conversions of single values (direction: to the format)", conversions);
  text += text_of("block formats (direction: both, to the format and back)", blocks);
  return text;
}

}  // namespace

std::vector<std::string_view> open_texts(Masks masks) {
  std::vector<std::string_view> texts;
  for (const MaskFacts& each : kMaskFacts) {
    if ((masks & each.bit) != 0) texts.push_back(each.text);
  }
  return texts;
}

Answer profile_facts(std::string_view name, Spelling spelling) {
  const Profile& profile = *choose_profile(name, spelling).profile;
  std::string text = text_of(profile);
  if (block_formats_of(profile).empty() && !destinations_of(profile).empty()) {
    text += filled("  its conversions under other block rules: {}\n",
                   spelled(spelling, "blocks_as", "mxgold-default"));
  }
  return {facts_of(profile), text};
}

}  // namespace mx::golden
