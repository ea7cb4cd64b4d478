#include "reference/parallel/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace mx {
namespace {

/// What the threads of one call have in common.
struct Shared {
  std::uint64_t count;
  std::uint64_t piece;
  const std::function<void(std::uint64_t, std::uint64_t)>& work;
  std::atomic<std::uint64_t> next = 0;
  std::atomic<bool> stopped = false;
  std::mutex mutex;
  std::exception_ptr failure = nullptr;

  void run() noexcept {
    try {
      while (!stopped) {
        const std::uint64_t index = next++;
        if (index > (count - 1) / piece) return;
        const std::uint64_t first = index * piece;
        work(first, first + std::min(piece, count - first));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      stopped = true;
    }
  }
};

}  // namespace

int machine_threads() {
#if defined(__linux__)
  // As many as this process may use: fewer than the machine's under taskset or a batch system.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(CPU_COUNT(&allowed), 1);
#endif
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

void share_work(std::uint64_t count, std::uint64_t piece, int threads,
                const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  if (count == 0) return;
  Shared shared{.count = count, .piece = piece, .work = work, .mutex = {}};
  const std::uint64_t pieces = (count - 1) / piece + 1;
  const auto wanted = std::min<std::uint64_t>(pieces, static_cast<std::uint64_t>(threads));
  std::vector<std::thread> helpers;
  try {
    for (std::uint64_t i = 1; i < wanted; ++i) helpers.emplace_back([&shared] { shared.run(); });
  } catch (...) {  // no memory or no thread: those that were started and this one do the work
  }
  shared.run();
  for (std::thread& each : helpers) each.join();
  if (shared.failure) std::rethrow_exception(shared.failure);
}

}  // namespace mx
