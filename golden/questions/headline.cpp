// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/headline.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/bytes/number_text.hpp"
#include "golden/questions/surface_text.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kMostNames = 3;
constexpr std::size_t kMostLetters = 60;  ///< of an input or an answer in a line

/// The first names of a list, and how many more there are.
std::string some(const std::vector<std::string>& list, std::string_view between) {
  const std::size_t count = std::min(list.size(), kMostNames);
  std::string text = joined(std::span(list).first(count), between);
  if (list.size() > count) text += filled(" and {} more", list.size() - count);
  return text;
}

std::string cut(const std::string& text) {
  return text.size() <= kMostLetters ? text : text.substr(0, kMostLetters) + "...";
}

/// "te", "te = cublas-13 = modelopt-0.47 and 3 more"
std::string class_text(const HypothesisClass& each) {
  std::vector<std::string> names;
  for (const Hypothesis& member : each.members) names.push_back(member.name());
  return some(names, " = ");
}

std::vector<std::string> class_texts(const std::vector<HypothesisClass>& classes) {
  std::vector<std::string> texts;
  for (const HypothesisClass& each : classes) texts.push_back(class_text(each));
  return texts;
}

std::vector<std::string> structure_names(const Identification& found) {
  std::vector<std::string> names;
  for (const AlteredClass& each : found.structures) names.push_back(each.members.front().name());
  return names;
}

/// What a structure explains, too, where policies do: after the first of those.
std::string with_structures(std::vector<std::string> texts, const Identification& found) {
  const std::vector<std::string> structures = structure_names(found);
  if (!structures.empty()) {
    texts.insert(texts.begin() + (texts.empty() ? 0 : 1), structures.front());
    texts.insert(texts.end(), structures.begin() + 1, structures.end());
  }
  return some(texts, ", or ");
}

std::string who_text(const ImplementationLog& log, const Identification& found) {
  if (!found.classes.empty()) return with_structures(class_texts(found.classes), found);
  if (!found.deviations.empty() || !found.structures.empty()) {
    return "no profile, but " + with_structures(class_texts(found.deviations), found);
  }
  if (!found.readings.empty()) {
    std::vector<std::string> texts;
    for (const ReadLog& each : found.readings) {
      texts.push_back(filled("{} with {}", class_text(each.classes.front()), each.reading.text()));
    }
    return "no profile of these formats, but " + some(texts, ", or ");
  }
  std::string text = "no profile, and none with one or two policies changed";
  if (!found.closest) return text;
  return text + filled("; closest {}, which {} of {} records contradict",
                       found.closest->hypothesis.name(), found.closest->contradicted,
                       log.records.size());
}

std::vector<std::string> silent_profiles(const Identification& found) {
  std::vector<std::string> names;
  for (const Ruling& each : found.profiles) {
    if (each.agrees() && each.is_silent) names.push_back(each.hypothesis.name());
  }
  return names;
}

std::string telling_text(const Identification& found, std::size_t records) {
  if (found.telling == 0) return "none of them: they contradict no profile, and tell none apart";
  std::string text =
      filled("{} of them{}, which contradict at least one profile", with_commas(found.telling),
             records > kCountedRecords
                 ? filled(" (counted among the first {})", with_commas(kCountedRecords))
                 : "");
  const std::vector<std::string> silent = silent_profiles(found);
  if (silent.empty()) return text;
  return text + filled("; of {} nothing was compared that tells: all of it is open there",
                       some(silent, ", "));
}

/// The answer up to the zeros at the end of the input.
std::string short_answer(const Surface& surface, const BlockInput& input, BlockAnswer answer) {
  std::size_t count = input.lanes.size();
  while (count > 1 && input.lanes[count - 1] == 0) --count;
  answer.codes.resize(std::min(answer.codes.size(), count));
  return cut(answer_text(surface, answer, {}));
}

/// The first element in which answers differ; nothing where none does.
std::optional<std::size_t> parting_element(const std::vector<NextInput::Side>& sides) {
  for (std::size_t i = 0; i < sides.front().answer.codes.size(); ++i) {
    const std::uint64_t first = sides.front().answer.codes[i];
    if (std::ranges::any_of(sides,
                            [&](const auto& side) { return side.answer.codes[i] != first; })) {
      return i;
    }
  }
  return std::nullopt;
}

/// What each side answers. Zeros at the end of an input may be what answers differ in.
std::vector<std::string> side_texts(const Surface& surface, const NextInput& next) {
  std::vector<std::string> texts;
  for (const NextInput::Side& side : next.sides) {
    texts.push_back(short_answer(surface, next.input, side.answer));
  }
  const std::set<std::string> distinct(texts.begin(), texts.end());
  const std::optional<std::size_t> at = parting_element(next.sides);
  if (distinct.size() == texts.size() || !at) return texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i] = filled("element {} {}", *at,
                      hex(next.sides[i].answer.codes[*at], surface.block.element.bits));
  }
  return texts;
}

