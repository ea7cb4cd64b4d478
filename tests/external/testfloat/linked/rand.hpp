// The C library's rand() and srand() without its lock, for a generator of cases that draws a dozen
// numbers a case: the same numbers. glibc's default generator adds: word i is word i-3 + word i-31,
// mod 2^32, its upper 31 bits are the number; a seed fills the first 31 words by 16807 x mod 2^31 -
// 1, and ten rounds of them go by.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mx::external {

class Rand {
 public:
  void seed(std::uint32_t seed);

  std::uint32_t next() {
    if (at_ == words_.size()) refill();
    return words_[at_++] >> 1;
  }

  /// Its state in one word, with a check sum that is also over `of`: what draws, and where.
  [[nodiscard]] std::string place(std::string_view of) const;
  /// Goes on from there. False, and nothing has changed, where it is no word of place(of).
  [[nodiscard]] bool set_place(std::string_view place, std::string_view of);

 private:
  static constexpr std::size_t kHistory = 31;
  static constexpr std::size_t kLag = 3;
  static constexpr std::size_t kAhead = 341 * kLag;

  // The newest three in registers: a word that is read back at once costs more than the sum.
  [[gnu::noinline]] void refill() {
    std::copy(words_.end() - kHistory, words_.end(), words_.begin());
    std::uint32_t first = words_[kHistory - 3], second = words_[kHistory - 2],
                  third = words_[kHistory - 1];
    for (std::size_t i = kHistory; i < words_.size(); i += kLag) {
      words_[i] = first += words_[i - kHistory];
      words_[i + 1] = second += words_[i + 1 - kHistory];
      words_[i + 2] = third += words_[i + 2 - kHistory];
    }
    at_ = kHistory;
  }

  std::array<std::uint32_t, kHistory + kAhead> words_{};
  std::size_t at_ = words_.size();  ///< of the next one; those before it were drawn
};

}  // namespace mx::external
