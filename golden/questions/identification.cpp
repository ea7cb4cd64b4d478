// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/identification.hpp"

#include "golden/bytes/error.hpp"
#include "golden/makers/identify.hpp"
#include "golden/questions/headline.hpp"
#include "golden/questions/surface_text.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

/// "te (64 compared)", "ocp-mx-1.0 (60 compared, 4 open, 32 under a NaN scale)"
std::string counted(const std::string& name, const AnswerCounts& counts) {
  std::string text = filled("{} ({} compared", name, counts.compared);
  if (counts.open != 0) text += filled(", {} open", counts.open);
  if (counts.dont_care != 0) text += filled(", {} under a NaN scale", counts.dont_care);
  return text + ")";
}

std::string names(const std::vector<Hypothesis>& members, std::size_t most) {
  std::vector<std::string> texts;
  for (const Hypothesis& each : members) {
    if (texts.size() < most) texts.push_back(counted(each.name(), each.counts));
  }
  std::string text = joined(texts, ", ");
  if (members.size() > most) text += filled(" and {} more", members.size() - most);
  return text;
}

std::string answer_of(const ImplementationLog& log, const BlockAnswer& answer,
                      const OpenParts& open) {
  if (log.outputs == LogOutputs::kCodes) return answer_text(log.surface, answer, open);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < answer.codes.size(); ++i) {
    texts.push_back(open.is_open(i) ? "--------" : filled("{:08x}", answer.codes[i]));
  }
  return joined(texts, " ");
}

/// Dashes where the log does not know the output.
std::string seen_text(const ImplementationLog& log, const LogRecord& record) {
  return answer_of(log, record.answer, {.scale = !record.has_scale, .elements = record.unknown});
}

std::string contradiction_text(const ImplementationLog& log, const Contradiction& first) {
  const LogRecord& record = log.records[first.record];
  return filled("    {}: {}\n      expected {}   seen {}\n", place_of(log, first.record),
                input_text(log.surface, record.input), answer_of(log, first.expected, first.open),
                seen_text(log, record));
}

/// Profiles that the same record rules out with the same expected answer, on one line.
std::string ruled_out_text(const ImplementationLog& log, const Identification& found) {
  std::vector<const Ruling*> rest;
  for (const Ruling& each : found.profiles) {
    if (each.first) rest.push_back(&each);
  }
  if (rest.empty()) return {};
  std::string text = "\nruled out by their first contradiction:\n";
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
      alike.push_back(filled("{} ({})", rest[j]->hypothesis.name(), rest[j]->contradicted));
    }
    text += filled("  {}\n", joined(alike, ", "));
    text += contradiction_text(log, *rest[i]->first);
  }
  return text + filled("  (in parentheses: records of {} that contradict{})\n", log.records.size(),
                       log.records.size() > kCountedRecords
                           ? filled(", counted among {} at a time", kCountedRecords)
                           : "");
}

std::string text_of(const Surface& surface, const std::vector<HypothesisClass>& classes) {
  std::string text;
  for (const HypothesisClass& each : classes) {
    text += filled("  {}\n", names(each.members, 12));
    if (!each.from_first) continue;
    text += filled("    told apart by {}: the first answers {}, this one {}\n",
                   input_text(surface, each.from_first->input),
                   answer_text(surface, each.from_first->a, each.from_first->open_a),
                   answer_text(surface, each.from_first->b, each.from_first->open_b));
  }
  return text;
}

std::string closest_text(const ImplementationLog& log, const Identification& found) {
  if (!found.closest) return {};
  std::string text =
      filled("\nclosest: {}, which {} of {} records contradict, for the first time here:\n",
             found.closest->hypothesis.name(), found.closest->contradicted, log.records.size());
  if (found.closest->first) text += contradiction_text(log, *found.closest->first);
  return text;
}

std::string named_text(std::string_view title, const std::vector<std::string>& list) {
  return list.empty() ? "" : filled("\n{}: {}\n", title, joined(list, ", "));
}

Tree class_json(const Surface& surface, const HypothesisClass& each) {
  Tree json;
  for (const Hypothesis& member : each.members) {
    Tree one = {{"profile", member.base.name()},
                {"compared", member.counts.compared},
                {"open", member.counts.open},
                {"dont_care", member.counts.dont_care},
                {"unknown", member.counts.unknown}};
    for (const Deviation& change : member.changes) {
      one["changes"].push_back({{"field", change.field}, {"from", change.from}, {"to", change.to}});
    }
    json["members"].push_back(std::move(one));
  }
  if (each.from_first) json["told_apart_by"] = difference_json(surface, *each.from_first);
  return json;
}

