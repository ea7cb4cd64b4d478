// mxgold prove: what holds of our RTL for every input, by a solver.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/base/command.hpp"
#include "cli/options/common.hpp"
#include "cli/prove/costs.hpp"
#include "cli/prove/outcome.hpp"
#include "cli/prove/replayed.hpp"
#include "cli/run/device_errors.hpp"
#include "cli/text/names.hpp"
#include "cli/text/part_of.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/bytes/sha256.hpp"
#include "reference/parallel/threads.hpp"
#include "sim/formal/obligation.hpp"
#include "sim/formal/prover.hpp"
#include "sim/netlist/tools.hpp"
#include "sim/rtl/formal_sources.hpp"

namespace mx::cli {
namespace {

constexpr const char* kProveExamples = R"(
Each statement compares a part of the RTL with a specification that is made of certificates, or a
netlist with its RTL (P7). A solver (Yosys' SAT, ABC) looks for an input on which they differ. Either
there is none, or it is printed. As a control, the same is asked with one constant of the
specification or one gate of the netlist changed: that must be refuted.
Statements are about mx_quantizer; P4n and P7 also about mx_dequantizer (deq_), mx_nvfp4_quantizer
(nv_), mx_amax (amax_) and mx_dot (dot_). Without names, --rtl and --fault ask what is about the units
that they have.
Verdicts are kept (MXGOLD_CACHE) under the digest of all that was read and of Yosys' version, with
the solver's processor time (user and system). docs/proofs.md says what follows from the statements
and what does not. Needs yosys and yosys-abc.

Examples:
  mxgold prove --list
  mxgold prove P1.e2m1fn
  mxgold prove P1 P2 --threads 2 --logs proofs
  mxgold prove P7.bf16_e2m1fn                          (its netlist)
  mxgold prove P4n.deq_full P7.deq_full                (another unit)
  mxgold prove P4n.deq_full --fault deq_result_of_next_beat   (must fail)
  mxgold prove P1.e2m1fn --fault sources_flushed       (must fail)
  mxgold prove P4n.16x16 P5.lanes --rtl my/rtl         (a copy of rtl/ with your changes)
  mxgold prove P5.e2m1fn --fault minus_zero_lost --replay failures

Exit codes: 0 all proved or held for the cycles that they name, 1 a statement refuted, 2 usage, 3 no yosys or no RTL, 4 not decided in time,
6 a control was not refuted.)";

/// What this command's statements leave open, whatever the verdict.
constexpr std::string_view kOpen =
    "not proved: status and codes of blocks of several beats after the first cycles, values of "
    "other units than the quantizer, builds and netlists that have no statement; taken for "
    "granted: Yosys and ABC";

struct ProveOptions {
  Names names;
  sim::FormalRtl rtl;
  std::string logs;
  std::string replay;
  int seconds = 900;
  int threads = 0;
  bool is_list = false;
  bool is_json = false;
  bool is_dry_run = false;
  bool without_control = false;
  std::string shard = "0/1";
};

/// Those of a name, or whose name begins with it and a point.
bool is_called(const sim::Obligation& obligation, const std::string& name) {
  return obligation.name == name || obligation.name.starts_with(name + ".");
}

std::vector<Outcome> chosen(const ProveOptions& options) {
  std::vector<sim::Obligation> all = sim::obligations();
  for (const std::string& name : options.names) {
    if (std::ranges::none_of(all, [&](const auto& each) { return is_called(each, name); })) {
      fail(Exit::kUsage, "{}: no statement has this name; see mxgold prove --list",
           printable(name));
    }
  }
  std::vector<Outcome> outcomes;
  for (sim::Obligation& each : all) {
    const auto is_its_name = [&](const std::string& name) { return is_called(each, name); };
    // Without names, those that the RTL has the unit of: a folder may lack some, a fault is of one.
    const bool is_chosen = options.names.empty()
                               ? options.is_list || sim::has_unit(options.rtl, each.unit)
                               : std::ranges::any_of(options.names, is_its_name);
    if (is_chosen) outcomes.push_back({std::move(each), {}, {}});
  }
  return part_of(outcomes, options.shard, "statements");
}

/// The sources of each unit that is asked about.
std::map<std::string, std::vector<sim::RtlSource>> sources_of(
    const ProveOptions& options, const std::vector<Outcome>& outcomes) {
  std::map<std::string, std::vector<sim::RtlSource>> sources;
  for (const Outcome& each : outcomes) {
    const std::string& unit = each.obligation.unit;
    if (!options.rtl.fault.empty() && !sim::has_unit(options.rtl, unit)) {
      fail(Exit::kBadInput, "'{}' is a fault of {}, and {} is about {}",
           printable(options.rtl.fault), sim::find_rtl_fault(options.rtl.fault)->unit(),
           each.obligation.name, unit);
    }
    if (!sources.contains(unit)) sources[unit] = sim::formal_sources(options.rtl, unit);
  }
  return sources;
}

/// SHA-256 over names and texts of the RTL that statements are about, 16 digits of it.
std::string rtl_digest(const ProveOptions& options, const std::vector<Outcome>& outcomes) {
  golden::Sha256 sha;
  for (const auto& [unit, sources] : sources_of(options, outcomes)) {
    for (const sim::RtlSource& each : sources) sha.update(each.name + "\n" + each.text + "\n");
  }
  return "rtl (sources " + golden::to_hex(sha.finish()).substr(0, 16) + ")";
}

/// What stands behind "rtl:" where it is simulated.
const std::string& name_of(const sim::FormalRtl& rtl) {
  return rtl.folder.empty() ? rtl.fault : rtl.folder;
}

std::string_view word_of(sim::FormalVerdict verdict) {
  switch (verdict) {
    case sim::FormalVerdict::kProved:
      return "proved";
    case sim::FormalVerdict::kHeld:
      return "held";
    case sim::FormalVerdict::kRefuted:
      return "REFUTED";
    case sim::FormalVerdict::kUndecided:
      break;
  }
  return "UNDECIDED";
}

std::string control_text(const ProveOptions& options, const Outcome& outcome) {
  if (options.without_control) return "control not asked";
  if (outcome.control.verdict == sim::FormalVerdict::kRefuted) {
    return fmt::format("control refuted, {:.1f} s CPU", outcome.control.cpu_seconds);
  }
  return fmt::format("control {}, AND MUST BE REFUTED", word_of(outcome.control.verdict));
}

void print_line(const ProveOptions& options, const Outcome& outcome) {
  fmt::print("{:22} {:9} {:7.1f} s CPU  {}\n", outcome.obligation.name,
             word_of(outcome.answer.verdict), outcome.answer.cpu_seconds,
             control_text(options, outcome));
  if (outcome.answer.verdict == sim::FormalVerdict::kRefuted) {
    fmt::print("  {}\n  does not hold for {}\n{}", outcome.obligation.statement,
               outcome.answer.example, outcome.replayed);
  }
  std::fflush(stdout);
}

bool is_refuted(const sim::FormalAnswer& answer) {
  return answer.verdict == sim::FormalVerdict::kRefuted;
}

void ask_all(const ProveOptions& options, std::vector<Outcome>& outcomes) {
  const auto sources = sources_of(options, outcomes);
  std::mutex mutex;
  share_work(
      outcomes.size(), 1, thread_count(options.threads), [&](std::uint64_t at, std::uint64_t) {
        Outcome& each = outcomes[at];
        const sim::Obligation& obligation = each.obligation;
        const auto ask = [&](const std::string& name, sim::FormalEngine engine,
                             const std::string& text) {
          return sim::ask_solver({name, engine, text, obligation.cycles, obligation.making},
                                 sources.at(obligation.unit), options.seconds, options.logs);
        };
        each.answer = ask(obligation.name, obligation.engine, obligation.text);
        if (!options.without_control) {
          each.control = ask(obligation.name + ".control", sim::control_engine(obligation.engine),
                             obligation.broken);
        }
        const std::scoped_lock lock(mutex);
        if (!options.replay.empty() && is_refuted(each.answer)) {
          each.replayed =
              replayed(obligation, each.answer.example, name_of(options.rtl), options.replay);
        }
        if (!options.is_json) print_line(options, each);
      });
}

std::size_t count_of(const std::vector<Outcome>& outcomes, sim::FormalVerdict verdict) {
  return static_cast<std::size_t>(std::ranges::count_if(
      outcomes, [&](const Outcome& each) { return each.answer.verdict == verdict; }));
}

Exit exit_of(const ProveOptions& options, const std::vector<Outcome>& outcomes) {
  if (count_of(outcomes, sim::FormalVerdict::kRefuted) != 0) return Exit::kMismatch;
  const bool is_blind =
      !options.without_control && std::ranges::any_of(outcomes, [](const Outcome& each) {
        return each.control.verdict == sim::FormalVerdict::kProved ||
               each.control.verdict == sim::FormalVerdict::kHeld;
      });
  if (is_blind) return Exit::kInternal;
  const bool is_open = std::ranges::any_of(outcomes, [&](const Outcome& each) {
    return each.answer.verdict == sim::FormalVerdict::kUndecided ||
           (!options.without_control && each.control.verdict == sim::FormalVerdict::kUndecided);
  });
  return is_open ? Exit::kDut : Exit::kPass;
}

void print_json(const ProveOptions& options, const std::vector<Outcome>& outcomes) {
  auto statements = nlohmann::ordered_json::array();
  for (const Outcome& each : outcomes) {
    nlohmann::ordered_json one = {{"name", each.obligation.name},
                                  {"statement", each.obligation.statement},
                                  {"verdict", word_of(each.answer.verdict)},
                                  {"cpu_seconds", each.answer.cpu_seconds}};
    if (!each.answer.example.empty()) one["example"] = each.answer.example;
    if (!each.replayed.empty()) one["replayed"] = each.replayed;
    if (!options.without_control) {
      one["control"] = word_of(each.control.verdict);
      one["control_cpu_seconds"] = each.control.cpu_seconds;
    }
    statements.push_back(std::move(one));
  }
  auto costs = nlohmann::ordered_json::array();
  for (const KindCost& each : costs_of(outcomes)) {
    costs.push_back({{"kind", each.kind},
                     {"statements", each.statements},
                     {"cpu_seconds", each.cpu_seconds},
                     {"control_cpu_seconds", each.control_cpu_seconds}});
  }
  const nlohmann::ordered_json json = {{"rtl", rtl_digest(options, outcomes)},
                                       {"proved", count_of(outcomes, sim::FormalVerdict::kProved)},
                                       {"held", count_of(outcomes, sim::FormalVerdict::kHeld)},
                                       {"statements", statements},
                                       {"costs", costs},
                                       {"open", kOpen}};
  fmt::print("{}\n", golden::dumped(json, 2));
}

Exit run(const ProveOptions& options) {
  if (!options.rtl.fault.empty() && !options.rtl.folder.empty()) {
    fail(Exit::kUsage,
         "--fault {}: faults are texts of our RTL; leave out --rtl, or put the fault "
         "into the files of {}",
         printable(options.rtl.fault), printable(options.rtl.folder));
  }
  std::vector<Outcome> outcomes = chosen(options);
  if (options.is_list) {
    for (const Outcome& each : outcomes) {
      fmt::print("{:22} {}\n", each.obligation.name, each.obligation.statement);
    }
    return Exit::kPass;
  }
  if (options.is_dry_run) {
    const nlohmann::ordered_json plan = {{"parts", outcomes.size()},
                                         {"cases", outcomes.size()},
                                         {"dut", rtl_digest(options, outcomes)},
                                         {"judge", "Yosys' SAT and ABC"}};
    fmt::print("{}\n", golden::dumped(plan, 2));
    return Exit::kPass;
  }
  ask_all(options, outcomes);
  const Exit exit = exit_of(options, outcomes);
  if (options.is_json) {
    print_json(options, outcomes);
    return exit;
  }
  const std::size_t held = count_of(outcomes, sim::FormalVerdict::kHeld);
  fmt::print("{}", cost_text(outcomes));
  fmt::print("{}: {} of {} statements proved{}{}; {}\n", exit == Exit::kPass ? "PASS" : "FAIL",
             count_of(outcomes, sim::FormalVerdict::kProved), outcomes.size(),
             held == 0 ? "" : fmt::format(", {} held for the cycles that they name", held),
             options.without_control ? ", no control asked" : "", kOpen);
  return exit;
}

}  // namespace

void add_prove(const Command& root, Exit& exit) {
  const Command command =
      root.add_subcommand("prove", "Prove statements about our RTL for every input, by a solver");
  const auto options = std::make_shared<ProveOptions>();
  command.add_option("NAMES", options->names, "Statements, or the beginning of their names: P1")
      .type_name("NAME");
  command.add_flag("--list", options->is_list, "Print the statements and prove none");
  command
      .add_option("--rtl", options->rtl.folder,
                  "Your own RTL: the folder of mx_quantizer.sv and its modules")
      .type_name("FOLDER");
  command
      .add_option("--fault", options->rtl.fault, "Control: RTL with a fault of mxgold list faults")
      .type_name("NAME");
  command.add_option("--seconds", options->seconds, "For each question to the solver")
      .range(1, 86400)
      .capture_default_str();
  command.add_option("--logs", options->logs, "Folder for the solver's logs, one a question")
      .type_name("FOLDER");
  command
      .add_option(
          "--replay", options->replay,
          "Simulate the block that refutes a statement, and leave it in this folder for mxgold "
          "replay")
      .type_name("FOLDER");
  command.add_flag("--without-control", options->without_control,
                   "Do not ask whether a changed specification is refuted");
  shard_option(command, options->shard);
  threads_option(command, options->threads);
  json_option(command, options->is_json);
  command.add_flag("--dry-run", options->is_dry_run,
                   "Say as JSON how many statements there are and about which RTL, prove none");
  command.footer(kProveExamples);
  command.callback([options, &exit] {
    exit = with_device_errors([&] {
      try {
        return run(*options);
      } catch (const sim::ToolError& error) {
        throw Error(Exit::kBadInput, error.what());
      }
    });
  });
}

}  // namespace mx::cli
