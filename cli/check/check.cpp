// mxgold check: a device's answers against the reference.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/check/answers.hpp"
#include "cli/configs/configurations.hpp"
#include "cli/options/common.hpp"
#include "cli/options/unread.hpp"
#include "cli/run/device_errors.hpp"
#include "cli/run/options.hpp"
#include "cli/text/colour.hpp"
#include "cli/vectors/check_text.hpp"
#include "cli/vectors/waiver_file.hpp"
#include "cli/verdict/again.hpp"
#include "cli/verdict/verdict_text.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/answers/verdict.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/named_set.hpp"
#include "golden/vectors/protocol.hpp"
#include "sim/report/waivers.hpp"

namespace mx::cli {
namespace {

using golden::Field;
using golden::RecordBatch;

constexpr const char* kCheckExamples = R"(
Takes the result fields of every vector as a device's answers. Computes what they should be, from
the header's configurations and each vector's operands, and compares every bit. Two kinds of bits
are counted and not compared: element codes under a NaN scale where the policy declares them
don't-care, and what the profile does not specify.
Counts and the operand digest must be right. The operands must be those of the suite that the
header names. The record digest is not read, because the answers are the device's.
With --profile that system's policies take the place of the file's.
With a second file the answers are those of that file, a line or a row for each vector: words in
hexadecimal behind blanks or commas, named by the first line or by --fields. The verdict, causes
and reports are those of mxgold run, with the line of the file (docs/howto/check-answers.md).

Exit code: 0 all agree, 1 a mismatch, 3 the vectors are bad or truncated, or nothing was compared.

Examples:
  mxgold gen --suite dir --format mxfp4 | mxgold check
  mxgold gen --suite smoke -o - | ./my_device | mxgold check --errors 5 -
  mxgold check answers.tv
  mxgold check in.tv answers.csv --html answers.html
  mxgold check in.tv codes.txt --fields code         (a line for each vector: its code)
  mxgold check --profile torchao-0.18 answers.tv
  mxgold check --observe scale,code answers.tv       (a device without flags))";

struct CheckOptions {
  RunCommand run;       ///< with the vectors, and what reports are asked for
  std::string answers;  ///< a file of answers alone
  std::string profile;
  std::string again;  ///< the command line that says the same
};

/// The header with the configurations to judge by.
golden::VectorHeader judged_header(const CheckOptions& options,
                                   const golden::VectorHeader& header) {
  golden::VectorHeader judged = header;
  if (options.profile.empty()) return judged;
  const ProfileChoice profile = require_profile(options.profile);
  for (golden::Configuration& each : judged.configs) each = under_profile(each, profile);
  if (const std::string problem = judged.problem(); !problem.empty()) {
    fail(Exit::kUsage, "profile {}: {}", profile.name(), problem);
  }
  return judged;
}

class Checker {
 public:
  Checker(const CheckOptions& options, golden::VectorReader& reader)
      : options_(options),
        reader_(reader),
        header_(reader.header()),
        judged_(judged_header(options, header_)),
        reference_(judged_),
        observed_(require_observed(options.run.observe, header_.shape())),
        waivers_(read_waivers(options.run.waivers, judged_)),
        is_plain_(observed_.has_all() && !reference_.may_be_open() && waivers_.uses().empty()),
        set_(header_),
        lines_(header_.shape()),
        set_id_(header_.set_id()) {}

  golden::Verdict run() {
    require(set_.count_problem());
    Progress progress("vectors", header_.count);
    const std::size_t piece =
        std::max<std::size_t>(256, kPieceLanes * static_cast<std::size_t>(options_.run.threads) /
                                       static_cast<std::size_t>(header_.lanes));
    RecordBatch actual;
    while (reader_.read(actual, piece) != 0) {
      require(set_.operand_problem(actual, verdict_.vectors));
      check(actual);
      progress.add(actual.size());
    }
    return verdict_;
  }

  [[nodiscard]] const golden::Waivers& waivers() const { return waivers_; }
  /// By which the answers are judged.
  [[nodiscard]] const golden::VectorHeader& judged() const { return judged_; }

 private:
  /// Keeps the results as they should be; in the memory of the piece before.
  void expect(const RecordBatch& actual) {
    expected_ = actual;
    for_each_chunk(
        actual.size(), 512, options_.run.threads, [&](std::uint64_t first, std::uint64_t last) {
          golden::ReferenceAnswerer(judged_).answer(expected_, static_cast<std::size_t>(first),
                                                    static_cast<std::size_t>(last));
        });
  }

  void require(const std::string& problem) const {
    if (problem.empty()) return;
    fail(Exit::kBadInput, "{}: {}", options_.run.vectors, problem);
  }

