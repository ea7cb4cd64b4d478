// What answers in a sweep.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/tensor/choice.hpp"
#include "cli/sweep/space.hpp"
#include "fast/cuda_judge/judge.hpp"
#include "golden/certificates/certificate.hpp"
#include "golden/configuration/configuration.hpp"
#include "sim/lanes/rtl_lanes.hpp"

namespace mx::cli {

/// What the digest of a segment without a mismatch is taken of: its codes, or the answers, which
/// are the same bytes. The first segment of a sweep is digested both ways.
enum class Digested : std::uint8_t { kCodes, kAnswers };

/// As many codes, one byte each, as words of the source, or false. Called from several threads.
struct SweepDevice {
  std::string name;
  std::function<bool(std::span<const std::byte> words, std::span<std::byte> codes)> convert;
  SweepSpace space = {};  ///< what of the source it is asked, under which scale
  /// Compares all words of segments first, first + 1, ... with a step function by itself, and moves
  /// no codes; empty for devices that are asked for codes.
  std::function<std::vector<fast::WordVerdict>(const golden::ConversionThresholds& thresholds,
                                               std::uint64_t first, std::uint64_t count,
                                               int threads)>
      judge = {};
  Digested digested = Digested::kCodes;
};

/// Why the processor's vectors cannot be asked of a conversion, or "".
[[nodiscard]] std::string vectors_problem(const golden::Configuration& configuration,
                                          const SweepSpace& space);

/// The reference or the vectors of the processor, under scale 1. kCpu throws Error kUsage where
/// there is no path, kInternal where its self-check fails.
[[nodiscard]] SweepDevice sweep_device(const golden::Configuration& configuration,
                                       backend::Choice choice);

/// The vectors of the processor under scale 1, which take one R for all words. Throws as
/// sweep_device(). Requires space.random.
[[nodiscard]] SweepDevice stochastic_vectors(const golden::Configuration& configuration,
                                             const SweepSpace& space);

/// The reference, word by word, under a scale or with a random word. Requires space_problem() ==
/// "".
[[nodiscard]] SweepDevice scaled_reference(const golden::Configuration& configuration,
                                           const SweepSpace& space);

/// The lanes of our RTL: one build of them, for any number of configurations.
class LaneDevices {
 public:
  /// `name`: as `mxgold run --dut rtl:NAME` has it, or "". Throws Error kUsage for sources that are
  /// missing or do not compile, kDut where there is no Verilator or Yosys.
  LaneDevices(sim::LaneEngine engine, const std::string& name);
  ~LaneDevices();
  LaneDevices(const LaneDevices&) = delete;
  LaneDevices& operator=(const LaneDevices&) = delete;

  /// Why the lanes cannot be told a configuration, or "".
  [[nodiscard]] static std::string problem(const golden::Configuration& configuration);

  /// Words are those of a block. Requires problem() == "" and space_problem() == "". The device
  /// throws Error kDut where the bench loses words. It must not outlive this object.
  [[nodiscard]] SweepDevice device(const golden::Configuration& configuration, std::uint8_t scale,
                                   std::optional<std::uint32_t> random = {}) const;

 private:
  struct Pool;
  std::string name_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace mx::cli
