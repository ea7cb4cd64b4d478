#include "sim/drive/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/block/stream.hpp"

namespace mx::sim {
namespace {

// Clauses of the ports.
constexpr std::string_view kValidIsFree = "valid never waits for ready (spec R6)";
constexpr std::string_view kReadyIsFree = "ready never waits for valid of its port (spec R6)";
constexpr std::string_view kPayloadIsStable = "the payload is stable while it waits (spec R6)";
constexpr std::string_view kOneAnswer = "one answer for each block (spec R6)";

// Cycles after the last answer in which a duplicated or late one would show, beyond the longest way
// that a block of the segment took.
constexpr std::uint64_t kDrainCycles = 24;
constexpr std::uint64_t kDeadlineInterval = 4096;
// Cycles of which one is seen under the other ready as well, and one as if a block were offered or
// not, where the device can show it.
constexpr std::uint64_t kPeekInterval = 16;

class SegmentDriver {
 public:
  SegmentDriver(Dut& dut, std::span<const BlockIn> blocks, const DriveOptions& options,
                const Collect& collect)
      : dut_(dut),
        blocks_(blocks),
        collect_(collect),
        coverage_(options.coverage),
        deadline_(options.deadline),
        input_stall_(options.input_stall, options.seed, StreamUse::kInputStall, options.segment),
        output_stall_(options.output_stall, options.seed, StreamUse::kOutputStall, options.segment),
        stalls_(options.output_stall.kind != Stall::kNone),
        resets_(options.reset, options.seed, options.segment),
        waits_for_probe_(options.reset.kind != ResetPlan::Kind::kAt),
        noise_(noise_of(options)),
        first_(options.first),
        patience_(dut.patience()),
        pace_(dut.pace()),
        accepted_at_(blocks.size()) {}

  DriveStats run() {
    restart();
    while (stats_.collected < blocks_.size()) {
      is_due_ |= resets_.due(stats_.cycles);
      if (is_due_ && !is_in_first_probe()) {
        ++stats_.resets;
        restart();
      }
      cycle();
    }
    drain();
    // What is wrong besides says more than when it came.
    if (!off_pace_.empty()) throw DutError(off_pace_);
    return stats_;
  }

 private:
  static std::uint64_t noise_of(const DriveOptions& options) {
    const PhiloxBlock words = Stream(options.seed, StreamUse::kIdle, options.segment).group(0);
    return words[0] | std::uint64_t{words[1]} << 32;
  }
  [[nodiscard]] std::uint64_t noise() const { return noise_ + stats_.cycles; }

  // Resets come often, the probe's patience is long: the first probe of a segment sees its end, but
  // for cycles that were asked for by number.
  [[nodiscard]] bool is_in_first_probe() const {
    return waits_for_probe_ && stats_.resets == 0 && (probing_ || suspect_);
  }

  // After a reset the device is empty: everything not yet collected is offered again.
  void restart() {
    is_due_ = false;
    // Where stalls are asked for, ready also waits for valid, every other time: valid must not wait
    // for ready (spec R6).
    probing_ = stalls_ && patience_ != 0 && stats_.resets % 2 == 0;
    suspect_ = false;
    const ResetShape shape = resets_.shape();
    if (coverage_ != nullptr) sample_reset(shape);
    dut_.reset({.blocks = blocks_.size() - stats_.collected,
                .first = first_ + stats_.collected,
                .edges = shape.edges,
                .offering = shape.offering,
                .noise = ~noise()});
    stats_.offered = stats_.collected;
    offering_ = false;
    held_ = false;
    idle_ = 0;
    if (pace_) pace_->reset();
    was_ready_ = true;
    is_overdue_ = false;
    if (stats_.offered == blocks_.size()) dut_.end_of_input();
  }

  /// The reset before the first block starts a segment; nothing is in it.
  void sample_reset(const ResetShape& shape) {
    if (stats_.resets == 0) coverage_->start();
    coverage_->sample(ResetCycle{.edges = shape.edges,
                                 .offering = shape.offering,
                                 .in_flight = stats_.offered - stats_.collected,
                                 .block_waits = offering_,
                                 .answer_waits = held_});
  }

