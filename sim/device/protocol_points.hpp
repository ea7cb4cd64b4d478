// The protocol coverage (spec V10) of a device that a file describes: which bins there are and
// which no schedule can hit, by the description; the bench counts the hits (sim/bench/counts.hpp).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"
#include "golden/vectors/header.hpp"
#include "sim/device/description.hpp"

namespace mx::sim {

class DeviceProtocol {
 public:
  /// Of a run of these records.
  DeviceProtocol(const Description& description, const golden::VectorHeader& header);

  /// "input_stall 3 17": hits of a bin. Hits of what has no coverpoint are passed over. False for
  /// anything else.
  [[nodiscard]] bool hear(std::string_view line);
  [[nodiscard]] golden::Covergroup group(std::string_view device) const;

 private:
  void add(std::string name, std::string meaning,
           std::initializer_list<std::pair<const char*, bool>> bins);
  void add_lengths(std::string name, std::string meaning, bool has_stalls);
  void add_beats(std::string name, std::string meaning, unsigned first, unsigned beats);
  void add_resets(const Description& description);

  std::string facts_;
  std::uint64_t cycles_ = 0;
  std::vector<golden::Coverpoint> points_;
};

}  // namespace mx::sim
