// A program that ends by a signal, as it would if nobody had answered the signal.
#pragma once

namespace mx::cli {

/// What was printed is written first. Returns where the signal is blocked or ignored.
void end_by_signal(int signal);

}  // namespace mx::cli
