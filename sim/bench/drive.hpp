// One segment of transactions through a device, cycle by cycle: stalls, resets, noise on idle
// pins, and the rules of the ports (spec R6), as sim/drive/driver.hpp does it for blocks.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sim/bench/collect.hpp"
#include "sim/bench/counts.hpp"
#include "sim/bench/feed.hpp"
#include "sim/bench/schedule.hpp"

namespace mx::bench {

/// A device's ports, by number.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual void put(std::size_t port, const Bits& bits) = 0;
  virtual void get(std::size_t port, Bits& bits) const = 0;
  virtual void eval() = 0;

  /// Waveforms: of programs that are compiled for them.
  virtual void open_waves(const std::string& path) { static_cast<void>(path); }
  virtual void dump(std::uint64_t time) { static_cast<void>(time); }
  virtual void close_waves() {}
};

class Segment {
 public:
  using Answered = std::function<void(const Transaction&)>;

  Segment(Device& device, const Tables& tables, const Records& records, const Schedule& schedule,
          std::span<Transaction> transactions, Answered answered, Counts* counts = nullptr)
      : device_(device),
        tables_(tables),
        feed_(tables, records),
        collect_(tables, records),
        transactions_(transactions),
        answered_(std::move(answered)),
        counting_(tables, counts),
        input_stall_(schedule.input_stall, schedule.seed, sim::StreamUse::kInputStall,
                     schedule.segment),
        output_stall_(schedule.output_stall, schedule.seed, sim::StreamUse::kOutputStall,
                      schedule.segment),
        resets_(schedule.reset, schedule.seed, schedule.segment),
        shapes_(schedule.seed, sim::StreamUse::kShape, schedule.segment),
        noise_(shapes_.next() | std::uint64_t{shapes_.next()} << 32),
        stalls_(schedule.output_stall.kind != sim::Stall::kNone),
        can_reset_(tables.reset.port != kNoPort),
        begins_with_reset_(schedule.begins_with_reset),
        waits_for_probe_(schedule.reset.kind != sim::ResetPlan::Kind::kAt),
        can_wait_(tables.output.ready != kNoPort || tables.output.packed.slot_ready != kNoPort) {
    for (const unsigned width : tables.widths) pins_.push_back(bits_of_width(width));
    held_ = pins_;
    collect_.begin(transactions);
  }

  void run() {
    begin();
    if (can_reset_ && begins_with_reset_) reset();
    while (collect_.done() < transactions_.size()) {
      is_due_ |= can_reset_ && resets_.due(cycle_);
      if (is_due_ && !is_in_first_probe()) {
        counting_.interrupt(feed_.beat(), collect_.beat(), feed_.started() - collect_.done());
        restart();
      }
      cycle();
    }
    drain();
  }

 private:
  // The longest wait that is looked at after the last answer, beyond the longest that there was.
  static constexpr std::uint64_t kDrainCycles = 24;

  [[nodiscard]] bool has(std::size_t port) const { return port != kNoPort; }
  [[nodiscard]] std::string name(std::size_t port) const {
    return std::string(tables_.names[port]);
  }

  void put_bit(std::size_t port, bool bit) {
    if (!has(port)) return;
    pins_[port][0] = bit ? 1 : 0;
    device_.put(port, pins_[port]);
  }
  bool get_bit(std::size_t port) {
    device_.get(port, pins_[port]);
    return (pins_[port][0] & 1) != 0;
  }

  // ------------------------------------------------------------------------------------- inputs

  /// Every input port shows noise, but for what is tied.
  void show_idle(sim::Noise& noise) {
    for (const std::size_t port : tables_.inputs) {
      show_noise(pins_[port], tables_.widths[port], noise);
    }
    if (has(tables_.random_port)) {
      show_noise(pins_[tables_.random_port], tables_.widths[tables_.random_port], noise);
    }
    for (const Part& part : tables_.input.parts) {
      if (part.what == What::kTie) set_bits(pins_[part.port], part.at, part.slot, part.value);
    }
  }

  void put_inputs() {
    for (const std::size_t port : tables_.inputs) device_.put(port, pins_[port]);
    if (has(tables_.random_port)) {
      if (!random_.empty()) pins_[tables_.random_port] = random_.front();
      device_.put(tables_.random_port, pins_[tables_.random_port]);
    }
  }

  void put_clock(bool level) {
    put_bit(tables_.clock, level);
    device_.eval();
  }

  // -------------------------------------------------------------------------------------- resets

  /// Resets come often, the probe's patience is long: the first probe of a segment sees its end,
  /// but for cycles that were asked for by number.
  [[nodiscard]] bool is_in_first_probe() const {
    return waits_for_probe_ && restarts_ == 1 && (probing_ || suspect_);
  }

