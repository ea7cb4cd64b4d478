#include "tests/external/testfloat/linked/rand.hpp"

#include <charconv>

#include "tests/support/report.hpp"

namespace mx::external {
namespace {

constexpr std::int64_t kModulus = 0x7FFFFFFF;

bool read(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

/// FNV-1a.
std::uint64_t sum_of(std::string_view text, std::string_view of) {
  std::uint64_t sum = 0xCBF29CE484222325;
  for (const std::string_view each : {text, of}) {
    for (const char c : each) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  }
  return sum;
}

}  // namespace

void Rand::seed(std::uint32_t seed) {
  std::array<std::uint32_t, kHistory> first{};
  std::int64_t word = seed == 0 ? 1 : static_cast<std::int32_t>(seed);
  for (std::uint32_t& each : first) {
    each = static_cast<std::uint32_t>(word);
    word = word * 16807 % kModulus;
    if (word < 0) word += kModulus;
  }
  // Its sums begin with the fourth of them: the first three are the newest.
  std::rotate_copy(first.begin(), first.begin() + kLag, first.end(), words_.end() - kHistory);
  at_ = words_.size();
  for (std::size_t i = 0; i < 10 * kHistory; ++i) (void)next();
}

// The number of the oldest of the words, which are a ring, then all of them.
std::string Rand::place(std::string_view of) const {
  std::string text = "00";
  for (std::size_t i = at_ - kHistory; i < at_; ++i) text += mx::oracle::hex(words_[i], 8);
  return text + mx::oracle::hex(sum_of(text, of), 16);
}

bool Rand::set_place(std::string_view place, std::string_view of) {
  constexpr std::size_t kSum = 2 + 8 * kHistory;
  std::uint64_t sum = 0, oldest = 0;
  const bool is_whole = place.size() == kSum + 16 && read(place.substr(kSum), sum) &&
                        sum == sum_of(place.substr(0, kSum), of) &&
                        read(place.substr(0, 2), oldest) && oldest < kHistory;
  if (!is_whole) return false;
  std::array<std::uint32_t, kHistory> ring{};
  for (std::size_t i = 0; i < kHistory; ++i) {
    std::uint64_t word = 0;
    if (!read(place.substr(2 + 8 * i, 8), word)) return false;
    ring[i] = static_cast<std::uint32_t>(word);
  }
  std::rotate_copy(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(oldest), ring.end(),
                   words_.end() - kHistory);
  at_ = words_.size();
  return true;
}

}  // namespace mx::external
