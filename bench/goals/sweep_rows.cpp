// Every word of a source, by the program: CPU time of its process beside the time of the goal.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/goals/rows.hpp"
#include "bench/measure/child.hpp"

namespace mx::goals {

namespace {

struct Sweep {
  std::string id;
  std::string what;
  std::string device;
  std::string scale;
  double seconds;  ///< for 2^32 words, the goal
  int shards;      ///< one of so many is measured
};

Row row_of_sweep(const Sweep& sweep, const Setting& setting) {
  constexpr double kWords = 4294967296.0;
  Row row{.id = sweep.id, .what = sweep.what, .goal = 1};
  row.clock = Clock::kOwn;
  row.items = kWords / sweep.shards;
  if (!std::filesystem::exists(setting.program)) {
    row.skip = "no program " + setting.program + ": build the target mxgold";
    return row;
  }
  const bool is_whole = sweep.shards == 1;
  const std::string shard = is_whole ? "0/1" : "1/" + std::to_string(sweep.shards);
  const std::vector<std::string> command = {setting.program, "sweep",  "--dut",     sweep.device,
                                            "--format",      "e4m3fn", "--scale",   sweep.scale,
                                            "--shard",       shard,    "--threads", "1"};
  const auto seconds = std::make_shared<double>();
  // It ends with another status than 0 where one code is wrong; run_child() throws then.
  row.ours = {"mxgold sweep",
              [command, seconds] { *seconds = run_child(command, "/dev/null", "/dev/null"); },
              [seconds] { return *seconds; }};
  row.theirs = {{"the time of the goal", [] {},
                 [allowed = sweep.seconds / sweep.shards] { return allowed; }}};
  row.difference = [] { return std::string(); };
  row.mask = "every code beside the certificate, digests and the program's start in our time; ";
  row.mask += is_whole ? "all words" : "one of " + std::to_string(sweep.shards) + " shards";
  return row;
}

}  // namespace

std::vector<RowPlan> sweep_rows() {
  const std::vector<Sweep> sweeps = {
      {"R4", "2^32 fp32 words through the netlist of our RTL in 25 s of one core", "netlist",
       "widest", 25, 128},
      {"R4", "the same through the RTL as it is", "rtl", "widest", 25, 256},
      {"G3", "2^32 fp32 words by vectors in 3 s of one core", "cpu", "127", 3, 1},
      {"G3", "2^32 fp32 words by the reference in 107 s of one core (0.04 G/s)", "reference", "127",
       4294967296.0 / 0.04e9, 128}};
  std::vector<RowPlan> rows;
  for (const Sweep& sweep : sweeps) {
    rows.push_back({.id = sweep.id, .what = sweep.what, .make = [sweep](const Setting& setting) {
                      return row_of_sweep(sweep, setting);
                    }});
  }
  return rows;
}

}  // namespace mx::goals
