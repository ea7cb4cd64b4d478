// The peers that were built: shared libraries <peer>.<compiler>.so in a folder, each a build of its
// own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/peers/peer.h"

namespace mx::goals {

/// The compilers that every peer is built by; the fastest build is the peer.
inline constexpr std::string_view kPeerCompilers[] = {"gcc", "clang"};

/// A loop of one build.
struct PeerBuild {
  std::string name;  ///< "ml_dtypes b793a6e, clang 14.0.6"
  decltype(MxPeerLoop::run) run = nullptr;
};

/// A loop in all builds, or what is missing.
struct PeerLoop {
  std::vector<PeerBuild> builds;
  std::string problem;  ///< "" where every compiler's build is there
};

/// Looks up `loop` of `peer` in the libraries of `folder`, which stay loaded.
[[nodiscard]] PeerLoop find_peer(const std::string& folder, std::string_view peer,
                                 std::string_view loop);

}  // namespace mx::goals
