// A sweep cut into parts: the segments of all conversions in one row, so that parts are alike
// however many conversions there are.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/sweep/sweep.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::cli {

/// A conversion that is swept, and over what.
struct SweepJob {
  golden::Configuration configuration;
  SweepSpace space;

  [[nodiscard]] const ConversionConfig& conversion() const {
    return std::get<ConversionConfig>(configuration.what);
  }
};

/// The segments of jobs that hold a word to sweep, job by job.
class SweepParts {
 public:
  explicit SweepParts(const std::vector<SweepJob>& jobs);

  /// Segments in all: the most parts of which none is empty.
  [[nodiscard]] std::uint64_t segments() const { return row_.size(); }
  [[nodiscard]] std::uint64_t words() const { return words_; }
  /// Of each job the segments of a part, from the first to the last that holds a word; empty
  /// where the part has none of the job.
  [[nodiscard]] std::vector<SegmentRange> part(const golden::Shard& shard) const;

 private:
  struct Place {
    std::size_t job;
    std::uint64_t segment;
  };
  std::vector<Place> row_;
  std::size_t jobs_;
  std::uint64_t words_ = 0;
};

}  // namespace mx::cli
