// A failure in a file of its own, which any later process can show again: device, configurations,
// operands, schedule. spec V11; docs/replay-format.md describes the members.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/judge/mismatch.hpp"
#include "sim/shrink/case.hpp"

namespace mx::sim {

/// Has the device a clock, and so a schedule?
enum class ReplayKind : std::uint8_t { kStream, kRecords };

/// What only programs know, as options spell it.
struct ReplayProgram {
  std::string pipe = "stdio", answer_prefix, judge = "reference";
  double time_out = 10;
  double start_time_out = 10;
  std::string stall = "mix", reset = "mix";  ///< of device files, with the seed
  std::uint64_t seed = 0;
  bool operator==(const ReplayProgram&) const = default;
};

struct ReplayFile {
  ReplayKind kind = ReplayKind::kStream;
  std::string device;                          ///< as --dut takes it
  std::vector<std::string> observe = {"all"};  ///< as --observe takes it
  std::string shown;            ///< what it showed when the file was written, for people
  golden::VectorHeader header;  ///< of records: all but the configurations
  Case failure;
  /// Keeps the names of formats that a reader made alive; of records the header's does.
  std::shared_ptr<FormatCatalog> catalog;
  Compare compare = Compare::kStrict;
  std::uint64_t seed = 0;  ///< of streams: noise, reset shapes, the device's own state
  std::uint32_t segment = 0;
  ReplayProgram program;  ///< of records
};

[[nodiscard]] std::string replay_json(const ReplayFile& replay);
/// Throws golden::VectorError for what is no such file, naming the place.
[[nodiscard]] ReplayFile read_replay(const std::string& path,
                                     casts::CastMaker casts = casts::no_casts);

}  // namespace mx::sim
