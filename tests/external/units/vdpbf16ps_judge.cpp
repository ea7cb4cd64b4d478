// SPDX-License-Identifier: Apache-2.0
// mxgold's accumulator against this processor's VDPBF16PS: two bf16 products a lane, added to a
// binary32 one after the other, the odd one first, subnormal operands and results zeros. Payloads
// of NaN are not compared.
#include <array>
#include <string>
#include <vector>

#include "reference/dot/dot.hpp"
#include "reference/format/table.hpp"
#include "tests/external/judges/verdict.hpp"
#include "tests/support/made.hpp"
#include "tests/support/stream.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace mx::external {
namespace {

struct Lane {
  std::array<std::uint16_t, 2> a, b;
  std::uint32_t c;
};

#if defined(__x86_64__)
bool has_instruction() {
  return __builtin_cpu_supports("avx512bf16") != 0 && __builtin_cpu_supports("avx512vl") != 0;
}

__attribute__((target("avx512f,avx512vl,avx512bf16"))) std::uint32_t machine(const Lane& lane) {
  const auto pair = [](const std::array<std::uint16_t, 2>& x) {
    return static_cast<int>(std::uint32_t{x[1]} << 16 | x[0]);
  };
  const __m128 c = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(lane.c)));
  const auto a = reinterpret_cast<__m128bh>(_mm_cvtsi32_si128(pair(lane.a)));
  const auto b = reinterpret_cast<__m128bh>(_mm_cvtsi32_si128(pair(lane.b)));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(_mm_dpbf16_ps(c, a, b))));
}
#else
bool has_instruction() { return false; }
std::uint32_t machine(const Lane&) { return 0; }
#endif

/// As `mxgold dot --mode accumulator --group 1 --align-bits 56 --align-rounding to_odd --order
/// reversed --acc-ftz post_unbounded --acc-zero-sign ieee` has it.
DotConfig configured(bool wrong) {
  const BlockFormat pair = {
      .name = "pair", .element = formats::bf16, .scale = formats::e8m0, .block_size = 2};
  DotConfig config{.a = pair, .b = pair, .mode = DotMode::kAccumulator};
  config.accumulator = {.group = 1,
                        .alignment_bits = 56,
                        .align_rounding = Rounding::kToOdd,
                        .order = wrong ? DotOrder::kSequential : DotOrder::kReversed,
                        .ftz = wrong ? ResultSubnormals::kFlushAfterRounding
                                     : ResultSubnormals::kFlushAfterUnboundedRounding,
                        .zero_sign = wrong ? DotZeroSign::kPositive : DotZeroSign::kIeee};
  return config;
}

std::uint64_t flushed(const ElementFormat& format, std::uint64_t code) {
  const std::uint64_t magnitude = code & format.magnitude_mask();
  return magnitude >> format.man_bits == 0 ? code & format.sign_bit() : code;
}

std::uint32_t model(DotProduct& dot, const Lane& lane) {
  constexpr std::array<std::uint64_t, 1> kScales = {0x7F};
  std::array<std::uint64_t, 2> a{}, b{};
  for (std::size_t i = 0; i < 2; ++i) {
    a[i] = flushed(formats::bf16, lane.a[i]);
    b[i] = flushed(formats::bf16, lane.b[i]);
  }
  return static_cast<std::uint32_t>(
      dot({kScales, a}, {kScales, b}, flushed(formats::fp32, lane.c)).code);
}

bool is_nan(std::uint32_t code) { return (code & 0x7FFFFFFF) > 0x7F800000; }

std::string text_of(const Lane& lane, std::uint32_t wanted, std::uint32_t got) {
  std::string text = "a";
  for (const std::uint16_t x : lane.a) text += ' ' + oracle::hex(x, 4);
  text += " b";
  for (const std::uint16_t x : lane.b) text += ' ' + oracle::hex(x, 4);
  return text + " c " + oracle::hex(lane.c, 8) + ": this processor " + oracle::hex(wanted, 8) +
         ", mxgold " + oracle::hex(got, 8);
}

class Draw {
 public:
  explicit Draw(std::uint32_t number) : stream_(number) {}

  /// Any bits.
  Lane any() { return {{word(), word()}, {word(), word()}, stream_.next()}; }
  /// Products and C around 2^-126.
  Lane tiny() {
    Lane lane{};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint32_t first = 20 + static_cast<std::uint32_t>(stream_.below(88));
      const std::uint32_t sum = 100 + static_cast<std::uint32_t>(stream_.below(34));
      lane.a[i] = number16(first);
      lane.b[i] = number16(sum - std::min(sum, first));
    }
    lane.c = sign(31) | static_cast<std::uint32_t>(stream_.below(4)) << 23 | fraction(23);
    return lane;
  }
  /// Zeros of both signs, ones, and products that cancel.
  Lane zeros() {
    constexpr std::array<std::uint16_t, 4> kCodes = {0, 0x8000, 0x3F80, 0xBF80};
    const auto code = [&] { return kCodes[stream_.below(4)]; };
    return {{code(), code()}, {code(), code()}, static_cast<std::uint32_t>(code()) << 16};
  }

 private:
  std::uint16_t word() { return static_cast<std::uint16_t>(stream_.next()); }
  std::uint32_t sign(int bit) { return static_cast<std::uint32_t>(stream_.coin()) << bit; }
  /// Few ones, many, or any: carries and ties.
  std::uint32_t fraction(int bits) {
    const std::uint32_t mask = (std::uint32_t{1} << bits) - 1;
    const std::uint32_t few = std::uint32_t{1} << stream_.below(static_cast<std::uint64_t>(bits));
    const std::uint64_t kind = stream_.below(4);
    if (kind == 0) return few & mask;
    if (kind == 1) return mask & ~few;
    return kind == 2 ? 0 : stream_.next() & mask;
  }
  std::uint16_t number16(std::uint32_t field) {
    return static_cast<std::uint16_t>(sign(15) | (field & 0xFF) << 7 | fraction(7));
  }

  oracle::Stream stream_;
};

using Class = Lane (Draw::*)();

oracle::Report compare(Class draws, std::uint32_t number, int cases, bool wrong) {
  DotProduct dot = made(configured(wrong));
  Draw draw(number);
  oracle::Report report;
  for (int i = 0; i < cases; ++i) {
    const Lane lane = (draw.*draws)();
    const std::uint32_t wanted = machine(lane);
    const std::uint32_t got = model(dot, lane);
    const bool agrees = wanted == got || (is_nan(wanted) && is_nan(got));
    report.check(agrees, [&] { return text_of(lane, wanted, got); });
  }
  return report;
}

int judge(const Arguments& arguments) {
  if (!has_instruction()) {
    return skip("vdpbf16ps", "this processor has no AVX512_BF16; run it on one that has");
  }
  Verdict verdict{"vdpbf16ps", arguments.wrong};
  if (arguments.wants("any")) {
    verdict.add("any bits", compare(&Draw::any, 1, 300'000, arguments.wrong));
  }
  if (arguments.wants("tiny")) {
    verdict.add("around 2^-126", compare(&Draw::tiny, 2, 300'000, arguments.wrong));
  }
  if (arguments.wants("zeros")) {
    verdict.add("zeros and what cancels", compare(&Draw::zeros, 3, 50'000, arguments.wrong));
  }
  return verdict.finish();
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) {
  const mx::external::Arguments arguments = mx::external::parse(argc, argv);
  if (!arguments.valid || arguments.exhaustive) return mx::external::usage("vdpbf16ps");
  return mx::external::judge(arguments);
}
