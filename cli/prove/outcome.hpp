// A statement that was asked, and what was answered to it and to its control.
#pragma once

#include <string>

#include "sim/formal/obligation.hpp"
#include "sim/formal/prover.hpp"

namespace mx::cli {

struct Outcome {
  sim::Obligation obligation;
  sim::FormalAnswer answer;
  sim::FormalAnswer control;
  std::string replayed{};  ///< --replay: what the simulation of the example said
};

}  // namespace mx::cli
