#include "cli/farm/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "cli/farm/folder.hpp"
#include "cli/farm/meter.hpp"
#include "cli/farm/suite.hpp"

namespace mx::cli {
namespace {

/// Of several reasons the first in the order of spec V9.
Exit graver(Exit a, Exit b) {
  for (const Exit each : {Exit::kUsage, Exit::kBadInput, Exit::kHost, Exit::kInternal, Exit::kDut,
                          Exit::kMismatch, Exit::kCoverage}) {
    if (a == each || b == each) return each;
  }
  return Exit::kPass;
}

class WorkOfParts {
 public:
  WorkOfParts(const std::string& folder, const Campaign& campaign,
              std::vector<std::uint64_t> shards, const WorkOptions& options)
      : folder_(folder),
        campaign_(campaign),
        options_(options),
        queue_(shards.begin(), shards.end()),
        meter_(campaign, shards.size()) {}

  WorkEnd run() {
    {
      std::vector<std::jthread> workers;
      const auto count =
          std::min<std::size_t>(static_cast<std::size_t>(options_.workers), queue_.size());
      for (std::size_t i = 0; i < count; ++i) workers.emplace_back([this] { work(); });
    }
    return std::move(end_);
  }

 private:
  void work() {
    for (;;) {
      std::uint64_t shard = 0;
      {
        const std::lock_guard lock(mutex_);
        if (is_stopped_ || queue_.empty()) return;
        shard = queue_.front();
        queue_.pop_front();
      }
      take(shard, run_shard(campaign_, shard, options_.threads));
    }
  }

  void take(std::uint64_t shard, const ShardEnd& end) {
    const std::lock_guard lock(mutex_);
    if (!end.receipt) {
      take_lost(shard, end);
      return;
    }
    if (const std::string why = receipt_problem(campaign_, *end.receipt); !why.empty()) {
      stop(Exit::kBadInput,
           fmt::format("shard {}: {}: keep to machines and builds of a kind, or begin again in "
                       "another folder",
                       shard, why));
      return;
    }
    try {
      write_receipt(folder_, campaign_, *end.receipt);
    } catch (const Error& error) {
      stop(error.exit(),
           fmt::format("{}: or make room, then start the same farm again: it goes on from the "
                       "receipts that are there",
                       error.what()));
      return;
    }
    ++end_.done;
    if (!end.receipt->is_right()) {
      meter_.tell(fmt::format("FAIL shard {}: {} wrong of {} {}{}{}", shard, end.receipt->wrong,
                              end.receipt->compared, campaign_.unit,
                              end.message.empty() ? "" : "; first: ", end.message));
    }
    meter_.add(end.receipt->compared);
  }

  /// A shard without a verdict comes to the end of the queue, as often as may be.
  void take_lost(std::uint64_t shard, const ShardEnd& end) {
    if (is_stopped_) return;
    if (end.is_final) {
      stop(end.exit, fmt::format("shard {}: {}", shard, end.message));
      return;
    }
    const int tries = ++tries_[shard];
    if (tries <= options_.retries) {
      meter_.tell(fmt::format("shard {}: {}; tried again ({} of {})", shard, end.message, tries,
                              options_.retries));
      queue_.push_back(shard);
      return;
    }
    meter_.tell(
        fmt::format("LOST shard {}: {}; given up after {} tries", shard, end.message, tries));
    end_.exit = graver(end_.exit, end.exit);
  }

  void stop(Exit exit, std::string problem) {
    is_stopped_ = true;
    if (!end_.problem.empty()) return;
    end_.exit = exit;
    end_.problem = std::move(problem);
  }

  const std::string& folder_;
  const Campaign& campaign_;
  const WorkOptions& options_;
  std::mutex mutex_;
  std::deque<std::uint64_t> queue_;
  std::map<std::uint64_t, int> tries_;
  bool is_stopped_ = false;
  Meter meter_;
  WorkEnd end_;
};

}  // namespace

WorkEnd work_on(const std::string& folder, const Campaign& campaign,
                std::vector<std::uint64_t> shards, const WorkOptions& options) {
  if (shards.empty()) return {};
  return WorkOfParts(folder, campaign, std::move(shards), options).run();
}

}  // namespace mx::cli
