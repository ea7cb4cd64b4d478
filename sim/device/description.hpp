// A device file: a user's own SystemVerilog module as a device under test, described in JSON
// (docs/device-files.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "sim/bench/tables.hpp"

namespace mx::sim {

/// Bits of a port as the file says them; what it leaves out follows from the port.
struct DescribedPart {
  std::string place;  ///< "output.ports.m_axis_tuser[0]", for messages
  bench::What what = bench::What::kWords;
  std::string field;  ///< of the record, or of the configuration
  std::optional<unsigned> at, slot, width, lanes;
  bool has_high_first = false;
  bool is_shared = false;
  bench::Beats beats = bench::Beats::kAll;
  std::int64_t offset = 0;
  bool is_signed = false;
  std::uint64_t value = 0;
  std::vector<std::pair<std::string, std::uint64_t>> choices;
  std::string taken_by;
};

struct DescribedPort {
  std::string name;
  std::vector<DescribedPart> parts;
};

/// Words back to back in the slots of one port.
struct DescribedStream {
  std::string port;
  unsigned slot = 8;
  std::string slot_valid, slot_ready;
  bool takes_all = false;
  std::vector<DescribedPart> words;
};

struct DescribedSide {
  std::string valid, ready;
  unsigned beats = 1;
  std::vector<DescribedPort> ports;
  std::optional<DescribedStream> packed;
};

struct DescribedReset {
  std::string port;
  bool is_active_low = true;
  bool is_synchronous = false;
  unsigned cycles = 0;
};

/// An operand that the device takes for granted: one value, or those from least to most.
struct AssumedOperand {
  std::string field;
  std::uint64_t least = 0, most = 0;
};

/// The codes of a result field that count as its NaN.
struct DescribedNan {
  bool has_any = false;  ///< every code that is a NaN
  std::vector<std::uint64_t> codes;
};

struct Description {
  std::string path;    ///< of the file
  std::string device;  ///< its name as a device: "device:FILE.json"
  std::string text;    ///< all of it
  std::vector<std::string> sources, include;
  std::vector<std::pair<std::string, std::string>> define, parameter;
  std::string top;
  std::vector<std::string> verilator;  ///< further options

  golden::Operation operation = golden::Operation::kBlock;
  /// The values that a field of the configuration may have.
  std::map<std::string, std::vector<std::string>> configuration;
  unsigned lanes = 1;
  unsigned records = 1;
  std::vector<AssumedOperand> assume;

  std::string clock;
  std::optional<DescribedReset> reset;
  std::vector<std::pair<std::string, std::uint64_t>> tie;
  DescribedSide input, output;
  bench::LastRule last_rule = bench::LastRule::kEnds;
  std::optional<unsigned> latency;
  unsigned patience = 4096;
  DescribedNan nan;
  std::string not_built;  ///< what the module was not built for, in words, for verdicts

  /// Is there a part of this kind on a side?
  [[nodiscard]] static bool has(const DescribedSide& side, bench::What what);
  /// The part that carries a field of the record; nullptr where none does.
  [[nodiscard]] static const DescribedPart* part_of(const DescribedSide& side,
                                                    std::string_view field);
};

/// What the texts of a new device file begin with that somebody has to replace (mxgold new dut).
inline constexpr std::string_view kFillIn = "FILL IN:";

/// Throws golden::VectorError where members need others, or exclude them.
void check_together(const Description& description);

/// Reads and checks the file; which ports the module has is seen later. Throws golden::VectorError
/// with file, member and remedy.
[[nodiscard]] Description read_description(const std::string& path);

}  // namespace mx::sim
