#include "sim/dut/reference.hpp"

#include <fmt/format.h>

#include "sim/dut/kind.hpp"

namespace mx::sim {
namespace {

// Port faults strike once the device has warmed up, so that the first answers are right.
constexpr std::uint64_t kStrikes = 20;

constexpr std::uint64_t kLatency = 7;
constexpr std::size_t kDepth = 8;

bool is_late(const Fault* fault) { return fault != nullptr && fault->port == PortFault::kLate; }

}  // namespace

ReferenceDut::ReferenceDut(const Fault* fault)
    : QueueDut(is_late(fault) ? kLatency + 1 : kLatency, kDepth),
      fault_(fault),
      name_(fault == nullptr ? "reference" : fmt::format("reference with {}", fault->token)) {}

void ReferenceDut::configure(const Setup& setup) {
  model_.emplace(setup.configs);
  faulty_.reset();
  if (fault_ != nullptr) faulty_.emplace(*fault_, setup.configs);
}

std::string ReferenceDut::refusal(const QuantizerConfig& config) const {
  const BlockFormat& format = config.format;
  if (format.extent != BlockExtent::kElements || format.elements() != kLanes) {
    return fmt::format("blocks of {} are no beats of {} lanes", format.name, kLanes);
  }
  if (format.element.storage_bits != 8 || format.scale_bits() != 8 || config.source.bits > 32) {
    return fmt::format(
        "codes or scales of {} from {} are not those of the streams, 8 bits of a source of 32 at "
        "most",
        format.name, config.source.name);
  }
  return {};
}

void ReferenceDut::reset(const Reset& reset) {
  announced_ = reset.blocks;
  stale_.reset();
  if (!in_flight_.empty()) stale_ = in_flight_.front().answer;
  QueueDut::reset(reset);
  previous_.reset();
  accepted_ = 0;
  waiting_ = 0;
  is_hung_ = false;
  was_shown_ = false;
  was_ready_ = false;
  was_taken_ = false;
}

std::unique_ptr<Pace> ReferenceDut::pace() const {
  return std::make_unique<QueuePace>(kLatency, kDepth);
}

void ReferenceDut::compute(const BlockIn& block, BlockOut& out) {
  ++accepted_;
  if (fault_ == nullptr) {
    model_->answer(block, out);
    return;
  }
  faulty_->answer(block, previous_ ? &*previous_ : nullptr, out);
  previous_ = block;
}

// The faults in which valid waits for ready, of this cycle or of the one before.
bool ReferenceDut::hides_answer(bool ready) const {
  if (fault_ == nullptr || was_shown_) return false;
  if (fault_->port == PortFault::kValidWaits) return !ready;
  return fault_->port == PortFault::kValidWaitsLate && !was_ready_;
}

void ReferenceDut::tick(const Drive& drive, Observed& observed) {
  const std::uint64_t before = accepted_;
  Drive seen = drive;
  if (fault_ != nullptr && accepted_ >= kStrikes) {
    // An answer that is already waiting still leaves; none comes after it.
    is_hung_ = is_hung_ || (fault_->port == PortFault::kHang && waiting_ == 0);
    if (is_hung_) seen.ready = false;
    if (fault_->port == PortFault::kNeverReady) seen.offer = nullptr;
  }
  const bool rests = fault_ != nullptr && fault_->port == PortFault::kBubble && was_taken_;
  if (rests) seen.offer = nullptr;
  const bool hides = hides_answer(drive.ready);
  if (hides) seen.ready = false;
  QueueDut::tick(seen, observed);
  if (hides) observed.valid = false;
  if (rests) observed.ready = false;
  was_taken_ = seen.offer != nullptr && observed.ready;
  was_shown_ = observed.valid && !drive.ready;
  was_ready_ = drive.ready;
  if (observed.valid) last_answer_ = observed.block;
  if (fault_ == nullptr || fault_->port == PortFault::kNone) return;
  const bool accepted = accepted_ != before;
  if (fault_->port == PortFault::kDropOnStall && accepted && accepted_ > kStrikes && !drive.ready) {
    in_flight_.pop_back();
  } else if (accepted_ == kStrikes && accepted) {
    Entry& newest = in_flight_.back();
    if (fault_->port == PortFault::kDuplicate) in_flight_.push_back(Entry(newest));
    if (fault_->port == PortFault::kReorder && in_flight_.size() > 1) {
      std::swap(newest.answer, in_flight_[in_flight_.size() - 2].answer);
    }
  }
  break_ports(drive, observed);
}

void ReferenceDut::break_ports(const Drive& drive, Observed& observed) {
  waiting_ = observed.valid && !drive.ready ? waiting_ + 1 : 0;
  switch (fault_->port) {
    case PortFault::kHang:
      if (is_hung_) observed.valid = false;
      break;
    case PortFault::kNeverReady:
      if (accepted_ >= kStrikes) observed.ready = false;
      break;
    case PortFault::kStaleAfterReset:
      if (stale_ && !observed.valid) {
        observed.valid = true;
        observed.block = *stale_;
        if (drive.ready) stale_.reset();
      }
      break;
    case PortFault::kPayloadChanges:
      if (waiting_ > 1) observed.block.codes[0] ^= 1;
      break;
    case PortFault::kValidFalls:
      if (waiting_ > 1) observed.valid = false;
      break;
    case PortFault::kExtraAtEnd:
      if (accepted_ == announced_ && in_flight_.empty() && !observed.valid) {
        observed.valid = true;
        observed.block = last_answer_;
      }
      break;
    default:
      break;
  }
}

DutKind reference_dut() {
  DutKind kind{.name = "reference",
               .argument = "[:FAULT]",
               .help = "the model itself, or broken on purpose"};
  kind.arguments = [] {
    std::vector<std::string_view> tokens;
    for (const Fault& each : all_faults()) tokens.push_back(each.token);
    return tokens;
  };
  kind.make = [](const DutRequest& request) -> DutFactory {
    const Fault* const fault = find_fault(request.argument);
    return [fault] { return std::make_unique<ReferenceDut>(fault); };
  };
  return kind;
}

}  // namespace mx::sim
