#include "cli/base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mx::cli {
namespace {

/// A bar that changes more often than this is only work for the terminal.
constexpr std::chrono::milliseconds kRedraw{200};

std::uint64_t percent_of(std::uint64_t done, std::uint64_t total) {
  const double share = static_cast<double>(done) / static_cast<double>(total);
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(100 * share), 100);
}

}  // namespace

std::string duration_text(std::chrono::seconds duration) {
  const auto seconds = duration.count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) {
    return seconds % 60 == 0 ? fmt::format("{} min", seconds / 60)
                             : fmt::format("{} min {} s", seconds / 60, seconds % 60);
  }
  const auto minutes = seconds / 60;
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                           : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::chrono::seconds time_left(std::chrono::milliseconds elapsed, std::uint64_t done,
                               std::uint64_t total) {
  if (done == 0 || done >= total) return std::chrono::seconds(0);
  const double rest = static_cast<double>(total - done) / static_cast<double>(done);
  const double seconds = static_cast<double>(elapsed.count()) / 1000 * rest;
  constexpr double kMost = 1e9;  // thirty years
  return std::chrono::seconds(std::llround(std::min(seconds, kMost)));
}

Progress::Progress(std::string what, std::uint64_t total, std::FILE* stream,
                   std::chrono::milliseconds interval)
    : what_(std::move(what)),
      total_(total),
      stream_(stream),
      interval_(interval),
      is_terminal_(::isatty(::fileno(stream)) == 1) {}

Progress::~Progress() {
  if (is_drawn_) std::fputs("\r\033[K", stream_);
}

void Progress::add(std::uint64_t done) {
  done_ += done;
  if (total_ == 0) return;
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (is_terminal_ ? kRedraw : interval_)) return;
  shown_ = now;
  is_terminal_ ? draw_bar(now) : write_line(now);
}

std::string Progress::text(Clock::time_point now) const {
  using std::chrono::duration_cast, std::chrono::milliseconds;
  const auto left = time_left(duration_cast<milliseconds>(now - start_), done_, total_);
  return fmt::format("{}%, {} left", percent_of(done_, total_), duration_text(left));
}

void Progress::draw_bar(Clock::time_point now) {
  constexpr std::uint64_t kWidth = 40;
  const std::string bar(percent_of(done_, total_) * kWidth / 100, '#');
  std::fputs(fmt::format("\r{} [{:<40}] {}\033[K", what_, bar, text(now)).c_str(), stream_);
  std::fflush(stream_);
  is_drawn_ = true;
}

void Progress::write_line(Clock::time_point now) {
  const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(now - start_);
  std::fputs(
      fmt::format("mxgold: {}: {} after {}\n", what_, text(now), duration_text(elapsed)).c_str(),
      stream_);
  std::fflush(stream_);
}

}  // namespace mx::cli
