// A run that a plugin ends with its process is told by another process, in which the plugin is not
// asked for what it ended at: nothing is read from a memory that it may have spoilt.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mx::sim {

/// How a plugin ended the process that ran it.
struct PluginCrash {
  std::string what;  ///< "plugin ./libx.so: tick() crashed with SIGSEGV"
  /// What it was asked for: the block that was offered or comes next, by its number in the run;
  /// records [first, last), from the first one of the run.
  std::uint64_t first = 0, last = 0;
};

/// Does the work in a process of its own, and again in another one, with the crash, if a plugin
/// ended it while it was asked for something: a few times, if it crashes earlier then. In the
/// process that did the work, returns what the work returned; here, what that process left by
/// leave_exit_code(), which no exit handler of a plugin changes: one that is not over after
/// `patience`, or a process that is stopped as long, is killed. Signals are passed on, and a death
/// by a signal that asks for the end is died here, too. 4 (spec V9) where no try came to an end.
/// Throws golden::HostError where no process can be started. To be called before there are threads.
[[nodiscard]] int run_apart(std::chrono::milliseconds patience,
                            const std::function<int(const PluginCrash*)>& work);

/// The exit code of the process that does the work, once all is told: what a plugin does after that
/// changes nothing. To be called last; returns the code, 4 where the plugin took standard output.
/// Does nothing elsewhere.
[[nodiscard]] int leave_exit_code(int code);

/// Notes what a plugin is asked for, for that process.
void leave_asked(std::uint64_t first, std::uint64_t last);

/// Leaves word for the process that waits; false where there is none or nothing was asked for: then
/// `code` is the exit code. Safe in signal handlers.
bool leave_crash(std::initializer_list<std::string_view> what, std::uint64_t first,
                 std::uint64_t last, int code);

}  // namespace mx::sim
