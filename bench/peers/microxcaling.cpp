// microxcaling's C++ loop over the blocks of a tensor, as host code. Its headers want CUDA's and
// torch's: the build puts empty ones in their place, and this file what they use.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/peers/cuda_names.hpp"
#include "bench/peers/torch_names.hpp"

// After what it takes of torch.
#include "funcs.h"

#include "bench/peers/peer.h"

namespace {

/// Values of e4m3fn under 8-bit scales, ties to even: 4 exponent bits, 5 bits of sign and
/// significand, largest 448. `aside` are the largest magnitudes, which its Python finds by torch.
void quantize(const void* from, const void* aside, void* to, std::size_t count) {
  quantize_mx_cpp<float>(static_cast<const float*>(from), 8, 4, 5, 448.0F,
                         static_cast<const float*>(aside), 32, static_cast<int>(count / 32), 1,
                         false, rd_even, static_cast<float*>(to));
}

/// The same with the maxima found in that time, by integers, which compilers make vectors of.
void quantize_whole(const void* from, const void* /*aside*/, void* to, std::size_t count) {
  const auto* const words = static_cast<const std::uint32_t*>(from);
  static std::vector<std::uint32_t> largest;
  largest.resize(count / 32);
  for (std::size_t block = 0; block < largest.size(); ++block) {
    std::uint32_t most = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      most = std::max(most, words[32 * block + i] & 0x7FFFFFFFU);
    }
    largest[block] = most;
  }
  quantize(from, largest.data(), to, count);
}

}  // namespace

const MxPeer* mx_peer() {
  static const MxPeerLoop loops[] = {{"mxfp8", quantize}, {"mxfp8_whole", quantize_whole}};
  static const MxPeer peer = {MX_PEER_COMMIT, MX_PEER_COMPILER, loops, 2};
  return &peer;
}
