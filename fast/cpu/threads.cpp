#include "fast/cpu/threads.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace mx::fast::cpu {
namespace {

/// Elements that a thread takes at a time: long enough to outweigh the counter, short enough that
/// the threads end together.
constexpr std::size_t kPiece = std::size_t{1} << 16;

}  // namespace

void share_blocks(std::size_t lines, std::size_t blocks, std::size_t elements, int threads,
                  const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
  if (threads <= 1 || lines * blocks * elements <= kPiece) {
    for (std::size_t line = 0; line < lines; ++line) work(line, 0, blocks);
    return;
  }
  const std::size_t piece = std::max<std::size_t>(kPiece / elements, 1);
  const std::size_t pieces = (blocks + piece - 1) / piece;
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < lines * pieces; i = next++) {
      const std::size_t first = i % pieces * piece;
      work(i / pieces, first, std::min(first + piece, blocks));
    }
  };
  std::vector<std::thread> others;
  const auto wanted = std::min(static_cast<std::size_t>(threads), lines * pieces);
  try {
    while (others.size() + 1 < wanted) others.emplace_back(take);
  } catch (const std::system_error&) {
    // The threads there are do the work.
  }
  take();
  for (std::thread& each : others) each.join();
}

}  // namespace mx::fast::cpu
