#include "backend/tensor/runs.hpp"

#include <mutex>
#include <string>

#include "reference/parallel/threads.hpp"

namespace mx::backend {

Checked<TensorSummary> share_portions(const Portions& portions, int threads,
                                      const PortionWork& work) {
  constexpr std::uint64_t kElements = 1 << 17;  // that a thread takes at a time
  const std::uint64_t piece =
      std::max<std::uint64_t>(kElements / std::max<std::uint64_t>(portions.elements, 1), 1);
  std::mutex mutex;
  TensorSummary summary;
  std::string problem;
  share_work(portions.count, piece, threads, [&](std::uint64_t first, std::uint64_t last) {
    const Checked<TensorSummary> part = work(first, last);
    const std::lock_guard lock(mutex);
    if (part) {
      summary += *part;
    } else {
      problem = part.problem();
    }
  });
  if (!problem.empty()) return Problem{problem};
  return summary;
}

}  // namespace mx::backend
