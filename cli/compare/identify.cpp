// mxgold identify: which profiles explain what an implementation did.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/base/command.hpp"
#include "cli/compare/identify_casts.hpp"
#include "cli/compare/identify_values.hpp"
#include "cli/compare/profile_text.hpp"
#include "cli/options/common.hpp"
#include "cli/systems/system_options.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/identify/identify.hpp"

namespace mx::cli {
namespace {

using golden::Hypothesis;
using golden::HypothesisClass;
using golden::Identification;
using golden::ImplementationLog;
using golden::Ruling;

constexpr const char* kExamples = R"(
LOG holds inputs and outputs of an implementation: a vector file (.tv, .mem, .bin) or text, - for
standard input. Text: a line SOURCE TARGET [values] [random] [tensor], then a record a line, bit
patterns in hexadecimal; see docs/identify.md.
  fp32 e4m3fn                     bf16 mxfp4
  3f880000 38                     40e0 3f80 | 7f | 7 2
--emit-stimulus writes at most --count inputs in that form, chosen to tell the profiles and their
deviations in one policy apart: run them through the implementation and add its outputs.

Outputs that are not known (x) and those that a profile leaves open are counted, not compared; what
was compared stands behind each name, and agreement of nothing explains nothing.

The casts of emulated systems are found by their tensors: --tensors-in and --tensors-out, or a vector file of
--op cast; strict and compat of each platform are tried. Of a vector file of --op dequantize every rounding,
dst_ftz, dequant_overflow and rule is tried.

Exit code: 0 a profile, or one with policies changed, explains every record; 1 none does; 2 usage, or
no profile speaks of the format; 3 the log is malformed, or holds nothing that could be compared.

Examples:
  mxgold identify --emit-stimulus e4m3fn --source bf16 > inputs.txt
  mxgold identify log.txt
  mxgold identify --tensors-in x.npy --tensors-out y.npy --format 'dmx:BFP[8|8]{64}(SN)'
  mxgold gen --suite smoke --format mxfp4 -o - | my_device | mxgold identify -)";

struct Options {
  std::string log;
  std::string stimulus;
  std::string source = "fp32";
  std::size_t count = 1000;
  std::string input;
  std::string output;
  Names casts;
  bool stochastic = false;
  int threads = 0;
  bool is_json = false;
};

/// "te (64 compared)", "ocp-mx-1.0 (60 compared, 4 open)"
std::string counted(const std::string& name, const golden::AnswerCounts& counts) {
  const std::string open = counts.open == 0 ? "" : fmt::format(", {} open", counts.open);
  return fmt::format("{} ({} compared{})", name, counts.compared, open);
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
  fmt::print("    line {}: {}\n      expected {}   seen {}\n", record.line,
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

/// Outputs of the log, scales of blocks among them, and how many are not known.
struct OutputCounts {
  std::uint64_t all = 0;
  std::uint64_t unknown = 0;
};

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

void print_names(std::string_view title, const std::vector<std::string>& list) {
  if (!list.empty()) fmt::print("\n{}: {}\n", title, fmt::join(list, ", "));
}

void print_text(const ImplementationLog& log, const Identification& found) {
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
  print_names("not judged, since they leave open every output that is known", open);
  print_ruled_out(log, found);
}

nlohmann::ordered_json class_json(const golden::Surface& surface, const HypothesisClass& each) {
  nlohmann::ordered_json json;
  for (const Hypothesis& member : each.members) {
    nlohmann::ordered_json one{{"profile", member.base.name()},
                               {"compared", member.counts.compared},
                               {"open", member.counts.open},
                               {"unknown", member.counts.unknown}};
    for (const golden::PolicyChange& change : member.changes) {
      one["changes"].push_back({{"field", change.field}, {"from", change.from}, {"to", change.to}});
    }
    json["members"].push_back(std::move(one));
  }
  if (each.from_first) json["told_apart_by"] = difference_json(surface, *each.from_first);
  return json;
}

void print_json(const ImplementationLog& log, const Identification& found) {
  nlohmann::ordered_json json{
      {"source", log.surface.source.name},  {"target", log.surface.target()},
      {"records", log.records.size()},      {"outputs", outputs_of(log).all},
      {"unknown", outputs_of(log).unknown}, {"configurations", found.tried}};
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
        {"profile", each.hypothesis.name()}, {"judged", each.judged},
        {"explains", each.explains()},       {"contradicted", each.contradicted},
        {"compared", each.counts.compared},  {"open", each.counts.open},
        {"left_open", each.left_open}};
    if (each.first) {
      const golden::LogRecord& record = log.records[each.first->record];
      one["first"] = input_json(log.surface, record.input);
      one["first"]["line"] = record.line;
      one["first"]["expected"] = answer_of(log, each.first->expected, each.first->open);
      one["first"]["seen"] = seen_text(log, record);
    }
    json["profiles"].push_back(std::move(one));
  }
  fmt::print("{}\n", json.dump(2));
}

Exit emit(const Options& options) {
  FormatCatalog catalog;
  const golden::Surface surface = require_surface(options.source, options.stimulus, catalog);
  std::vector<golden::Candidate> candidates = golden::candidates_of(surface);
  std::erase_if(candidates, [&](const golden::Candidate& each) {
    return !options.stochastic && golden::draws_random(surface, *golden::subject_of(each, surface));
  });
  if (candidates.empty()) {
    fail(Exit::kUsage, "no profile speaks of {}; mxgold list shows what they speak of",
         surface.name());
  }
  fmt::print("{}", golden::stimulus_text(
                       surface, golden::discriminating_inputs(surface, candidates, options.count)));
  return Exit::kPass;
}

/// A log that nothing was compared of has no verdict.
void require_verdict(const ImplementationLog& log, const Identification& found) {
  if (found.profiles.empty()) {
    fail(Exit::kUsage, "no profile speaks of {}; mxgold list profiles shows what they speak of",
         log.surface.name());
  }
  if (found.compared_anything()) return;
  const OutputCounts outputs = outputs_of(log);
  fail(Exit::kBadInput,
       "nothing to compare: of {} outputs {} are unknown (x), and no profile could judge the "
       "others: they are open, or need random words that the log lacks",
       outputs.all, outputs.unknown);
}

Exit run(const Options& options) {
  if (!options.input.empty() || has_casts(options.log)) {
    if (!options.input.empty() && (options.output.empty() || !options.log.empty())) {
      fail(Exit::kUsage, "--tensors-in: goes with --tensors-out, and without a LOG");
    }
    return identify_casts(
        {options.log, options.input, options.output, rejoined(options.casts), options.is_json});
  }
  if (!options.casts.empty() || !options.output.empty()) {
    fail(Exit::kUsage,
         "--format and --tensors-out go with --tensors-in, or with a vector file of --op cast");
  }
  if (options.log.empty() == options.stimulus.empty()) {
    fail(Exit::kUsage, "name a LOG, or a format after --emit-stimulus; see --help");
  }
  if (!options.stimulus.empty() && options.is_json) {
    fail(Exit::kUsage, "--json goes with a LOG; inputs are written as text");
  }
  if (!options.stimulus.empty()) return emit(options);
  if (has_values(options.log)) return identify_values(options.log, options.is_json);
  FormatCatalog catalog;
  const ImplementationLog log = golden::read_log(options.log, catalog);
  const Identification found = golden::identify(log, thread_count(options.threads));
  require_verdict(log, found);
  options.is_json ? print_json(log, found) : print_text(log, found);
  return found.classes.empty() && found.deviations.empty() ? Exit::kMismatch : Exit::kPass;
}

}  // namespace

