// A device under test made of a function: a pipeline of fixed latency with back-pressure around
// something that turns a block into an answer. Adapters for software DUTs derive from it.
#pragma once

#include <deque>

#include "sim/dut/dut.hpp"

namespace mx::sim {

/// Accepts a block in every cycle while fewer than `depth` are in flight; an answer shows `latency`
/// or more cycles after its block went in.
class QueueDut : public Dut {
 public:
  explicit QueueDut(std::uint64_t latency = 7, std::size_t depth = 8)
      : latency_(latency), depth_(depth) {}

  void configure(const Setup& setup) override { static_cast<void>(setup); }
  void reset(const Reset& reset) override {
    static_cast<void>(reset);
    in_flight_.clear();
  }
  void tick(const Drive& drive, Observed& observed) override;
  /// A full queue has held its first entry for its latency, as long as that is below the depth.
  [[nodiscard]] std::optional<std::uint32_t> depth() const override {
    if (latency_ >= depth_) return {};
    return static_cast<std::uint32_t>(depth_);
  }

 protected:
  /// The answer to a block. Throws DutError if there is none.
  virtual void compute(const BlockIn& block, BlockOut& out) = 0;

  struct Entry {
    BlockOut answer;
    std::uint64_t due = 0;
  };
  std::deque<Entry> in_flight_;
  std::uint64_t now_ = 0;

 private:
  std::uint64_t latency_;
  std::size_t depth_;
};

}  // namespace mx::sim
