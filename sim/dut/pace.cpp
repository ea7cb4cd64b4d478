#include "sim/dut/pace.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace mx::sim {
namespace {

constexpr std::string_view kTakes = "; broken: a block is taken in every cycle (spec R6)";
constexpr std::string_view kShows =
    "; broken: an answer comes after the declared latency (spec R6)";

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

bool ElasticStages::takes(bool last_moves) const {
  return last_moves ||
         std::ranges::any_of(stages_, [](const PacedBeat& beat) { return !beat.is_valid; });
}

void ElasticStages::clock(PacedBeat first, bool last_moves) {
  bool moves = last_moves;
  for (std::size_t s = stages_.size(); s-- > 0;) {
    moves = moves || !stages_[s].is_valid;
    if (moves) stages_[s] = s == 0 ? first : stages_[s - 1];
  }
}

void StagesPace::reset() {
  stages_.reset();
  spare_ = false;
}

void StagesPace::clock(const PaceCycle& cycle) {
  const bool waits = shows() && !cycle.ready;
  stages_.clock({cycle.entered, cycle.ends_block}, !spare_);
  spare_ = waits;
}

void QueuePace::clock(const PaceCycle& cycle) {
  if (shows() && cycle.ready) due_.pop_front();
  if (cycle.entered) due_.push_back(now_ + latency_);
  ++now_;
}

void StorePace::reset() {
  front_.reset();
  back_.reset();
  halves_ = {};
  written_half_ = read_half_ = 0;
  read_beats_ = 0;
  spare_ = false;
}

// From the way out to the way in, so that each part sees the others as they were.
void StorePace::clock(const PaceCycle& cycle) {
  const bool waits = shows() && !cycle.ready;
  const bool is_blocked = is_full();
  const PacedBeat arrived = front_.last();
  read();
  if (arrived.is_valid && !is_blocked) {
    Half& half = halves_[written_half_];
    ++half.beats;
    half.is_full = arrived.ends_block;
    if (arrived.ends_block) written_half_ ^= 1U;
  }
  front_.clock({cycle.entered, cycle.ends_block}, !is_blocked);
  spare_ = waits;
}

// A beat of the older block goes to the stages behind the store.
void StorePace::read() {
  Half& half = halves_[read_half_];
  const bool takes = back_.takes(!spare_);
  back_.clock({half.is_full, false}, !spare_);
  if (!half.is_full || !takes || ++read_beats_ < half.beats) return;
  half = {};
  read_half_ ^= 1U;
  read_beats_ = 0;
}

}  // namespace mx::sim
