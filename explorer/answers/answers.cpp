// SPDX-License-Identifier: Apache-2.0
#include "explorer/answers/answers.hpp"

#include <exception>

#include "explorer/answers/question.hpp"
#include "golden/explain/question.hpp"
#include "golden/names/names.hpp"
#include "golden/names/profile_choice.hpp"
#include "golden/questions/facts.hpp"
#include "golden/text/filled.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::explorer {
namespace {

using golden::Answer;
using golden::Refusal;
using golden::Spelling;
using golden::Tree;

Answer names() {
  Tree data = {{"formats", Tree::list()}, {"blocks", Tree::list()}};
  for (const ElementFormat& format : all_formats()) {
    data["formats"].push_back({{"name", format.name}, {"bits", format.bits}});
  }
  for (const BlockFormat& format : all_block_formats()) {
    data["blocks"].push_back({{"name", format.name},
                              {"element", format.element.name},
                              {"element_bits", format.element.bits},
                              {"scale", format.scale.name},
                              {"extent", token_of(format.extent)},
                              {"block_size", format.block_size},
                              {"tile_lines", format.tile_lines}});
  }
  return {data, {}};
}

Answer systems(const Question& question) {
  FormatCatalog catalog;
  const golden::FormatChoice format =
      golden::choose_format(catalog, question.one("format"), Spelling::kNames);
  const ElementFormat& source =
      golden::choose_element(catalog, "source", question.one("source"), Spelling::kNames);
  Tree data = {{"element", format.element->name},
               {"element_bits", format.element->bits},
               {"source_bits", source.bits},
               {"systems", Tree::list()}};
  for (const golden::ProfileChoice& each : golden::profiles_of(format, source)) {
    data["systems"].push_back({{"profile", each.name()},
                               {"system", each.profile->system},
                               {"version", each.profile->version},
                               {"description", each.profile->description}});
  }
  return {data, {}};
}

Answer codes(const Question& question) {
  FormatCatalog catalog;
  const ElementFormat& format =
      golden::choose_element(catalog, "format", question.one("format"), Spelling::kNames);
  return {golden::facts_with_codes(format), {}};
}

Answer explain(const Question& question) {
  FormatCatalog catalog;
  golden::ExplainQuestion asked{.inputs = question.all("input"),
                                .format = question.one("format"),
                                .source = question.one("source"),
                                .profiles = question.all("profile")};
  if (asked.inputs.empty())
    throw Refusal("input: nothing is given; type a number, for example 1.5");
  if (asked.profiles.empty()) throw Refusal("profile: no system is chosen; choose at least one");
  return golden::explain(asked, catalog);
}

Answer asked(const Question& question) {
  const std::string what = question.one("ask");
  if (what == "names") return names();
  if (what == "systems") return systems(question);
  if (what == "codes") return codes(question);
  if (what == "explain") return explain(question);
  throw Refusal(golden::filled("ask {}: names, systems, codes and explain can be asked",
                               golden::printable(what)));
}

}  // namespace

std::string answer(std::string_view question) {
  try {
    const Answer found = asked(Question(question));
    return "{\"data\":" + found.data.json() + ",\"text\":" + Tree(found.text).json() + "}";
  } catch (const std::exception& problem) {
    return Tree{{"problem", problem.what()}}.json();
  }
}

}  // namespace mx::explorer
