// What a device with one named defect would answer, without its ports.
#pragma once

#include <map>
#include <utility>

#include "sim/block/fault.hpp"
#include "sim/block/model.hpp"

namespace mx::sim {

/// Not thread-safe: one for each thread.
class FaultyModel {
 public:
  /// `configs` must live as long.
  FaultyModel(const Fault& fault, const Configurations& configs)
      : fault_(&fault), configs_(&configs) {}

  /// `previous`: the block before; nullptr for the first after a reset.
  void answer(const BlockIn& block, const BlockIn* previous, BlockOut& out);

 private:
  const Quantizer& quantizer(const BlockIn& block, const BlockIn* previous);

  const Fault* fault_;
  const Configurations* configs_;
  /// By the numbers of the block's configuration and of the one before it.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Quantizer> quantizers_;
};

}  // namespace mx::sim
