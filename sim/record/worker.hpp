// SPDX-License-Identifier: Apache-2.0
// One thread of a run: its device and its scoreboard.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/vectors/record_codec.hpp"
#include "sim/record/run.hpp"

namespace mx::sim {

/// Takes the packed answers of records as they come.
using TakeBytes = std::function<void(std::span<const std::byte>)>;

class RunWorker {
 public:
  /// All of them must live as long.
  RunWorker(const golden::VectorHeader& header, const RecordInput& input, RecordDevice& device,
            const RecordRunOptions& options);

  /// Runs a segment. What the device broke in it, or nothing. Throws Interrupted.
  [[nodiscard]] std::optional<ProtocolFailure> run(const Segment& segment, const TakeBytes& take);

  [[nodiscard]] std::uint64_t wrong() const { return scoreboard_.wrong(); }
  [[nodiscard]] std::uint64_t seen() const { return scoreboard_.seen(); }
  [[nodiscard]] std::string shift_text() const { return scoreboard_.shift_text(); }
  [[nodiscard]] Score finish() { return scoreboard_.finish(); }

 private:
  [[nodiscard]] std::string what_broke(const Segment& segment, const TakeBytes& take);
  bool next(const Segment& segment, golden::RecordBatch& batch);
  void take_answers(const Segment& segment, const golden::RecordBatch& actual,
                    const TakeBytes& take);
  [[nodiscard]] std::span<const std::byte> packed(const golden::RecordBatch& actual);
  [[nodiscard]] const golden::RecordBatch& storable(const golden::RecordBatch& batch);

  const golden::VectorHeader& header_;
  const RecordInput& input_;
  RecordDevice& device_;
  ScoreOptions score_options_;
  golden::RecordCodec codec_;  ///< of answers
  golden::ReferenceAnswerer reference_;
  Scoreboard scoreboard_;
  std::uint64_t piece_;
  std::uint64_t offered_ = 0, taken_ = 0;  ///< of the segment
  bool is_reordered_ = false;              ///< some batch of the segment
  golden::RecordBatch last_offered_;       ///< with what the input says is expected
  golden::RecordBatch cut_;
  std::vector<std::byte> bytes_;
};

}  // namespace mx::sim
