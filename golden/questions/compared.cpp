// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/compared.hpp"

#include <algorithm>
#include <optional>

#include "golden/bytes/number_text.hpp"
#include "golden/explain/model.hpp"
#include "golden/identify/deviation.hpp"
#include "golden/identify/judging.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/filled.hpp"
#include "golden/text/flags.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kShownPolicies = 3;
constexpr std::size_t kShownProfiles = 12;
constexpr std::size_t kShownLanes = 4;

/// Something that the implementation may do otherwise.
struct LikelyCause {
  std::string text;
  Tree data;
  bool is_profile = false;
  Subject subject;
  std::uint64_t explained = 0;  ///< records that differ, and that it gives
  std::uint64_t lost = 0;       ///< records that agree, and that it does not give
};

std::vector<LikelyCause> likely_causes(const ComparedArray& array) {
  std::vector<LikelyCause> causes;
  for (const DeviatingSubject& each : deviations(array.surface, array.subject)) {
    const Deviation& deviation = each.deviations.front();
    causes.push_back({filled("{} {} for {}", deviation.field, deviation.to, deviation.from),
                      {{"policy", deviation.field}, {"from", deviation.from}, {"to", deviation.to}},
                      false,
                      each.subject});
  }
  for (const Candidate& candidate : candidates_of(array.surface)) {
    std::optional<Subject> subject = subject_of(candidate, array.surface);
    if (!subject) continue;
    // The level of the tensor is the implementation's too.
    subject->block.config.tensor = array.subject.block.config.tensor;
    causes.push_back(
        {filled("profile {}", candidate.name()), {{"profile", candidate.name()}}, true, *subject});
  }
  return causes;
}

ImplementationLog log_of(const ComparedArray& array, const std::vector<ComparedRecord>& records) {
  ImplementationLog log{.surface = array.surface, .records = {}};
  for (const ComparedRecord& record : records) {
    log.has_random = log.has_random || !record.input.random.empty();
    log.records.push_back({.input = record.input, .answer = record.seen});
  }
  return log;
}

/// The causes that give the most of what differs, of equals those that leave the most as it is.
std::vector<LikelyCause> causes_of(const ComparedArray& array, int threads) {
  if (array.differing.empty()) return {};
  std::vector<LikelyCause> causes = likely_causes(array);
  const ImplementationLog differing = log_of(array, array.differing);
  const bool can_draw = differing.has_random;
  std::erase_if(causes, [&](const LikelyCause& each) {
    return !can_draw && draws_random(array.surface, each.subject);
  });
  std::vector<Subject> subjects;
  for (const LikelyCause& each : causes) subjects.push_back(each.subject);
  const std::vector<Tally> wrong = judge_all(differing, subjects, threads);
  std::vector<Tally> right(subjects.size());
  if (!array.agreeing.empty()) {
    right = judge_all(log_of(array, array.agreeing), subjects, threads);
  }
  for (std::size_t i = 0; i < causes.size(); ++i) {
    causes[i].explained = array.differing.size() - wrong[i].contradicted;
    causes[i].lost = right[i].contradicted;
  }
  std::erase_if(causes, [](const LikelyCause& each) { return each.explained <= each.lost; });
  std::ranges::stable_sort(causes, [](const LikelyCause& a, const LikelyCause& b) {
    return a.explained - a.lost > b.explained - b.lost;
  });
  // What explains everything needs no second best.
  const auto is_whole = [&](const LikelyCause& each) {
    return each.explained == array.differing.size() && each.lost == 0;
  };
  if (!causes.empty() && is_whole(causes.front()))
    std::erase_if(causes, [&](const LikelyCause& each) { return !is_whole(each); });
  // Profiles are as good as the best of them or left out.
  const auto best = std::ranges::find(causes, true, &LikelyCause::is_profile);
  const std::uint64_t gain = best == causes.end() ? 0 : best->explained - best->lost;
  std::size_t policies = 0, profiles = 0;
  std::erase_if(causes, [&](const LikelyCause& each) {
    if (!each.is_profile) return ++policies > kShownPolicies;
    return each.explained - each.lost != gain || ++profiles > kShownProfiles;
  });
  return causes;
}