  void cycle() {
    Drive drive;
    drive.offer = next_offer();
    drive.ready = !output_stall_.next() && !probing_;
    drive.noise = noise();
    if (!drive.ready) ++stats_.output_stalls;
    const bool peeked = stats_.cycles % kPeekInterval == 0 && peek(drive);
    const std::optional<bool> free = ready_under_other_offer(drive);
    dut_.tick(drive, observed_);
    if (peeked) check_peek();
    if (free && *free != observed_.ready) {
      fail("ready of the input waits for valid: it changes with it at once", kReadyIsFree);
    }
    check_probe(drive.ready);
    check_pace(drive);
    ++stats_.cycles;
    const bool accepted = drive.offer != nullptr && observed_.ready;
    if (coverage_ != nullptr) {
      coverage_->sample(Cycle{.offer = drive.offer,
                              .takes = observed_.ready,
                              .shows = observed_.valid,
                              .ready = drive.ready,
                              .in_flight = stats_.offered - stats_.collected});
    }
    // The answer of this cycle cannot belong to the block accepted at its end.
    check_output(drive.ready);
    if (accepted) accept();
    watch(accepted || (observed_.valid && drive.ready));
  }

  // The same cycle under the other ready.
  bool peek(const Drive& drive) {
    Drive other = drive;
    other.ready = !drive.ready;
    return dut_.peek(other, peeked_);
  }

  // The input's ready in the same cycle if a block is not offered that is, or is that is not.
  std::optional<bool> ready_under_other_offer(const Drive& drive) {
    if (stats_.cycles % kPeekInterval != kPeekInterval / 2 || !dut_.ready_is_free()) return {};
    Drive other = drive;
    other.offer = drive.offer == nullptr ? &blocks_.front() : nullptr;
    if (!dut_.peek(other, peeked_)) return {};
    return peeked_.ready;
  }

  void check_peek() const {
    if (peeked_.valid != observed_.valid) {
      fail("valid waits for ready: it changes with it at once", kValidIsFree);
    }
    if (observed_.valid && !(peeked_.block == observed_.block)) {
      fail("the payload changes with ready at once", kPayloadIsStable);
    }
    if (dut_.ready_is_registered() && peeked_.ready != observed_.ready) {
      fail("ready of the input follows ready of the output at once, without the register between",
           "the input skid breaks the combinational ready path (spec R6)");
    }
  }

  // While ready is low, valid has half of the device's patience. If it comes only with ready, it
  // waited for it; a device that shows nothing then either is the watchdog's.
  void check_probe(bool ready) {
    if (probing_ && observed_.valid) probing_ = false;
    if (probing_ && idle_ > patience_ / 2) {
      probing_ = false;
      suspect_ = true;
    }
    if (!suspect_ || !observed_.valid) return;
    if (ready) {
      fail(fmt::format("valid waits for ready: none in {} cycles without it", patience_ / 2),
           kValidIsFree);
    }
    suspect_ = false;
  }

  // The first cycle that is not as declared; after it device and pace are out of step.
  void check_pace(const Drive& drive) {
    if (!pace_ || !off_pace_.empty()) return;
    const bool was_ready = std::exchange(was_ready_, drive.ready);
    if (is_overdue_) {
      if (!observed_.valid) return;
      off_pace_ = drive.ready || was_ready
                      ? message("an answer that was due came with ready only", kValidIsFree)
                      : message(text_of(OffPace::kLate), "");
      return;
    }
    const bool is_offered = drive.offer != nullptr;
    const OffPace off = off_pace(*pace_, is_offered, observed_.ready, observed_.valid);
    // Without ready it may be late, or wait for it: what comes first tells.
    is_overdue_ = off == OffPace::kLate && !(drive.ready && was_ready);
    if (off != OffPace::kNo && !is_overdue_) off_pace_ = message(text_of(off), "");
    pace_->clock({is_offered && observed_.ready, true, drive.ready});
  }

  // A block once offered stays offered until it is taken; stalls fall between blocks.
  const BlockIn* next_offer() {
    if (!offering_) {
      const bool stalled = input_stall_.next();
      if (stats_.offered == blocks_.size()) return nullptr;
      if (stalled) {
        ++stats_.input_stalls;
        return nullptr;
      }
      offering_ = true;
    }
    return &blocks_[stats_.offered];
  }

