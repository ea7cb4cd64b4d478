/* ggml's rows of mxfp4, whose CPU back end calls these very functions to quantize. */
#include "ggml-quants.h"

#include "bench/peers/peer.h"

static void quantize(const void* from, const void* aside, void* to, size_t count) {
  (void)aside;
  quantize_row_mxfp4_ref(from, to, (int64_t)count);
}

static void dequantize(const void* from, const void* aside, void* to, size_t count) {
  (void)aside;
  dequantize_row_mxfp4(from, to, (int64_t)count);
}

const MxPeer* mx_peer(void) {
  static const MxPeerLoop loops[] = {{"to_mxfp4", quantize}, {"from_mxfp4", dequantize}};
  static const MxPeer peer = {MX_PEER_COMMIT, MX_PEER_COMPILER, loops, 2};
  return &peer;
}
