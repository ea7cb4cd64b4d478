// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/expanded.hpp"

#include "golden/names/profile_choice.hpp"
#include "golden/questions/profile_facts.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "golden/text/table.hpp"

namespace mx::golden {
namespace {

Tree policies_tree(const Policies& policies, const Policies& usual, const PolicyReader& reader) {
  Tree list = Tree::list();
  for (const PolicyField& field : policy_fields()) {
    if (field.scope == FieldScope::kBlock && !reader.block) continue;
    const std::string value = field.read(policies);
    const std::string otherwise = field.read(usual);
    list.push_back({{"name", field.name},
                    {"value", value},
                    {"default", otherwise},
                    {"is_default", value == otherwise},
                    {"acts", is_read(field.name, reader)},
                    {"meaning", field.summary}});
  }
  return list;
}

/// What a profile has otherwise than the format; empty for nothing.
Tree element_tree(const ElementFormat& own, const ElementFormat& profiled) {
  Tree tree = Tree::record();
  if (own.name != profiled.name) tree["name"] = profiled.name;
  if (own.canonical_nan != profiled.canonical_nan) {
    tree["canonical_nan"] = hex_code(profiled, profiled.canonical_nan);
  }
  if (own.parity != profiled.parity) {
    tree["parity"] = profiled.parity == Parity::kImplicitOdd ? "implicit_odd" : "code_lsb";
  }
  return tree;
}

std::string text_of(const Tree& data) {
  ListTable table{filled("{} from {} under {}", data.at("format").text(), data.at("source").text(),
                         data.at("profile").text()),
                  {"policy", "value", "mxgold-default"},
                  {}};
  for (const Tree& each : data.at("policies")) {
    const bool acts = each.at("acts").truth();
    const bool is_default = each.at("is_default").truth();
    table.rows.push_back({each.at("name").text(), each.at("value").text(),
                          !acts        ? "decides nothing here"
                          : is_default ? "the same"
                                       : each.at("default").text()});
  }
  std::string text = text_of(table);
  const Tree& element = data.at("element");
  for (std::size_t i = 0; i < element.size(); ++i) {
    text += filled("elements: {} {}\n", element.name(i), element.at(i).text());
  }
  for (const Tree& open : data.at("open")) text += filled("open: {}\n", open.text());
  return text;
}

}  // namespace

Answer expanded(const ExpandedQuestion& question, FormatCatalog& catalog) {
  const Spelling spelling = question.spelling;
  require_policies(question.settings);
  const FormatChoice format = choose_format(catalog, question.format, spelling);
  const ElementFormat& source = choose_element(catalog, "source", question.source, spelling);
  const ProfileChoice profile = choose_profile(question.profile, spelling);
  const auto under = [&](const ProfileChoice& each) {
    return under_profile(each, format, source, question.block_size, spelling);
  };
  ProfiledFormat chosen = under(profile);
  const ProfiledFormat usual = under(choose_profile("mxgold-default", spelling));
  apply(question.settings, chosen.policies, spelling);
  PolicyReader reader{chosen.element, chosen.policies.element, {}};
  Masks masks = 0;
  if (format.block != nullptr) {
    reader.block = chosen.policies.block;
    BlockFormat block = *format.block;
    block.element = chosen.element;
    if (question.block_size != 0) block.block_size = question.block_size;
    masks = block_masks(*profile.profile, block, source, profile.variant);
  } else {
    if (question.block_size != 0) {
      throw Refusal(filled("{}: {} has no blocks; leave it out", spelled(spelling, "block_size"),
                           question.format));
    }
    refuse_block_policies(names_of(question.settings), question.format, spelling);
    masks = element_masks(*profile.profile, source, *format.element, profile.variant);
  }
  const Tree data = {{"format", format.name},
                     {"source", source.name},
                     {"profile", profile.name()},
                     {"changes", text_of(question.settings, spelling)},
                     {"policies", policies_tree(chosen.policies, usual.policies, reader)},
                     {"element", element_tree(*format.element, chosen.element)},
                     {"masks", block_mask_tokens(masks)},
                     {"open", open_texts(masks)}};
  return {data, text_of(data)};
}

}  // namespace mx::golden
