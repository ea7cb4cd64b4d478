#include "cli/base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace mx::cli {

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)), total_(total), is_shown_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_shown_ && shown_percent_ != 0) fmt::print(stderr, "\r\033[K");
}

void Progress::add(std::uint64_t done) {
  done_ += done;
  if (!is_shown_ || total_ == 0) return;
  const auto percent =
      static_cast<std::uint64_t>(100.0 * static_cast<double>(done_) / static_cast<double>(total_));
  if (percent == shown_percent_) return;
  shown_percent_ = percent;
  constexpr std::uint64_t kWidth = 40;
  const std::string bar(percent * kWidth / 100, '#');
  fmt::print(stderr, "\r{} [{:<40}] {:3}%", what_, bar, percent);
  std::fflush(stderr);
}

}  // namespace mx::cli
