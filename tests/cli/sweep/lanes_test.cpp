// The lanes of our RTL, swept: as they are and as a netlist, against certificates and beside the
// reference; and what a sweep says of lanes, benches and simulations that are broken.
#include "sim/lanes/rtl_lanes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "cli/base/error.hpp"
#include "cli/sweep/sweep.hpp"
#include "golden/certificates/stochastic.hpp"
#include "golden/config_word/table.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "sim/compile/compiled.hpp"
#include "sim/dut/dut.hpp"
#include "tests/cli/files/byte_builder.hpp"

namespace mx::sim {
static void PrintTo(LaneEngine engine, std::ostream* out) { *out << token_of(engine); }
}  // namespace mx::sim

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;
using sim::LaneEngine;
using Bytes = std::initializer_list<std::uint8_t>;

/// Where the tests cli_sweep_lanes.build.* have left their builds.
class Cache : public testing::Environment {
 public:
  void SetUp() override { setenv("MXGOLD_CACHE", MX_CACHE, 1); }
};
const testing::Environment* const kCache = testing::AddGlobalTestEnvironment(new Cache);

const std::vector<const ElementFormat*> kElements = {&formats::e4m3fn, &formats::e5m2,
                                                     &formats::e3m2fn, &formats::e2m3fn,
                                                     &formats::e2m1fn, &formats::int8};

Sweep swept(const ConversionConfig& config, const SweepDevice& device,
            const SegmentRange& range = {0, 1}) {
  return sweep({config, {}}, device, range, 1, [](std::uint64_t) {});
}

SweepDevice reference_of(const ConversionConfig& config, std::uint8_t scale) {
  return scaled_reference({config, {}}, {scale, SweptWords::kBlock});
}

/// Every rounding and overflow policy that the lanes have, the others in turn.
std::vector<ElementPolicy> policies() {
  std::vector<ElementPolicy> all;
  for (const Rounding rounding : golden::kRoundingCodes) {
    for (const Overflow overflow : golden::kOverflowCodes) {
      const std::size_t i = all.size();
      ElementPolicy policy;
      policy.rounding = rounding;
      policy.overflow = overflow;
      policy.nan = golden::kNanCodes[i % golden::kNanCodes.size()];
      policy.int_min = golden::kIntMinCodes[i % 2];
      policy.zero_sign = golden::kZeroSignCodes[i / 2 % 2];
      policy.src_ftz = golden::kSrcFtzCodes[i / 3 % 2];
      all.push_back(policy);
    }
  }
  return all;
}

class SweepLanes : public testing::TestWithParam<LaneEngine> {
 protected:
  LaneDevices lanes_{GetParam(), ""};
};

TEST_P(SweepLanes, EveryWordOfShortSourcesUnderEveryPolicy) {
  std::uint64_t compared = 0;
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    for (const ElementFormat* to : kElements) {
      for (const ElementPolicy& policy : policies()) {
        const ConversionConfig config{*source, *to, policy};
        ASSERT_EQ(LaneDevices::problem({config, {}}), "");
        for (const std::uint8_t scale : {std::uint8_t{0}, kScaleOne, widest_scale(config)}) {
          const Sweep rtl = swept(config, lanes_.device({config, {}}, scale));
          EXPECT_EQ(rtl.mismatches, 0u) << summary_of(rtl);
          compared += rtl.compared;
          if (scale == 0) continue;
          EXPECT_EQ(rtl.digests, swept(config, reference_of(config, scale)).digests)
              << summary_of(rtl);
        }
      }
    }
  }
  EXPECT_GT(compared, 30000000u);
}

TEST_P(SweepLanes, ASegmentOfFp32HasTheDigestOfTheReference) {
  const ConversionConfig config{formats::fp32, formats::e4m3fn, {}};
  const SegmentRange around_448{0x43, 0x44};
  const Sweep rtl = swept(config, lanes_.device({config, {}}, kScaleOne), around_448);
  EXPECT_EQ(rtl.mismatches, 0u);
  EXPECT_EQ(rtl.compared, kSegmentWords);
  EXPECT_EQ(rtl.digests, swept(config, reference_of(config, kScaleOne), around_448).digests);
  const Sweep whole =
      swept(config, sweep_device({config, {}}, backend::Choice::kReference), around_448);
  EXPECT_EQ(rtl.digests, whole.digests);
}

