// The device under test, seen from the harness: configure, reset, and clock cycles in which a block
// is offered and a block is collected. docs/howto/cpp-dut.md shows a complete one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/block/block.hpp"
#include "sim/block/model.hpp"
#include "sim/dut/pace.hpp"

namespace mx::sim {

/// The device broke the protocol, hung, died or answered garbage: exit code 4.
class DutError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device cannot do what the run asks for: exit code 2.
class UnsupportedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is true of a whole run.
struct Setup {
  const Configurations& configs;  ///< what the numbers of the blocks mean; lives as long as the run
  std::uint64_t seed = 0;         ///< for devices with random initial state
};

/// What drives the inputs during one clock cycle.
struct Drive {
  const BlockIn* offer = nullptr;  ///< tvalid and its payload; nullptr: nothing is offered
  bool ready = false;              ///< the harness takes an output block in this cycle
  /// What payload pins show where they carry nothing grows from this (sim/dut/noise.hpp). A
  /// function of seed, segment and cycle. Devices without pins ignore it.
  std::uint64_t noise = 0;
};

/// A reset, and what the inputs do meanwhile.
struct Reset {
  std::uint64_t blocks = 0;  ///< exactly so many will follow, unless another reset comes in between
  std::uint64_t first = 0;   ///< the number in the run of the first of them
  /// Rising clock edges while it is active. 0: a pulse between two edges, which an asynchronous
  /// reset must see; a device whose reset is synchronous takes one.
  std::uint32_t edges = 0;
  bool offering = false;    ///< tvalid is high all the while, over a payload of noise
  std::uint64_t noise = 0;  ///< as in Drive
};

/// What the outputs show at the end of that cycle, just before the clock edge.
struct Observed {
  bool ready = false;  ///< the device takes the offered block in this cycle
  bool valid = false;  ///< `block` is on the output
  BlockOut block;      ///< meaningful where valid
};

/// A device with valid and ready on both sides. A block enters in a cycle where it is offered and
/// Observed::ready is true; it leaves in a cycle where Observed::valid and Drive::ready are true.
/// Answers come in the order of the offers, one for each.
///
/// Rules the harness checks: valid never falls and the payload never changes before ready; nothing
/// comes out that did not go in; something comes out within the watchdog's patience.
class Dut {
 public:
  Dut() = default;
  Dut(const Dut&) = delete;
  Dut& operator=(const Dut&) = delete;
  virtual ~Dut() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Called once, before the first reset. Throws DutError if the device cannot be had and
  /// UnsupportedError if it does not fit the setup.
  virtual void configure(const Setup& setup) = 0;

  /// "" if the device computes blocks of this configuration, else what it cannot be told or cannot
  /// do. Others are not offered to it. May be asked before configure().
  [[nodiscard]] virtual std::string refusal(const QuantizerConfig& config) const {
    static_cast<void>(config);
    return {};
  }

  /// What of an answer the device gives. The rest is not compared and counts as unobserved; it may
  /// be anything, but has to stay as it is while an answer waits.
  [[nodiscard]] virtual Observes observes() const { return {}; }

  /// Forgets every block in flight. Afterwards nothing offered before or meanwhile may come out.
  virtual void reset(const Reset& reset) = 0;

  /// One clock cycle. Fills every field of `observed` that has a meaning.
  virtual void tick(const Drive& drive, Observed& observed) = 0;

  /// What the outputs of this cycle would show under other inputs, before the tick() that settles
  /// it. false: this device cannot say. The harness asks now and then whether an output waits for
  /// an input that it must not depend on.
  [[nodiscard]] virtual bool peek(const Drive& drive, Observed& observed) {
    static_cast<void>(drive);
    static_cast<void>(observed);
    return false;
  }

  /// Does the device promise that Observed::ready depends on no Drive::ready of the same cycle?
  [[nodiscard]] virtual bool ready_is_registered() const { return false; }
  /// And on no Drive::offer? AXI lets a receiver wait for valid; our RTL does not (spec R6).
  [[nodiscard]] virtual bool ready_is_free() const { return false; }

  /// What the device promises about its cycles, block by block; nullptr: nothing. It is held to it
  /// in every cycle of every segment, stalls and resets included.
  [[nodiscard]] virtual std::unique_ptr<Pace> pace() const { return nullptr; }

  /// Blocks that the device holds at most, if it promises that it refuses a block only while it
  /// shows an answer. Coverage of the protocol measures handshakes and fill by it; nothing: only
  /// what the harness drives is measured.
  [[nodiscard]] virtual std::optional<std::uint32_t> depth() const { return {}; }

  /// No further block will be offered before the next reset. Batching devices start their last
  /// batch; clocked ones need not care.
  virtual void end_of_input() {}

  /// The harness has collected as many answers as it offered blocks: the last chance of a device
  /// that is not clocked to say that it has more. Throws DutError then.
  virtual void end_of_output() {}

  /// Cycles without any progress after which a device counts as hung; 0: the device keeps time
  /// itself (a process, whose cycles mean nothing).
  [[nodiscard]] virtual std::uint64_t patience() const { return 4096; }
};

}  // namespace mx::sim
