// Defects on purpose: what the reference device can be told to get wrong, so that the suites and
// the checks prove their power. spec R8.3 and V8.2.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/block/quantizer.hpp"
#include "sim/block/block.hpp"

namespace mx::sim {

/// The blocks a faulty computation may look at besides its own.
struct FaultContext {
  const BlockIn* previous = nullptr;  ///< the block before; nullptr for the first after a reset
};

/// How a fault misbehaves at the ports.
enum class PortFault : std::uint8_t {
  kNone,
  kDropOnStall,      ///< a block accepted while the output is stalled is lost
  kDuplicate,        ///< an answer comes twice
  kReorder,          ///< two neighbours change places
  kHang,             ///< nothing comes out any more
  kNeverReady,       ///< nothing is taken any more
  kStaleAfterReset,  ///< an answer from before a reset comes out after it
  kPayloadChanges,   ///< the payload changes while it waits
  kValidFalls,       ///< valid falls while the payload waits
  kExtraAtEnd,       ///< one answer more than blocks
  kValidWaits,       ///< valid comes with ready only
  kValidWaitsLate,   ///< valid comes in the cycle after ready only
  kBubble,           ///< nothing is taken in the cycle after a block
  kLate              ///< every answer comes one cycle later than declared
};

/// A named defect. Each function may be absent; they apply in the order of the members.
struct Fault {
  std::string_view token;
  std::string_view breaks;  ///< the rule it breaks, and where that rule stands
  void (*configure)(QuantizerConfig&) = nullptr;
  void (*input)(BlockIn&, const QuantizerConfig&, const FaultContext&) = nullptr;
  void (*output)(const BlockIn&, const Quantizer&, const FaultContext&, BlockOut&) = nullptr;
  PortFault port = PortFault::kNone;
  /// Takes a field from the configuration of the block before.
  void (*mix)(QuantizerConfig&, const QuantizerConfig& previous) = nullptr;
};

/// Every fault, arithmetic ones first.
[[nodiscard]] std::span<const Fault> all_faults();
/// The fault of a token, or nullptr.
[[nodiscard]] const Fault* find_fault(std::string_view token);

}  // namespace mx::sim
