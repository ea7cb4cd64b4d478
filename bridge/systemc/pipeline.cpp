#include "mxgold_systemc/pipeline.hpp"

#include <algorithm>

namespace mxgold {

QuantizerPipeline::QuantizerPipeline(const Build& build)
    : build_(build), models_(build), back_(1 + static_cast<std::size_t>(build.pipe_lane)) {
  for (Half& half : halves_) half.beats.reserve(static_cast<std::size_t>(build.beats()));
}

// A stage takes a beat where it is empty or the one behind it takes one.
bool QuantizerPipeline::back_takes(std::size_t stage) const {
  return !is_full_ || std::any_of(back_.begin() + static_cast<std::ptrdiff_t>(stage), back_.end(),
                                  [](const Beat& beat) { return !beat.is_valid; });
}

bool QuantizerPipeline::takes() const {
  const bool has_gap =
      std::any_of(front_.begin(), front_.end(), [](const Beat& beat) { return !beat.is_valid; });
  if (has_gap) return true;
  return build_.beats() == 1 ? back_takes(0) : !halves_[written_half_].is_full;
}

bool QuantizerPipeline::takes_random() const {
  return back_[before_lanes()].is_valid && back_takes(before_lanes() + 1);
}

bool QuantizerPipeline::shows() const {
  if (build_.out_skid != 0) return out_.is_valid;
  return is_full_ || back_.back().is_valid;
}

const BeatOut& QuantizerPipeline::shown(const BeatRandom& random) {
  if (build_.out_skid != 0) return out_.out;
  if (is_full_) return spare_.out;
  if (build_.pipe_lane == 0 && back_.back().is_valid) complete(back_.back(), random);
  return back_.back().out;
}

void QuantizerPipeline::reset() {
  for (Beat& each : front_) each.is_valid = false;
  for (Beat& each : back_) each.is_valid = false;
  spare_.is_valid = out_.is_valid = false;
  for (Half& half : halves_) {
    half.is_full = false;
    half.beats.clear();
  }
  written_half_ = read_half_ = read_beat_ = 0;
  is_full_ = false;
  beat_ = 0;
}

// complete() may be called again under other words.
void QuantizerPipeline::complete(Beat& beat, const BeatRandom& random) {
  Block& block = blocks_[beat.block];
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  for (std::size_t i = 0; i < lanes; ++i) block.random[lanes * beat.number + i] = random[i];
  beat.out.last = beat.last;
  if (BlockModel* const model = models_.find(block.word); model != nullptr) {
    model->answer(build_, block, beat.number, beat.out, nullptr);
    return;
  }
  beat.out.codes.fill(0);
  beat.out.user = 0;
  beat.out.keep = static_cast<std::uint32_t>(block.keep >> (lanes * beat.number)) &
                  (~std::uint32_t{0} >> (32 - lanes));
}

QuantizerPipeline::Beat QuantizerPipeline::take(const BeatIn* offered) {
  Beat beat;
  if (offered == nullptr) return beat;
  if (beat_ == 0) {
    block_ = static_cast<std::uint8_t>((block_ + 1) % kBlocks);
    blocks_[block_] = Block{};
    blocks_[block_].word = offered->tuser;
    if (models_.find(offered->tuser) == nullptr) ++illegal_blocks_;
  }
  Block& block = blocks_[block_];
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  for (std::size_t i = 0; i < lanes; ++i) block.source[lanes * beat_ + i] = offered->source[i];
  block.keep |= std::uint64_t{offered->keep} << (lanes * beat_);
  beat.is_valid = true;
  beat.block = block_;
  beat.number = beat_;
  beat.last = offered->last;
  // With one beat a block the RTL has no counter.
  beat.ends_block = build_.beats() == 1 || offered->last || beat_ + 1 == build_.beats();
  beat_ = beat.ends_block ? std::uint8_t{0} : static_cast<std::uint8_t>(beat_ + 1);
  return beat;
}

void QuantizerPipeline::clock(const BeatIn* offered, const BeatRandom& random, bool ready) {
  const bool is_taken = takes();
  const bool skid_takes = !is_full_;
  if (takes_random()) complete(back_[before_lanes()], random);
  const Beat& answered = back_.back();
  const bool skid_shows = is_full_ || answered.is_valid;
  const bool skid_ready = build_.out_skid == 0 ? ready : ready || !out_.is_valid;
  if (build_.out_skid != 0 && skid_ready) {
    out_ = is_full_ ? spare_ : answered;
    out_.is_valid = skid_shows;
  }
  if (skid_takes) spare_ = answered;

  // Every condition below is of the registers before the edge.
  const Beat entered = take(is_taken ? offered : nullptr);
  if (build_.beats() == 1) {
    const bool moves = back_takes(0);
    move_back(skid_takes, front_[2]);
    move_front(moves, entered);
  } else {
    move_queue(entered);
  }
  is_full_ = !skid_ready && skid_shows;
}

void QuantizerPipeline::move_back(bool moves, const Beat& first) {
  for (std::size_t s = back_.size(); s-- > 0;) {
    moves = moves || !back_[s].is_valid;
    if (moves) back_[s] = s == 0 ? first : back_[s - 1];
  }
}

void QuantizerPipeline::move_front(bool moves, const Beat& entered) {
  for (std::size_t s = front_.size(); s-- > 0;) {
    moves = moves || !front_[s].is_valid;
    if (moves) front_[s] = s == 0 ? entered : front_[s - 1];
  }
}

// The front, the store and the stages behind it.
void QuantizerPipeline::move_queue(const Beat& entered) {
  const Half& read_from = halves_[read_half_];
  const bool reads = back_takes(0) && read_from.is_full;
  const bool read_ends = reads && read_beat_ + 1 == read_from.beats.size();
  const Beat arrived = front_[2];
  const bool is_free = !halves_[written_half_].is_full;
  const bool writes = arrived.is_valid && is_free;
  move_back(!is_full_, reads ? read_from.beats[read_beat_] : Beat{});
  if (reads) ++read_beat_;
  if (writes) halves_[written_half_].beats.push_back(arrived);
  if (read_ends) {
    halves_[read_half_].is_full = false;
    halves_[read_half_].beats.clear();
    read_half_ ^= 1U;
    read_beat_ = 0;
  }
  if (writes && arrived.ends_block) {
    halves_[written_half_].is_full = true;
    written_half_ ^= 1U;
  }
  move_front(is_free, entered);
}

}  // namespace mxgold
