// SPDX-License-Identifier: Apache-2.0
// Where one block of a stream stands, as it is counted from outside: by beats that were taken, that
// left, and that drew a random word.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/gates/handshake.hpp"

namespace mx::sim {

struct Place {
  /// No block is marked yet; the random word is drawn.
  static constexpr int kNone = -1;
  /// More beats than any pipeline of ours holds: counts of RTL that loses some stay there.
  static constexpr int kMostBeats = 30;

  HandshakeState handshake = 0;
  int held = 0, undrawn = 0;  ///< beats in flight; those that wait for random words
  int ahead = kNone;          ///< beats before the marked one
  int drawn_ahead = kNone;    ///< random words before its own
  auto operator<=>(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    std::uint64_t all = place.handshake;
    for (const int count : {place.held, place.undrawn, place.ahead, place.drawn_ahead}) {
      all = all * 61 + static_cast<std::uint64_t>(count + 1);
    }
    return static_cast<std::size_t>(all * 0x9E3779B97F4A7C15U >> 20);
  }
};

/// A cycle of the marked block.
struct Move {
  Place next;
  bool enters = false;  ///< it is taken in this cycle
  bool draws = false;   ///< so is its random word
};

/// Is the random word that is taken that of the marked block?
[[nodiscard]] inline bool draws_own(const Place& place, const HandshakeStep& step) {
  return step.is_drawing && place.drawn_ahead == 0;
}

/// A cycle without reset from a place; with `is_marked` the beat that is taken is the marked one.
/// Nothing where that cannot be, or where the marked block leaves.
[[nodiscard]] std::optional<Move> moved(const Place& place, const HandshakeStep& step,
                                        Offers offers, bool is_marked);

}  // namespace mx::sim
