// `mxgold run` over records: programs, and whatever has no streams of 32 lanes.
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/progress.hpp"
#include "cli/run/options.hpp"
#include "cli/vectors/check_text.hpp"
#include "cli/vectors/verify_oracle.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/configuration/text.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/vectors/protocol.hpp"
#include "sim/dut/reference.hpp"
#include "sim/record/interrupt.hpp"
#include "sim/record/process.hpp"
#include "sim/record/reference.hpp"
#include "sim/record/run.hpp"

namespace mx::cli {
namespace {

using golden::RecordBatch;

/// The records to run, with the header that says so.
struct Records {
  std::shared_ptr<golden::VectorHeader> header;
  sim::RecordInput input;
  golden::Observed observed;
  std::uint64_t first = 0;
  std::string name;
};

Records records_of_file(const RunCommand& command) {
  Records records;
  records.header = std::make_shared<golden::VectorHeader>();
  const auto all =
      std::make_shared<const RecordBatch>(golden::read_records(command.vectors, *records.header));
  records.input.has_answers = true;
  records.input.fill = [all, header = records.header](std::uint64_t first, std::uint64_t last,
                                                      RecordBatch& batch) {
    batch = RecordBatch(header->shape());
    batch.append(*all, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  };
  records.name = command.vectors;
  return records;
}

Records records_of_plan(const RunCommand& command) {
  GenOptions options = command.gen;
  if (options.suite == "full") options.suite = "dir";
  const GenPlan plan = plan_gen(options);
  Records records;
  records.header = plan.header;
  records.first = plan.first;
  records.input.fill = plan.fill;
  records.name = options.input.empty() ? "suite " + plan.header->suite : options.input;
  return records;
}

/// Cuts to --only.
void take_range(const RunCommand& command, Records& records) {
  const RunRange range = run_range(command);
  const std::uint64_t end = records.first + records.header->count;
  const std::uint64_t first = std::max(range.first, records.first);
  const std::uint64_t last = std::min(range.last, end);
  if (first >= last) {
    fail(Exit::kUsage, "--only {}: the records are {} to {}", command.only, records.first, end - 1);
  }
  records.header->count = last - first;
  records.first = first;
}

std::unique_ptr<sim::RecordDevice> make_device(const RunCommand& command, const sim::DutKind& kind,
                                               const Records& records) {
  const std::string argument(run_dut_argument(command.dut));
  if (kind.is_program) {
    const auto measured = [](double seconds) {
      return std::chrono::milliseconds(std::llround(seconds * 1000));
    };
    sim::ProcessOptions options{argument, measured(command.time_out)};
    if (command.start_time_out) options.start_time_out = measured(*command.start_time_out);
    options.channel = command.pipe == "fifo" ? sim::Channel::kFifo : sim::Channel::kStdio;
    options.answer_prefix = command.answer_prefix;
    options.observed = records.observed;
    return std::make_unique<sim::ProcessDevice>(options);
  }
  if (kind.name != "reference") {
    fail(Exit::kUsage,
         "--dut {}: takes blocks of 32 lanes of bytes; process: and reference take "
         "every operation and every block format",
         kind.name);
  }
  const sim::RecordFault* const fault = sim::find_record_fault(argument);
  if (!argument.empty() && fault == nullptr) {
    fail(Exit::kUsage, "--dut {}: a fault of blocks on streams; here give one of {}", command.dut,
         fmt::join(sim::record_faults() | std::views::transform(&sim::RecordFault::token), ", "));
  }
  return std::make_unique<sim::ReferenceDevice>(fault);
}

std::vector<golden::AnswererFactory> judges_of(const RunCommand& command) {
  if (command.judge == "both") return {oracle_answerer()};
  if (command.judge != "reference") {
    fail(Exit::kUsage, "--judge '{}': give reference or both", command.judge);
  }
  return {};
}

/// The records [range.first, range.last) of the run, through a device of their own.
sim::RecordRun run_range_of(const RunCommand& command, const sim::DutKind& kind, Records records,
                            sim::RecordRunOptions options, const RunRange& range) {
  records.header = std::make_shared<golden::VectorHeader>(*records.header);
  records.header->count = range.last - range.first;
  options.first = range.first;
  options.progress = nullptr;
  options.keep_mismatches = ~std::size_t{0};
  return sim::run_records(*records.header, records.input, *make_device(command, kind, records),
                          options);
}

/// A wrong record is shown again alone, or with all before it, or in the whole run: whichever is
/// the first to show it.
class Replays {
 public:
  Replays(const RunCommand& command, const sim::DutKind& kind, const Records& records,
          const sim::RecordRunOptions& options)
      : command_(command), kind_(kind), records_(records), options_(options) {}

  std::string of(std::uint64_t number) {
    std::string& text = texts_[number];
    if (!text.empty()) return text;
    const RunRange all = whole();
    const std::array<RunRange, 3> ranges = {RunRange{number, number + 1},
                                            RunRange{all.first, number + 1}, all};
    const RunRange range = shortest_failing(ranges, [&](const RunRange& each) {
      const sim::RecordRun run = run_range_of(command_, kind_, records_, options_, each);
      return std::ranges::find(run.mismatches, number, &sim::RecordMismatch::number) !=
             run.mismatches.end();
    });
    return text = run_replay(command_, range.first, range.last);
  }
  /// Everything again.
  [[nodiscard]] std::string of_all() const {
    return run_replay(command_, whole().first, whole().last);
  }

 private:
  [[nodiscard]] RunRange whole() const {
    return {records_.first, records_.first + records_.header->count};
  }

  const RunCommand& command_;
  const sim::DutKind& kind_;
  const Records& records_;
  const sim::RecordRunOptions& options_;
  std::map<std::uint64_t, std::string> texts_;
};

void print_mismatches(const Records& records, const sim::RecordRun& run, Replays& replays,
                      std::FILE* people) {
  golden::RecordLines lines(records.header->shape());
  for (const sim::RecordMismatch& m : run.mismatches) {
    fmt::print(people, "MISMATCH record {} of {}\n{}  operands: {}\n  replay: {}\n", m.number,
               records.name, difference(*records.header, m.expected, m.actual, 0, m.open),
               lines.operands(m.expected, 0), replays.of(m.number));
  }
  const std::uint64_t more = run.verdict.mismatches - run.mismatches.size();
  if (more != 0) {
    fmt::print(people, "({} more wrong records counted, not shown; --errors N shows more)\n",
               golden::with_commas(more));
  }
  if (run.protocol.empty()) return;
  fmt::print(people, "PROTOCOL: {}\n  replay: {}\n", run.protocol, replays.of_all());
}

nlohmann::ordered_json counts_json(const golden::Verdict& verdict) {
  return {{"records", verdict.vectors},
          {"judged", verdict.judged()},
          {"mismatches", verdict.mismatches},
          {"words_compared", verdict.words},
          {"words_dont_care", verdict.dont_care},
          {"words_open", verdict.open},
          {"words_unobserved", verdict.unobserved},
          {"words_waived", verdict.waived}};
}

std::string json_text(const RunCommand& command, const Records& records,
                      const sim::RecordRun& run) {
  nlohmann::ordered_json json = counts_json(run.verdict);
  json["verdict"] = run.interrupted != 0   ? "INTERRUPTED"
                    : run.exit_code() == 0 ? "PASS"
                    : run.exit_code() == 3 ? "NOTHING COMPARED"
                                           : "FAIL";
  json["exit_code"] = run.exit_code();
  json["dut"] = command.dut;
  json["input"] = records.name;
  json["set_id"] = records.header->set_id();
  json["observed"] = records.observed.text(records.header->shape());
  json["declared"] = run.declared;
  json["protocol_failure"] = run.protocol;
  json["out_of_step"] = run.shift;
  json["digest"] = run.digest;
  json["cells"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < run.by_config.size(); ++i) {
    nlohmann::ordered_json cell = counts_json(run.by_config[i]);
    for (const auto& [field, value] : golden::fields_of(records.header->configs[i])) {
      cell["configuration"][field] = value;
    }
    json["cells"].push_back(cell);
  }
  return json.dump(2) + "\n";
}

std::string junit_text(const RunCommand& command, const Records& records,
                       const sim::RecordRun& run) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuite");
  suite.append_attribute("name") = records.name.c_str();
  unsigned failures = 0;
  for (std::size_t i = 0; i < run.by_config.size(); ++i) {
    const golden::Verdict& verdict = run.by_config[i];
    if (verdict.vectors == 0) continue;
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = command.dut.c_str();
    test.append_attribute("name") = golden::summary_of(records.header->configs[i]).c_str();
    pugi::xml_node out = test.append_child("system-out");
    out.append_child(pugi::node_pcdata).set_value(verdict.coverage().c_str());
    if (verdict.mismatches == 0 && verdict.judged() != 0) continue;
    ++failures;
    test.append_child("failure").append_attribute("message") = verdict.headline().c_str();
  }
  const std::string broken = run.interrupted != 0
                                 ? fmt::format("INTERRUPTED by signal {}", run.interrupted)
                                 : run.protocol;
  if (!broken.empty()) {
    pugi::xml_node test = suite.append_child("testcase");
    test.append_attribute("classname") = command.dut.c_str();
    test.append_attribute("name") = "protocol";
    test.append_child("error").append_attribute("message") = broken.c_str();
  }
  const auto cases =
      std::distance(suite.children("testcase").begin(), suite.children("testcase").end());
  suite.append_attribute("tests") = static_cast<unsigned>(cases);
  suite.append_attribute("failures") = failures;
  suite.append_attribute("errors") = broken.empty() ? 0 : 1;
  std::ostringstream text;
  document.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
  return text.str();
}

/// Ends the program as the signal would have.
void end_by(int signal) {
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

bool runs_records(const RunCommand& command, const sim::DutKind& kind) {
  if (kind.is_program) return true;
  if (sim::find_record_fault(run_dut_argument(command.dut)) != nullptr) return true;
  if (!command.vectors.empty()) {
    if (command.vectors == "-") return false;
    const golden::VectorReader reader(command.vectors);
    return kind.name == "reference" && !sim::VectorSource::problem(reader.header()).empty();
  }
  if (command.gen.configs.op != "block") return true;
  constexpr std::array<std::string_view, 3> kRecordSuites = {"dir", "rnd", "policy"};
  if (kind.name == "reference" &&
      std::ranges::find(kRecordSuites, command.gen.suite) != kRecordSuites.end()) {
    return true;
  }
  if (kind.name != "reference" || command.gen.configs.formats.empty() ||
      is_all(command.gen.configs.formats)) {
    return false;
  }
  const sim::ReferenceDut streams;
  const ElementFormat& source = command.gen.configs.book->require_element(
      "source format", command.gen.configs.sources.empty() || is_all(command.gen.configs.sources)
                           ? "fp32"
                           : command.gen.configs.sources.front());
  ConfigOptions options = command.gen.configs;
  for (Names& names : options.policies) names.clear();
  return std::ranges::any_of(
      configurations(options, source), [&](const golden::Configuration& each) {
        return !streams.refusal(std::get<QuantizerConfig>(each.what)).empty();
      });
}

Exit run_over_records(const RunCommand& command, const sim::DutKind& kind) {
  Records records = command.vectors.empty() ? records_of_plan(command) : records_of_file(command);
  take_range(command, records);
  records.observed = require_observed(command.observe, records.header->shape());
  const std::unique_ptr<sim::RecordDevice> device = make_device(command, kind, records);
  const int threads = thread_count(command.threads);
  sim::RecordRunOptions options;
  options.first = records.first;
  options.keep_mismatches = command.errors;
  options.judges = judges_of(command);
  options.observed = records.observed;
  options.for_each_piece = [threads](std::size_t count, const auto& work) {
    for_each_chunk(count, 64, threads, [&](std::uint64_t first, std::uint64_t last) {
      work(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
    });
  };
  std::FILE* const people = command.is_json ? stderr : report_stream(command.junit);
  fmt::print(people, "run: {}: {} configurations, dut {}, seed {}, {} records\n", records.name,
             records.header->configs.size(), device->name(), command.gen.seed,
             golden::with_commas(records.header->count));
  std::fflush(people);
  const sim::InterruptWatch watch;
  sim::RecordRun run;
  {
    Progress progress("checking", records.header->count);
    options.progress = [&](std::uint64_t done) { progress.add(done); };
    run = sim::run_records(*records.header, records.input, *device, options);
  }
  options.progress = nullptr;
  Replays replays(command, kind, records, options);
  if (run.interrupted == 0) print_mismatches(records, run, replays, people);
  if (command.is_json) fmt::print("{}", json_text(command, records, run));
  if (!command.junit.empty()) {
    golden::write_file(command.junit, junit_text(command, records, run));
  }
  fmt::print(people, "{}", sim::record_verdict(run, *records.header, device->name()));
  if (const int signal = sim::InterruptWatch::caught(); signal != 0) end_by(signal);
  return static_cast<Exit>(run.exit_code());
}

}  // namespace mx::cli
