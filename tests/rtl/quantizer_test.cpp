// mx_quantizer in one elaborated build against mx::Quantizer, bit for bit: random blocks and
// configurations, partial blocks, stalls on both sides, configuration changes between neighbours.
// Payload pins that carry nothing show noise, in reset too: a function of seed and cycle.
//
// The build under test is a set of compile definitions (see CMakeLists.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/rtl/port_bits.hpp"
#include "tests/rtl/random_block.hpp"
#include "verilated.h"

#include MX_MODEL_HEADER

namespace {

using mx::rtl_test::Beat;
using mx::rtl_test::Build;
using mx::rtl_test::get_bits;
using mx::rtl_test::put_bits;
using mx::rtl_test::Random;
using mx::rtl_test::Shape;

constexpr Build kBuild{MX_LANES,      MX_BLOCK_SIZE, MX_IN_FMT_MASK, MX_FMT_MASK,
                       MX_ROUND_MASK, MX_RULE_MASK,  MX_POLICY_MASK, MX_SR_BITS,
                       MX_SR_VARIANT, MX_SUBNORMALS, MX_PIPE_LANE,   MX_OUT_SKID};
constexpr int kIdleLimit = 1000;

/// How often each side pauses: n of 8 cycles. A reset comes in one of reset_in cycles, 0: never.
struct Stalls {
  int source = 0;
  int sink = 0;
  int reset_in = 0;
};

/// Drives one Verilated quantizer and compares every beat that comes out.
class Bench {
 public:
  explicit Bench(std::uint64_t seed)
      : seed_(seed), random_(seed), context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed % 1000) + 1);
    dut_ = std::make_unique<MX_MODEL>(context_.get());
    dut_->rst_ni = 1;
    dut_->eval();
    reset();
  }
  ~Bench() { dut_->final(); }

  /// Sends the beats and receives them all. Returns the cycles from the first acceptance to the
  /// last output; stops early on a hang or after a few mismatches.
  std::uint64_t run(const std::vector<Beat>& beats, Stalls stalls) {
    std::size_t sent = 0;
    std::size_t received = 0;
    std::size_t random_taken = 0;
    std::uint64_t cycles = 0;
    int idle = 0;
    bool offering = false;
    while (received < beats.size() && errors_ < 3) {
      if (stalls.reset_in != 0 && random_.one_in(stalls.reset_in)) {
        reset();
        // What was in flight is lost: its blocks come again, from their first beats.
        while (received > 0 && !beats[received - 1].ends_block) --received;
        sent = random_taken = received;
        offering = false;
      }
      offering = sent < beats.size() && (offering || random_.below(8) >= stalls.source);
      offer(offering ? &beats[sent] : nullptr);
      offer_random(random_taken < sent ? &beats[random_taken] : nullptr);
      dut_->m_axis_tready = random_.below(8) >= stalls.sink ? 1 : 0;
      dut_->clk_i = 0;
      dut_->eval();
      check_stable();
      if (cycle_ % 8 == 0) check_other_ready();
      const bool in = offering && dut_->s_axis_tready != 0;
      const bool out = dut_->m_axis_tvalid != 0 && dut_->m_axis_tready != 0;
      if (dut_->rnd_ready_o != 0) {
        EXPECT_LT(random_taken, sent) << "a random word was taken before its beat was accepted";
        ++random_taken;
      }
      if (out) {
        EXPECT_LT(received, sent) << "a beat came out that nobody sent";
        compare(beats[received++]);
      }
      ++cycle_;
      cycles += received > 0 || sent > 0 || in ? 1 : 0;
      idle = in || out ? 0 : idle + 1;
      if (in) {
        ++sent;
        offering = false;
      }
      if (idle > kIdleLimit) {
        ADD_FAILURE() << "no beat moved for " << kIdleLimit << " cycles";
        break;
      }
      dut_->clk_i = 1;
      dut_->eval();
    }
    EXPECT_EQ(random_taken, received) << "one random word a beat";
    drain();
    return cycles;
  }

 private:
  /// What idle pins show in this cycle; `pins` tells the groups of pins apart.
  [[nodiscard]] Random noise(std::uint64_t pins) const {
    return Random((seed_ << 40) + (cycle_ << 2) + pins);
  }

  void step() {
    dut_->clk_i = 0;
    dut_->eval();
    dut_->clk_i = 1;
    dut_->eval();
    ++cycle_;
  }

  /// A pulse of up to three clock edges, tvalid low or high meanwhile.
  void reset() {
    const int edges = random_.below(4);
    const auto offering = static_cast<std::uint8_t>(random_.below(2));
    held_ = false;
    dut_->clk_i = 0;
    dut_->rst_ni = 0;
    for (int edge = 0; edge <= edges; ++edge) {
      offer(nullptr);
      offer_random(nullptr);
      dut_->s_axis_tvalid = offering;
      dut_->m_axis_tready = static_cast<std::uint8_t>(random_.below(2));
      if (edge == edges) {
        dut_->clk_i = 0;
        dut_->eval();
      } else {
        step();
      }
      EXPECT_EQ(dut_->m_axis_tvalid, 0) << "in reset";
    }
    dut_->rst_ni = 1;
  }

  /// Nothing more may come out, for longer than a beat is on its way.
  void drain() {
    held_ = false;
    dut_->m_axis_tready = 1;
    for (int cycle = 0; cycle < 2 * kBuild.latency() + 8; ++cycle) {
      offer(nullptr);
      offer_random(nullptr);
      step();
      if (dut_->m_axis_tvalid != 0) {
        ADD_FAILURE() << "a beat came out after the last";
        return;
      }
    }
  }

  void offer_noise() {
    constexpr int kWidth = kBuild.in_width();
    Random noise = this->noise(0);
    for (int lane = 0; lane < kBuild.lanes; ++lane) {
      put_bits(dut_->s_axis_tdata, lane * kWidth, kWidth, noise.bits());
      put_bits(dut_->s_axis_tkeep, lane * kWidth / 8, kWidth / 8, noise.bits());
    }
    dut_->s_axis_tlast = noise.bits() & 1;
    dut_->s_axis_tuser = static_cast<std::uint32_t>(noise.bits());
  }

  void offer(const Beat* beat) {
    dut_->s_axis_tvalid = beat != nullptr ? 1 : 0;
    if (beat == nullptr) {
      offer_noise();
      return;
    }
    constexpr int kWidth = kBuild.in_width();
    for (int lane = 0; lane < kBuild.lanes; ++lane) {
      const auto& l = beat->lanes[static_cast<std::size_t>(lane)];
      put_bits(dut_->s_axis_tdata, lane * kWidth, kWidth, l.word);
      put_bits(dut_->s_axis_tkeep, lane * kWidth / 8, kWidth / 8, l.keep ? 0xF : 0);
    }
    dut_->s_axis_tlast = beat->last ? 1 : 0;
    dut_->s_axis_tuser = beat->config_word;
  }

  void offer_random(const Beat* beat) {
    Random noise = this->noise(1);
    for (int lane = 0; lane < kBuild.lanes; ++lane) {
      const std::uint64_t word =
          beat != nullptr ? beat->lanes[static_cast<std::size_t>(lane)].random : noise.bits();
      put_bits(dut_->rnd_i, lane * kBuild.sr_bits, kBuild.sr_bits, word);
    }
  }

  /// A beat that was offered and not taken must be offered again unchanged.
  void check_stable() {
    std::vector<std::uint64_t> now{dut_->m_axis_tuser, dut_->m_axis_tlast};
    for (int lane = 0; lane < kBuild.lanes; ++lane) {
      now.push_back(get_bits(dut_->m_axis_tdata, lane * 8, 8));
      now.push_back(get_bits(dut_->m_axis_tkeep, lane, 1));
    }
    if (held_) {
      EXPECT_EQ(dut_->m_axis_tvalid, 1);
      EXPECT_EQ(now, last_seen_);
    }
    held_ = dut_->m_axis_tvalid != 0 && dut_->m_axis_tready == 0;
    last_seen_ = now;
  }

  /// No output waits for the receiver's ready in its own cycle.
  void check_other_ready() {
    const auto outputs = [&] {
      dut_->eval();
      return std::array<std::uint64_t, 5>{dut_->s_axis_tready, dut_->rnd_ready_o,
                                          dut_->m_axis_tvalid, dut_->m_axis_tuser,
                                          get_bits(dut_->m_axis_tdata, 0, 8)};
    };
    const auto seen = outputs();
    dut_->m_axis_tready ^= 1U;
    const auto other = outputs();
    dut_->m_axis_tready ^= 1U;
    dut_->eval();
    EXPECT_EQ(seen, other) << "an output follows m_axis_tready at once";
    errors_ += seen == other ? 0 : 1;
  }

  void compare(const Beat& beat) {
    // Bits 12 and 13 cover the beats so far; the last beat of a block has all of them.
    const unsigned mask = beat.ends_block ? 0xFFFFU : 0xCFFFU;
    bool same = (dut_->m_axis_tuser & mask) == (beat.status & mask) &&
                (dut_->m_axis_tlast != 0) == beat.last;
    for (int lane = 0; lane < kBuild.lanes; ++lane) {
      const auto& l = beat.lanes[static_cast<std::size_t>(lane)];
      same = same && get_bits(dut_->m_axis_tdata, lane * 8, 8) == l.code &&
             get_bits(dut_->m_axis_tkeep, lane, 1) == (l.keep ? 1U : 0U);
    }
    if (same) return;
    ++errors_;
    ADD_FAILURE() << describe(beat);
  }

  std::string describe(const Beat& beat) {
    char line[160];
    std::snprintf(line, sizeof line,
                  "tuser %08X: status %04X, expected %04X; last %d, expected %d\n",
                  beat.config_word, static_cast<unsigned>(dut_->m_axis_tuser), beat.status,
                  static_cast<int>(dut_->m_axis_tlast), beat.last ? 1 : 0);
    std::string text = line;
    for (int lane = 0; lane < kBuild.lanes; ++lane) {
      const auto& l = beat.lanes[static_cast<std::size_t>(lane)];
      std::snprintf(line, sizeof line,
                    "  lane %d: word %08X keep %d random %X: %02X, expected %02X\n", lane, l.word,
                    l.keep ? 1 : 0, l.random,
                    static_cast<unsigned>(get_bits(dut_->m_axis_tdata, lane * 8, 8)), l.code);
      text += line;
    }
    return text;
  }

  std::uint64_t seed_;
  std::uint64_t cycle_ = 0;
  Random random_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<MX_MODEL> dut_;
  bool held_ = false;
  std::vector<std::uint64_t> last_seen_;
  int errors_ = 0;
};

