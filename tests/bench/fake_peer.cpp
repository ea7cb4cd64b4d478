// A peer for the tests of the table: decodes e4m3fn by arithmetic. Where FAKE_PEER_IS_WRONG, the
// last value of each array is not its code's.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "bench/peers/peer.h"

namespace {

float value_of(std::uint8_t code) {
  const int exponent = code >> 3 & 15;
  const int fraction = code & 7;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -9)
                              : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

void decode(const void* from, const void* /*aside*/, void* to, std::size_t count) {
  const auto* const codes = static_cast<const std::uint8_t*>(from);
  auto* const values = static_cast<float*>(to);
  for (std::size_t i = 0; i < count; ++i) values[i] = value_of(codes[i]);
#ifdef FAKE_PEER_IS_WRONG
  values[count - 1] += 1;
#endif
}

}  // namespace

const MxPeer* mx_peer() {
  static const MxPeerLoop loops[] = {{"from_e4m3fn", decode}};
  static const MxPeer peer = {"fake", MX_PEER_COMPILER, loops, 1};
  return &peer;
}