  void accept() {
    offering_ = false;
    accepted_at_[stats_.offered] = stats_.cycles;
    ++stats_.offered;
    if (stats_.offered == blocks_.size()) dut_.end_of_input();
  }

  void check_output(bool ready) {
    if (held_) {
      if (!observed_.valid) fail("valid fell before ready", "valid stays until ready (spec R6)");
      if (!(observed_.block == held_block_)) {
        fail("the payload changed under back-pressure", kPayloadIsStable);
      }
    }
    held_ = observed_.valid && !ready;
    if (!observed_.valid) return;
    if (stats_.collected == stats_.offered) {
      fail(
          "an answer came out although no block is in flight (duplicated, or left from before a "
          "reset)",
          kOneAnswer);
    }
    if (held_) {
      held_block_ = observed_.block;
      return;
    }
    longest_way_ = std::max(longest_way_, stats_.cycles - accepted_at_[stats_.collected]);
    collect_(stats_.collected, observed_.block);
    ++stats_.collected;
  }

  void watch(bool progress) {
    idle_ = progress ? 0 : idle_ + 1;
    if (patience_ != 0 && idle_ > patience_) {
      const bool is_at_end = stats_.offered == blocks_.size();
      fail(fmt::format("no progress for {} cycles (watchdog): {}", patience_,
                       is_at_end ? "answers are missing"
                                 : "the device neither takes a block nor gives an answer"),
           is_at_end ? kOneAnswer : "a block is taken, and it comes out (spec R6)");
    }
    if (stats_.cycles % kDeadlineInterval == 0 || patience_ == 0) {
      if (std::chrono::steady_clock::now() > deadline_) {
        fail("the time limit is over (watchdog)", "");
      }
    }
  }

  void drain() {
    dut_.end_of_output();
    if (patience_ == 0) return;
    for (std::uint64_t i = 0; i < kDrainCycles + longest_way_; ++i) {
      const Drive idle{.ready = true, .noise = noise()};
      dut_.tick(idle, observed_);
      check_pace(idle);
      ++stats_.cycles;
      if (coverage_ != nullptr) coverage_->sample_drain();
      if (observed_.valid) {
        fail("an extra answer came out after the last block (left-over check)", kOneAnswer);
      }
    }
  }

  /// `rule`: the clause that this breaks, and where it stands; "" for none.
  [[noreturn]] void fail(std::string_view what, std::string_view rule) const {
    throw DutError(message(what, rule));
  }
  [[nodiscard]] std::string message(std::string_view what, std::string_view rule) const {
    return fmt::format("{}: {}{}{}; cycle {}, offered {}, collected {} of {} blocks", dut_.name(),
                       what, rule.empty() ? "" : "; broken: ", rule, stats_.cycles, stats_.offered,
                       stats_.collected, blocks_.size());
  }

  Dut& dut_;
  std::span<const BlockIn> blocks_;
  const Collect& collect_;
  ProtocolCoverage* coverage_;
  std::chrono::steady_clock::time_point deadline_;
  StallSchedule input_stall_;
  StallSchedule output_stall_;
  bool stalls_;
  ResetSchedule resets_;
  bool waits_for_probe_;
  bool is_due_ = false;  // a reset
  std::uint64_t noise_;
  const std::uint64_t first_;
  std::uint64_t patience_;
  std::unique_ptr<Pace> pace_;
  std::string off_pace_;                    // how the device left it
  bool was_ready_ = true;                   // in the cycle before
  bool is_overdue_ = false;                 // an answer, since a cycle without ready
  std::vector<std::uint64_t> accepted_at_;  // cycle, by block
  std::uint64_t longest_way_ = 0;           // cycles from acceptance to answer
  DriveStats stats_;
  Observed observed_;
  Observed peeked_;
  bool probing_ = false;  // ready is low until valid comes
  bool suspect_ = false;  // it did not
  BlockOut held_block_;
  bool held_ = false;
  bool offering_ = false;
  std::uint64_t idle_ = 0;
};

}  // namespace

DriveStats drive(Dut& dut, std::span<const BlockIn> blocks, const DriveOptions& options,
                 const Collect& collect) {
  return SegmentDriver(dut, blocks, options, collect).run();
}

}  // namespace mx::sim
