// SPDX-License-Identifier: Apache-2.0
#include "cli/identify/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

using golden::Tree;
using golden::with_commas;

constexpr std::size_t kMostShown = 3;  ///< names in a line

std::string some_of(const std::vector<std::string>& list, std::string_view between) {
  const std::size_t count = std::min(list.size(), kMostShown);
  std::string text = fmt::format("{}", fmt::join(std::span(list).first(count), between));
  if (list.size() > count) text += fmt::format(" and {} more", list.size() - count);
  return text;
}

/// Makers that are alike, the variants of each beside its name.
std::string group_text(const std::vector<Maker>& alike) {
  std::vector<Maker> names;
  for (const Maker& each : alike) {
    const auto same = std::ranges::find(names, each.name, &Maker::name);
    if (same == names.end()) {
      names.push_back(each);
    } else {
      same->variant += ", " + each.variant;
    }
  }
  std::vector<std::string> texts;
  for (const Maker& each : names) texts.push_back(each.text());
  return some_of(texts, " = ");
}

std::vector<std::string> groups_in(const WholeAnswer& answer) {
  std::vector<Maker> explaining;
  std::ranges::copy_if(answer.makers, std::back_inserter(explaining), &Maker::explains);
  std::vector<std::string> groups;
  for (const std::vector<std::size_t>& alike : answer.partings.alike) {
    std::vector<Maker> makers;
    for (const std::size_t one : alike) makers.push_back(explaining[one]);
    groups.push_back(group_text(makers));
  }
  return groups;
}

std::string who_line(const WholeAnswer& answer, const Maker& nearest) {
  const std::vector<std::string> groups = groups_in(answer);
  if (!groups.empty()) return some_of(groups, ", or ");
  if (nearest.compared == 0) return "nobody: NOTHING COMPARED";
  return fmt::format("none of the {} tried; closest {}, which gives {} of {} {}{}", answer.kind,
                     nearest.text(), with_commas(nearest.agree), with_commas(nearest.compared),
                     answer.words,
                     nearest.refused == 0 ? "" : fmt::format(", and refuses {}", nearest.refused));
}

std::string next_line(const WholeAnswer& answer, const Maker& nearest) {
  if (!answer.partings.best.empty()) {
    const PartingInput& best = answer.partings.best.front();
    return fmt::format("give it {}: {}", best.input, some_of(best.answers, ", "));
  }
  if (!answer.partings.alike.empty()) return "nothing: no input tried parts those that are left";
  return nearest.first.empty() ? "inputs that somebody takes, with outputs that are settled"
                               : "look at " + nearest.first;
}

std::string maker_line(const Maker& each, std::string_view words) {
  std::string text =
      fmt::format("  {}: {} of {} {}", each.text(), each.agree, each.compared, words);
  if (each.open != 0) text += fmt::format(", {} open", each.open);
  if (each.refused != 0) text += fmt::format(", {} records refused", each.refused);
  return text + (each.first.empty() ? "\n" : "; " + each.first + "\n");
}

Tree tree_of(const WholeAnswer& answer, bool explains) {
  Tree json = {{"answer", explains ? "explained" : "nothing"}, {"what", answer.what}};
  json["who"] = Tree::list();
  json["records"] = answer.tally.records();
  json["compared_records"] = answer.tally.compared();
  json["telling_records"] = answer.tally.telling();
  json["tried"] = Tree::list();
  for (const Maker& each : answer.makers) {
    if (each.explains()) json["who"].push_back(each.text());
    Tree one = {
        {"name", each.text()},           {"explains", each.explains()}, {"agree", each.agree},
        {"compared", each.compared},     {"open", each.open},           {"refused", each.refused},
        {"first_difference", each.first}};
    one["facts"] = each.facts;
    json["tried"].push_back(std::move(one));
  }
  if (!answer.partings.best.empty()) {
    const PartingInput& best = answer.partings.best.front();
    json["next"] = {{"input", best.input}, {"answers", best.answers}};
  }
  if (!answer.notes.empty()) json["notes"] = answer.notes;
  return json;
}

}  // namespace

std::uint64_t RecordTally::compared() const {
  return static_cast<std::uint64_t>(std::ranges::count(compared_, 1));
}
std::uint64_t RecordTally::telling() const {
  return static_cast<std::uint64_t>(std::ranges::count(telling_, 1));
}

Partings partings_of(const std::vector<std::string>& names, std::size_t inputs,
                     const std::function<std::string(std::size_t, std::size_t)>& answer,
                     const std::function<std::string(std::size_t)>& input_text) {
  Partings found;
  if (names.empty()) return found;
  std::vector<std::size_t> group(names.size());  // of each maker
  std::size_t groups = 1;
  std::size_t most = 1;
  for (std::size_t input = 0; input < inputs; ++input) {
    std::map<std::string, std::vector<std::size_t>> sides;
    std::map<std::pair<std::size_t, std::string>, std::size_t> next;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string given = answer(i, input);
      if (!given.empty()) sides[given].push_back(i);
      group[i] = next.try_emplace({group[i], given}, next.size()).first->second;
    }
    groups = next.size();
    if (sides.size() <= most) continue;
    most = sides.size();
    PartingInput best{.input = input_text(input), .answers = {}};
    for (const auto& [given, makers] : sides) {
      best.answers.push_back(
          fmt::format("{} from {}{}", given, names[makers.front()],
                      makers.size() == 1 ? "" : fmt::format(" and {} more", makers.size() - 1)));
    }
    found.best = {std::move(best)};
  }
  found.alike.resize(groups);
  for (std::size_t i = 0; i < names.size(); ++i) found.alike[group[i]].push_back(i);
  std::ranges::sort(found.alike);
  return found;
}

Exit report(WholeAnswer answer, bool is_verbose, bool is_json) {
  std::ranges::stable_sort(answer.makers, [](const Maker& a, const Maker& b) {
    return std::pair(a.refused, b.agree) < std::pair(b.refused, a.agree);
  });
  const bool explains = std::ranges::any_of(answer.makers, &Maker::explains);
  const bool has_compared = answer.tally.compared() != 0;
  if (is_json) {
    fmt::print("{}\n", tree_of(answer, explains).indented_json());
  } else {
    const Maker& nearest = answer.makers.front();
    fmt::print("who: {}\n", who_line(answer, nearest));
    fmt::print("compared: {} of {} records, {}, with {} {}\n", with_commas(answer.tally.compared()),
               with_commas(answer.tally.records()), answer.what, answer.makers.size(), answer.kind);
    fmt::print("telling: {}\n",
               answer.tally.telling() == 0
                   ? std::string("none of them: they contradict nobody, and tell none apart")
                   : fmt::format("{} of them, which contradict at least one of the {}",
                                 with_commas(answer.tally.telling()), answer.kind));
    fmt::print("next: {}\n", next_line(answer, nearest));
    if (!is_verbose) fmt::print("more: --verbose\n");
    if (is_verbose) {
      fmt::print("more:\n");
      for (const std::string& note : answer.notes) fmt::print("  {}\n", note);
      for (const Maker& each : answer.makers) fmt::print("{}", maker_line(each, answer.words));
    }
  }
  if (!has_compared) return Exit::kBadInput;
  return explains ? Exit::kPass : Exit::kMismatch;
}

}  // namespace mx::cli
