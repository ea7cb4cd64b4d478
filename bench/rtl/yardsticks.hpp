// What our RTL's simulation is measured beside, and a build of it for one format alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "sim/block/block.hpp"
#include "sim/dut/dut.hpp"

namespace mx::goals {

/// bench/rtl/loop_block.sv by Verilator. Infinities, NaNs and subnormal blocks are outside it.
class LoopBlock {
 public:
  LoopBlock();
  ~LoopBlock();
  LoopBlock(const LoopBlock&) = delete;
  LoopBlock& operator=(const LoopBlock&) = delete;

  /// Codes and scale of each block; `answers` is as long as `blocks`.
  void run(std::span<const sim::BlockIn> blocks, std::span<sim::BlockOut> answers);

 private:
  struct Simulation;
  std::unique_ptr<Simulation> simulation_;
};

/// rtl/mx_quantizer for fp32 to e4m3fn alone: ties_to_even, floor, default policies.
[[nodiscard]] std::unique_ptr<sim::Dut> make_single_format_dut();

}  // namespace mx::goals
