// The CUDA path as a device under test, by its host build or on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/dut/dut.hpp"

namespace mx::sim {

enum class FastTarget : std::uint8_t { kHost, kDevice };

/// Takes blocks until a batch is full or the input ends, then computes the batch, one call for each
/// pair of formats in it. Supports what the path is instantiated for: rule floor, ties_to_even,
/// sat_finite and the other defaults.
class FastDut : public Dut {
 public:
  explicit FastDut(FastTarget target) : target_(target) {}

  [[nodiscard]] std::string_view name() const override {
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

  FastTarget target_;
  const Configurations* configs_ = nullptr;
  std::vector<BlockIn> waiting_;
  std::vector<BlockOut> answers_;
  std::size_t next_answer_ = 0;
  std::vector<std::byte> words_;
  std::vector<std::byte> codes_;
  std::vector<std::byte> scales_;
  std::vector<std::uint16_t> status_;
};

}  // namespace mx::sim
