// A run that a plugin ends with its process is told by another process, in which the plugin is not
// asked for what it ended at: nothing is read from a memory that it may have spoilt.
#pragma once

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
/// ended it while it was asked for something: a few times, if it crashes earlier then. Returns what
/// the work returned, here and in the process that did it; signals are passed on, and a death by
/// signal is died here, too. 4 (spec V9) where no try came to an end. To be called before there are
/// threads.
[[nodiscard]] int run_apart(const std::function<int(const PluginCrash*)>& work);

/// Notes what a plugin is asked for, for that process.
void leave_asked(std::uint64_t first, std::uint64_t last);

/// Leaves word for the process that waits; false where there is none or nothing was asked for.
/// Safe in signal handlers.
bool leave_crash(std::initializer_list<std::string_view> what, std::uint64_t first,
                 std::uint64_t last);

}  // namespace mx::sim
