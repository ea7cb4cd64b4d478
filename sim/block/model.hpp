// The reference, speaking the language of the harness: configuration words in, block answers out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "golden/config_word/config_word.hpp"
#include "reference/block/quantizer.hpp"
#include "sim/block/block.hpp"

namespace mx::sim {

/// Computes expected answers. Quantizers are kept by configuration word, so one model serves a
/// stream whose configuration changes with every block. Not thread-safe: one for each thread.
class ReferenceModel {
 public:
  explicit ReferenceModel(golden::ConfigWordContext context = {}) : context_(context) {}

  /// The quantizer of a configuration word; nullptr for an illegal word. Valid as long as the
  /// model.
  [[nodiscard]] const Quantizer* quantizer(std::uint32_t config_word);

  /// The answer to a block. Throws std::invalid_argument for an illegal configuration word.
  void answer(const BlockIn& block, BlockOut& out);

  [[nodiscard]] const golden::ConfigWordContext& context() const { return context_; }

 private:
  golden::ConfigWordContext context_;
  std::unordered_map<std::uint32_t, std::unique_ptr<const Quantizer>> quantizers_;
  std::uint32_t last_word_ = 0;
  const Quantizer* last_ = nullptr;
};

/// The source codes of a block as the reference takes them: lanes that are not kept are +0, bits
/// above the format's width are dropped.
void source_codes(const BlockIn& block, const ElementFormat& source,
                  std::array<std::uint64_t, kLanes>& codes);

/// An answer from what Quantizer gave: lanes that are not kept leave as code 0.
void make_answer(const BlockIn& block, const BlockResult& result,
                 const std::array<std::uint64_t, kLanes>& codes, BlockOut& out);

}  // namespace mx::sim