std::vector<Beat> random_beats(std::uint64_t seed, int blocks, Shape shape) {
  Random random(seed);
  std::vector<Beat> beats;
  for (int i = 0; i < blocks; ++i) append_random_block(kBuild, random, shape, beats);
  return beats;
}

/// Runs MX_BLOCKS random blocks in portions that fit a cache.
void run_random(std::uint64_t seed, int blocks, Stalls stalls) {
  constexpr int kPortion = 2000;
  Bench bench(seed);
  for (int done = 0; done < blocks && !testing::Test::HasFailure(); done += kPortion) {
    const std::uint64_t portion_seed = seed * 1000003 + static_cast<std::uint64_t>(done);
    bench.run(random_beats(portion_seed, std::min(kPortion, blocks - done), Shape::kAny), stalls);
  }
}

TEST(Quantizer, MatchesTheReferenceWithoutStalls) { run_random(1, MX_BLOCKS, {}); }

TEST(Quantizer, MatchesTheReferenceUnderStalls) {
  run_random(2, MX_BLOCKS / 4, {4, 4});
  run_random(3, MX_BLOCKS / 4, {0, 6});
  run_random(4, MX_BLOCKS / 4, {6, 0});
  run_random(5, MX_BLOCKS / 4, {1, 1});
}

TEST(Quantizer, ForgetsWhatAResetMeets) {
  constexpr int kRare = 4 * (kBuild.beats() + kBuild.latency());
  run_random(6, MX_BLOCKS / 8, {0, 0, kRare});
  run_random(7, MX_BLOCKS / 8, {3, 3, kRare});
  run_random(8, MX_BLOCKS / 8, {0, 6, kRare});
}

TEST(Quantizer, TakesOneBeatEachCycleAndTheStatedLatency) {
  Bench bench(2);
  for (const int blocks : {1, 2, 50}) {
    const std::vector<Beat> beats =
        random_beats(static_cast<std::uint64_t>(blocks), blocks, Shape::kWhole);
    EXPECT_EQ(bench.run(beats, {}), beats.size() + static_cast<std::size_t>(kBuild.latency()));
  }
}

}  // namespace
