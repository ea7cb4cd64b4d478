#include "cli/farm/meter.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>

namespace mx::cli {

std::string short_count(double count) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"", " k", " M", " G", " T", " P"};
  std::size_t prefix = 0;
  while (count >= 1000 && prefix + 1 < kPrefixes.size()) {
    count /= 1000;
    ++prefix;
  }
  return fmt::format("{:.3g}{}", count, kPrefixes[prefix]);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::min(seconds, 1e15)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} days {} h", whole / 86400, whole / 3600 % 24);
}

Meter::Meter(const Campaign& campaign, std::uint64_t shards)
    : unit_(campaign.unit),
      shards_(shards),
      is_terminal_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      shown_(start_) {
  if (is_terminal_) show();
}

Meter::~Meter() {
  if (has_bar_) fmt::print(stderr, "\r\033[K");
}

void Meter::add(std::uint64_t compared) {
  ++done_;
  compared_ += compared;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::seconds pause(is_terminal_ ? 0 : 10);
  if (now - shown_ < pause && done_ != shards_) return;
  shown_ = now;
  show();
}

void Meter::tell(std::string_view line) {
  if (has_bar_) fmt::print(stderr, "\r\033[K");
  fmt::print(stderr, "{}\n", line);
  if (has_bar_) show();
}

void Meter::show() {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(compared_) / seconds : 0;
  const double left = seconds * static_cast<double>(shards_ - done_) /
                      static_cast<double>(std::max<std::uint64_t>(done_, 1));
  const std::string at = compared_ == 0 ? "" : fmt::format("{} {}/s, ", short_count(rate), unit_);
  const std::string rest = done_ == 0 ? "" : fmt::format(", {}{} left", at, duration_text(left));
  const std::string text = fmt::format("{}/{} shards{}", done_, shards_, rest);
  if (!is_terminal_) {
    fmt::print(stderr, "farm: {}\n", text);
    return;
  }
  constexpr std::uint64_t kWidth = 30;
  const std::string bar(done_ * kWidth / std::max<std::uint64_t>(shards_, 1), '#');
  fmt::print(stderr, "\r\033[Kfarm [{:<30}] {}", bar, text);
  std::fflush(stderr);
  has_bar_ = true;
}

}  // namespace mx::cli
