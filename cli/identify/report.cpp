#include "cli/identify/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/compare/profile_text.hpp"
#include "golden/bytes/json_text.hpp"

namespace mx::cli {
namespace {

using golden::Hypothesis;
using golden::HypothesisClass;
using golden::Identification;
using golden::ImplementationLog;
using golden::Ruling;

/// "te (64 compared)", "ocp-mx-1.0 (60 compared, 4 open, 32 under a NaN scale)"
std::string counted(const std::string& name, const golden::AnswerCounts& counts) {
  std::string text = fmt::format("{} ({} compared", name, counts.compared);
  if (counts.open != 0) text += fmt::format(", {} open", counts.open);
  if (counts.dont_care != 0) text += fmt::format(", {} under a NaN scale", counts.dont_care);
  return text + ")";
}

std::string names(const std::vector<Hypothesis>& members, std::size_t most) {
  std::vector<std::string> texts;
  for (const Hypothesis& each : members) {
    if (texts.size() < most) texts.push_back(counted(each.name(), each.counts));
  }
  std::string text = fmt::format("{}", fmt::join(texts, ", "));
  if (members.size() > most) text += fmt::format(" and {} more", members.size() - most);
  return text;
}

std::string answer_of(const ImplementationLog& log, const golden::BlockAnswer& answer,
                      const golden::OpenParts& open) {
  if (log.outputs == golden::LogOutputs::kCodes) return answer_text(log.surface, answer, open);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < answer.codes.size(); ++i) {
    texts.push_back(open.is_open(i) ? "--------" : fmt::format("{:08x}", answer.codes[i]));
  }
  return fmt::format("{}", fmt::join(texts, " "));
}

/// Dashes where the log does not know the output.
std::string seen_text(const ImplementationLog& log, const golden::LogRecord& record) {
  return answer_of(log, record.answer, {.scale = !record.has_scale, .elements = record.unknown});
}

void print_contradiction(const ImplementationLog& log, const golden::Contradiction& first) {
  const golden::LogRecord& record = log.records[first.record];
  const std::string place =
      log.places.empty() ? fmt::format("line {}", record.line) : log.places[first.record];
  fmt::print("    {}: {}\n      expected {}   seen {}\n", place,
             input_text(log.surface, record.input), answer_of(log, first.expected, first.open),
             seen_text(log, record));
}

/// Profiles that the same record rules out with the same expected answer, on one line.
void print_ruled_out(const ImplementationLog& log, const Identification& found) {
  std::vector<const Ruling*> rest;
  for (const Ruling& each : found.profiles) {
    if (each.first) rest.push_back(&each);
  }
  if (rest.empty()) return;
  fmt::print("\nruled out by their first contradiction:\n");
  std::vector<bool> done(rest.size(), false);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (done[i]) continue;
    std::vector<std::string> alike;
    for (std::size_t j = i; j < rest.size(); ++j) {
      if (rest[j]->first->record != rest[i]->first->record ||
          !(rest[j]->first->expected == rest[i]->first->expected)) {
        continue;
      }
      done[j] = true;
      alike.push_back(fmt::format("{} ({})", rest[j]->hypothesis.name(), rest[j]->contradicted));
    }
    fmt::print("  {}\n", fmt::join(alike, ", "));
    print_contradiction(log, *rest[i]->first);
  }
  fmt::print("  (in parentheses: records of {} that contradict)\n", log.records.size());
}

void print_class(const golden::Surface& surface, const HypothesisClass& each) {
  fmt::print("  {}\n", names(each.members, 12));
  if (!each.from_first) return;
  fmt::print("    told apart by {}: the first answers {}, this one {}\n",
             input_text(surface, each.from_first->input),
             answer_text(surface, each.from_first->a, each.from_first->open_a),
             answer_text(surface, each.from_first->b, each.from_first->open_b));
}

/// What explains what the profiles of the log leave open.
void print_inside(const ImplementationLog& log, const Identification& found) {
  if (found.inside.empty()) return;
  fmt::print("\nand what those leave open is explained too by:\n");
  for (const HypothesisClass& each : found.inside) print_class(log.surface, each);
}

void print_closest(const ImplementationLog& log, const Identification& found) {
  if (!found.closest) return;
  fmt::print("\nclosest: {}, which {} of {} records contradict, for the first time here:\n",
             found.closest->hypothesis.name(), found.closest->contradicted, log.records.size());
  if (found.closest->first) print_contradiction(log, *found.closest->first);
}

void print_names(std::string_view title, const std::vector<std::string>& list) {
  if (!list.empty()) fmt::print("\n{}: {}\n", title, fmt::join(list, ", "));
}

