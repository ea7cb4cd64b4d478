#include "cli/sweep/parts.hpp"

namespace mx::cli {
namespace {

/// floor(row * index / count), also where the product has more than 64 bits.
std::uint64_t cut(std::uint64_t row, std::uint64_t index, std::uint64_t count) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(row) * index / count);
}

}  // namespace

SweepParts::SweepParts(const std::vector<SweepJob>& jobs) : jobs_(jobs.size()) {
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const std::vector<WordRange> ranges = swept_ranges(jobs[job].conversion(), jobs[job].space);
    for (std::uint64_t i = 0; i < segments_of(jobs[job].conversion().source); ++i) {
      const std::uint64_t words =
          count_of(clipped(ranges, i * kSegmentWords, (i + 1) * kSegmentWords));
      words_ += words;
      if (words != 0) row_.push_back({job, i});
    }
  }
}

std::vector<SegmentRange> SweepParts::part(const golden::Shard& shard) const {
  std::vector<SegmentRange> parts(jobs_);
  const std::uint64_t last = cut(row_.size(), shard.index + 1, shard.count);
  for (std::uint64_t i = cut(row_.size(), shard.index, shard.count); i < last; ++i) {
    SegmentRange& range = parts[row_[i].job];
    if (range.first == range.last) range.first = row_[i].segment;
    range.last = row_[i].segment + 1;
  }
  return parts;
}

}  // namespace mx::cli
