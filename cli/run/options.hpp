// What `mxgold run` was asked for, and the two things made of it: the blocks and the devices.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/files/tensor_file.hpp"
#include "cli/options/common.hpp"
#include "cli/vectors/gen_plan.hpp"
#include "golden/answers/verify.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/vectors/header.hpp"
#include "sim/answers/answers.hpp"
#include "sim/device/description.hpp"
#include "sim/device/device.hpp"
#include "sim/dut/kind.hpp"
#include "sim/plugin/crash.hpp"
#include "sim/plugin/instance.hpp"
#include "sim/record/device.hpp"
#include "sim/report/report.hpp"
#include "sim/report/run.hpp"
#include "sim/stimulus/block_source.hpp"
#include "sim/stimulus/suite_source.hpp"
#include "sim/stimulus/vector_source.hpp"

namespace mx::cli {

/// The command line of `mxgold run`, as typed.
struct RunCommand {
  std::string dut{sim::all_dut_kinds().front().name};
  GenOptions gen;  ///< configurations and stimulus, as for `mxgold gen`
  std::string definitions;
  std::string vectors;       ///< as --vectors says it
  std::string vectors_path;  ///< where they are read, once and again
  /// Answers of a file, to these vectors, in place of a device's.
  std::shared_ptr<const sim::GivenAnswers> answers;
  Names answer_fields;  ///< as --fields says them
  bool has_all_modes = false;
  std::uint64_t elements = 0;
  std::string stall = "mix";
  std::string reset = "mix";
  std::string only;
  std::string compare;  ///< "": what the device promises
  std::string judge = "both";
  int threads = 0;
  std::size_t errors = 5;
  double time_out = 10;
  std::optional<double> start_time_out;
  std::string pipe = "stdio";
  std::string answer_prefix;
  std::string waivers;               ///< a file of known deviations
  Names observe = {"all"};           ///< result fields that the device gives
  std::optional<double> time_limit;  ///< seconds; see time_limit_of
  bool is_json = false;
  bool is_dry_run = false;
  bool is_trusted = false;  ///< may what a configuration file names be executed?
  std::string junit;
  std::string log;   ///< the verdict in one long line
  std::string html;  ///< the run as a page
  std::string cover;
  std::string shrink;       ///< where the smallest failing case goes
  double shrink_time = 60;  ///< seconds for the search
  std::string waves;        ///< where the cycles before the failure go
  /// Where a plugin ended an earlier try of this run: the run ends before.
  std::optional<sim::PluginCrash> crash;
};

/// Blocks or records [first, last) of a run.
struct RunRange {
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};
  bool operator==(const RunRange&) const = default;
};

/// Where the blocks come from. `file` keeps the tensors of a TensorSource mapped.
struct RunInput {
  std::unique_ptr<sim::BlockSource> source;
  std::unique_ptr<TensorFile> file;
  std::vector<const Tensor*> tensors;
  std::vector<sim::NotOffered> not_offered;
  sim::Narrowed narrowed;
  std::size_t chosen = 0;  ///< configurations that were asked for: the first of the source's
  std::string name;        ///< "suite full", "model.safetensors"
  std::string note;        ///< a line about what takes part, or ""
};

/// What `--dut` can be: "rtl", "reference[:FAULT]", ...
[[nodiscard]] std::vector<std::string> run_dut_names();

/// What follows the colon of a device's name.
[[nodiscard]] std::string_view run_dut_argument(std::string_view dut);

/// The device's row. Errors: kUsage for an unknown name or argument, kDut where this build has
/// none.
[[nodiscard]] const sim::DutKind& run_dut_kind(std::string_view dut);

/// N where --random-bits is not given.
[[nodiscard]] inline int default_random_bits(const sim::DutKind& kind) {
  return kind.random_bits != 0 ? kind.random_bits : kDefaultRandomBits;
}

/// N of a clocked device where --random-bits is not given: what the device says, or the default.
[[nodiscard]] int random_bits_of(const RunCommand& command, const sim::DutKind& kind);

/// Makes devices with a clock. Error kUsage for a plugin whose device has none.
[[nodiscard]] sim::DutFactory make_clocked(const RunCommand& command, const sim::DutKind& kind);

/// What --observe says of answers on streams. Error kUsage for another word, or for nothing.
[[nodiscard]] sim::Observes require_observes(const Names& names);

