// The fuzzed function on texts of every system and random changes of them: accepted and refused
// ones both occur.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "reference/systems/cast/cast.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::string_view kTexts[] = {
    "dmx:SAME",
    "dmx:XP[8,+4](CSN)",
    "dmx:FP[1|4|3,7](_N)",
    "dmx:BFP[8|8]{64}(SN)",
    "dmx:SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}",
    "dmx:MXFP8[E4M3]{32}",
    "dmx:MXINT8{32}",
    "torchmx:quantize_mx(elem_dtype=float8_e4m3,block_size=32)",
    "qtorch:fixed_point_quantize(wl=8,fl=4,clamp=True,symmetric=False,rounding=stochastic)",
    "qtorch:float_quantize(exp=5,man=2,rounding=nearest)",
    "aimet:FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3,shape=(1,))",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=fp8_e4m3,axes=(-1),block_size=32)"};

constexpr std::string_view kPieces[] = {"(",   ")",  "[",    "]",          "{",
                                        "}",   "<",  ">",    "|",          ",",
                                        "=",   "-1", "0",    "4294967296", "99999999999999999999",
                                        "nan", " ",  "True", "\n",         "e4m3",
                                        "\xff"};

std::string changed(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::size_t{random()} % n; };
  for (std::size_t turn = below(4); turn > 0; --turn) {
    const std::size_t at = below(text.size() + 1);
    switch (below(4)) {
      case 0:
        text.erase(at, below(4));
        break;
      case 1:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      default:
        text.insert(at, text.substr(below(text.size() + 1), below(8)));
    }
  }
  return text;
}

TEST(CastTexts, AreReadOrRefusedInWords) {
  constexpr int kTurns = 20000;
  constexpr std::uint32_t kSeed = 20;
  std::printf("seed %u\n", kSeed);
  std::mt19937 random(kSeed);
  int accepted = 0, refused = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::string text = changed(std::string(kTexts[random() % std::size(kTexts)]), random);
    // A first byte that leaves the text as it is: see the fuzzed function.
    std::size_t systems = 0;
    while (!mx::systems::system_name(systems).empty()) ++systems;
    std::string input(1, static_cast<char>(2 * systems + random() % 2));
    input += text;
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++(mx::systems::make_cast(text, {}) ? accepted : refused);
  }
  EXPECT_GT(accepted, kTurns / 20);
  EXPECT_GT(refused, kTurns / 20);
}

TEST(CastTexts, EverySeedIsReadInBothModes) {
  for (const std::string_view text : kTexts) {
    for (const mx::SystemMode mode : {mx::SystemMode::kStrict, mx::SystemMode::kCompat}) {
      const auto cast = mx::systems::make_cast(text, {mode, mx::Platform::kX86});
      EXPECT_TRUE(cast) << text << ": " << cast.problem();
    }
  }
}

}  // namespace