std::string decision_text(const Surface& surface, const NextInput& next) {
  const std::vector<std::string> texts = side_texts(surface, next);
  std::vector<std::string> sides;
  for (std::size_t i = 0; i < next.sides.size(); ++i) {
    const NextInput::Side& side = next.sides[i];
    const std::size_t others = side.names.size() - 1;
    sides.push_back(filled("{} from {}{}", texts[i], side.names.front(),
                           others == 0 ? "" : filled(" and {} more", others)));
  }
  return filled("give it {}: {}", cut(input_text(surface, next.input)), some(sides, ", "));
}

/// Where the closest parts from the log: the first output of a record that differs.
std::string look_text(const ImplementationLog& log, const Contradiction& first) {
  const LogRecord& record = log.records[first.record];
  const bool has_values = log.outputs == LogOutputs::kValues;
  const std::string place = place_of(log, first.record);
  const Surface& s = log.surface;
  if (s.is_block && !has_values && record.has_scale && !first.open.scale &&
      first.expected.scale != record.answer.scale) {
    return filled("look at {}: scale expected {}, seen {}", place,
                  hex(first.expected.scale, s.block.scale_bits()),
                  hex(record.answer.scale, s.block.scale_bits()));
  }
  const int bits = has_values ? 32 : (s.is_block ? s.block.element.bits : s.destination.bits);
  for (std::size_t i = 0; i < record.answer.codes.size(); ++i) {
    const bool is_compared = is_known(record, i) && !first.open.is_open(i);
    if (!is_compared || first.expected.codes[i] == record.answer.codes[i]) continue;
    return filled("look at {}{}: input {}, expected {}, seen {}", place,
                  s.is_block ? filled(", element {}", i) : "",
                  hex(record.input.lanes[i], s.source.bits), hex(first.expected.codes[i], bits),
                  hex(record.answer.codes[i], bits));
  }
  return "look at " + place;
}

std::string next_text(const ImplementationLog& log, const Identification& found) {
  if (found.next) return decision_text(log.surface, *found.next);
  if (found.closest && found.closest->first) {
    return look_text(log, *found.closest->first);
  }
  if (!found.explains()) return "inputs that tell, with outputs that are known";
  if (found.readings.size() + found.structures.size() > 1) {
    return "more records: no single input that is known parts those that are left";
  }
  return "nothing: no input that is known parts those that are left";
}

std::string_view answer_name(const Identification& found) {
  if (!found.classes.empty()) return "profiles";
  if (!found.deviations.empty()) return "changed";
  if (!found.structures.empty()) return "structure";
  return found.readings.empty() ? "nothing" : "reread";
}

std::vector<std::string> first_names(const std::vector<HypothesisClass>& classes) {
  std::vector<std::string> names;
  for (const HypothesisClass& each : classes) names.push_back(each.members.front().name());
  return names;
}

}  // namespace

std::string place_of(const ImplementationLog& log, std::size_t record) {
  return log.places.empty() ? filled("line {}", log.records[record].line) : log.places[record];
}

std::string headline_text(const ImplementationLog& log, const Identification& found,
                          Spelling spelling) {
  const std::size_t profiles = found.profiles.size();
  const std::string counted_profiles = filled("{} profile{}", profiles, profiles == 1 ? "" : "s");
  std::string text = filled("who: {}\n", who_text(log, found));
  text += filled("compared: {} of {} records, {}, with {} profiles\n", with_commas(found.compared),
                 with_commas(log.records.size()), log.surface.name(), found.profiles.size());
  text += filled("telling: {}\n", telling_text(found, log.records.size()));
  text += filled("next: {}\n", next_text(log, found));
  return text + std::string(hint(spelling, "more: --verbose\n"));
}

void put_headline(const ImplementationLog& log, const Identification& found, Tree& json) {
  json["answer"] = answer_name(found);
  std::vector<std::string> who =
      first_names(found.classes.empty() ? found.deviations : found.classes);
  for (const ReadLog& each : found.readings) {
    who.push_back(
        filled("{} with {}", each.classes.front().members.front().name(), each.reading.text()));
  }
  if (who.empty()) who = structure_names(found);
  json["who"] = who;
  json["silent"] = silent_profiles(found);
  json["compared_records"] = found.compared;
  json["telling_records"] = found.telling;
  if (!found.next) return;
  json["next"] = input_json(log.surface, found.next->input);
  for (const NextInput::Side& side : found.next->sides) {
    Tree one = answer_json(log.surface, side.answer, {});
    one["who"] = side.names;
    json["next"]["answers"].push_back(std::move(one));
  }
}

}  // namespace mx::golden
