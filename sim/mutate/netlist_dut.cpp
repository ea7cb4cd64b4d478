#include "sim/mutate/netlist_dut.hpp"

#include <bit>
#include <cstring>

#include "golden/config_word/config_word.hpp"

namespace mx::sim {
namespace {

// Random words that may wait: more beats than a pipeline with its stores and skid buffers holds.
constexpr std::size_t kRandomDepth = 128;
// Underflow and saturated cover the beats so far; the rest of the status is the block's.
constexpr std::uint16_t kGrowing = 0x3000;
// Stages before the store of a block and behind it, and both without one (spec R6).
constexpr std::size_t kFrontStages = 3;
constexpr std::size_t kBackStages = 4;
constexpr std::size_t kStages = 7;

std::unique_ptr<Pace> pace_of(const NetlistBuild& build) {
  if (build.beats() == 1) return std::make_unique<StagesPace>(kStages);
  return std::make_unique<StorePace>(kFrontStages, kBackStages);
}

}  // namespace

NetlistDut::NetlistDut(const NetlistLibrary& library, const NetlistBuild& build, int mutant)
    : library_(library), build_(build), mutant_(mutant), pace_(pace_of(build)) {}

void NetlistDut::configure(const Setup& setup) {
  words_.clear();
  for (const golden::Configuration& each : setup.configs) {
    words_.push_back(golden::config_word_of(std::get<QuantizerConfig>(each.what)).word);
  }
  netlist_ = std::make_unique<Netlist>(library_, static_cast<int>(setup.seed % 0x7FFFFFFE) + 1);
  find_pins();
  pins_.select[0] = static_cast<std::uint8_t>(mutant_);
  pins_.select[1] = static_cast<std::uint8_t>(mutant_ >> 8);
}

void NetlistDut::find_pins() {
  const Netlist& n = *netlist_;
  pins_ = {n.port("clk_i"),         n.port("rst_ni"),        n.port("mutsel"),
           n.port("s_axis_tdata"),  n.port("s_axis_tkeep"),  n.port("s_axis_tlast"),
           n.port("s_axis_tuser"),  n.port("s_axis_tvalid"), n.port("s_axis_tready"),
           n.port("rnd_i"),         n.port("rnd_ready_o"),   n.port("m_axis_tdata"),
           n.port("m_axis_tkeep"),  n.port("m_axis_tlast"),  n.port("m_axis_tuser"),
           n.port("m_axis_tvalid"), n.port("m_axis_tready")};
}

void NetlistDut::reset(const Reset& reset) {
  beat_in_ = beat_out_ = 0;
  beat_offered_ = held_ = false;
  beats_out_.clear();
  random_.clear();
  pace_->reset();
  Noise noise(reset.noise);
  const auto settle_in_reset = [&] {
    *pins_.clk = 0;
    *pins_.in_valid = reset.offering ? 1 : 0;
    *pins_.out_ready = noise.next() & 1;
    show_noise(noise);
    show_random(noise);
    netlist_->eval();
    if (*pins_.out_valid != 0) throw DutError("m_axis_tvalid is high in reset");
  };
  *pins_.clk = 0;
  *pins_.reset = 1;
  netlist_->eval();
  *pins_.reset = 0;
  settle_in_reset();
  for (std::uint32_t edge = 0; edge < reset.edges; ++edge) {
    *pins_.clk = 1;
    netlist_->eval();
    settle_in_reset();
  }
  *pins_.reset = 1;
}

// A block whose last lanes are not kept may end early, with tlast.
int NetlistDut::beats_of(const BlockIn& block) const {
  if (!block.last || (block.random[1] & 1) != 0) return build_.beats();
  const int kept = 32 - std::countl_zero(block.keep);
  return std::max(1, (kept + build_.lanes - 1) / build_.lanes);
}

void NetlistDut::show_beat(const BlockIn& block) {
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  const std::size_t first = static_cast<std::size_t>(beat_in_) * lanes;
  std::memcpy(pins_.in_data, &block.source[first], 4 * lanes);
  for (std::size_t i = 0; i < lanes; i += 2) {
    const std::uint32_t pair = block.keep >> (first + i) & 3;
    pins_.in_keep[i / 2] = static_cast<std::uint8_t>((pair & 1) * 0x0F + (pair >> 1) * 0xF0);
  }
  *pins_.in_last = block.last && beat_in_ + 1 == beats_of(block) ? 1 : 0;
}

void NetlistDut::show_noise(Noise& noise) {
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    const std::uint32_t word = noise.next();
    std::memcpy(pins_.in_data + 4 * i, &word, 4);
  }
  for (std::size_t i = 0; i < lanes; i += 2) {
    pins_.in_keep[i / 2] = static_cast<std::uint8_t>(noise.next());
  }
  const std::uint32_t user = noise.next();
  std::memcpy(pins_.in_user, &user, 4);
  *pins_.in_last = noise.next() & 1;
}

void NetlistDut::show_random(Noise& noise) {
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  if (!random_.empty()) {
    std::memcpy(pins_.random, random_.front().data(), lanes);
    return;
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    pins_.random[i] = static_cast<std::uint8_t>(noise.next());
  }
}

