// The reference itself as a device under test, right or with one named defect: the self-test of
// the harness.
#pragma once

#include <optional>
#include <string>

#include "sim/block/fault.hpp"
#include "sim/block/faulty_model.hpp"
#include "sim/block/model.hpp"
#include "sim/dut/queue.hpp"

namespace mx::sim {

class ReferenceDut : public QueueDut {
 public:
  explicit ReferenceDut(const Fault* fault = nullptr);

  [[nodiscard]] std::string_view name() const override { return name_; }
  void configure(const Setup& setup) override;
  [[nodiscard]] std::string refusal(const QuantizerConfig& config) const override;
  void reset(const Reset& reset) override;
  void tick(const Drive& drive, Observed& observed) override;
  [[nodiscard]] std::unique_ptr<Pace> pace() const override;
  /// Of a broken one nothing is known.
  [[nodiscard]] std::optional<std::uint32_t> depth() const override {
    return fault_ == nullptr ? QueueDut::depth() : std::nullopt;
  }

 private:
  void compute(const BlockIn& block, BlockOut& out) override;
  [[nodiscard]] bool hides_answer(bool ready) const;
  void break_ports(const Drive& drive, Observed& observed);

  std::optional<ReferenceModel> model_;
  const Fault* fault_;
  std::string name_;
  std::optional<FaultyModel> faulty_;
  std::optional<BlockIn> previous_;
  std::optional<BlockOut> stale_;
  BlockOut last_answer_;
  std::uint64_t accepted_ = 0;   ///< since the last reset
  std::uint64_t announced_ = 0;  ///< at that reset
  bool is_hung_ = false;
  bool was_shown_ = false;  ///< in the cycle before: an answer that was not taken
  bool was_ready_ = false;
  bool was_taken_ = false;     ///< in the cycle before: a block
  std::uint64_t waiting_ = 0;  ///< cycles the present answer has waited
};

}  // namespace mx::sim
