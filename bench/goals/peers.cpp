#include "bench/goals/peers.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <filesystem>

namespace mx::goals {

namespace {

/// What the user is told to give for a peer.
std::string remedy(std::string_view peer) {
  if (peer == "limits") return "build the target goals_peers";
  std::string option = "MX_PEER_";
  for (const char c : peer) option += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  if (peer == "cpfloat") option += "=PATH and pcg-c's by MX_PEER_PCG";
  return "give its checkout by " + option + "=PATH (bench/README.md)";
}

/// The library's peer, or null and why in `problem`.
const MxPeer* load(const std::filesystem::path& library, std::string& problem) {
  // Lazily: a peer's source may name functions of its project that no loop here calls.
  void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) {
    problem = dlerror();
    return nullptr;
  }
  const auto entry = reinterpret_cast<decltype(&mx_peer)>(dlsym(handle, "mx_peer"));
  if (entry == nullptr) problem = library.string() + " exports no mx_peer";
  return entry == nullptr ? nullptr : entry();
}

}  // namespace

PeerLoop find_peer(const std::string& folder, std::string_view peer, std::string_view loop) {
  PeerLoop found;
  for (const std::string_view compiler : kPeerCompilers) {
    const std::string file = std::string(peer) + "." + std::string(compiler) + ".so";
    const std::filesystem::path library = std::filesystem::path(folder) / file;
    if (!std::filesystem::exists(library)) {
      found.problem =
          "no build of " + std::string(peer) + " by " + std::string(compiler) + ": " + remedy(peer);
      return found;
    }
    const MxPeer* const build = load(library, found.problem);
    if (build == nullptr) return found;
    PeerBuild one;
    one.name = std::string(peer) + " " + build->commit + ", " + build->compiler;
    for (std::size_t i = 0; i < build->loop_count; ++i) {
      if (loop == build->loops[i].name) one.run = build->loops[i].run;
    }
    if (one.run == nullptr) {
      found.problem = file + " has no loop " + std::string(loop);
      return found;
    }
    found.builds.push_back(one);
  }
  return found;
}

}  // namespace mx::goals
