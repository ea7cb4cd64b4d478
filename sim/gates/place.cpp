// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/place.hpp"

#include <algorithm>

namespace mx::sim {
namespace {

int counted(int count, bool up, bool down) {
  return std::clamp(count + (up ? 1 : 0) - (down ? 1 : 0), 0, Place::kMostBeats);
}

}  // namespace

std::optional<Move> moved(const Place& place, const HandshakeStep& step, Offers offers,
                          bool is_marked) {
  const bool in = offers.is_valid && step.is_taking;
  const bool out = step.is_leaving && offers.is_ready;
  const bool enters = is_marked && in && place.ahead == Place::kNone;
  if (is_marked && !enters) return std::nullopt;
  if (out && place.ahead == 0) return std::nullopt;
  Move move{place, enters, draws_own(place, step)};
  Place& next = move.next;
  next.handshake = step.next;
  next.held = counted(place.held, in, out);
  next.undrawn = counted(place.undrawn, in && step.is_due, step.is_drawing);
  if (enters) {
    next.ahead = std::max(next.held - 1, 0);
    if (step.is_due) next.drawn_ahead = std::max(next.undrawn - 1, 0);
  } else if (place.ahead != Place::kNone) {
    if (out) --next.ahead;
    if (step.is_drawing && place.drawn_ahead != Place::kNone) --next.drawn_ahead;
  }
  return move;
}

}  // namespace mx::sim
