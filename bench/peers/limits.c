/* The copies that no conversion of the same traffic can be faster than, as plain loops. */
#include <stdint.h>

#include "bench/peers/peer.h"

static void narrow(const void* from, const void* aside, void* to, size_t count) {
  const uint32_t* const words = from;
  uint8_t* const bytes = to;
  (void)aside;
  for (size_t i = 0; i < count; ++i) bytes[i] = (uint8_t)(words[i] >> 24);
}

static void widen(const void* from, const void* aside, void* to, size_t count) {
  const uint8_t* const bytes = from;
  uint32_t* const words = to;
  (void)aside;
  for (size_t i = 0; i < count; ++i) words[i] = (uint32_t)bytes[i] << 24;
}

const MxPeer* mx_peer(void) {
  static const MxPeerLoop loops[] = {{"narrow_copy", narrow}, {"widen_copy", widen}};
  static const MxPeer peer = {MX_PEER_COMMIT, MX_PEER_COMPILER, loops, 2};
  return &peer;
}