  /// Afterwards the device is empty: what is not answered is offered again.
  void restart() {
    begin();
    reset();
  }

  /// With an empty device, at the first transaction that is not answered.
  void begin() {
    is_due_ = false;
    probing_ = stalls_ && can_wait_ && restarts_ % 2 == 0;
    suspect_ = false;
    ++restarts_;
    random_.clear();
    due_.clear();
    feed_.restart(transactions_, collect_.done());
    collect_.restart(transactions_);
    is_offering_ = is_held_ = false;
    held_slots_.clear();
    idle_ = 0;
  }

  void reset() {
    const sim::ResetShape shape = resets_.shape();
    const unsigned least = std::max(tables_.reset.cycles, tables_.reset.is_synchronous ? 1U : 0U);
    const unsigned edges = std::max<unsigned>(shape.edges, least);
    counting_.pulse(edges, shape.offering && has(tables_.input.valid));
    sim::Noise noise(~(noise_ + cycle_));
    put_reset(false);
    put_clock(false);
    put_reset(true);
    for (unsigned edge = 0;; ++edge) {
      show_idle(noise);
      put_inputs();
      put_bit(tables_.input.valid, shape.offering);
      put_ready((noise.next() & 1) != 0 ? ~0U : 0, noise);
      device_.eval();
      const bool is_settled = !tables_.reset.is_synchronous || edge > 0;
      if (is_settled && tables_.latency != 0 && has(tables_.output.valid) &&
          get_bit(tables_.output.valid)) {
        fail(name(tables_.output.valid) + " is high in reset",
             "nothing comes out that did not go in (spec R6)");
      }
      if (edge == edges) break;
      put_clock(true);
      put_clock(false);
    }
    put_bit(tables_.input.valid, false);
    put_reset(false);
    device_.eval();
  }

  void put_reset(bool is_active) {
    put_bit(tables_.reset.port, is_active != tables_.reset.is_active_low);
  }

  // -------------------------------------------------------------------------------------- cycles

  void cycle() {
    sim::Noise noise(noise_ + cycle_);
    choose_offer();
    const bool is_stalled = output_stall_.next() || probing_;
    const bool is_ready = !is_stalled || !can_wait_;
    settle(is_ready, noise);
    const bool is_taken =
        is_offering_ && (!has(tables_.input.ready) || get_bit(tables_.input.ready));
    const std::size_t done = collect_.done();
    count_input(is_taken);
    const bool comes_at_once = tables_.latency == 0;
    const bool takes_random = has(tables_.random_take) && get_bit(tables_.random_take);
    read_outputs();
    is_offered_ = is_offering_ && !is_taken;
    if (is_taken && comes_at_once) accept();
    const bool is_collected = check_outputs(is_ready, ready_slots_);
    if (collect_.done() > feed_.started()) {
      fail("a block is answered before it is taken", "one answer for each block (spec R6)");
    }
    if (has(tables_.clock)) put_clock(true);
    if (takes_random) take_random();
    if (is_taken && !comes_at_once) accept();
    ++cycle_;
    for (std::size_t i = done; i < collect_.done(); ++i) answered_(transactions_[i]);
    watch(is_taken || is_collected);
  }

  void count_input(bool is_taken) {
    const unsigned beat = feed_.beat();
    counting_.input(is_offering_, is_taken, beat, feed_.started() - collect_.done());
    if (!is_taken || beat != 0) return;
    const Transaction& now = transactions_[feed_.entered()];
    counting_.begin(now.config, now.last, now.beats);
  }

  void choose_offer() {
    if (is_offering_) return;
    const bool is_stalled = input_stall_.next();
    is_offering_ = feed_.has_more() && !is_stalled;
  }

  /// Inputs change while the clock is low; outputs settle to what the edge will see.
  void settle(bool is_ready, sim::Noise& noise) {
    put_bit(tables_.clock, false);
    show_idle(noise);
    if (is_offering_) feed_.show(pins_);
    if (has(tables_.random_port)) {
      // What a beat draws is shown when the device takes it, not with the beat.
      show_noise(pins_[tables_.random_port], tables_.widths[tables_.random_port], noise);
    }
    put_inputs();
    put_bit(tables_.input.valid, is_offering_);
    ready_slots_ = put_ready(is_ready ? ~0U : 0, noise);
    device_.eval();
  }

  /// Shows ready; of packed outputs some of the first slots. How many of them.
  unsigned put_ready(unsigned ready, sim::Noise& noise) {
    const Packed& packed = tables_.output.packed;
    put_bit(tables_.output.ready, ready != 0);
    if (ready == 0 || !has(packed.slot_ready)) {
      if (has(packed.slot_ready)) show_ready_slots(0);
      return ready == 0 ? 0 : packed.slots;
    }
    const bool is_part = stalls_ && !packed.takes_all && (noise.next() & 3) == 0;
    const unsigned count = is_part ? noise.next() % (packed.slots + 1) : packed.slots;
    show_ready_slots(count);
    return count;
  }