Tree code_tree(const ElementFormat& format, std::uint64_t code) {
  return {{"code", hex_code(format, code)}, {"value", short_decimal(decode(format, code))}};
}

Tree scale_tree(const BlockFormat& format, std::uint64_t code) {
  const std::uint64_t own = code & format.scale.code_mask();
  return {{"code", hex_code(format.scale_bits(), code)},
          {"value", short_decimal(decode(format.scale, own))}};
}

Tree input_tree(const ElementFormat& source, std::uint64_t code) {
  return {{"bits", hex_code(source, code)}, {"value", short_decimal(decode(source, code))}};
}

/// What explain says of a record's lanes: the step that decided each.
std::vector<std::string> decisions_of(const ComparedArray& array, const ComparedRecord& record) {
  const ElementFormat& source = array.surface.source;
  std::vector<ExplainInput> inputs;
  for (std::size_t i = 0; i < record.input.lanes.size(); ++i) {
    inputs.push_back({.text = hex_code(source, record.input.lanes[i]),
                      .code = record.input.lanes[i],
                      .random = record.input.random.empty() ? 0 : record.input.random[i]});
  }
  std::vector<std::string> decisions;
  if (!array.surface.is_block) {
    const Conversion conversion = made(Conversion::make(array.subject.element.conversion));
    decisions.push_back(explain_value(conversion, inputs.front()).at("decision").text());
    return decisions;
  }
  const Quantizer quantizer = made(Quantizer::make(array.subject.block.config));
  const Tree block = explain_block(quantizer, inputs);
  for (const Tree& each : block.at("elements")) decisions.push_back(each.at("decision").text());
  return decisions;
}

/// The first cause that gives what was seen in a record.
std::string_view cause_of(const ComparedArray& array, const ComparedRecord& record,
                          const std::vector<LikelyCause>& causes) {
  const ImplementationLog log = log_of(array, {record});
  for (const LikelyCause& each : causes) {
    if (judge_all(log, std::span(&each.subject, 1), 1).front().contradicted == 0) return each.text;
  }
  return "";
}

Tree difference_tree(const ComparedArray& array, const ComparedRecord& record,
                     const std::vector<LikelyCause>& causes) {
  const bool is_block = array.surface.is_block;
  const BlockFormat& block = array.subject.block.config.format;
  const ElementFormat& element =
      is_block ? block.element : array.subject.element.conversion.destination;
  const std::vector<std::string> decisions = decisions_of(array, record);
  Tree elements = Tree::list();
  for (std::size_t i = 0; i < record.expected.codes.size(); ++i) {
    if (!record.code_differs(i)) continue;
    Tree each = {{"index", record.places[i]},
                 {"input", input_tree(array.surface.source, record.input.lanes[i])},
                 {"expected", code_tree(element, record.expected.codes[i])},
                 {"seen", code_tree(element, record.seen.codes[i])},
                 {"decision", decisions[i]}};
    if (!record.input.random.empty()) each["random"] = record.input.random[i];
    elements.push_back(std::move(each));
  }
  Tree tree = Tree::record();
  if (is_block) {
    tree["block"] = record.number;
    tree["scale"] = {{"expected", scale_tree(block, record.expected.scale)},
                     {"seen", scale_tree(block, record.seen.scale)},
                     {"differs", record.scale_differs()}};
    tree["elements"] = elements;
  } else {
    tree = elements.at(0);
  }
  tree["flags"] = flag_names(record.flags);
  tree["cause"] = cause_of(array, record, causes);
  return tree;
}

Tree counts_tree(const ComparedCounts& counts) {
  return {{"all", counts.all},
          {"agree", counts.agree()},
          {"differ", counts.differ},
          {"open", counts.open},
          {"dont_care", counts.dont_care}};
}

