// The C library's rand() and srand() without its lock, for a generator of cases that calls it nine
// times a case: the same numbers. glibc's default generator adds: word i is word i-3 + word i-31,
// mod 2^32, its upper 31 bits are the number; a seed fills the first 31 words by 16807 x mod 2^31 -
// 1, and ten rounds of them go by.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::size_t kWords = 31;
constexpr std::size_t kLag = 3;
constexpr std::int64_t kModulus = 0x7FFFFFFF;

class Additive {
 public:
  void seed(std::uint32_t seed) {
    std::int64_t word = seed == 0 ? 1 : static_cast<std::int32_t>(seed);
    for (std::uint32_t& each : words_) {
      each = static_cast<std::uint32_t>(word);
      word = word * 16807 % kModulus;
      if (word < 0) word += kModulus;
    }
    oldest_ = kLag;
    for (std::size_t i = 0; i < 10 * kWords; ++i) (void)next();
  }

  std::uint32_t next() {
    const std::size_t lagged = oldest_ < kLag ? oldest_ + kWords - kLag : oldest_ - kLag;
    const std::uint32_t word = words_[oldest_] += words_[lagged];
    oldest_ = oldest_ + 1 == kWords ? 0 : oldest_ + 1;
    return word >> 1;
  }

 private:
  std::array<std::uint32_t, kWords> words_{};
  std::size_t oldest_ = kLag;
};

Additive generator;

}  // namespace

extern "C" {
int rand() noexcept { return static_cast<int>(generator.next()); }
void srand(unsigned seed) noexcept { generator.seed(seed); }
}
