// The C library's rand() and srand() without its lock, for a generator of cases that calls it nine
// times a case: the same numbers. glibc's default generator adds: word i is word i-3 + word i-31,
// mod 2^32, its upper 31 bits are the number; a seed fills the first 31 words by 16807 x mod 2^31 -
// 1, and ten rounds of them go by.
#include "tests/external/testfloat/linked/rand.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tests/support/report.hpp"

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
    if (is_still) return 0;
    const std::size_t lagged = oldest_ < kLag ? oldest_ + kWords - kLag : oldest_ - kLag;
    const std::uint32_t word = words_[oldest_] += words_[lagged];
    oldest_ = oldest_ + 1 == kWords ? 0 : oldest_ + 1;
    return word >> 1;
  }

  bool is_still = false;

  [[nodiscard]] std::string place(std::string_view of) const {
    std::string text = mx::oracle::hex(oldest_);
    for (const std::uint32_t word : words_) text += mx::oracle::hex(word, 8);
    return text + mx::oracle::hex(sum_of(text, of), 16);
  }

  bool set_place(std::string_view text, std::string_view of) {
    constexpr std::size_t kSum = 2 + 8 * kWords;
    std::uint64_t sum = 0, oldest = 0;
    const bool is_whole = text.size() == kSum + 16 && read(text.substr(kSum), sum) &&
                          sum == sum_of(text.substr(0, kSum), of) &&
                          read(text.substr(0, 2), oldest) && oldest < kWords;
    if (!is_whole) return false;
    for (std::size_t i = 0; i < kWords; ++i) {
      std::uint64_t word = 0;
      if (!read(text.substr(2 + 8 * i, 8), word)) return false;
      words_[i] = static_cast<std::uint32_t>(word);
    }
    oldest_ = oldest;
    return true;
  }

 private:
  static bool read(std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    return error == std::errc{} && end == text.data() + text.size();
  }

  /// FNV-1a.
  static std::uint64_t sum_of(std::string_view text, std::string_view of) {
    std::uint64_t sum = 0xCBF29CE484222325;
    for (const std::string_view each : {text, of}) {
      for (const char c : each) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    return sum;
  }

  std::array<std::uint32_t, kWords> words_{};
  std::size_t oldest_ = kLag;
};

Additive generator;

}  // namespace

namespace mx::external {

std::string rand_place(std::string_view of) { return generator.place(of); }
bool set_rand_place(std::string_view place, std::string_view of) {
  return generator.set_place(place, of);
}
StillRand::StillRand() { generator.is_still = true; }
StillRand::~StillRand() { generator.is_still = false; }

}  // namespace mx::external

extern "C" {
int rand() noexcept { return static_cast<int>(generator.next()); }
void srand(unsigned seed) noexcept { generator.seed(seed); }
}