  void show_ready_slots(unsigned count) {
    const std::size_t port = tables_.output.packed.slot_ready;
    for (unsigned i = 0; i < tables_.output.packed.slots; ++i) {
      set_bits(pins_[port], i, 1, i < count ? 1 : 0);
    }
    device_.put(port, pins_[port]);
  }

  void accept() {
    const std::size_t before = feed_.entered();
    if (has(tables_.random_port)) random_.push_back(random_of(before));
    feed_.take();
    is_offering_ = false;
    entered_at_.resize(feed_.entered(), cycle_);
    if (has(tables_.output.valid) || has(tables_.output.packed.slot_valid)) return;
    for (std::size_t i = before; i < feed_.entered(); ++i) {
      for (unsigned beat = 0; beat < tables_.output.beats; ++beat) {
        const std::uint64_t at = cycle_ + tables_.latency + beat;
        if (!due_.empty() && due_.back() >= at) {
          throw Complaint("answers overlap: the output has more beats a block than the input");
        }
        due_.push_back(at);
      }
    }
  }

  /// The random words of the beat that was taken, which the device asks for later.
  Bits random_of(std::size_t transaction) {
    static_cast<void>(transaction);
    Pins shown = pins_;
    sim::Noise noise(noise_ ^ cycle_);
    show_noise(shown[tables_.random_port], tables_.widths[tables_.random_port], noise);
    feed_.show(shown);
    return shown[tables_.random_port];
  }

  void take_random() {
    if (random_.empty()) {
      throw Complaint(name(tables_.random_take) +
                      " takes random words although no beat awaits some" + where());
    }
    random_.pop_front();
  }

  // ------------------------------------------------------------------------------------- outputs

  void read_outputs() {
    for (const std::size_t port : tables_.outputs) device_.get(port, pins_[port]);
  }

  bool check_outputs(bool is_ready, unsigned ready_slots) {
    if (has(tables_.output.packed.port)) return check_packed(is_ready, ready_slots);
    if (!has(tables_.output.valid)) {
      if (due_.empty() || due_.front() != cycle_) return false;
      due_.pop_front();
      collect();
      return true;
    }
    const bool is_valid = get_bit(tables_.output.valid);
    if (collect_.done() < transactions_.size()) counting_.output(is_valid, is_ready);
    check_probe(is_valid, is_ready);
    if (is_held_) {
      if (!is_valid) fail("valid fell before ready", "valid stays until ready (spec R6)");
      for (const std::size_t port : tables_.outputs) {
        if (pins_[port] != held_[port]) {
          fail(name(port) + " changed under back-pressure",
               "the payload is stable while it waits (spec R6)");
        }
      }
    }
    is_held_ = is_valid && !is_ready;
    if (!is_valid) return false;
    require_in_flight();
    if (is_held_) {
      for (const std::size_t port : tables_.outputs) held_[port] = pins_[port];
      return false;
    }
    collect();
    return true;
  }

  bool check_packed(bool is_ready, unsigned ready_slots) {
    const Packed& packed = tables_.output.packed;
    unsigned valid = packed.slots;
    if (has(packed.slot_valid)) {
      device_.get(packed.slot_valid, pins_[packed.slot_valid]);
      valid = 0;
      while (valid < packed.slots && get_bits(pins_[packed.slot_valid], valid, 1) != 0) ++valid;
      const std::uint64_t mask = get_bits(pins_[packed.slot_valid], 0, packed.slots);
      if (mask != low_mask(valid)) {
        fail(name(packed.slot_valid) + " has a gap", "slots are filled from the lowest on");
      }
    } else if (!get_bit(tables_.output.valid)) {
      valid = 0;
    }
    check_probe(valid != 0, is_ready);
    if (valid < held_slots_.size()) {
      fail("valid fell before ready", "valid stays until ready (spec R6)");
    }
    for (std::size_t i = 0; i < held_slots_.size(); ++i) {
      if (slot(static_cast<unsigned>(i)) != held_slots_[i]) {
        fail(name(packed.port) + " changed under back-pressure",
             "the payload is stable while it waits (spec R6)");
      }
    }
    const unsigned taken = is_ready ? std::min(valid, ready_slots) : 0;
    held_slots_.clear();
    for (unsigned i = taken; i < valid; ++i) held_slots_.push_back(slot(i));
    for (unsigned i = 0; i < taken; ++i) {
      require_in_flight();
      collect_.take_slot(slot(i));
    }
    return taken != 0;
  }

