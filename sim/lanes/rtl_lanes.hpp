// The lanes of our RTL, word by word, under a scale code that is told (sim/lanes/lane_sweep.sv).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/element/encode.hpp"
#include "sim/lanes/lane_library.hpp"

namespace mx::sim {

/// What is simulated.
enum class LaneEngine : std::uint8_t {
  kRtl,     ///< the sources as they are, 32 lanes
  kNetlist  ///< what Yosys makes of one lane, each of its wires 64 lanes wide (sim/lanes/widen.hpp)
};

[[nodiscard]] std::string_view token_of(LaneEngine engine);

/// A build of the bench that is loaded.
struct LaneBuild {
  LaneEngine engine = LaneEngine::kRtl;
  const LaneFunctions* functions = nullptr;
  int fault = 0;        ///< 0: none
  std::string sources;  ///< digest of what is simulated: rtl/ and the bench
};

/// Which lanes, and what compiled them: "rtl" or "netlist", the digest of the sources, the versions
/// of the tools.
[[nodiscard]] std::string identity_of(const LaneBuild& build, const std::string& name);

/// The build for a name, as load_rtl() has names: a fault, the sources of a folder, or "". A folder
/// may have a lane_sweep.sv of its own. Throws as load_rtl(), and DutError where this program has
/// no RTL.
[[nodiscard]] LaneBuild load_lanes(LaneEngine engine, const std::string& name);

/// A conversion as the lanes are told it, or why they cannot be.
struct LaneWord {
  std::uint32_t word = 0;
  std::string problem;  ///< "" or the first field that has no code
};
/// Stochastic roundings: variant A with 8 random bits, as mx_quantizer's defaults have it.
[[nodiscard]] LaneWord lane_word_of(const ConversionConfig& config);

/// One simulation of the lanes. Not for several threads at once.
class Lanes {
 public:
  /// `seed`, not 0: of the values that state starts at; no answer depends on it.
  Lanes(const LaneBuild& build, int seed);

  /// The codes, one byte each, of words that lie as in memory, `size` bytes each, in order. Throws
  /// DutError where the bench loses some.
  void convert(const LaneSetting& setting, std::span<const std::byte> words, std::size_t size,
               std::span<std::byte> codes);

 private:
  const LaneFunctions* functions_;
  std::unique_ptr<void, void (*)(void*)> model_;
  std::vector<std::uint32_t> in_;
  std::vector<std::uint8_t> out_;
};

}  // namespace mx::sim
