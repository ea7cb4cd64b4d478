#include "sim/dut/pace.hpp"

#include <algorithm>
#include <string_view>

namespace mx::sim {
namespace {

constexpr std::string_view kTakes = "; broken: a block is taken in every cycle (spec R6)";
constexpr std::string_view kShows =
    "; broken: an answer comes after the declared latency (spec R6)";

/// Moves everything one place on.
void shift(std::vector<bool>& stages, bool first) {
  std::shift_right(stages.begin(), stages.end(), 1);
  stages.front() = first;
}

}  // namespace

OffPace off_pace(const Pace& pace, bool is_offered, bool ready, bool valid) {
  if (is_offered && ready != pace.takes()) return ready ? OffPace::kTaken : OffPace::kNotTaken;
  if (valid != pace.shows()) return valid ? OffPace::kEarly : OffPace::kLate;
  return OffPace::kNo;
}

std::string text_of(OffPace off) {
  switch (off) {
    case OffPace::kNo:
      break;
    case OffPace::kNotTaken:
      return std::string("what is offered is not taken, although the declared pace has a place")
          .append(kTakes);
    case OffPace::kTaken:
      return std::string("what is offered is taken, although the declared pace has no place")
          .append(kTakes);
    case OffPace::kLate:
      return std::string("an answer is later than the declared pace has it").append(kShows);
    case OffPace::kEarly:
      return std::string("an answer is earlier than the declared pace has it").append(kShows);
  }
  return {};
}

void StagesPace::reset() {
  stages_.assign(stages_.size(), false);
  spare_ = false;
}

void StagesPace::clock(const PaceCycle& cycle) {
  const bool waits = shows() && !cycle.ready;
  if (!spare_) shift(stages_, cycle.entered);
  spare_ = waits;
}

void QueuePace::clock(const PaceCycle& cycle) {
  if (shows() && cycle.ready) due_.pop_front();
  if (cycle.entered) due_.push_back(now_ + latency_);
  ++now_;
}

void StorePace::reset() {
  std::ranges::fill(front_, Beat{});
  back_.assign(back_.size(), false);
  halves_ = {};
  written_half_ = read_half_ = 0;
  read_beats_ = 0;
  spare_ = false;
}

void StorePace::clock(const PaceCycle& cycle) {
  const bool advance = !spare_;
  const bool moves = takes();
  const Beat arrived = front_.back();
  const bool writes = arrived.is_valid && !is_full();
  spare_ = shows() && !cycle.ready;
  read(advance);
  if (writes) {
    Half& half = halves_[written_half_];
    ++half.beats;
    half.is_full = arrived.ends_block;
    if (arrived.ends_block) written_half_ ^= 1U;
  }
  if (!moves) return;
  std::shift_right(front_.begin(), front_.end(), 1);
  front_.front() = {cycle.entered, cycle.ends_block};
}

// A beat of the older block goes to the stages behind the store.
void StorePace::read(bool advance) {
  if (!advance) return;
  Half& half = halves_[read_half_];
  shift(back_, half.is_full);
  if (!half.is_full || ++read_beats_ < half.beats) return;
  half = {};
  read_half_ ^= 1U;
  read_beats_ = 0;
}

}  // namespace mx::sim
