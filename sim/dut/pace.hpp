// What a device promises about cycles: in which ones it takes what is offered, and in which ones
// something is on its output. A model without values, that runs beside the device.
//
// Under stalls too a pipeline has no choice: what it takes and when an answer comes follows from
// its stages, from what was offered and from when the receiver was ready. So the promise is exact:
// later is slower than declared, and earlier is another device than the declared one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace mx::sim {

/// What happened at the ports in a cycle.
struct PaceCycle {
  bool entered = false;     ///< a beat was taken
  bool ends_block = false;  ///< the last one of its block
  bool ready = false;       ///< of the receiver
};

class Pace {
 public:
  Pace() = default;
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;
  virtual ~Pace() = default;

  virtual void reset() = 0;
  /// Is a beat that is offered in the coming cycle taken?
  [[nodiscard]] virtual bool takes() const = 0;
  /// Is a beat on the output in the coming cycle?
  [[nodiscard]] virtual bool shows() const = 0;
  virtual void clock(const PaceCycle& cycle) = 0;
};

/// How a cycle was not as declared.
enum class OffPace : std::uint8_t { kNo, kNotTaken, kTaken, kLate, kEarly };

/// `is_offered`: ready means something only then.
[[nodiscard]] OffPace off_pace(const Pace& pace, bool is_offered, bool ready, bool valid);
/// What the device did, and the clause that this breaks.
[[nodiscard]] std::string text_of(OffPace off);

/// A beat in a stage, or none.
struct PacedBeat {
  bool is_valid = false;
  bool ends_block = false;
};

/// Stages one behind the other: each moves where it is empty or the one behind it moves.
class ElasticStages {
 public:
  explicit ElasticStages(std::size_t count) : stages_(count) {}

  void reset() { stages_.assign(stages_.size(), {}); }
  /// Does the first stage take a beat, where the last one may move or not?
  [[nodiscard]] bool takes(bool last_moves) const;
  [[nodiscard]] PacedBeat last() const { return stages_.back(); }
  void clock(PacedBeat first, bool last_moves);

 private:
  std::vector<PacedBeat> stages_;
};

/// Stages, a beat each cycle, and one spare entry behind them: the last stage stands still in the
/// cycle after a stall, and only then. mx_quantizer with a beat for each block.
class StagesPace final : public Pace {
 public:
  /// `latency`: cycles from the one that takes a beat to the one that shows it; at least 1.
  explicit StagesPace(std::size_t latency) : stages_(latency) {}

  void reset() override;
  [[nodiscard]] bool takes() const override { return stages_.takes(!spare_); }
  [[nodiscard]] bool shows() const override { return spare_ || stages_.last().is_valid; }
  void clock(const PaceCycle& cycle) override;

 private:
  ElasticStages stages_;
  bool spare_ = false;
};

/// A queue that takes a beat whenever fewer than `depth` are in flight, and shows it `latency`
/// cycles later or when those before it have left.
class QueuePace final : public Pace {
 public:
  QueuePace(std::uint64_t latency, std::size_t depth) : latency_(latency), depth_(depth) {}

  void reset() override { due_.clear(); }
  [[nodiscard]] bool takes() const override { return due_.size() < depth_; }
  [[nodiscard]] bool shows() const override { return !due_.empty() && due_.front() <= now_; }
  void clock(const PaceCycle& cycle) override;

 private:
  std::uint64_t latency_;
  std::size_t depth_;
  std::uint64_t now_ = 0;
  std::deque<std::uint64_t> due_;
};

/// Stages, a store of two blocks, stages, a spare entry: mx_quantizer with several beats a block. A
/// block is read from the store once it has ended there, from the cycle after its last beat was
/// written. A beat that finds its half taken waits in the last stage before the store.
class StorePace final : public Pace {
 public:
  /// Stages before the store and behind it, at least 1 of each.
  StorePace(std::size_t front, std::size_t back) : front_(front), back_(back) {}

  void reset() override;
  [[nodiscard]] bool takes() const override { return front_.takes(!is_full()); }
  [[nodiscard]] bool shows() const override { return spare_ || back_.last().is_valid; }
  void clock(const PaceCycle& cycle) override;

 private:
  struct Half {
    bool is_full = false;
    std::uint32_t beats = 0;  ///< written so far
  };
  [[nodiscard]] bool is_full() const { return halves_[written_half_].is_full; }
  void read();

  ElasticStages front_;
  std::array<Half, 2> halves_;
  std::size_t written_half_ = 0;
  std::size_t read_half_ = 0;
  std::uint32_t read_beats_ = 0;
  ElasticStages back_;
  bool spare_ = false;
};

}  // namespace mx::sim