std::string counts_text(std::string_view what, const ComparedCounts& counts) {
  std::string text = filled("{} of {} {} differ, {} agree", with_commas(counts.differ),
                            with_commas(counts.all), what, with_commas(counts.agree()));
  if (counts.open != 0) text += filled(", {} are open", with_commas(counts.open));
  if (counts.dont_care != 0) {
    text += filled(", {} mean nothing under a NaN scale", with_commas(counts.dont_care));
  }
  return text;
}

std::string pair_text(const Tree& of) {
  return filled("expected {} = {}, seen {} = {}", of.at("expected").at("code").text(),
                of.at("expected").at("value").text(), of.at("seen").at("code").text(),
                of.at("seen").at("value").text());
}

std::string element_text(const Tree& element) {
  return filled("[{}] {} = {}: {}; {}\n", element.at("index").number(),
                element.at("input").at("bits").text(), element.at("input").at("value").text(),
                pair_text(element), element.at("decision").text());
}

std::string difference_text(const Tree& difference) {
  if (!difference.contains("block")) return "  " + element_text(difference);
  std::string text = filled("  block {}", difference.at("block").number());
  const Tree& scale = difference.at("scale");
  text += scale.at("differs").truth()
              ? filled(": scale {}\n", pair_text(scale))
              : filled(", scale {}\n", scale.at("expected").at("code").text());
  std::size_t shown = 0;
  for (const Tree& element : difference.at("elements")) {
    if (shown++ < kShownLanes) text += "    " + element_text(element);
  }
  if (shown > kShownLanes) text += filled("    and {} more\n", shown - kShownLanes);
  return text;
}

std::string share_text(const ComparedArray& array, const LikelyCause& cause) {
  const std::string lost = cause.lost == 0 ? ""
                                           : filled("; {} of {} agreements would be lost",
                                                    cause.lost, array.agreeing.size());
  return filled("{} of {} differences looked at{}", cause.explained, array.differing.size(), lost);
}

std::string causes_text(const ComparedArray& array, const std::vector<LikelyCause>& causes) {
  if (array.differing.empty()) return {};
  if (causes.empty()) return "no single policy and no profile gives what was seen\n";
  std::string text;
  std::vector<std::string> profiles;
  for (const LikelyCause& each : causes) {
    if (each.is_profile) {
      profiles.push_back(each.data.at("profile").text());
    } else {
      text += filled("as with {} ({})\n", each.text, share_text(array, each));
    }
  }
  if (profiles.empty()) return text;
  const auto best = std::ranges::find(causes, true, &LikelyCause::is_profile);
  return text + filled("as under {} {} ({})\n", profiles.size() == 1 ? "profile" : "profiles",
                       joined(profiles, ", "), share_text(array, *best));
}

}  // namespace

Answer compared(const ComparedArray& array, int threads) {
  const std::vector<LikelyCause> causes = causes_of(array, threads);
  const bool is_block = array.surface.is_block;
  Tree data = {{"format", array.surface.target()},
               {"source", array.surface.source.name},
               {"codes", counts_tree(array.codes)}};
  if (is_block) data["scales"] = counts_tree(array.scales);
  std::string text = filled("{}: {}", array.surface.name(), counts_text("codes", array.codes));
  if (is_block) text += "; " + counts_text("scales", array.scales);
  text += '\n';
  data["differences"] = Tree::list();
  for (const ComparedRecord& record : array.shown) {
    const Tree difference = difference_tree(array, record, causes);
    text += difference_text(difference);
    data["differences"].push_back(difference);
  }
  data["causes"] = Tree::list();
  for (const LikelyCause& each : causes) {
    Tree cause = each.data;
    cause.update({{"text", each.text},
                  {"explained", each.explained},
                  {"of", array.differing.size()},
                  {"lost", each.lost}});
    data["causes"].push_back(cause);
  }
  const bool is_same = array.codes.differ == 0 && array.scales.differ == 0;
  const bool is_any = array.codes.agree() + array.scales.agree() != 0;
  return {data, text + causes_text(array, causes), is_same && is_any};
}

}  // namespace mx::golden
