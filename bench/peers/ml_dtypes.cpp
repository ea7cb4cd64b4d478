// ml_dtypes' float8_e4m3fn in plain loops over arrays, as its NumPy casts loop.
#include <cstdint>

#include "Eigen/Core"

// Eigen's releases up to 3.4.0 lack the trait that ml_dtypes asks for.
#if !EIGEN_VERSION_AT_LEAST(3, 4, 90)
namespace Eigen::numext {
template <std::size_t kBytes>
struct get_integer_by_size;
template <>
struct get_integer_by_size<1> {
  using signed_type = std::int8_t;
  using unsigned_type = std::uint8_t;
};
template <>
struct get_integer_by_size<2> {
  using signed_type = std::int16_t;
  using unsigned_type = std::uint16_t;
};
template <>
struct get_integer_by_size<4> {
  using signed_type = std::int32_t;
  using unsigned_type = std::uint32_t;
};
template <>
struct get_integer_by_size<8> {
  using signed_type = std::int64_t;
  using unsigned_type = std::uint64_t;
};
}  // namespace Eigen::numext
#endif

#include "bench/peers/peer.h"
#include "ml_dtypes/include/float8.h"

namespace {

using E4m3fn = ml_dtypes::float8_e4m3fn;

void narrow(const void* from, const void* /*aside*/, void* to, std::size_t count) {
  const auto* const values = static_cast<const float*>(from);
  auto* const codes = static_cast<E4m3fn*>(to);
  for (std::size_t i = 0; i < count; ++i) codes[i] = E4m3fn::ConvertFrom(values[i]);
}

void widen(const void* from, const void* /*aside*/, void* to, std::size_t count) {
  const auto* const codes = static_cast<const E4m3fn*>(from);
  auto* const values = static_cast<float*>(to);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(codes[i]);
}

}  // namespace

const MxPeer* mx_peer() {
  static const MxPeerLoop loops[] = {{"to_e4m3fn", narrow}, {"from_e4m3fn", widen}};
  static const MxPeer peer = {MX_PEER_COMMIT, MX_PEER_COMPILER, loops, 2};
  return &peer;
}
