#include "sim/block/faulty_model.hpp"

namespace mx::sim {

const Quantizer& FaultyModel::quantizer(const BlockIn& block, const BlockIn* previous) {
  const bool mixes = fault_->mix != nullptr && previous != nullptr;
  const std::uint32_t before = mixes ? previous->config : block.config;
  const std::pair key(block.config, before);
  const auto found = quantizers_.find(key);
  if (found != quantizers_.end()) return found->second;
  const QuantizerConfig& whole = config_at(*configs_, block.config);
  QuantizerConfig config = whole;
  if (fault_->configure != nullptr) fault_->configure(config);
  // A defect of what a configuration has not changes nothing of it.
  if (!Quantizer::problem(config).empty()) config = whole;
  if (mixes) {
    QuantizerConfig mixed = config;
    fault_->mix(mixed, config_at(*configs_, before));
    if (Quantizer::problem(mixed).empty()) config = mixed;
  }
  return quantizers_.emplace(key, Quantizer::make(config).value()).first->second;
}

void FaultyModel::answer(const BlockIn& block, const BlockIn* previous, BlockOut& out) {
  const FaultContext context{previous};
  BlockIn seen = block;
  if (fault_->input != nullptr) {
    fault_->input(seen, config_at(*configs_, block.config), context);
  }
  const Quantizer& faulty = quantizer(seen, previous);
  std::array<std::uint64_t, kLanes> source;
  std::array<std::uint64_t, kLanes> codes;
  source_codes(seen, faulty.config().source, source);
  make_answer(seen, faulty.quantize_block(source, seen.random, codes), codes, out);
  out.keep = block.keep;
  if (fault_->output != nullptr) fault_->output(block, faulty, context, out);
}

}  // namespace mx::sim
