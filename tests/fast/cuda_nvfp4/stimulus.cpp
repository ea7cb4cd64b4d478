// What NVFP4 plans of the CUDA path are asked.
#include <algorithm>
#include <array>
#include <bit>

#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"
#include "tests/fast/cuda_nvfp4/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {

std::vector<std::byte> nvfp4_words(const ElementFormat& source, std::uint64_t seed,
                                   std::size_t elements, std::uint32_t amax) {
  const auto man = static_cast<std::uint32_t>(source.man_bits);
  const auto sign = static_cast<std::uint32_t>(source.sign_bit());
  const auto inf = static_cast<std::uint32_t>(source.inf_code());
  // The exponent of amax in the source's own field.
  const int field = static_cast<int>(amax >> 23) - 127 + source.bias;
  std::vector<std::uint32_t> codes(elements);
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  std::uint32_t kind = 0;
  for (std::size_t i = 0; i < elements; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    if (i % 16 == 0) kind = static_cast<std::uint32_t>(state >> 40) % 16;
    const auto r = static_cast<std::uint32_t>(state >> 32);
    const auto spread = static_cast<int>(kind < 8 ? r % 5 : kind < 12 ? r % 12 : r % 40);
    const int lower = kind == 13 ? 20 : kind == 14 ? 9 : 0;
    const int top = static_cast<int>(inf >> man) - 1;
    const int own = std::min(std::max(field - spread - lower, 0), top);
    std::uint32_t fraction = r >> 5 & ((1U << man) - 1);
    // Few bits: ties, and thresholds of the scale.
    if (kind % 2 == 0) fraction = fraction >> (man - 2) << (man - 2);
    std::uint32_t magnitude = static_cast<std::uint32_t>(own) << man | fraction;
    if (kind == 15 && r % 5 != 0) magnitude = 0;
    if (kind == 11 && r % 61 == 0) magnitude = inf + (r >> 8) % 2;
    codes[i] = magnitude | ((r & 16U) != 0 ? sign : 0);
  }
  return to_bytes(source, codes);
}

namespace {

/// Draws of a seed.
class Sequence {
 public:
  explicit Sequence(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>(state_ >> 33) % bound;
  }
  /// The pattern of a positive number, a unit off or not.
  std::uint32_t near(double value) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value)) + below(3) - 1;
  }

 private:
  std::uint64_t state_;
};

/// What a scale of 1 and an element of 1 stand for.
double unit_of(const Nvfp4Case& one) {
  const auto number = double{std::bit_cast<float>(one.job.tensor)};
  const ScaleRule rule = one.job.block.rule;
  if (rule == ScaleRule::kNvfp4Cublas || rule == ScaleRule::kNvfp4Ggml) return 1;
  const bool by_amax = rule == ScaleRule::kNvfp4Te || rule == ScaleRule::kNvfp44over6;
  return by_amax ? number / 2688 : number;
}

/// A value of E4M3 and the distance to the next one.
struct Step {
  double low;
  double step;
};
Step scale_step(Sequence& draws) {
  // One of eight is subnormal.
  if (draws.below(8) == 0) return {(1 + draws.below(7)) / 512.0, 1 / 512.0};
  const double step = (1 << draws.below(12)) / 512.0;
  return {(8 + draws.below(8)) * step, step};
}

/// Where in halves a rounding carries on from a code: at a share of the way to the next one.
double place_of(std::uint32_t code, double share) {
  constexpr std::array<double, 9> kHalves = {0, 1, 2, 3, 4, 6, 8, 12, 16};
  return kHalves[code] + (kHalves[code + 1] - kHalves[code]) * share;
}

/// The share of a case's rounding for the element at a place.
double share_of(const Nvfp4Case& one, std::size_t index) {
  const ElementPolicy& p = one.job.element;
  if (!is_stochastic(p.rounding)) return index % 3 == 0 ? 0 : 0.5;
  const std::uint32_t r = counter_random(one.random.seed, one.random.tensor, index, p.random_bits);
  const double half = p.rounding == Rounding::kStochasticA ? 0 : 0.5;
  return 1 -
         (static_cast<double>(r) + half) / static_cast<double>(std::uint64_t{1} << p.random_bits);
}

}  // namespace

std::vector<std::byte> nvfp4_ties(const Nvfp4Case& one, std::uint64_t seed, std::size_t blocks) {
  constexpr std::array<int, 8> kQuarters = {1, 3, 5, 7, 10, 14, 20, 24};
  const double unit = unit_of(one);
  Sequence draws(seed);
  std::vector<std::uint32_t> codes;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto [low, step] = scale_step(draws);
    const std::uint32_t amax = draws.near((low + (block % 2 == 0 ? step / 2 : step)) * 6 * unit);
    codes.push_back(amax);
    for (int i = 1; i < 16; ++i) {
      const std::uint32_t x = draws.near(kQuarters[draws.below(8)] / 4.0 * low * unit);
      codes.push_back(std::min(x, amax) | draws.below(2) << 31);
    }
  }
  return to_bytes(formats::fp32, codes);
}

std::vector<std::byte> nvfp4_places(const Nvfp4Case& one, std::uint64_t seed, std::size_t blocks,
                                    std::uint64_t& at_places) {
  const double unit = unit_of(one);
  Sequence draws(seed);
  std::vector<std::uint32_t> codes;
  for (std::size_t block = 0; block < blocks; ++block) {
    // Scales below the half way to the next one, at it, and codes beyond 6 where it is rounded
    // down.
    const auto [low, step] = scale_step(draws);
    const double scale = block % 3 == 0 ? low : low + step / 2;
    const std::uint32_t amax = draws.near(scale * 6 * unit);
    codes.push_back(amax);
    for (int i = 1; i < 16; ++i) {
      const double halves = place_of(draws.below(8), share_of(one, codes.size()));
      const std::uint32_t x = halves == 0 ? draws.below(2) : draws.near(halves / 2 * low * unit);
      at_places += x <= amax ? 1 : 0;
      codes.push_back((x <= amax ? x : 0) | draws.below(2) << 31);
    }
  }
  return to_bytes(formats::fp32, codes);
}

std::vector<std::byte> nvfp4_few_values(std::uint64_t seed, std::size_t blocks) {
  // What a scale of 1 stands for in tensors of three largest magnitudes: 2688, pi, 2^125; there
  // both scales leave nothing, or what binary32 rounds away on the way back.
  constexpr std::array<double, 3> kUnits = {1, 3.14159274101257324 / 2688, 0x1.000002p125 / 2688};
  Sequence draws(seed);
  std::vector<std::uint32_t> codes;
  for (std::size_t i = 0; i < blocks * 16; ++i) {
    // 6 times a value of E4M3, and 4 times another one but where the quarter is the last.
    const std::size_t block = i / 16;
    const double largest = 6 * (1 + 0.25 * static_cast<double>(block % 4)) *
                           static_cast<double>(1U << block / 4 % 6) * kUnits[block % 3];
    const double share = 0.5 * (i % 16 == 0 ? 2 : draws.below(3));
    codes.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(largest * share)) |
                    draws.below(2) << 31);
  }
  return to_bytes(formats::fp32, codes);
}

}  // namespace mx::fast::test