  void check(const RecordBatch& actual) {
    expect(actual);
    const RecordBatch& expected = expected_;
    require_open(actual);
    if (is_plain_ && golden::all_answers_agree(expected, actual, verdict_)) return;
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const std::uint64_t index = verdict_.vectors;
      golden::OpenAnswer open = reference_.open(expected, i);
      open.observed = observed_;
      golden::Verdict verdict;
      const golden::AnswerAt at{expected, actual, i, open, index};
      bool is_right = golden::compare_answer(expected, actual, i, open, verdict);
      if (is_right) {
        waivers_.see_right(at);
      } else {
        golden::OpenAnswer rest = at.open;
        is_right = waivers_.waive(at, verdict, rest);
      }
      waivers_.take_unjudged(at, verdict);
      verdict_ += verdict;
      if (is_right) continue;
      if (verdict_.mismatches <= options_.run.errors || options_.run.errors == 0) {
        report(expected, actual, i, open, index);
      }
    }
  }

  /// The file's own word on what its profile leaves open.
  void require_open(const RecordBatch& actual) const {
    if (!actual.has(Field::kOpen)) return;
    RecordBatch marked = actual;
    golden::ReferenceAnswerer own(header_);
    own.answer(marked, 0, marked.size());
    golden::fill_open(own, marked);
    const auto [a, b] = std::ranges::mismatch(actual.all(Field::kOpen), marked.all(Field::kOpen));
    if (a == actual.all(Field::kOpen).end()) return;
    const auto word = static_cast<std::size_t>(a - actual.all(Field::kOpen).begin());
    require(fmt::format("vector {}: field open is not what profile {} leaves open",
                        verdict_.vectors + word / actual.lanes(Field::kOpen),
                        header_.configs.front().origin.profile));
  }

  void report(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
              const golden::OpenAnswer& open, std::uint64_t index) {
    fmt::print(people_stream(options_.run), "MISMATCH vector {} of {}\n{}  operands: {}\n", index,
               set_id_, difference(judged_, expected, actual, i, open), lines_.operands(actual, i));
  }

  static constexpr std::size_t kPieceLanes = 16384;

  const CheckOptions& options_;
  golden::VectorReader& reader_;
  const golden::VectorHeader& header_;
  golden::VectorHeader judged_;
  golden::ReferenceAnswerer reference_;
  golden::Observed observed_;
  golden::Waivers waivers_;
  bool is_plain_;  ///< right answers are compared in every word, and say nothing else
  golden::NamedSet set_;
  golden::RecordLines lines_;
  std::string set_id_;
  RecordBatch expected_;
  golden::Verdict verdict_;
};

void print_json(const CheckOptions& options, const golden::VectorReader& reader,
                const golden::Verdict& verdict, const Checker& checker) {
  const golden::Waivers& waivers = checker.waivers();
  const bool is_made_again = golden::suite_kind(reader.header()).has_value();
  const std::string id = reader.header().set_id();
  const std::string digest = golden::to_hex(reader.digests().records);
  const bool has_passed = verdict.passed() && !waivers.has_failed();
  const std::string_view word = verdict.judged() == 0 ? "NOTHING COMPARED"
                                : has_passed          ? "PASS"
                                                      : "FAIL";
  const nlohmann::ordered_json json{
      {"verdict", word},
      {"set_id", id},
      {"profile", options.profile},
      {"judged_as", checker.judged().set_id()},
      {"shard", fmt::format("{}/{}", reader.header().shard, reader.header().shards)},
      {"seed", reader.header().seed},
      {"declared", reader.header().count},
      {"vectors", verdict.vectors},
      {"judged", verdict.judged()},
      {"mismatches", verdict.mismatches},
      {"observed", require_observed(options.run.observe, reader.header().shape())
                       .text(reader.header().shape())},
      {"words_compared", verdict.words},
      {"words_dont_care", verdict.dont_care},
      {"words_open", verdict.open},
      {"words_unobserved", verdict.unobserved},
      {"words_waived", verdict.waived},
      {"operands_made_again", is_made_again},
      {"waivers", sim::waivers_json(waivers)},
      {"sha256", digest}};
  fmt::print("{}\n", golden::dumped(json, 2));
}

/// What the answers were judged by, where that is not what the file says.
std::string judge_text(const CheckOptions& options, const Checker& checker) {
  if (options.profile.empty()) return {};
  return fmt::format("; judged by profile {} in place of the file's policies: {}", options.profile,
                     checker.judged().set_id());
}

std::string stranger_text(const golden::VectorReader& reader) {
  if (golden::suite_kind(reader.header())) return {};
  return fmt::format("operands not made again: suite {} is not of mxgold", reader.header().suite);
}

