#include "sim/block/model.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace mx::sim {

const Quantizer* ReferenceModel::quantizer(std::uint32_t config_word) {
  if (last_ != nullptr && config_word == last_word_) return last_;
  auto found = quantizers_.find(config_word);
  if (found == quantizers_.end()) {
    const std::optional<QuantizerConfig> config = golden::config_of(config_word, context_);
    if (!config) return nullptr;
    found = quantizers_
                .emplace(config_word,
                         std::make_unique<const Quantizer>(Quantizer::make(*config).value()))
                .first;
  }
  last_word_ = config_word;
  last_ = found->second.get();
  return last_;
}

void source_codes(const BlockIn& block, const ElementFormat& source,
                  std::array<std::uint64_t, kLanes>& codes) {
  const std::uint64_t mask = source.code_mask();
  for (std::size_t i = 0; i < kLanes; ++i) codes[i] = block.source[i] & mask;
  if (block.keep == kAllLanes) return;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((block.keep >> i & 1) == 0) codes[i] = 0;
  }
}

void make_answer(const BlockIn& block, const BlockResult& result,
                 const std::array<std::uint64_t, kLanes>& codes, BlockOut& out) {
  for (std::size_t i = 0; i < kLanes; ++i) out.codes[i] = static_cast<std::uint8_t>(codes[i]);
  if (block.keep != kAllLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((block.keep >> i & 1) == 0) out.codes[i] = 0;
    }
  }
  out.status = golden::status_of(result);
  out.keep = block.keep;
  out.last = block.last;
}

void ReferenceModel::answer(const BlockIn& block, BlockOut& out) {
  const Quantizer* const quantizer = this->quantizer(block.config_word);
  if (quantizer == nullptr) {
    throw std::invalid_argument(
        fmt::format("configuration word {:08x} has an illegal code", block.config_word));
  }
  std::array<std::uint64_t, kLanes> source;
  std::array<std::uint64_t, kLanes> codes;
  source_codes(block, quantizer->config().source, source);
  const BlockResult result = quantizer->quantize_block(source, block.random, codes);
  make_answer(block, result, codes, out);
}

}  // namespace mx::sim
