// A progress bar on a terminal; nothing in a pipe.
#pragma once

#include <cstdint>
#include <string>

namespace mx::cli {

/// Shows how much of `total` is done on stderr, if that is a terminal, and wipes it at the end.
/// Callers serialize add().
class Progress {
 public:
  Progress(std::string what, std::uint64_t total);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  void add(std::uint64_t done);

 private:
  std::string what_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::uint64_t shown_percent_ = 0;
  bool is_shown_;
};

}  // namespace mx::cli
