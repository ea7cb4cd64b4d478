/* What a peer is to the table of goals: loops over arrays under a name each, in a shared library of
 * its own.
 *
 * A library is one build of one peer, <peer>.<compiler>.so. It exports mx_peer() alone, so that two
 * builds of the same source can live in one process without sharing a function. */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The loops and their arrays, of `count` elements in blocks of 32:
 *   narrow_copy    u32 -> u8, the top byte               widen_copy    u8 -> u32, on top
 *   narrow_copy_ahead, widen_copy_ahead: the same with prefetches
 *   mxfp8          f32 -> f32, `aside` f32: the largest magnitude of each block
 *   mxfp8_whole    the same without `aside`
 *   e4m3           f32 -> f32                            e4m3_drawn    the same, stochastic
 *   to_e4m3fn      f32 -> u8                             from_e4m3fn   u8 -> f32
 *   to_mxfp4       f32 -> 17 bytes a block: scale, then 16 bytes, element j low and j + 16 high
 *   from_mxfp4     the way back */
typedef struct {
  const char* name;
  void (*run)(const void* from, const void* aside, void* to, size_t count);
} MxPeerLoop;

typedef struct {
  const char* commit;   /* of the checkout, as git describes it */
  const char* compiler; /* name and version */
  const MxPeerLoop* loops;
  size_t loop_count;
} MxPeer;

__attribute__((visibility("default"))) const MxPeer* mx_peer(void);

#ifdef __cplusplus
}
#endif

#define MX_PEER_TEXT(number) #number
#define MX_PEER_VERSION(major, minor, patch) \
  MX_PEER_TEXT(major) "." MX_PEER_TEXT(minor) "." MX_PEER_TEXT(patch)
#ifdef __clang__
#define MX_PEER_COMPILER \
  "clang " MX_PEER_VERSION(__clang_major__, __clang_minor__, __clang_patchlevel__)
#else
#define MX_PEER_COMPILER "gcc " MX_PEER_VERSION(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__)
#endif
#ifndef MX_PEER_COMMIT
#define MX_PEER_COMMIT "of this tree"
#endif

#endif
