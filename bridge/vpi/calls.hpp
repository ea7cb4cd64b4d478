// The system functions by name. docs/bench-calls.md lists them.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bridge/bus/handle.hpp"
#include "bridge/bus/score.hpp"
#include "bridge/vpi/arguments.hpp"

namespace mx::bridge::vpi {

/// The handles of a simulation, by numbers from 1.
struct Bench {
  std::vector<std::unique_ptr<Handle>> models;
  std::vector<std::unique_ptr<Score>> scores;
};

/// One system function. It returns what the call returns: 1, or 0 and the reason in the handle.
struct Call {
  const char* name;
  std::string_view roles;  ///< of its arguments, one letter each: Role
  int (*body)(Bench&, const Arguments&);
};

[[nodiscard]] std::span<const Call> calls();

}  // namespace mx::bridge::vpi