Tree classes_tree(const Surface& surface, const std::vector<HypothesisClass>& classes) {
  Tree list = Tree::list();
  for (const HypothesisClass& each : classes) list.push_back(class_json(surface, each));
  return list;
}

Tree tree_of(const AlteredClass& each) {
  Tree members = Tree::list();
  for (const AlteredHypothesis& one : each.members) {
    const Structure& structure = one.alteration->structure;
    members.push_back({{"profile", one.base.name()},
                       {"structure", structure.name},
                       {"value", structure.value},
                       {"text", structure.text}});
  }
  return {{"members", std::move(members)}};
}

Tree ruling_tree(const ImplementationLog& log, const Ruling& ruling) {
  Tree one = {{"profile", ruling.hypothesis.name()}, {"judged", ruling.judged},
              {"explains", ruling.explains()},       {"contradicted", ruling.contradicted},
              {"silent", ruling.is_silent},          {"compared", ruling.counts.compared},
              {"open", ruling.counts.open},          {"dont_care", ruling.counts.dont_care},
              {"left_open", ruling.left_open}};
  if (!ruling.first) return one;
  const LogRecord& record = log.records[ruling.first->record];
  Tree first = input_json(log.surface, record.input);
  first["line"] = record.line;
  if (!log.places.empty()) first["place"] = log.places[ruling.first->record];
  first["expected"] = answer_of(log, ruling.first->expected, ruling.first->open);
  first["seen"] = seen_text(log, record);
  one["first"] = first;
  return one;
}

/// Outputs of the log, scales of blocks among them, and how many are not known.
struct OutputCounts {
  std::uint64_t all = 0;
  std::uint64_t unknown = 0;
};

OutputCounts outputs_of(const ImplementationLog& log) {
  const bool has_scales = log.surface.is_block && log.outputs == LogOutputs::kCodes;
  OutputCounts counts;
  for (const LogRecord& record : log.records) {
    counts.all += record.answer.codes.size() + (has_scales ? 1U : 0U);
    counts.unknown += has_scales && !record.has_scale ? 1U : 0U;
    for (const bool unknown : record.unknown) counts.unknown += unknown ? 1U : 0U;
  }
  return counts;
}

/// What explains the log, if anything.
std::string verdict_text(const ImplementationLog& log, const Identification& found) {
  std::string text;
  const std::string records = found.searched == log.records.size()
                                  ? "every record"
                                  : filled("the first {} records", found.searched);
  if (found.classes.empty()) {
    text += "\nno profile explains every record\n";
  } else {
    text +=
        "\nprofiles that explain every record, with the outputs compared (one line each for those "
        "that agree on all inputs):\n";
    text += text_of(log.surface, found.classes);
    if (!found.inside.empty()) text += "\nand what those leave open is explained too by:\n";
    text += text_of(log.surface, found.inside);
  }
  if (!found.deviations.empty()) {
    text += filled("\n{} {} policy changed that explain {}:\n",
                   found.classes.empty() ? "profiles with" : "also, profiles with",
                   found.changed_policies == 1 ? "one" : "two", records);
    text += text_of(log.surface, found.deviations);
  } else if (found.classes.empty() && found.readings.empty() && found.structures.empty()) {
    text += "no profile with one or two policies changed explains every record either\n";
    text += closest_text(log, found);
  }
  for (const ReadLog& each : found.readings) {
    text += filled("\nprofiles that explain every record, if these are {}:\n", each.reading.text());
    text += text_of(each.reading.surface, each.classes);
  }
  if (!found.structures.empty()) {
    text +=
        "\nprofiles on a device that does one thing more, that explain every record (one line each "
        "for those that no input tried tells apart):\n";
  }
  for (const AlteredClass& each : found.structures) {
    std::vector<std::string> list;
    for (const AlteredHypothesis& one : each.members) {
      if (list.size() < 12) list.push_back(one.name());
    }
    text += filled("  {}{}\n", joined(list, "\n    = "),
                   each.members.size() > list.size()
                       ? filled("\n    and {} more", each.members.size() - list.size())
                       : "");
  }
  return text;
}

