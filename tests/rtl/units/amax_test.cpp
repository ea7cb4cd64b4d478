// SPDX-License-Identifier: Apache-2.0
// rtl/amax in one elaborated build: every 16-bit word in every lane, random tensors of its sources,
// stalls, resets; the result is that of mx::tensor_amax and of the rule floor with emax 0.
//
// The build under test is a set of compile definitions (see CMakeLists.txt).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference/element/decode_kernel.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/table.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/rtl/port_bits.hpp"
#include "tests/rtl/random_block.hpp"
#include "tests/support/made.hpp"
#include "tests/support/sample.hpp"
#include "verilated.h"

#include MX_MODEL_HEADER

namespace mx {
namespace {

using rtl_test::put_bits;
using rtl_test::Random;

constexpr int kLanes = MX_LANES;
constexpr unsigned kSources = MX_IN_FMT_MASK;
constexpr int kInWidth = (kSources & 1) != 0 ? 32 : 16;
constexpr int kLatency =
    2 + (kLanes > 1) + (kLanes > 2) + (kLanes > 4) + (kLanes > 8) + (kLanes > 16);
constexpr int kIdleLimit = 1000;

const ElementFormat& format_of(int source) {
  return source == 0 ? formats::fp32 : source == 1 ? formats::bf16 : formats::fp16;
}

struct Beat {
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(kLanes);
  std::vector<bool> kept = std::vector<bool>(kLanes, true);
  int source = 0;
  bool is_flushed = false;
  bool is_last = true;
  std::uint32_t noise = 0;  ///< what the other fields of the word hold
};

struct Result {
  std::uint32_t amax = 0;
  std::uint32_t user = 0;
  bool operator==(const Result&) const = default;
};

/// The scale of a block with this maximum under the rule floor and emax 0, that of int8.
std::uint32_t floor_code(std::uint32_t amax) {
  static const Quantizer kOfOne = [] {
    QuantizerConfig config{formats::fp32, *find_block_format("mxint8"), {}, {}};
    config.format.block_size = 1;
    config.block.rule = ScaleRule::kFloor;
    return made(config);
  }();
  const std::uint64_t source = amax;
  std::uint64_t code = 0;
  const BlockResult block = kOfOne.quantize_block(std::span(&source, 1), {}, std::span(&code, 1));
  return static_cast<std::uint32_t>(block.scale_code);
}

/// What the reference says of the tensors of these beats, one after the other.
std::vector<Result> expected(std::span<const Beat> beats) {
  std::vector<Result> results;
  Unpacked amax;
  bool has_inf = false, has_nan = false;
  for (const Beat& beat : beats) {
    const ElementFormat& format = format_of(beat.source);
    ElementPolicy policy;
    policy.src_ftz = beat.is_flushed ? SourceSubnormals::kFlush : SourceSubnormals::kKeep;
    std::vector<std::byte> bytes;
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      if (!beat.kept[at]) continue;
      const std::uint64_t word = beat.words[at] & (format.bits == 32 ? 0xFFFFFFFF : 0xFFFF);
      for (int byte = 0; byte < format.bits / 8; ++byte) {
        bytes.push_back(static_cast<std::byte>(word >> (8 * byte)));
      }
      const ValueClass cls = decode(format, word).cls;
      has_inf |= cls == ValueClass::kInf;
      has_nan |= cls == ValueClass::kNan;
    }
    const Unpacked largest = tensor_amax(format, policy, bytes);
    if (compare_magnitude(largest, amax) > 0) amax = largest;
    if (!beat.is_last) continue;
    Result result;
    result.amax = static_cast<std::uint32_t>(encode(amax, formats::fp32, {}, 0).code);
    const bool is_zero = result.amax == 0 && !has_inf && !has_nan;
    result.user = floor_code(result.amax) | (is_zero ? 1U << 9 : 0) | (has_inf ? 1U << 10 : 0) |
                  (has_nan ? 1U << 11 : 0);
    results.push_back(result);
    amax = {};
    has_inf = has_nan = false;
  }
  return results;
}

/// How often each side pauses: n of 8 cycles. A reset comes in one of reset_in cycles, 0: never.
struct Stalls {
  int source = 0;
  int sink = 0;
  int reset_in = 0;
};

class Bench {
 public:
  explicit Bench(std::uint64_t seed)
      : random_(seed), context_(std::make_unique<VerilatedContext>()) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(seed % 1000) + 1);
    dut_ = std::make_unique<MX_MODEL>(context_.get());
    dut_->rst_ni = 1;
    dut_->eval();
    reset();
  }
  ~Bench() { dut_->final(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Sends the beats and compares every result. Returns the cycles to the last one.
  std::uint64_t run(const std::vector<Beat>& beats, Stalls stalls) {
    const std::vector<Result> want = expected(beats);
    std::size_t sent = 0, received = 0;
    std::uint64_t cycles = 0;
    int idle = 0;
    bool offering = false;
    while (received < want.size() && !testing::Test::HasFailure()) {
      if (stalls.reset_in != 0 && random_.one_in(stalls.reset_in)) {
        reset();
        sent = begin_of(beats, received);  // what was on its way is lost
        offering = false;
      }
      offering = sent < beats.size() && (offering || random_.below(8) >= stalls.source);
      offer(offering ? &beats[sent] : nullptr);
      dut_->m_axis_tready = random_.below(8) >= stalls.sink ? 1 : 0;
      settle();
      check_pins(stalls);
      const bool in = offering && dut_->s_axis_tready != 0;
      if (dut_->m_axis_tvalid != 0 && dut_->m_axis_tready != 0) {
        const Result got{dut_->m_axis_tdata, dut_->m_axis_tuser};
        EXPECT_EQ(got.amax, want[received].amax) << "tensor " << received;
        EXPECT_EQ(got.user, want[received].user) << "tensor " << received;
        ++received;
        idle = 0;
      }
      ++cycles;
      if (in) {
        ++sent;
        offering = false;
        idle = 0;
      }
      if (++idle > kIdleLimit) ADD_FAILURE() << "nothing moved for " << kIdleLimit << " cycles";
      edge();
    }
    EXPECT_EQ(sent, beats.size());
    dut_->m_axis_tready = 1;
    for (int cycle = 0; cycle < 2 * kLatency; ++cycle) {
      offer(nullptr);
      settle();
      EXPECT_EQ(dut_->m_axis_tvalid, 0) << "a result that nobody waits for";
      edge();
    }
    return cycles;
  }

 private:
  /// The first beat of a tensor.
  static std::size_t begin_of(const std::vector<Beat>& beats, std::size_t tensor) {
    std::size_t at = 0;
    for (; tensor != 0; ++at) tensor -= beats[at].is_last ? 1U : 0U;
    return at;
  }

  void settle() {
    dut_->clk_i = 0;
    dut_->eval();
  }
  void edge() {
    dut_->clk_i = 1;
    dut_->eval();
  }

  /// A pulse of up to three clock edges, tvalid low or high meanwhile.
  void reset() {
    const auto offering = static_cast<std::uint8_t>(random_.below(2));
    is_held_ = false;
    dut_->clk_i = 0;
    dut_->rst_ni = 0;
    for (int edges = random_.below(4); edges >= 0; --edges) {
      offer(nullptr);
      dut_->s_axis_tvalid = offering;
      dut_->m_axis_tready = static_cast<std::uint8_t>(random_.below(2));
      settle();
      EXPECT_EQ(dut_->m_axis_tvalid, 0) << "in reset";
      if (edges != 0) edge();
    }
    dut_->rst_ni = 1;
  }

  /// tready waits for nothing of its own side, and is 1 while results are taken; a result stays.
  void check_pins(Stalls stalls) {
    const auto ready = dut_->s_axis_tready;
    EXPECT_TRUE(ready == 1 || stalls.sink != 0) << "a stall without a reason";
    dut_->s_axis_tvalid ^= 1;
    dut_->m_axis_tready ^= 1;
    dut_->eval();
    EXPECT_EQ(dut_->s_axis_tready, ready) << "tready waits for tvalid, or hangs on m_axis_tready";
    dut_->s_axis_tvalid ^= 1;
    dut_->m_axis_tready ^= 1;
    dut_->eval();
    const Result now{dut_->m_axis_tdata, dut_->m_axis_tuser};
    if (is_held_) {
      EXPECT_EQ(dut_->m_axis_tvalid, 1) << "a result is gone";
      EXPECT_EQ(now, held_) << "a result changed";
    }
    is_held_ = dut_->m_axis_tvalid != 0 && dut_->m_axis_tready == 0;
    held_ = now;
  }

  /// A beat, or noise.
  void offer(const Beat* beat) {
    dut_->s_axis_tvalid = beat != nullptr ? 1 : 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      const std::uint64_t word = beat != nullptr ? beat->words[at] : random_.bits();
      const bool is_kept = beat != nullptr ? bool{beat->kept[at]} : random_.below(2) != 0;
      put_bits(dut_->s_axis_tdata, lane * kInWidth, kInWidth, word & 0xFFFFFFFF);
      put_bits(dut_->s_axis_tkeep, lane * kInWidth / 8, kInWidth / 8, is_kept ? 0xF : 0);
    }
    dut_->s_axis_tlast = beat != nullptr ? beat->is_last : random_.below(2) != 0;
    dut_->s_axis_tuser = static_cast<std::uint32_t>(random_.bits());
    if (beat == nullptr) return;
    constexpr std::uint32_t kRead = 3U << 10 | 1U << 26;
    dut_->s_axis_tuser = (beat->noise & ~kRead) | static_cast<std::uint32_t>(beat->source) << 10 |
                         (beat->is_flushed ? 1U << 26 : 0);
  }

  Random random_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<MX_MODEL> dut_;
  bool is_held_ = false;
  Result held_;
};