  [[nodiscard]] std::uint64_t slot(unsigned i) const {
    const Packed& packed = tables_.output.packed;
    return get_bits(pins_[packed.port], i * packed.slot, packed.slot);
  }

  // While ready is low, valid has half of the patience. If it comes only with ready, it waited for
  // it; a device that shows nothing then either is the watchdog's.
  void check_probe(bool is_valid, bool is_ready) {
    if (probing_ && is_valid) probing_ = false;
    if (probing_ && idle_ > tables_.patience / 2) {
      probing_ = false;
      suspect_ = true;
    }
    if (!suspect_ || !is_valid) return;
    if (is_ready) {
      fail("valid waits for ready: none in " + std::to_string(tables_.patience / 2) +
               " cycles without it",
           "valid never waits for ready (spec R6)");
    }
    suspect_ = false;
  }

  /// An answer belongs to a transaction that has begun to enter, or that is offered, where it may
  /// come at once.
  void require_in_flight() {
    const bool is_offered = tables_.latency == 0 && is_offered_;
    if (collect_.done() < feed_.started() + (is_offered ? 1 : 0)) return;
    fail("an answer came out although nothing is in flight (doubled, or left from before a reset)",
         "one answer for each block (spec R6)");
  }

  void collect() {
    try {
      const std::size_t done = collect_.done();
      collect_.take(pins_);
      if (collect_.done() != done && done < entered_at_.size()) {
        longest_way_ = std::max(longest_way_, cycle_ - entered_at_[done]);
      }
    } catch (const Complaint& complaint) {
      fail(complaint.what(), "keep and last go with the block (spec R6)");
    }
  }

  void watch(bool progress) {
    idle_ = progress ? 0 : idle_ + 1;
    if (idle_ <= tables_.patience) return;
    const std::string patience = std::to_string(tables_.patience);
    const bool is_at_end = !feed_.has_more();
    fail("no progress for " + patience + " cycles (watchdog): " +
             (is_at_end ? "answers are missing"
                        : "the device neither takes a beat nor gives an answer"),
         is_at_end ? "one answer for each block (spec R6)"
                   : "a block is taken, and it comes out (spec R6)");
  }

  /// What comes out too late or twice.
  void drain() {
    const bool is_quiet = !has(tables_.clock) ||
                          (!has(tables_.output.valid) && !has(tables_.output.packed.slot_valid));
    if (is_quiet) return;
    const std::uint64_t cycles = kDrainCycles + longest_way_;
    for (std::uint64_t i = 0; i < cycles; ++i) {
      sim::Noise noise(noise_ + cycle_);
      is_offering_ = false;
      counting_.drain();
      settle(true, noise);
      read_outputs();
      check_outputs(true, ready_slots_);
      put_clock(true);
      ++cycle_;
    }
    if (!random_.empty()) {
      throw Complaint(std::to_string(random_.size()) +
                      " beats came out without taking their random words from " +
                      name(tables_.random_port));
    }
  }

  [[nodiscard]] std::string where() const {
    return "; cycle " + std::to_string(cycle_) + " of the segment, taken " +
           std::to_string(feed_.entered()) + ", answered " + std::to_string(collect_.done()) +
           " of " + std::to_string(transactions_.size());
  }

  /// `rule`: the clause that this breaks, and where it stands.
  [[noreturn]] void fail(const std::string& what, const std::string& rule) const {
    throw Complaint(what + "; broken: " + rule + where());
  }

  Device& device_;
  const Tables& tables_;
  Feed feed_;
  Collect collect_;
  std::span<Transaction> transactions_;
  Answered answered_;
  Counting counting_;
  sim::StallSchedule input_stall_, output_stall_;
  sim::ResetSchedule resets_;
  sim::Stream shapes_;
  std::uint64_t noise_;
  bool stalls_;
  bool can_reset_;
  bool begins_with_reset_;
  bool waits_for_probe_;
  bool is_due_ = false;  ///< a reset
  bool can_wait_;        ///< an answer until it is taken
  Pins pins_, held_;
  std::deque<Bits> random_;                ///< of beats that have not taken theirs
  std::deque<std::uint64_t> due_;          ///< cycles of answers without valid
  std::vector<std::uint64_t> held_slots_;  ///< shown and not taken
  std::vector<std::uint64_t> entered_at_;  ///< cycle, by transaction
  std::uint64_t cycle_ = 0, idle_ = 0, longest_way_ = 0, restarts_ = 0;
  unsigned ready_slots_ = 0;
  bool is_offering_ = false;
  bool is_offered_ = false;  ///< in this cycle, and not taken
  bool is_held_ = false;
  bool probing_ = false;  ///< ready is low until valid comes
  bool suspect_ = false;  ///< it did not
};

}  // namespace mx::bench