void add_identify(CLI::App& root, Exit& exit) {
  const auto options = std::make_shared<Options>();
  CLI::App& command = *root.add_subcommand(
      "identify", "Which profiles explain the inputs and outputs of an implementation");
  command.add_option("LOG", options->log, "Inputs and outputs, - for standard input");
  // A log says its own source and has its own inputs.
  CLI::Option* const emit =
      command.add_option("--emit-stimulus", options->stimulus,
                         "Write telling inputs for this destination or block format");
  source_option(command, options->source)->needs(emit);
  command.add_option("--count", options->count, "Most inputs of --emit-stimulus")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->needs(emit);
  command
      .add_flag("--stochastic", options->stochastic,
                "Tell stochastic roundings apart too: inputs come with random words")
      ->needs(emit);
  as_input(command.add_option("--tensors-in", options->input,
                              "Casts of systems: the tensors that went in"));
  as_input(command.add_option("--tensors-out", options->output,
                              "Casts of systems: the tensors of those names that came out"));
  format_option(command, options->casts)->default_str("casts of every system, with --tensors-in");
  threads_option(command, options->threads);
  json_option(command, options->is_json);
  command.footer(kExamples);
  command.callback([options, &exit] {
    try {
      exit = run(*options);
    } catch (const golden::VectorError& error) {
      fail(Exit::kBadInput, "{}", error.what());
    }
  });
}

}  // namespace mx::cli
