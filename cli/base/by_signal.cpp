#include "cli/base/by_signal.hpp"

#include <csignal>
#include <cstdio>

namespace mx::cli {

void end_by_signal(int signal) {
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace mx::cli