/// The configurations of the command for blocks of the RTL: what is not given is everything that
/// the default build does; with an input, ties_to_even and the format's rule. Error kUsage for
/// unknown names.
[[nodiscard]] sim::Configurations run_configs(const RunCommand& command);

/// Does the command go over records (programs, operations other than blocks, blocks that are no
/// beats of 32 lanes) and not over clocked streams?
[[nodiscard]] bool runs_records(const RunCommand& command, const sim::DutKind& kind);

/// Opens the suite or the tensors, or takes the vectors already read. `refusal`: the device's word
/// on configurations. Error kUsage where the device does none of them, or not all of a file's.
[[nodiscard]] RunInput run_input(const RunCommand& command,
                                 std::unique_ptr<sim::VectorSource> vectors,
                                 const std::function<std::string(const QuantizerConfig&)>& refusal);

/// The device of a run over records. Error kUsage for one that has none, or no such fault.
[[nodiscard]] std::unique_ptr<sim::RecordDevice> make_record_device(
    const RunCommand& command, const sim::DutKind& kind, const golden::Observed& observed);

/// The device file of --dut device:FILE.json.
[[nodiscard]] sim::Description described(const RunCommand& command);

/// What --time-out says.
[[nodiscard]] std::chrono::milliseconds time_out_of(const RunCommand& command);

/// What --time-limit says, or `otherwise`.
[[nodiscard]] std::chrono::steady_clock::duration time_limit_of(
    const RunCommand& command, std::chrono::steady_clock::duration otherwise);

/// How the program of a device file runs.
[[nodiscard]] sim::DeviceOptions device_options(const RunCommand& command);

/// The plugin of --dut plugin:FILE.so[:ARGUMENTS], loaded, and what its device is.
[[nodiscard]] sim::PluginFacts plugin_facts(const RunCommand& command);

/// What a device file or a plugin says that the device computes; nothing of other devices.
[[nodiscard]] std::optional<sim::Offer> offer_of(const RunCommand& command,
                                                 const sim::DutKind& kind);

/// The result fields of such records that the device gives and --observe asks for. Error kUsage
/// where --observe asks for others.
[[nodiscard]] golden::Observed observed_of(const RunCommand& command, const sim::DutKind& kind,
                                           const golden::RecordShape& shape);

/// The stimulus of a run over records; what is not given is what the device offers. Error kUsage
/// for another operation than its own.
[[nodiscard]] GenOptions gen_options_of(const RunCommand& command, const sim::DutKind& kind);

/// Error kUsage where records are none that the device offers to answer, naming the field, its
/// value and the device's, and a profile that set it.
void require_offered(const RunCommand& command, const sim::Offer& offer,
                     const golden::VectorHeader& header);

/// How codes under a NaN scale count. Error kUsage for an unknown --compare.
[[nodiscard]] sim::Compare compare_of(const RunCommand& command);
/// Whose word counts. Error kUsage for an unknown --judge, and where --cover measures nothing.
[[nodiscard]] sim::Judge judge_of(const RunCommand& command);
/// Who answers beside the reference.
[[nodiscard]] std::vector<golden::AnswererFactory> judges_of(const RunCommand& command);

/// A run over records, from its first line to its verdict.
[[nodiscard]] Exit run_over_records(const RunCommand& command, const sim::DutKind& kind);

/// The first of ranges, from narrow to wide, that fails by itself; the last is the one that did.
[[nodiscard]] RunRange shortest_failing(std::span<const RunRange> ranges,
                                        const std::function<bool(const RunRange&)>& fails);

/// What --dry-run says: the device, the blocks or records of the whole, and how many parts --shard
/// may have.
void print_run_plan(const RunCommand& command, std::string_view dut, std::uint64_t cases,
                    std::uint64_t parts);

/// Where lines for people go: standard error where one of these outputs takes standard output.
[[nodiscard]] std::FILE* people_stream(const RunCommand& command);

/// The command line that runs the same again.
[[nodiscard]] std::string run_again_text(const RunCommand& command);

/// The command line that runs blocks [first, last) of the same input again.
[[nodiscard]] std::string run_replay(const RunCommand& command, std::uint64_t first,
                                     std::uint64_t last);

/// --only I or A:B without B, and nothing for no option. Error kUsage for anything else.
[[nodiscard]] RunRange run_range(const RunCommand& command);

}  // namespace mx::cli
