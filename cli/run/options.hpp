// What `mxgold run` was asked for, and the two things made of it: the blocks and the devices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/files/tensor_file.hpp"
#include "cli/options/common.hpp"
#include "golden/vectors/header.hpp"
#include "sim/dut/kind.hpp"
#include "sim/report/run.hpp"
#include "sim/stimulus/block_source.hpp"
#include "sim/stimulus/suite_source.hpp"
#include "sim/stimulus/vector_source.hpp"

namespace mx::cli {

/// The command line of `mxgold run`, as typed.
struct RunCommand {
  std::string dut = "rtl";
  std::string suite;
  std::string input;
  std::string vectors;
  std::string tensor = "all";
  bool has_all_modes = false;
  std::string profile;
  Names formats;  ///< these four: none, or `all`, for every one
  Names roundings;
  Names rules;
  Names sources;
  std::uint64_t elements = 0;
  int random_bits = 0;  ///< as typed, 0: the device's; run_command makes it the N of the run
  std::uint64_t seed = kDefaultSeed;
  std::string stall = "mix";
  std::string reset = "mix";
  std::string shard = "0/1";
  std::string only;
  std::string compare = "strict";
  int threads = 0;
  std::size_t errors = 5;
  double time_out = 10;
  double time_limit = 3600;
  bool is_json = false;
  std::string junit;
};

/// Where the blocks come from. `file` keeps the tensors of a TensorSource mapped.
struct RunInput {
  std::unique_ptr<sim::BlockSource> source;
  std::unique_ptr<TensorFile> file;
  std::vector<const Tensor*> tensors;
  std::string name;  ///< "suite full", "model.safetensors"
  std::string note;  ///< a line about what takes part, or ""
};

/// What makes the device, and whether it keeps its own time (processes).
struct RunDut {
  sim::DutFactory make;
  bool is_process = false;
};

/// The formats, roundings, rules and sources of the command. Error kUsage for unknown names.
[[nodiscard]] sim::Selection run_selection(const RunCommand& command);

/// What `--dut` can be: "rtl", "reference[:FAULT]", ...
[[nodiscard]] std::vector<std::string> run_dut_names();

/// The device's row. Errors: kUsage for an unknown name or argument, kDut where this build has
/// none.
[[nodiscard]] const sim::DutKind& run_dut_kind(std::string_view dut);

/// N where --random-bits is not given.
[[nodiscard]] inline int default_random_bits(const sim::DutKind& kind) {
  return kind.random_bits != 0 ? kind.random_bits : kDefaultRandomBits;
}

/// A factory for the device; `header` is what a process is told. Errors as of run_dut_kind().
[[nodiscard]] RunDut run_dut(const RunCommand& command, const golden::VectorHeader& header);

/// The header of a suite or of tensors, for devices that read vectors.
[[nodiscard]] golden::VectorHeader run_header(const RunCommand& command,
                                              const sim::Selection& selection);

/// Opens the suite or the tensors, or takes the vectors already read. `supports`: the device's word
/// on configurations. Error kUsage where the device does none of them, or not all of a file's.
[[nodiscard]] RunInput run_input(const RunCommand& command, const sim::Selection& selection,
                                 std::unique_ptr<sim::VectorSource> vectors,
                                 const std::function<bool(std::uint32_t)>& supports);

/// The command line that runs blocks [first, last) of the same input again.
[[nodiscard]] std::string run_replay(const RunCommand& command, std::uint64_t first,
                                     std::uint64_t last);

}  // namespace mx::cli
