// How far a campaign is, and how long it will take.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/farm/campaign.hpp"

namespace mx::cli {

/// "1.3 G", "870", "2.5 M".
[[nodiscard]] std::string short_count(double count);
/// "12 s", "3 min 20 s", "5 h 12 min", "3 days 2 h".
[[nodiscard]] std::string duration_text(double seconds);

/// Tells on stderr how many shards are done, the rate and the time left: a bar on a terminal, else
/// a line now and then. Callers serialize its functions.
class Meter {
 public:
  /// For `shards` shards that are to be done; the campaign may have more.
  Meter(const Campaign& campaign, std::uint64_t shards);
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter();

  /// A shard is done, in which so much was compared; 0: nobody knows.
  void add(std::uint64_t compared);
  /// A line on stderr beside the bar.
  void tell(std::string_view line);

 private:
  void show();

  std::string unit_;
  std::uint64_t shards_;
  std::uint64_t done_ = 0;
  std::uint64_t compared_ = 0;
  bool is_terminal_;
  bool has_bar_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace mx::cli