std::vector<int> sources_here() {
  std::vector<int> sources;
  for (int source = 0; source < 3; ++source) {
    if ((kSources >> source & 1) != 0) sources.push_back(source);
  }
  return sources;
}

/// A word near the ends of exponents and fractions, of any class; or any word.
std::uint32_t random_word(int source, Random& random) {
  const ElementFormat& format = format_of(source);
  const auto any = static_cast<std::uint32_t>(random.bits());
  if (random.one_in(3)) return any;
  const std::uint32_t fraction_mask = (1U << format.man_bits) - 1;
  const std::uint32_t exponents = (1U << format.exp_bits) - 1;
  const std::uint32_t exponent = random.one_in(2)   ? any % (exponents + 1)
                                 : random.one_in(2) ? 0
                                                    : exponents - (any & 1);
  std::uint32_t fraction = any >> 8 & fraction_mask;
  if (random.one_in(2)) fraction &= random.one_in(2) ? 1U : 0U;
  if (random.one_in(4)) fraction = fraction_mask - (any >> 4 & 1);
  const std::uint32_t sign = any >> 31 << (format.bits - 1);
  // The high half of a slot is ignored.
  const std::uint32_t beyond = format.bits == 16 ? any & 0xFFFF0000 : 0;
  return beyond | sign | exponent << format.man_bits | fraction;
}