// Inputs change while the clock is low; outputs settle to what the edge will see.
void NetlistDut::settle(const Drive& drive, Observed& observed) {
  Noise noise(drive.noise);
  show_noise(noise);
  // Now and then nothing comes between the beats of a block; a beat once shown stays.
  const bool gap = beat_in_ != 0 && !beat_offered_ && (noise.next() & 7) == 0;
  shows_beat_ = drive.offer != nullptr && !gap;
  *pins_.in_valid = shows_beat_ ? 1 : 0;
  if (shows_beat_) {
    show_beat(*drive.offer);
    // Only the first beat's configuration counts.
    if (beat_in_ == 0) std::memcpy(pins_.in_user, &words_[drive.offer->config], 4);
  }
  show_random(noise);
  beat_ready_ = drive.ready || (!is_last_out() && (noise.next() & 3) == 0);
  *pins_.out_ready = beat_ready_ ? 1 : 0;
  *pins_.clk = 0;
  netlist_->eval();
  observed.ready = shows_beat_ && *pins_.in_ready != 0 && beat_in_ + 1 == beats_of(*drive.offer);
  observed.valid = *pins_.out_valid != 0 && is_last_out();
  if (!observed.valid) return;
  const Beat beat = read_beat();
  BlockOut& out = observed.block;
  out = block_out_;
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  const std::size_t first = static_cast<std::size_t>(beat_out_) * lanes;
  if (first == 0) out = BlockOut{};
  if (first == 0) out.keep = 0;
  std::memcpy(&out.codes[first], beat.codes.data(), lanes);
  out.keep |= beat.keep << first;
  out.status = beat.status;
  out.last = beat.last;
}

bool NetlistDut::peek(const Drive& drive, Observed& observed) {
  settle(drive, observed);
  return true;
}

void NetlistDut::tick(const Drive& drive, Observed& observed) {
  settle(drive, observed);
  check_pace(drive);
  check_output(beat_ready_);
  const bool takes_random = *pins_.random_ready != 0;
  const bool takes_beat = shows_beat_ && *pins_.in_ready != 0;
  *pins_.clk = 1;
  netlist_->eval();
  if (takes_random) {
    if (random_.empty()) throw DutError("rnd_ready_o takes a word although no beat awaits one");
    random_.pop_front();
  }
  beat_offered_ = shows_beat_ && !takes_beat;
  if (takes_beat) take_input(*drive.offer);
}

// s_axis_tready means something in every cycle: it depends on nothing that is offered in it.
void NetlistDut::check_pace(const Drive& drive) {
  const bool ready = *pins_.in_ready != 0;
  const OffPace off = off_pace(*pace_, true, ready, *pins_.out_valid != 0);
  if (off != OffPace::kNo) throw DutError(text_of(off));
  const bool enters = shows_beat_ && ready;
  const bool ends = enters && beat_in_ + 1 == beats_of(*drive.offer);
  pace_->clock({enters, ends, beat_ready_});
}

void NetlistDut::take_input(const BlockIn& block) {
  if (random_.size() == kRandomDepth) throw DutError("does not take its random words");
  RandomWord& word = random_.emplace_back();
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    word[i] =
        static_cast<std::uint8_t>(block.random[static_cast<std::size_t>(beat_in_) * lanes + i]);
  }
  const int beats = beats_of(block);
  if (++beat_in_ < beats) return;
  beat_in_ = 0;
  beats_out_.push_back(beats);
}

NetlistDut::Beat NetlistDut::read_beat() const {
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  Beat beat;
  std::memcpy(beat.codes.data(), pins_.out_data, lanes);
  std::memcpy(&beat.keep, pins_.out_keep, (lanes + 7) / 8);
  std::memcpy(&beat.status, pins_.out_user, 2);
  beat.last = *pins_.out_last != 0;
  return beat;
}

// The beat before the clock edge. What the bench sees of last beats is the bench's.
void NetlistDut::check_output(bool ready) {
  const bool valid = *pins_.out_valid != 0;
  if (is_last_out()) {
    if (valid && ready && !beats_out_.empty()) {
      const std::uint16_t status = read_beat().status;
      if (beat_out_ != 0 && ((block_out_.status & ~status & kGrowing) != 0 ||
                             ((block_out_.status ^ status) & ~kGrowing) != 0)) {
        throw DutError("the beats of a block disagree about it");
      }
      beats_out_.pop_front();
      beat_out_ = 0;
    }
    return;
  }
  if (held_ && (!valid || !(read_beat() == held_beat_))) {
    throw DutError("a beat changed under back-pressure");
  }
  held_ = valid && !ready;
  if (!valid) return;
  const Beat beat = read_beat();
  if (held_) {
    held_beat_ = beat;
    return;
  }
  if (beat.last) throw DutError("tlast comes before the last beat");
  add_beat(beat);
}

void NetlistDut::add_beat(const Beat& beat) {
  const auto lanes = static_cast<std::size_t>(build_.lanes);
  if (beat_out_ == 0) {
    block_out_ = BlockOut{};
    block_out_.keep = 0;
  } else if ((block_out_.status & ~beat.status & kGrowing) != 0 ||
             ((block_out_.status ^ beat.status) & ~kGrowing) != 0) {
    throw DutError("the beats of a block disagree about it");
  }
  const std::size_t first = static_cast<std::size_t>(beat_out_) * lanes;
  std::memcpy(&block_out_.codes[first], beat.codes.data(), lanes);
  block_out_.keep |= beat.keep << first;
  block_out_.status = beat.status;
  ++beat_out_;
}

void NetlistDut::end_of_output() {
  if (!random_.empty()) throw DutError("blocks came out without taking their random words");
}

}  // namespace mx::sim