nlohmann::ordered_json class_json(const golden::Surface& surface, const HypothesisClass& each) {
  nlohmann::ordered_json json;
  for (const Hypothesis& member : each.members) {
    nlohmann::ordered_json one{{"profile", member.base.name()},
                               {"compared", member.counts.compared},
                               {"open", member.counts.open},
                               {"dont_care", member.counts.dont_care},
                               {"unknown", member.counts.unknown}};
    for (const golden::PolicyChange& change : member.changes) {
      one["changes"].push_back({{"field", change.field}, {"from", change.from}, {"to", change.to}});
    }
    json["members"].push_back(std::move(one));
  }
  if (each.from_first) json["told_apart_by"] = difference_json(surface, *each.from_first);
  return json;
}

}  // namespace

OutputCounts outputs_of(const ImplementationLog& log) {
  const bool has_scales = log.surface.is_block && log.outputs == golden::LogOutputs::kCodes;
  OutputCounts counts;
  for (const golden::LogRecord& record : log.records) {
    counts.all += record.answer.codes.size() + (has_scales ? 1U : 0U);
    counts.unknown += has_scales && !record.has_scale ? 1U : 0U;
    for (const bool unknown : record.unknown) counts.unknown += unknown ? 1U : 0U;
  }
  return counts;
}

void print_text(const ImplementationLog& log, const Identification& found,
                const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print("{}\n", note);
  const OutputCounts outputs = outputs_of(log);
  fmt::print("{}: {} records, {} outputs, {} of them unknown; {} configurations tried\n",
             log.surface.name(), log.records.size(), outputs.all, outputs.unknown, found.tried);
  if (found.classes.empty()) {
    fmt::print("\nno profile explains every record\n");
  } else {
    fmt::print(
        "\nprofiles that explain every record, with the outputs compared (one line each for those "
        "that agree on all inputs):\n");
    for (const HypothesisClass& each : found.classes) print_class(log.surface, each);
    print_inside(log, found);
  }
  if (!found.deviations.empty()) {
    fmt::print("\n{} {} policy changed that explain every record:\n",
               found.classes.empty() ? "profiles with" : "also, profiles with",
               found.changed_policies == 1 ? "one" : "two");
    for (const HypothesisClass& each : found.deviations) print_class(log.surface, each);
  } else if (found.classes.empty()) {
    fmt::print("no profile with one or two policies changed explains every record either\n");
    print_closest(log, found);
  }
  std::vector<std::string> unjudged;
  std::vector<std::string> open;
  for (const Ruling& each : found.profiles) {
    if (!each.judged) {
      unjudged.push_back(each.hypothesis.name());
    } else if (each.counts.compared == 0) {
      open.push_back(each.hypothesis.name());
    }
  }
  print_names("not judged, since they draw random words and the log has none", unjudged);
  print_names(
      "not judged, since they leave open every output that is known, or it stands under a NaN "
      "scale",
      open);
  print_ruled_out(log, found);
}

void print_json(const ImplementationLog& log, const Identification& found,
                const std::vector<std::string>& notes) {
  nlohmann::ordered_json json{
      {"source", log.surface.source.name},  {"target", log.surface.target()},
      {"records", log.records.size()},      {"outputs", outputs_of(log).all},
      {"unknown", outputs_of(log).unknown}, {"configurations", found.tried}};
  if (!notes.empty()) json["notes"] = notes;
  for (const char* const key : {"classes", "inside", "deviations", "profiles"}) {
    json[key] = nlohmann::ordered_json::array();
  }
  for (const auto& each : found.classes) json["classes"].push_back(class_json(log.surface, each));
  for (const auto& each : found.inside) json["inside"].push_back(class_json(log.surface, each));
  if (found.closest) {
    json["closest"] = class_json(log.surface, {{found.closest->hypothesis}, {}});
    json["closest"]["contradicted"] = found.closest->contradicted;
  }
  for (const auto& each : found.deviations) {
    json["deviations"].push_back(class_json(log.surface, each));
  }
  for (const Ruling& each : found.profiles) {
    nlohmann::ordered_json one{
        {"profile", each.hypothesis.name()},  {"judged", each.judged},
        {"explains", each.explains()},        {"contradicted", each.contradicted},
        {"compared", each.counts.compared},   {"open", each.counts.open},
        {"dont_care", each.counts.dont_care}, {"left_open", each.left_open}};
    if (each.first) {
      const golden::LogRecord& record = log.records[each.first->record];
      one["first"] = input_json(log.surface, record.input);
      one["first"]["line"] = record.line;
      if (!log.places.empty()) one["first"]["place"] = log.places[each.first->record];
      one["first"]["expected"] = answer_of(log, each.first->expected, each.first->open);
      one["first"]["seen"] = seen_text(log, record);
    }
    json["profiles"].push_back(std::move(one));
  }
  fmt::print("{}\n", golden::dumped(json, 2));
}

}  // namespace mx::cli