std::vector<Beat> random_beats(int count, Random& random) {
  const std::vector<int> sources = sources_here();
  std::vector<Beat> beats(static_cast<std::size_t>(count));
  int source = sources.front();
  std::uint32_t kinds = 0;
  for (Beat& beat : beats) {
    if (random.one_in(4))
      source = sources[static_cast<std::size_t>(random.below(static_cast<int>(sources.size())))];
    if (random.one_in(8)) kinds = static_cast<std::uint32_t>(random.bits());
    beat.source = source;
    beat.is_flushed = (kinds & 1) != 0;
    beat.is_last = random.one_in(static_cast<int>(1 + (kinds >> 1 & 7)));
    beat.noise = static_cast<std::uint32_t>(random.bits());
    const bool is_small = (kinds & 0x30) == 0;  // subnormals and zeros alone
    const bool is_finite = (kinds & 0x40) != 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::uint32_t word = random_word(source, random);
      const ElementFormat& format = format_of(source);
      const std::uint32_t exponent = ((1U << format.exp_bits) - 1) << format.man_bits;
      if (is_small) word &= ~exponent;
      if (is_finite && (word & exponent) == exponent) word ^= 1U << format.man_bits;
      beat.words[lane] = word;
      beat.kept[lane] = (kinds & 0x180) != 0 || random.one_in(2);
    }
    if ((kinds & 0x600) == 0 && random.one_in(4)) beat.kept.assign(kLanes, false);
  }
  beats.back().is_last = true;
  return beats;
}

