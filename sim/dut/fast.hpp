// The fast paths as devices under test: the CUDA path, by its host build or on a device, and the
// CPU path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/dut/dut.hpp"

namespace mx::sim {

enum class FastTarget : std::uint8_t { kHost, kDevice, kCpu };

/// Takes blocks until a batch is full or the input ends, then computes the batch, one call for each
/// configuration in it. Each path supports what it has a plan for.
class FastDut : public Dut {
 public:
  explicit FastDut(FastTarget target) : target_(target) {}

  [[nodiscard]] std::string_view name() const override {
    if (target_ == FastTarget::kCpu) return "cpu";
    return target_ == FastTarget::kHost ? "cuda-host" : "cuda";
  }
  /// Throws DutError where there is no device.
  void configure(const Setup& setup) override;
  [[nodiscard]] std::string refusal(const QuantizerConfig& config) const override;
  void reset(const Reset& reset) override;
  void tick(const Drive& drive, Observed& observed) override;
  void end_of_input() override { compute_batch(); }

 private:
  void compute_batch();
  void compute_group(const QuantizerConfig& config, const std::vector<std::size_t>& members);

  /// The words of the group to codes_, scales_ and status_.
  void quantize(const QuantizerConfig& config);
  void quantize_on_cpu(const QuantizerConfig& config);

  FastTarget target_;
  const Configurations* configs_ = nullptr;
  std::vector<BlockIn> waiting_;
  std::vector<BlockOut> answers_;
  std::size_t next_answer_ = 0;
  std::vector<std::byte> words_;
  std::vector<std::byte> codes_;
  std::vector<std::byte> scales_;
  std::vector<std::uint16_t> status_;
  std::vector<std::uint32_t> random_;
};

}  // namespace mx::sim
