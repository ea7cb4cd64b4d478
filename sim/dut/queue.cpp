#include "sim/dut/queue.hpp"

namespace mx::sim {

void QueueDut::tick(const Drive& drive, Observed& observed) {
  ++now_;
  observed.ready = in_flight_.size() < depth_;
  observed.valid = !in_flight_.empty() && in_flight_.front().due <= now_;
  if (observed.valid) {
    observed.block = in_flight_.front().answer;
    if (drive.ready) in_flight_.pop_front();
  }
  if (drive.offer != nullptr && observed.ready) {
    Entry& entry = in_flight_.emplace_back();
    entry.due = now_ + latency_;
    compute(*drive.offer, entry.answer);
  }
}

}  // namespace mx::sim
