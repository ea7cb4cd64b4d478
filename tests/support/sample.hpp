// SPDX-License-Identifier: Apache-2.0
// Parts of repeated products. `./dev test --all` sets MX_ALL=1: everything is compared. Otherwise a
// fixed seed draws, so that each configuration still meets some of the stimulus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace mx::test {

/// Says once, aloud, where it is a part, and by which seed it is drawn.
[[nodiscard]] bool runs_whole();

/// A number of repetitions, or the floor of what they count: one in `of` where a part runs.
[[nodiscard]] inline std::size_t part(std::size_t whole, std::size_t of) {
  return runs_whole() ? whole : whole / of;
}

/// Seeded: the same in every run.
[[nodiscard]] std::uint64_t random_number(std::uint64_t index);

/// Of each `n` neighbours of `all` one that seed and `stream` draw; all of them where everything
/// runs.
template <class T>
[[nodiscard]] std::vector<T> one_in(std::size_t n, const std::vector<T>& all,
                                    std::uint64_t stream) {
  if (runs_whole()) return all;
  std::vector<T> taken;
  for (std::size_t first = 0; first < all.size(); first += n) {
    const std::size_t width = n < all.size() - first ? n : all.size() - first;
    taken.push_back(all[first + random_number((stream << 32) + first) % width]);
  }
  return taken;
}

/// Units dealt over `of` hands, so that configurations in turn see all of them; or one hand that
/// has all.
template <class T>
[[nodiscard]] std::vector<std::vector<T>> deal(const std::vector<T>& all, std::size_t unit,
                                               std::size_t of) {
  if (runs_whole()) return {all};
  std::vector<std::vector<T>> hands(of);
  for (std::size_t at = 0; at < all.size(); at += unit) {
    std::vector<T>& hand = hands[random_number(at) % of];
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t count = at + unit < all.size() ? unit : all.size() - at;
    hand.insert(hand.end(), from, from + static_cast<std::ptrdiff_t>(count));
  }
  return hands;
}

/// Takes one in `of` configurations, and each that has a value which was never taken.
class Part {
 public:
  explicit Part(std::size_t of) : of_(of) {}
  template <class... Values>
  [[nodiscard]] bool takes(const Values&... values) {
    return takes_all({static_cast<std::uint64_t>(values)...});
  }

 private:
  [[nodiscard]] bool takes_all(std::initializer_list<std::uint64_t> values);

  std::size_t of_;
  std::uint64_t offered_ = 0;
  std::set<std::pair<std::size_t, std::uint64_t>> taken_;
};

}  // namespace mx::test
