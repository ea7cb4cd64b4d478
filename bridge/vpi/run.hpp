// A system call from the simulator's side: its arguments, its results, its refusal.
#pragma once

#include "bridge/vpi/calls.hpp"

namespace mx::bridge::vpi {

/// What is wrong with the arguments of the call that is compiled; "" for nothing.
[[nodiscard]] std::string problem_of(const Call& call);

/// The call that is under way. Where it fails, its vectors are X and its texts empty, and what
/// no handle can keep is printed. Throws nothing into the simulator.
void run(const Call& call, Bench& bench) noexcept;

/// Prints what is wrong with a call.
void complain(const Call& call, const std::string& what);

}  // namespace mx::bridge::vpi
