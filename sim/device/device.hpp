// A module of the user's own, described by a device file, as a device that answers records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "golden/answers/observed.hpp"
#include "sim/device/description.hpp"
#include "sim/device/fit.hpp"
#include "sim/device/protocol_points.hpp"
#include "sim/process/process.hpp"
#include "sim/record/device.hpp"

namespace mx::sim {

/// The cycles before a wrong answer, for a waveform.
struct DeviceWaves {
  std::string path;
  std::uint64_t answer = 0;       ///< its number; beyond the last: that one
  std::uint64_t cycles = 256;     ///< at most, and
  std::uint64_t bytes = 100'000;  ///< in a file of at most so many: fewer cycles if need be
};

struct DeviceOptions {
  std::uint64_t seed = 0;  ///< of stalls, resets, noise and the module's own initial state
  std::string stall = "mix", reset = "mix";
  std::chrono::milliseconds time_out{10'000};
  std::chrono::steady_clock::duration time_limit = std::chrono::steady_clock::duration::max();
  std::optional<DeviceWaves> waves{};  ///< the run is recorded
};

/// Compiles the module, if no earlier run did; a run is a process of its own.
class DescribedDevice : public RecordDevice {
 public:
  /// Throws golden::VectorError for a file or sources that are wrong.
  DescribedDevice(Description description, const DeviceOptions& options);

  [[nodiscard]] std::string_view name() const override { return name_; }
  /// Throws UnsupportedError for records that the device cannot be given.
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override;
  [[nodiscard]] std::optional<golden::Covergroup> protocol() const override;

 private:
  Description description_;
  std::vector<Carried> carried_;
  std::optional<DeviceProtocol> counting_, counted_;
  std::string name_;
  std::unique_ptr<ProcessDevice> process_;
};

}  // namespace mx::sim