std::vector<std::byte> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(std::uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

/// Words in no order, so that a lane that has another's word has another code.
TEST_P(SweepLanes, EachLaneAnswersItsOwnWord) {
  std::mt19937 random(7);
  for (const std::uint8_t scale : Bytes{0, 1, 100, 127, 200, 254}) {
    for (const ElementFormat* to : kElements) {
      const ConversionConfig config{formats::fp32, *to, {}};
      const auto ranges = swept_ranges(config, {scale, SweptWords::kBlock});
      std::vector<std::uint32_t> words;
      while (words.size() < 5000) {  // no multiple of a beat
        // Half of them where the codes are many.
        const std::uint32_t drawn = static_cast<std::uint32_t>(random());
        const std::uint32_t field =
            (static_cast<std::uint32_t>(scale + to->emax()) - drawn % 12) & 0xFF;
        const std::uint32_t near = (static_cast<std::uint32_t>(random()) & 0x807FFFFF) | field
                                                                                             << 23;
        const std::uint32_t word = words.size() % 2 == 0 ? near : drawn;
        if (count_of(clipped(ranges, word, std::uint64_t{word} + 1)) == 1) words.push_back(word);
      }
      const std::vector<std::byte> in = bytes_of(words);
      std::vector<std::byte> rtl(words.size()), expected(words.size());
      ASSERT_TRUE(lanes_.device({config, {}}, scale).convert(in, rtl));
      ASSERT_TRUE(reference_of(config, scale).convert(in, expected));
      EXPECT_EQ(rtl, expected) << to->name << " scale " << int{scale};
    }
  }
}

// Scale code 255 is NaN: one code for all words, by nan_scale_codes.
TEST_P(SweepLanes, UnderANanScaleEveryWordHasOneCode) {
  sim::Lanes lanes(sim::load_lanes(GetParam(), ""), 3);
  std::vector<std::uint32_t> words;
  for (std::uint32_t i = 0; i < 0x10000; ++i) words.push_back(i << 16 | i);
  std::vector<std::byte> codes(words.size());
  for (const bool to_nan : {false, true}) {
    for (const ElementFormat* to : kElements) {
      const ConversionConfig config{formats::fp32, *to, {}};
      sim::LaneSetting setting{sim::lane_word_of(config).word, 255, 0};
      if (to_nan) setting.config_word |= 1U << golden::config_word_field::kNanScaleCodes.lsb;
      lanes.convert(setting, bytes_of(words), 4, codes);
      const std::byte code{to_nan && to->has_nan() ? std::uint8_t{0x7F} : std::uint8_t{0}};
      EXPECT_EQ(codes, std::vector<std::byte>(words.size(), code)) << to->name;
    }
  }
}

// Variant A with the least and the largest random word: what the certificate says of each word.
TEST_P(SweepLanes, StochasticRoundingAtTheEndsOfItsWords) {
  sim::Lanes lanes(sim::load_lanes(GetParam(), ""), 4);
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    for (const ElementFormat* to : kElements) {
      ConversionConfig config{*source, *to, {}};
      config.policy.rounding = Rounding::kStochasticA;
      config.policy.random_bits = 8;
      const auto certificate = golden::make_certificate(*source, *to);
      std::vector<std::byte> words, codes;
      std::vector<std::uint32_t> patterns;
      for (const WordRange& range : swept_ranges(config, {kScaleOne, SweptWords::kBlock})) {
        for (std::uint64_t word = range.first; word < range.last; ++word) {
          patterns.push_back(static_cast<std::uint32_t>(word));
          words.push_back(static_cast<std::byte>(word));
          words.push_back(static_cast<std::byte>(word >> 8));
        }
      }
      codes.resize(patterns.size());
      for (const std::uint8_t random : Bytes{0, 1, 254, 255}) {
        lanes.convert({sim::lane_word_of(config).word, kScaleOne, random}, words, 2, codes);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < codes.size(); ++i) {
          const auto expected =
              std::byte{golden::stochastic_code(certificate, config.policy, patterns[i], random)};
          wrong += codes[i] == expected ? 0U : 1U;
        }
        EXPECT_EQ(wrong, 0u) << source->name << ' ' << to->name << " R " << int{random};
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, SweepLanes, testing::Values(LaneEngine::kRtl, LaneEngine::kNetlist),
                         [](const auto& test) { return std::string(token_of(test.param)); });

/// A copy of the RTL and the bench with a text changed.
class Copy {
 public:
  Copy() {
    fs::create_directories(folder());
    for (const fs::directory_entry& entry : fs::directory_iterator(MX_SOURCES "/rtl")) {
      if (entry.path().extension() == ".sv") fs::copy(entry.path(), folder());
    }
    fs::copy(MX_SOURCES "/sim/lanes/lane_sweep.sv", folder());
  }
  [[nodiscard]] std::string folder() const { return scratch_.path("rtl"); }
  void change(const std::string& file, const std::string& right, const std::string& wrong) const {
    std::string text = sim::whole_file(folder() + "/" + file);
    const std::size_t at = text.find(right);
    ASSERT_NE(at, std::string::npos) << file << ": " << right;
    std::ofstream(folder() + "/" + file) << text.replace(at, right.size(), wrong);
  }

 private:
  Scratch scratch_;
};

// One word of 2^32 is called a NaN.
TEST(SweepLanesControl, OneWrongWordIsFoundAndNamed) {
  const Copy copy;
  copy.change("mx_unpack.sv", "is_nan_o = keep_i & special & ~fraction_zero;",
              "is_nan_o = (keep_i & special & ~fraction_zero) | (word_i == 32'h3FA66667);");
  const ConversionConfig config{formats::fp32, formats::e4m3fn, {}};
  for (const LaneEngine engine : {LaneEngine::kRtl, LaneEngine::kNetlist}) {
    const LaneDevices lanes(engine, copy.folder());
    const Sweep wrong = swept(config, lanes.device({config, {}}, kScaleOne), {0x3F, 0x40});
    EXPECT_EQ(wrong.compared, kSegmentWords);
    EXPECT_EQ(wrong.mismatches, 1u);
    ASSERT_TRUE(wrong.first);
    EXPECT_EQ(wrong.first->word, 0x3FA66667u);
    EXPECT_NE(wrong.first->code, wrong.first->expected);
    EXPECT_NE(wrong.dut.find(copy.folder()), std::string::npos) << wrong.dut;
  }
}

/// The bench with a defect for each random word but 0; deterministic roundings do not use it.
enum BenchDefect : std::uint8_t { kNone, kUndriven, kNextWord, kLostBeat, kUnknown, kStuckLane };

class BrokenBench {
 public:
  BrokenBench() {
    copy_.change("lane_sweep.sv", ".word_i(words_q[i*32+:32])",
                 ".word_i(random_i == 8'd2 ? words_q[((i+1)%Lanes)*32+:32] : words_q[i*32+:32])");
    copy_.change("lane_sweep.sv", ".code_o(codes_o[i*8+:8])", ".code_o(codes[i*8+:8])");
    copy_.change("lane_sweep.sv", "  logic [Lanes*32-1:0] words_q;", R"(
  logic [Lanes*32-1:0] words_q;
  logic [Lanes*8-1:0] codes;
  logic [7:0] nobody;
  always_comb begin
    codes_o = codes;
    if (random_i == 8'd1) codes_o[5*8+:8] = nobody;
    if (random_i == 8'd4) codes_o[5*8+:8] = codes[5*8+:8] ^ nobody;
    if (random_i == 8'd5) codes_o[31*8+:8] = 8'h38;
  end
)");
    copy_.change(
        "lane_sweep.sv", "valid_q[Latency-2:0], valid_i}",
        "valid_q[Latency-2:0], valid_i & ~(random_i == 8'd3 & words_i[15:0] == 16'h0400)}");
    build_ = sim::load_lanes(LaneEngine::kRtl, copy_.folder());
  }

  /// The mismatches of all words of bf16.
  std::uint64_t mismatches(BenchDefect defect, int seed) {
    const ConversionConfig config{formats::bf16, formats::int8, {}};
    sim::Lanes lanes(build_, seed);
    const sim::LaneSetting setting{sim::lane_word_of(config).word, kScaleOne, defect};
    const SweepDevice device{"broken",
                             [&](std::span<const std::byte> words, std::span<std::byte> codes) {
                               lanes.convert(setting, words, 2, codes);
                               return true;
                             },
                             {kScaleOne, SweptWords::kBlock}};
    return swept(config, device).mismatches;
  }

 private:
  Copy copy_;
  sim::LaneBuild build_;
};

// No answer may hang on what state starts at, which a two-state simulation draws by its seed.
TEST(SweepLanesControl, ABrokenBenchIsSeen) {
  BrokenBench bench;
  for (const int seed : {1, 2, 3}) {
    EXPECT_EQ(bench.mismatches(kNone, seed), 0u);
    EXPECT_GT(bench.mismatches(kUndriven, seed), 500u);
    EXPECT_GT(bench.mismatches(kNextWord, seed), 50u);
    EXPECT_GT(bench.mismatches(kStuckLane, seed), 500u);
  }
  EXPECT_GT(bench.mismatches(kUnknown, 1) + bench.mismatches(kUnknown, 2), 500u);
  try {
    static_cast<void>(bench.mismatches(kLostBeat, 1));
    ADD_FAILURE() << "a beat is lost, and nobody says so";
  } catch (const sim::DutError& error) {
    EXPECT_NE(std::string(error.what()).find("beats of words in"), std::string::npos)
        << error.what();
  }
}

// Yosys makes a constant of a wire that nobody drives, so the netlist would hide it.
TEST(SweepLanesControl, AnUndrivenWireHasNoNetlist) {
  const Copy copy;
  copy.change("mx_lane_pack.sv", "inc          = up | force_up_i;",
              "inc          = (up | force_up_i) ^ nobody;");
  copy.change("mx_lane_pack.sv", "  logic up;\n", "  logic up, nobody;\n");
  try {
    const LaneDevices lanes(LaneEngine::kNetlist, copy.folder());
    ADD_FAILURE() << "a wire without a driver has a netlist";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kUsage);
    EXPECT_NE(std::string(error.what()).find("no driver"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mx::cli::test