std::string text_of(const ImplementationLog& log, const Identification& found, Spelling spelling,
                    const std::vector<std::string>& notes) {
  std::string text = headline_text(log, found, spelling);
  for (const std::string& note : notes) text += note + "\n";
  text += "\n";
  const OutputCounts outputs = outputs_of(log);
  text += filled("{}: {} records, {} outputs, {} of them unknown; {} configurations tried\n",
                 log.surface.name(), log.records.size(), outputs.all, outputs.unknown, found.tried);
  text += verdict_text(log, found);
  std::vector<std::string> unjudged;
  std::vector<std::string> open;
  std::vector<std::string> silent;
  for (const Ruling& each : found.profiles) {
    if (!each.judged) {
      unjudged.push_back(each.hypothesis.name());
    } else if (each.counts.compared == 0) {
      open.push_back(each.hypothesis.name());
    } else if (each.agrees() && each.is_silent) {
      silent.push_back(counted(each.hypothesis.name(), each.counts));
    }
  }
  text += named_text("not judged, since they draw random words and the log has none", unjudged);
  text += named_text(
      "not judged, since they leave open every output that is known, or it stands under a NaN "
      "scale",
      open);
  text += named_text(
      "no explanation, since they leave open every output by which others are contradicted",
      silent);
  return text + ruled_out_text(log, found);
}

Tree tree_of(const ImplementationLog& log, const Identification& found,
             const std::vector<std::string>& notes) {
  Tree json = {{"source", log.surface.source.name},  {"target", log.surface.target()},
               {"records", log.records.size()},      {"outputs", outputs_of(log).all},
               {"unknown", outputs_of(log).unknown}, {"configurations", found.tried},
               {"searched_records", found.searched}};
  if (!notes.empty()) json["notes"] = notes;
  put_headline(log, found, json);
  json["classes"] = classes_tree(log.surface, found.classes);
  json["inside"] = classes_tree(log.surface, found.inside);
  json["deviations"] = classes_tree(log.surface, found.deviations);
  json["readings"] = Tree::list();
  for (const ReadLog& each : found.readings) {
    json["readings"].push_back({{"text", each.reading.text()},
                                {"source", each.reading.surface.source.name},
                                {"target", each.reading.surface.target()},
                                {"classes", classes_tree(each.reading.surface, each.classes)}});
  }
  json["structures"] = Tree::list();
  for (const AlteredClass& each : found.structures) json["structures"].push_back(tree_of(each));
  json["profiles"] = Tree::list();
  for (const Ruling& each : found.profiles) json["profiles"].push_back(ruling_tree(log, each));
  if (found.closest) {
    json["closest"] = class_json(log.surface, {{found.closest->hypothesis}, {}});
    json["closest"]["contradicted"] = found.closest->contradicted;
  }
  return json;
}

/// A log that nothing was compared of has no verdict.
void require_verdict(const ImplementationLog& log, const Identification& found, Spelling spelling) {
  if (found.profiles.empty()) {
    throw Refusal(filled("no profile speaks of {}{}", log.surface.name(),
                         hint(spelling, "; mxgold list profiles shows what they speak of")));
  }
  if (found.compared_anything()) return;
  const OutputCounts outputs = outputs_of(log);
  throw VectorError(filled(
      "nothing to compare: of {} outputs {} are unknown (x), and no profile could judge the "
      "others: they are open, stand under a NaN scale, or need random words that the log lacks",
      outputs.all, outputs.unknown));
}

}  // namespace

Answer identified(const ImplementationLog& log, int threads, Spelling spelling,
                  const std::vector<std::string>& notes) {
  const Identification found = identify(log, threads);
  require_verdict(log, found, spelling);
  return {tree_of(log, found, notes), text_of(log, found, spelling, notes), found.explains()};
}

Answer telling_inputs(const TellingQuestion& question, FormatCatalog& catalog) {
  const Surface surface = choose_surface(question.source, question.format, catalog);
  std::vector<Candidate> candidates = candidates_of(surface);
  std::erase_if(candidates, [&](const Candidate& each) {
    return !question.is_stochastic && draws_random(surface, *subject_of(each, surface));
  });
  if (candidates.empty()) {
    throw Refusal(filled("no profile speaks of {}{}", surface.name(),
                         hint(question.spelling, "; mxgold list shows what they speak of")));
  }
  const std::vector<BlockInput> inputs = discriminating_inputs(surface, candidates, question.count);
  Tree list = Tree::list();
  for (const BlockInput& input : inputs) list.push_back(input_json(surface, input));
  const Tree data = {
      {"source", surface.source.name}, {"target", surface.target()}, {"inputs", list}};
  return {data, stimulus_text(surface, inputs)};
}

}  // namespace mx::golden
