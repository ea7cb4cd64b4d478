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

/* The same, with what is read and written asked for kAhead bytes before: the faster of the two is
 * the limit. */
enum { kAhead = 8192, kLine = 64 };

static void narrow_ahead(const void* from, const void* aside, void* to, size_t count) {
  const uint32_t* words = from;
  uint8_t* bytes = to;
  size_t i = 0;
  for (; i + kLine <= count; i += kLine, words += kLine, bytes += kLine) {
    for (int line = 0; line < 4; ++line) {
      __builtin_prefetch((const char*)words + kAhead + line * kLine, 0, 3);
    }
    __builtin_prefetch((const char*)bytes + kAhead / 4, 1, 3);
    for (size_t j = 0; j < kLine; ++j) bytes[j] = (uint8_t)(words[j] >> 24);
  }
  narrow(words, aside, bytes, count - i);
}

static void widen_ahead(const void* from, const void* aside, void* to, size_t count) {
  const uint8_t* bytes = from;
  uint32_t* words = to;
  size_t i = 0;
  for (; i + kLine <= count; i += kLine, words += kLine, bytes += kLine) {
    for (int line = 0; line < 4; ++line) {
      __builtin_prefetch((const char*)words + kAhead + line * kLine, 1, 3);
    }
    __builtin_prefetch((const char*)bytes + kAhead / 4, 0, 3);
    for (size_t j = 0; j < kLine; ++j) words[j] = (uint32_t)bytes[j] << 24;
  }
  widen(bytes, aside, words, count - i);
}

const MxPeer* mx_peer(void) {
  static const MxPeerLoop loops[] = {{"narrow_copy", narrow},
                                     {"widen_copy", widen},
                                     {"narrow_copy_ahead", narrow_ahead},
                                     {"widen_copy_ahead", widen_ahead}};
  static const MxPeer peer = {MX_PEER_COMMIT, MX_PEER_COMPILER, loops, 4};
  return &peer;
}
