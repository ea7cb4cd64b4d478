// The reference, speaking the language of the harness: numbered configurations and blocks in, block
// answers out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "reference/block/quantizer.hpp"
#include "sim/block/block.hpp"
#include "sim/block/observes.hpp"

namespace mx::sim {

/// The configurations of a run, all of them blocks, by number. They travel whole: what a device can
/// be told of them is the device's business.
using Configurations = std::vector<golden::Configuration>;

/// Configuration `number` of a run.
[[nodiscard]] inline const QuantizerConfig& config_at(const Configurations& configs,
                                                      std::uint32_t number) {
  return std::get<QuantizerConfig>(configs.at(number).what);
}

/// What of an answer is not compared.
struct BlockOpen {
  bool scale = false;
  bool flags = false;
  std::uint32_t lanes = 0;  ///< bit i: the profile leaves the code of lane i open
  bool dont_care = false;   ///< a NaN scale whose codes the policy declares don't-care
  Observes observed{};      ///< what the device gives at all
};

/// Computes expected answers. Quantizers are kept by number, so one model serves a stream whose
/// configuration changes with every block. Not thread-safe: one for each thread.
class ReferenceModel {
 public:
  /// `configs` must live as long.
  explicit ReferenceModel(const Configurations& configs);

  /// The quantizer of a configuration. Throws std::out_of_range for a number that there is not.
  [[nodiscard]] const Quantizer& quantizer(std::uint32_t config);

  void answer(const BlockIn& block, BlockOut& out);
  /// What of the answer to a block is not compared. `own` is what answer() gave.
  [[nodiscard]] BlockOpen open(const BlockIn& block, const BlockOut& own);

  [[nodiscard]] const Configurations& configs() const { return configs_; }

 private:
  const Configurations& configs_;
  std::vector<std::optional<Quantizer>> quantizers_;
};

/// The source codes of a block as the reference takes them: lanes that are not kept are +0, bits
/// above the format's width are dropped.
void source_codes(const BlockIn& block, const ElementFormat& source,
                  std::array<std::uint64_t, kLanes>& codes);

/// An answer from what Quantizer gave: lanes that are not kept leave as code 0.
void make_answer(const BlockIn& block, const BlockResult& result,
                 const std::array<std::uint64_t, kLanes>& codes, BlockOut& out);

}  // namespace mx::sim
