#include "cli/base/chunks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mx::cli {

void for_each_chunk(std::uint64_t count, std::uint64_t chunk, int threads,
                    const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  const std::uint64_t chunks = count / chunk + (count % chunk != 0 ? 1 : 0);
  std::atomic<std::uint64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr problem;
  const auto loop = [&] {
    for (std::uint64_t c = next++; c < chunks; c = next++) {
      try {
        work(c * chunk, std::min(count, (c + 1) * chunk));
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!problem) problem = std::current_exception();
        next = chunks;
      }
    }
  };
  const std::uint64_t helpers = std::min(chunks, static_cast<std::uint64_t>(std::max(threads, 1)));
  std::vector<std::jthread> pool;
  for (std::uint64_t t = 1; t < helpers; ++t) pool.emplace_back(loop);
  loop();
  pool.clear();  // joins
  if (problem) std::rethrow_exception(problem);
}

int default_threads() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace mx::cli
