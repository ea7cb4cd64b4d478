// SPDX-License-Identifier: Apache-2.0
// A process between this program and a child: it ends all that the child started, wherever that
// went, when it is told to or when this program has died.
#pragma once

#include <sys/types.h>

#include <array>

namespace mx::sim {

/// What a child starts with.
struct ChildStart {
  std::array<int, 3> streams;
  char* const* arguments;  ///< of /bin/sh
  char* const* environment;
  pid_t parent;  ///< this program
};

/// To be called right after fork() with every signal held: becomes the supervisor of the child that
/// it starts. Writes the siginfo_t of the child's end to `told`. SIGTERM, which the kernel sends
/// when the parent dies, ends the child and all that descends from it.
[[noreturn]] void supervise(const ChildStart& start, int told);

}  // namespace mx::sim
