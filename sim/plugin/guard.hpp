// Calls of functions that a plugin brings. What a plugin must not do, and does, ends as an error of
// the device: exceptions as DutError; crashes, exits and hangs with the end of the process, because
// nothing can be said of it any more. Another one tells the verdict (sim/plugin/crash.hpp); where
// there is none, or nothing was asked for yet, it is a line on standard error and exit code 4.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "sim/dut/dut.hpp"

namespace mx::sim {

/// Which plugin is called, for messages.
struct PluginPlace {
  std::string name;  ///< "plugin ./libx.so"; must live as long as the calls
  std::chrono::milliseconds time_out{10000};
};

/// The function of loading a library, for messages.
inline constexpr const char* kLoading = "dlopen";

/// While it lives, the thread is inside a function of a plugin. Not nested.
class PluginCall {
 public:
  /// Both arguments must live as long.
  PluginCall(const PluginPlace& place, const char* function);
  ~PluginCall();
  PluginCall(const PluginCall&) = delete;
  PluginCall& operator=(const PluginCall&) = delete;
};

/// To be called when this thread may have called the plugin for the last time: what the plugin left
/// to the end of the thread (destructors) is watched as a call is.
void watch_thread_end(const PluginPlace& place);

/// Says what this thread asks a plugin for from now on: blocks or records [first, last) of the run.
/// A crash is told with it (sim/plugin/crash.hpp).
void plugin_is_asked_for(std::uint64_t first, std::uint64_t last);

/// From now on crashes and exits inside plugins, and calls that take too long, are seen.
void guard_plugins();

/// Calls a function of a plugin. Throws DutError where it throws.
template <typename Call>
auto call_plugin(const PluginPlace& place, const char* function, const Call& call) {
  const auto leaked = [&](std::string_view what) {
    return DutError(fmt::format("{}: {}() let an exception out: {}", place.name, function, what));
  };
  const PluginCall mark(place, function);
  try {
    return call();
  } catch (const std::exception& error) {
    throw leaked(error.what());
  } catch (...) {
    throw leaked("one that is no std::exception");
  }
}

}  // namespace mx::sim
