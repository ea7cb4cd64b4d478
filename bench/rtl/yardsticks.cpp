#include "bench/rtl/yardsticks.hpp"

#include <cstddef>
#include <cstring>

#include "Vloop_block.h"
#include "Vmx_quantizer_single.h"
#include "sim/dut/verilated_model.hpp"

namespace mx::goals {

struct LoopBlock::Simulation {
  VerilatedContext context;
  Vloop_block model{&context};
};

LoopBlock::LoopBlock() : simulation_(std::make_unique<Simulation>()) {}
LoopBlock::~LoopBlock() = default;

void LoopBlock::run(std::span<const sim::BlockIn> blocks, std::span<sim::BlockOut> answers) {
  Vloop_block& model = simulation_->model;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::memcpy(model.words_i.data(), blocks[i].source.data(), sizeof(blocks[i].source));
    model.eval();
    std::memcpy(answers[i].codes.data(), model.codes_o.data(), answers[i].codes.size());
    answers[i].status = model.scale_o;
  }
}

std::unique_ptr<sim::Dut> make_single_format_dut() {
  return std::make_unique<sim::VerilatedModel<Vmx_quantizer_single>>("rtl, one format");
}

}  // namespace mx::goals
