// A description and the module's ports, checked against each other: the tables of the bench.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "sim/device/description.hpp"
#include "sim/device/ports.hpp"

namespace mx::sim {

struct FittedSide {
  std::vector<bench::Part> parts;  ///< their texts are the description's
  std::vector<std::size_t> ports;  ///< that they are of
};

/// What one part carries of a field, in a whole transaction.
struct Carried {
  std::string place, field;
  std::size_t words = 0;  ///< all of them; of a shared one 1
  unsigned width = 0;     ///< bits of each
  bool is_result = false;
  bool is_shared = false;  ///< one for all records of a transaction
  bool is_number = false;  ///< with an offset or a sign: its bits are not those of the code
};

/// Everything that the bench has to know; lives no longer than the description.
struct FittedDevice {
  std::vector<Port> ports;
  bench::Tables tables;  ///< but for its spans
  FittedSide input, output;
  std::vector<std::pair<std::size_t, std::uint64_t>> ties;  ///< ports and their constants
  std::deque<std::vector<bench::Choice>> choices;           ///< of the parts
  std::vector<Carried> carried;
};

/// Throws golden::VectorError, naming file, member and remedy, for ports that the module does not
/// have, that do not fit, or that nothing is said of.
[[nodiscard]] FittedDevice fit(const Description& description, std::vector<Port> ports);

}  // namespace mx::sim
