#include "cli/base/chunks.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "reference/parallel/threads.hpp"

namespace mx::cli {

void for_each_chunk(std::uint64_t count, std::uint64_t chunk, int threads,
                    const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  const std::uint64_t chunks = count / chunk + (count % chunk != 0 ? 1 : 0);
  tbb::task_arena(std::max(threads, 1)).execute([&] {
    tbb::parallel_for(std::uint64_t{0}, chunks,
                      [&](std::uint64_t c) { work(c * chunk, std::min(count, (c + 1) * chunk)); });
  });
}

int default_threads() { return machine_threads(); }

}  // namespace mx::cli
