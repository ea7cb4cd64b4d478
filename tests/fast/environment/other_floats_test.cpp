// The state of the caller's floating point, which a program gets from its own start-up code too:
// this one is linked with -ffast-math, so that subnormals are flushed from its first instruction.
#include <gtest/gtest.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>

#include "fast/cpu/targets.hpp"
#include "fast/environment/default_floats.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/environment/paths.hpp"

namespace mx::fast::test {
namespace {

/// Of MXCSR: what a state sets, all but what is only reported.
constexpr unsigned kFlush = 0x8040;
constexpr unsigned kStates = 0xE040;
constexpr unsigned kReported = 0x003F;

/// Flushing of results, of operands, of both; upward, downward and toward zero, the last with both.
constexpr unsigned kOthers[] = {0x8000, 0x0040, 0x8040, 0x4000, 0x2000, 0x6000, 0xE040};

/// A state of MXCSR for this thread while it lives.
class OtherFloats {
 public:
  explicit OtherFloats(unsigned state)
      : before_(_mm_getcsr()), state_((before_ & ~kStates) | state) {
    _mm_setcsr(state_);
  }
  ~OtherFloats() { _mm_setcsr(before_); }
  OtherFloats(const OtherFloats&) = delete;
  OtherFloats& operator=(const OtherFloats&) = delete;

  [[nodiscard]] bool is_kept() const {
    return (_mm_getcsr() & ~kReported) == (state_ & ~kReported);
  }

 private:
  unsigned before_;
  unsigned state_;
};

/// What a path's bytes are in the default state, and in which others they differ.
struct Seen {
  std::vector<std::byte> bytes;
  std::string changed_by;
};
Seen seen(const Path& path) {
  Seen out;
  {
    const DefaultFloats floats;
    out.bytes = path.call();
  }
  if (path.call() != out.bytes) out.changed_by += " start-up";
  for (const unsigned state : kOthers) {
    const OtherFloats floats(state);
    if (path.call() != out.bytes) out.changed_by += ' ' + std::to_string(state);
    if (!floats.is_kept()) out.changed_by += ' ' + std::to_string(state) + "(not kept)";
  }
  return out;
}

/// How many bytes are not zero.
std::size_t told(const std::vector<std::byte>& bytes) {
  return bytes.size() - static_cast<std::size_t>(std::ranges::count(bytes, std::byte{}));
}

void expect_unchanged(const std::vector<Path>& paths) {
  for (const Path& path : paths) {
    const Seen one = seen(path);
    EXPECT_EQ(one.changed_by, "") << path.name;
    EXPECT_GT(told(one.bytes), 64u) << path.name;
  }
}

TEST(FastMathStartUp, FlushesSubnormalsInThisProcess) {
  EXPECT_EQ(_mm_getcsr() & kFlush, kFlush);
  const volatile float tiny = std::bit_cast<float>(0x00000007U);
  const volatile float product = tiny * 1.0f;
  EXPECT_EQ(product, 0.0f);
}

// The specification: no state of the caller's floating point changes a bit of any path, and none is
// changed.
TEST(OtherFloats, ChangeNothingOfTheVectors) {
  MX_NEEDS_CPU_PATH();
  const std::vector<Path> paths = vector_paths();
  EXPECT_GE(paths.size(), 250u);
  expect_unchanged(paths);
}

TEST(OtherFloats, ChangeNothingOfTheCudaPathOnTheHost) {
  const std::vector<Path> paths = cuda_host_paths();
  EXPECT_GE(paths.size(), 450u);
  expect_unchanged(paths);
}

// Negative control: a path by the machine's own binary32 is seen to change by every one of them.
TEST(OtherFloatsControl, APathWithoutCareIsSeenInEveryState) {
  const Path careless{
      "products", [] {
        std::vector<std::byte> bytes;
        for (std::uint32_t i = 1; i < 1000; ++i) {
          // Subnormal operands and results, and inexact ones of both signs.
          const std::uint32_t bits[] = {i, 0x00800000 + i, 0x3F800000 + i, 0xBF800000 + i};
          for (const std::uint32_t each : bits) {
            const volatile float operand = std::bit_cast<float>(each);
            const volatile float result = operand * (each == i ? 4096.0f * 4096 : 0.7f);
            const auto word = std::bit_cast<std::array<std::byte, 4>>(float{result});
            bytes.insert(bytes.end(), word.begin(), word.end());
          }
        }
        return bytes;
      }};
  EXPECT_EQ(seen(careless).changed_by, " start-up 32768 64 32832 16384 8192 24576 57408");
}

}  // namespace
}  // namespace mx::fast::test
