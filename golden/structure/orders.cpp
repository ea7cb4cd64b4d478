// SPDX-License-Identifier: Apache-2.0
#include "golden/structure/orders.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace mx::golden {
namespace {

using Words = std::span<std::uint64_t>;

/// The lanes of even number first, then the others.
void deinterleave(Words words) {
  const std::vector<std::uint64_t> old(words.begin(), words.end());
  std::size_t to = 0;
  for (const std::size_t first : {0U, 1U}) {
    for (std::size_t i = first; i < old.size(); i += 2) words[to++] = old[i];
  }
}

/// The other way.
void interleave(Words words) {
  const std::vector<std::uint64_t> old(words.begin(), words.end());
  std::size_t from = 0;
  for (const std::size_t first : {0U, 1U}) {
    for (std::size_t i = first; i < old.size(); i += 2) words[i] = old[from++];
  }
}

constexpr std::array kOrders = {
    LaneOrder{"pairs_swapped", "exchanged with their neighbours, pair by pair",
              [](Words words) {
                for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
                  std::swap(words[i], words[i + 1]);
                }
              }},
    LaneOrder{"reversed", "in the opposite order",
              [](Words words) { std::ranges::reverse(words); }},
    LaneOrder{"halves_swapped", "with their halves exchanged",
              [](Words words) {
                const std::size_t half = words.size() / 2;
                if (words.size() % 2 != 0) return;
                for (std::size_t i = 0; i < half; ++i) std::swap(words[i], words[half + i]);
              }},
    LaneOrder{"next", "taken from the next lane",
              [](Words words) {
                if (!words.empty()) std::rotate(words.begin(), words.begin() + 1, words.end());
              }},
    LaneOrder{"previous", "taken from the previous lane",
              [](Words words) {
                if (!words.empty()) std::rotate(words.begin(), words.end() - 1, words.end());
              }},
    LaneOrder{"even_first", "with those of even lanes first", deinterleave},
    LaneOrder{"interleaved", "with their halves interleaved", interleave},
    LaneOrder{"shared", "taken from lane 0 everywhere", [](Words words) {
                if (!words.empty()) std::ranges::fill(words, words[0]);
              }}};

}  // namespace

std::span<const LaneOrder> lane_orders() { return kOrders; }

}  // namespace mx::golden
