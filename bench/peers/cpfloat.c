/* CPFloat's cpfloatf on binary32 arrays that hold the values of e4m3, sequentially. */
#include "cpfloat_binary32.h"

#include "bench/peers/peer.h"

/* Precision 4, exponents -6..8, subnormals, saturation. Its largest value is 480, that of no format
 * here. */
static void round_to_e4m3(const void* from, void* to, size_t count, cpfloat_rounding_t rounding) {
  static optstruct* options =
      NULL; /* holds the generator's state, which goes on from call to call */
  if (options == NULL) {
    options = init_optstruct();
    options->precision = 4;
    options->emin = -6;
    options->emax = 8;
    options->explim = CPFLOAT_EXPRANGE_TARG;
    options->infinity = CPFLOAT_INF_USE;
    options->subnormal = CPFLOAT_SUBN_USE;
    options->saturation = CPFLOAT_SAT_USE;
    options->flip = CPFLOAT_SOFTERR_NO;
    options->p = 0;
  }
  options->round = rounding;
  cpfloatf(to, from, count, options);
}

static void nearest(const void* from, const void* aside, void* to, size_t count) {
  (void)aside;
  round_to_e4m3(from, to, count, CPFLOAT_RND_NE);
}

static void drawn(const void* from, const void* aside, void* to, size_t count) {
  (void)aside;
  round_to_e4m3(from, to, count, CPFLOAT_RND_SP);
}

const MxPeer* mx_peer(void) {
  static const MxPeerLoop loops[] = {{"e4m3", nearest}, {"e4m3_drawn", drawn}};
  static const MxPeer peer = {MX_PEER_COMMIT, MX_PEER_COMPILER, loops, 2};
  return &peer;
}