/// Every count, in one line.
std::string long_verdict(const CheckOptions& options, const golden::VectorReader& reader,
                         const golden::Verdict& verdict, const Checker& checker) {
  const std::string stranger = stranger_text(reader);
  return fmt::format("{} {} sha256:{}{}; {}{}{}\n", checker.waivers().headline(verdict),
                     reader.header().set_id(), golden::to_hex(reader.digests().records),
                     part_text(reader.header()), verdict.coverage(), judge_text(options, checker),
                     stranger.empty() ? "" : "; " + stranger);
}

void print_verdict(const CheckOptions& options, const golden::VectorReader& reader,
                   const golden::Verdict& verdict, const Checker& checker) {
  std::FILE* const people = people_stream(options.run);
  if (verdict.mismatches > options.run.errors && options.run.errors != 0) {
    fmt::print(people, "... {} more mismatches; --errors 0 prints all\n",
               golden::with_commas(verdict.mismatches - options.run.errors));
  }
  VerdictText text;
  text.things = "vectors";
  text.result = fmt::format("{} vectors; {}{}{}", checker.waivers().headline(verdict),
                            reader.header().set_id(), part_text(reader.header()),
                            judge_text(options, checker));
  text.counts = verdict;
  text.left_out = {stranger_text(reader)};
  text.again = options.again + (options.run.vectors == "-" ? " < VECTORS" : "");
  text.digest = golden::to_hex(reader.digests().records);
  fmt::print(people, "{}{}", checker.waivers().text(), with_colour(three_lines(text), people));
}

Exit run(const CheckOptions& options) {
  golden::VectorReader reader(options.run.vectors, emulators::make_cast, golden::ReadMode::kAnswers,
                              golden::SetCheck::kByCaller);
  const std::unique_ptr<golden::NewFile> log = report_file(options.run.log);
  Checker checker(options, reader);
  const golden::Verdict verdict = checker.run();
  options.run.is_json ? print_json(options, reader, verdict, checker)
                      : print_verdict(options, reader, verdict, checker);
  if (log) {
    log->write(long_verdict(options, reader, verdict, checker));
    log->commit();
  }
  if (verdict.judged() == 0) return Exit::kBadInput;
  const bool has_passed = verdict.passed() && !checker.waivers().has_failed();
  return has_passed ? Exit::kPass : Exit::kMismatch;
}

}  // namespace

void add_check(const Command& root, Exit& exit) {
  const auto options = std::make_shared<CheckOptions>();
  RunCommand& run_options = options->run;
  run_options.vectors = "-";
  run_options.errors = 20;
  const Command app = root.add_subcommand("check", "Check a file of answers against the reference");
  app.footer(kCheckExamples);
  as_input(app.add_option("file", run_options.vectors, "Vector file of any kind, or -"))
      .capture_default_str();
  as_input(
      app.add_option("answers", options->answers,
                     "File of answers alone to these vectors: text, CSV, " + tensor_suffixes()))
      .default_str("those in the vector file");
  as_list(app.add_option("--fields", run_options.answer_fields,
                         "What the columns of answers are, as scale,code; '-' skips one"))
      .default_str("its first line, else every result field");
  app.add_option("--errors", run_options.errors, "Mismatches to print, 0 for all; all are counted")
      .capture_default_str();
  profile_option(app, options->profile).default_str("the file's");
  observe_option(app, run_options.observe);
  waivers_option(app, run_options.waivers);
  app.add_option("--only", run_options.only, "Record I of answers, or those of A:B without B")
      .default_str("all");
  threads_option(app, run_options.threads);
  log_option(app, run_options.log);
  json_option(app, run_options.is_json);
  as_output(
      app.add_option("--junit", run_options.junit, "Write a JUnit XML report of answers to a file"),
      kJunitOutput);
  as_output(app.add_option("--html", run_options.html, "Write a page about answers to this file"),
            kHtmlOutput);
  app.callback([options, app, &exit] {
    options->again = typed_again(app);
    exit = with_device_errors([&] {
      if (!options->answers.empty()) {
        if (app.count("--profile") != 0) {
          fail(Exit::kUsage, "--profile: goes with one file; make vectors under it, and ask those");
        }
        return check_answers(options->run, options->answers);
      }
      for (const char* const each : {"--fields", "--only", "--junit", "--html"}) {
        if (app.count(each) == 0) continue;
        fail(Exit::kUsage, "{}: goes with a file of answers: mxgold check GOLDEN ANSWERS", each);
      }
      options->run.threads = thread_count(options->run.threads);
      return run(*options);
    });
  });
}

}  // namespace mx::cli
