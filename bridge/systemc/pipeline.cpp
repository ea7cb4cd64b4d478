#include "mxgold_systemc/pipeline.hpp"

#include <algorithm>

namespace mxgold {

QuantizerPipeline::QuantizerPipeline(const Build& build)
    : build_(build), models_(build), back_(static_cast<std::size_t>(build.pipe_lane)) {
  for (Half& half : halves_) half.beats.reserve(static_cast<std::size_t>(build.beats()));
}

bool QuantizerPipeline::takes() const {
  if (build_.beats() == 1) return !is_full_;
  return !front_[2].is_valid || !halves_[written_half_].is_full;
}

bool QuantizerPipeline::takes_random() const {
  return !is_full_ && (build_.pipe_lane == 3 ? back_[0] : s4_).is_valid;
}

bool QuantizerPipeline::shows() const {
  if (build_.out_skid != 0) return out_.is_valid;
  return is_full_ || (back_.empty() ? s4_ : back_.back()).is_valid;
}

const BeatOut& QuantizerPipeline::shown(const BeatRandom& random) {
  if (build_.out_skid != 0) return out_.out;
  if (is_full_) return spare_.out;
  if (back_.empty() && s4_.is_valid) complete(s4_, random);
  return behind_lanes().out;
}

void QuantizerPipeline::reset() {
  for (Beat& each : front_) each.is_valid = false;
  for (Beat& each : back_) each.is_valid = false;
  s4_.is_valid = spare_.is_valid = out_.is_valid = false;
  for (Half& half : halves_) {
    half.is_full = false;
    half.beats.clear();
  }
  written_half_ = read_half_ = read_beat_ = 0;
  is_full_ = false;
  beat_ = 0;
}

// The beat whose random words are asked for; complete() may be called again under other words.
QuantizerPipeline::Beat& QuantizerPipeline::before_lanes() {
  return build_.pipe_lane == 3 ? back_[0] : s4_;
}

QuantizerPipeline::Beat& QuantizerPipeline::behind_lanes() {
  return back_.empty() ? s4_ : back_.back();
}

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
  const bool advance = !is_full_;
  const bool front_moves = takes();
  if (advance && before_lanes().is_valid) complete(before_lanes(), random);
  const Beat& answered = behind_lanes();
  const bool skid_shows = is_full_ || answered.is_valid;
  const bool skid_ready = build_.out_skid == 0 ? ready : ready || !out_.is_valid;
  if (build_.out_skid != 0 && skid_ready) {
    out_ = is_full_ ? spare_ : answered;
    out_.is_valid = skid_shows;
  }
  if (!is_full_) spare_ = answered;
  is_full_ = !skid_ready && skid_shows;

  const Beat entered = take(front_moves ? offered : nullptr);
  if (build_.beats() != 1) {
    move_queue(advance, entered);
    return;
  }
  if (!advance) return;
  shift_back(s4_);
  s4_ = front_[2];
  std::copy_backward(front_.begin(), front_.end() - 1, front_.end());
  front_[0] = entered;
}

void QuantizerPipeline::shift_back(const Beat& first) {
  if (back_.empty()) return;
  std::copy_backward(back_.begin(), back_.end() - 1, back_.end());
  back_[0] = first;
}

// The front, the store and the stages behind it; every condition is of the registers before the
// edge.
void QuantizerPipeline::move_queue(bool advance, const Beat& entered) {
  const Half& read_from = halves_[read_half_];
  const bool reads = advance && read_from.is_full;
  const bool read_ends = reads && read_beat_ + 1 == read_from.beats.size();
  const Beat arrived = front_[2];
  const bool writes = arrived.is_valid && !halves_[written_half_].is_full;
  const bool moves = !arrived.is_valid || writes;
  if (advance) shift_back(s4_);
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
  if (moves) {
    std::copy_backward(front_.begin(), front_.end() - 1, front_.end());
    front_[0] = entered;
  }
  const Half& next = halves_[read_half_];
  if (next.is_full) {
    s4_ = next.beats[read_beat_];
    s4_.is_valid = true;
  } else {
    s4_.is_valid = false;
  }
}

}  // namespace mxgold
