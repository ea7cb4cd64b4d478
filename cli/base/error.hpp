// How a subcommand ends: the exit codes of spec V9 and the one exception of this layer.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace mx::cli {

/// Exit status of the program. Where several apply, spec V9 gives the order.
enum class Exit : int {
  kPass = 0,
  kMismatch = 1,
  kUsage = 2,
  kBadInput = 3,
  kUnwritable = kBadInput,  ///< an output that cannot be written
  kDut = 4,
  kCoverage = 5,
  kInternal = 6,
  kHost = 7  ///< the machine lacks what the work needs
};

/// Ends a subcommand: main prints the message on stderr and returns the exit status. The message
/// names the file, the position, the field and the remedy. Layers below never see it.
class Error : public std::runtime_error {
 public:
  Error(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}
  [[nodiscard]] Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

/// throw Error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(Exit exit, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(exit, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace mx::cli
