// How far a long command is: time left, a line after each interval in a log, nothing of a short
// one.
#include "cli/base/progress.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <thread>

namespace mx::cli {
namespace {

using namespace std::chrono_literals;

TEST(ProgressText, DurationsHaveTwoUnits) {
  EXPECT_EQ(duration_text(0s), "0 s");
  EXPECT_EQ(duration_text(59s), "59 s");
  EXPECT_EQ(duration_text(60s), "1 min");
  EXPECT_EQ(duration_text(61s), "1 min 1 s");
  EXPECT_EQ(duration_text(3599s), "59 min 59 s");
  EXPECT_EQ(duration_text(3600s), "1 h");
  EXPECT_EQ(duration_text(3661s), "1 h 1 min");
}

TEST(ProgressText, TheRestTakesAsLongAsItsShare) {
  EXPECT_EQ(time_left(10s, 0, 100), 0s);
  EXPECT_EQ(time_left(10s, 25, 100), 30s);
  EXPECT_EQ(time_left(10s, 99, 100), 0s);
  EXPECT_EQ(time_left(10s, 100, 100), 0s);
  EXPECT_EQ(time_left(10s, 101, 100), 0s);
  EXPECT_EQ(time_left(1000s, 1, ~std::uint64_t{0}), 1'000'000'000s);
}

/// What a log holds after `steps` of 10 percent, 20 ms each.
std::string log_of(int steps, std::chrono::milliseconds interval, std::uint64_t total = 100) {
  std::FILE* const file = std::tmpfile();
  {
    Progress progress("checking", total, file, interval);
    for (int i = 0; i < steps; ++i) {
      std::this_thread::sleep_for(20ms);
      progress.add(10);
    }
  }
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST(ProgressText, ALogHasALineAfterEachInterval) {
  const std::string text = log_of(5, 15ms);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5) << text;
  EXPECT_TRUE(text.starts_with("mxgold: checking: 10%, 0 s left after 0 s\n")) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ProgressText, AShortCommandLeavesNothingInALog) {
  EXPECT_EQ(log_of(5, 1min), "");
  EXPECT_EQ(log_of(5, 0ms, 0), "");  // nothing to do
}

}  // namespace
}  // namespace mx::cli