// The others of a beat are at most as large, or not kept. Both signs, NaN and Inf too.
TEST(Amax, EverySixteenBitWordInEveryLane) {
  // The builds of one 16-bit source take it whole.
  const std::uint32_t step = !mx::test::runs_whole() ? 61 : kSources == 7 ? 5 : 1;
  int tensors = 0;
  for (const int source : sources_here()) {
    if (format_of(source).bits != 16) continue;
    Bench bench(0);
    Random random(7);
    std::vector<Beat> beats;
    for (std::uint32_t word = 0; word < 0x10000; word += step) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        Beat beat;
        beat.source = source;
        for (std::size_t other = 0; other < kLanes; ++other) {
          const std::uint32_t magnitude = word & 0x7FFF;
          beat.words[other] =
              magnitude == 0 ? 0 : static_cast<std::uint32_t>(random.bits() % magnitude);
          beat.kept[other] = random.below(4) != 0;
          if (!beat.kept[other]) beat.words[other] = static_cast<std::uint32_t>(random.bits());
        }
        beat.words[lane] = word;
        beat.kept[lane] = true;
        beats.push_back(beat);
        ++tensors;
      }
      if (beats.size() < 4096) continue;
      (void)bench.run(beats, {});
      beats.clear();
    }
    if (!beats.empty()) (void)bench.run(beats, {});
  }
  const bool has_some = (kSources & 6) != 0;
  EXPECT_EQ(tensors > 1000 * kLanes, has_some);
}

TEST(Amax, RandomTensorsUnderStallsAndResets) {
  const int count = mx::test::runs_whole() ? 40'000 : 4'000;
  std::uint64_t seed = 1;
  for (const Stalls stalls : {Stalls{}, Stalls{4, 0}, Stalls{0, 6}, Stalls{3, 3}, Stalls{5, 7},
                              Stalls{2, 5, 40}, Stalls{0, 3, 12}}) {
    Random random(seed);
    Bench bench(seed++);
    (void)bench.run(random_beats(count / 4, random), stalls);
  }
}

TEST(Amax, LatencyIsThatOfTheSpecification) {
  for (const int beats : {1, 2, 17}) {
    std::vector<Beat> tensor(static_cast<std::size_t>(beats));
    for (Beat& each : tensor) each.source = sources_here().front();
    // One result a beat, then one for all.
    EXPECT_EQ(Bench(3).run(tensor, {}), static_cast<std::uint64_t>(beats + kLatency));
    for (Beat& each : tensor) each.is_last = &each == &tensor.back();
    EXPECT_EQ(Bench(3).run(tensor, {}), static_cast<std::uint64_t>(beats + kLatency));
  }
}

// Results wait: beats that end no tensor are taken all the same.
TEST(Amax, ATensorIsReadWhileAResultWaits) {
  Random random(5);
  std::vector<Beat> beats = random_beats(200, random);
  for (std::size_t i = 0; i < beats.size(); ++i) beats[i].is_last = i == 0 || i + 1 == beats.size();
  EXPECT_LT(Bench(4).run(beats, {0, 7}), 200U + kLatency + 100);
}

// By hand: 3.0; a NaN beside -2^-149; nothing kept; infinities alone; the largest numbers.
TEST(Amax, Examples) {
  if ((kSources & 1) == 0) return;
  const auto one = [](std::uint32_t word) {
    Beat beat;
    beat.words[0] = word;
    return beat;
  };
  Beat none = one(0x40400000);
  none.kept.assign(kLanes, false);
  Beat nan = one(0x7FC00000);
  nan.is_last = false;
  const std::vector<Beat> beats = {one(0xC0400000), nan,
                                   one(0x80000001), none,
                                   one(0xFF800000), one(0x7F7FFFFF),
                                   one(0x00400000), one(0x00800000)};
  const std::vector<Result> want = {{0x40400000, 0x80}, {0x00000001, 0x800}, {0, 0x200},
                                    {0, 0x400},         {0x7F7FFFFF, 0xFE},  {0x00400000, 0x00},
                                    {0x00800000, 0x01}};
  EXPECT_EQ(expected(beats), want);
  (void)Bench(1).run(beats, {});
}

}  // namespace
}  // namespace mx
