// Random blocks for one elaborated build of mx_quantizer, with the reference's answers.
#pragma once

#include <cstdint>
#include <vector>

namespace mx::rtl_test {

/// The parameters of mx_quantizer.
struct Build {
  int lanes = 32;
  int block_size = 32;
  unsigned in_fmt_mask = 0x7;
  unsigned fmt_mask = 0x3F;
  unsigned round_mask = 0x3FF;
  unsigned rule_mask = 0x1F;
  unsigned policy_mask = 0x7FFF;
  int sr_bits = 8;
  int sr_variant = 0;
  int subnormals = 1;
  int pipe_lane = 3;
  int out_skid = 0;

  [[nodiscard]] constexpr int beats() const { return block_size / lanes; }
  [[nodiscard]] constexpr int in_width() const { return (in_fmt_mask & 1) != 0 ? 32 : 16; }
  [[nodiscard]] constexpr int latency() const {
    return beats() + (beats() == 1 ? 3 : 4) + pipe_lane + out_skid;
  }
};

/// SplitMix64: small and seedable.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n).
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// One lane of a beat: what goes in and what must come out.
struct Lane {
  std::uint32_t word = 0;
  std::uint32_t random = 0;
  std::uint8_t code = 0;
  bool keep = false;
};

struct Beat {
  std::vector<Lane> lanes;
  std::uint32_t config_word = 0;
  bool last = false;
  std::uint16_t status = 0;  ///< expected, of the whole block
  bool ends_block = false;
};

enum class Shape : std::uint8_t { kAny, kWhole };  ///< kWhole: every lane of every beat is kept

/// Appends a block under a random legal configuration.
void append_random_block(const Build& build, Random& random, Shape shape, std::vector<Beat>& out);

}  // namespace mx::rtl_test
