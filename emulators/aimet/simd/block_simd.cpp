#include "emulators/aimet/simd/block_simd.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "emulators/aimet/simd/scaled_rounding.hpp"
#include "emulators/aimet/simd/scaled_simd.hpp"

namespace mx::emulators::aimet {
namespace {

constexpr std::size_t kGroup = 64;  ///< blocks whose steps are made together
constexpr int kFarthest = 60;       ///< of a scale's exponent from 0

template <typename T>
using OfBlocks = std::array<T, kGroup>;

/// What the lanes of a block compare with and add.
template <int kMantissaBits>
struct Steps {
  static constexpr std::size_t kCount = std::size_t{1} << kMantissaBits;

  OfBlocks<std::uint32_t> begin;
  std::array<OfBlocks<std::int32_t>, kCount> from;
  std::array<OfBlocks<std::uint32_t>, kCount> rises;
  OfBlocks<std::uint32_t> from_least;  ///< see round_block()
  OfBlocks<std::int32_t> top;
  OfBlocks<std::uint32_t> is_far;
};

struct Type {
  int emin = 0;
  int emax = 0;
  std::uint32_t top_count = 0;
};

/// The steps of all scales of a group.
template <int kMantissaBits>
void make_steps(const OfBlocks<Bits>& scales, const Type type, Steps<kMantissaBits>& steps) {
  for (std::size_t b = 0; b < kGroup; ++b) {
    const std::uint32_t begin = (scales[b] & 0x7FFFFF) | 0x800000;
    const auto field = static_cast<std::int32_t>(scales[b] >> 23 & 0xFF);
    steps.begin[b] = begin;
    steps.is_far[b] = static_cast<std::uint32_t>(field - (127 - kFarthest)) > 2 * kFarthest ? 1 : 0;
    const std::int32_t least_field = field + type.emin;
    const auto least = static_cast<std::uint32_t>(least_field) << 23 | (scales[b] & 0x7FFFFF);
    steps.from_least[b] = fp32::kSignBit - (least_field < 2 ? std::uint32_t{2} << 23 : least);
    const std::uint32_t top = step_product<kMantissaBits>(begin, type.top_count);
    steps.top[b] =
        static_cast<std::int32_t>(top + (static_cast<std::uint32_t>(field - 1 + type.emax) << 23));
  }
  for (std::size_t k = 0; k < Steps<kMantissaBits>::kCount; ++k) {
    for (std::size_t b = 0; b < kGroup; ++b) {
      const std::uint32_t begin = steps.begin[b];
      const auto count = static_cast<std::uint32_t>(Steps<kMantissaBits>::kCount + k);
      steps.from[k][b] = static_cast<std::int32_t>(first_step<kMantissaBits>(begin, k) - begin);
      steps.rises[k][b] =
          step_product<kMantissaBits>(begin, count + 1) - step_product<kMantissaBits>(begin, count);
    }
  }
}

/// The elements of a piece, or what they are OR'ed to, lane by lane.
using Lanes = std::array<std::uint32_t, BlockSimd::kPiece>;

/// The results of block b of a group; what is not 0 in `others` has none here.
template <int kMantissaBits>
void round_block(const Steps<kMantissaBits>& steps, std::size_t b, std::size_t block_size,
                 const std::byte* values, std::byte* results, Lanes& others) {
  constexpr std::size_t kCount = Steps<kMantissaBits>::kCount;
  std::array<std::int32_t, kCount> from;
  std::array<std::uint32_t, kCount> rises;
  for (std::size_t k = 0; k < kCount; ++k) {
    from[k] = steps.from[k][b];
    rises[k] = steps.rises[k][b];
  }
  const std::uint32_t begin = steps.begin[b];
  const std::int32_t top = steps.top[b];
  // An unsigned comparison by a signed one: below the least normal quotient, infinite, or a NaN.
  const std::uint32_t from_least = steps.from_least[b];
  const auto last = static_cast<std::int32_t>(from_least + 0x7F7FFFFF);
  for (std::size_t first = 0; first < block_size; first += BlockSimd::kPiece) {
    const std::byte* const in = values + 4 * first;
    std::byte* const out = results + 4 * first;
    for (std::size_t i = 0; i < BlockSimd::kPiece; ++i) {
      std::uint32_t x = 0;
      std::memcpy(&x, in + 4 * i, 4);
      const std::uint32_t magnitude = x & 0x7FFFFFFF;
      const auto above = static_cast<std::int32_t>((magnitude - begin) & 0x7FFFFF);
      std::uint32_t result = magnitude - static_cast<std::uint32_t>(above);
      for (std::size_t k = 0; k < kCount; ++k) result += rises[k] & lane_mask(above >= from[k]);
      const auto rounded = static_cast<std::int32_t>(result);
      const auto clamped = static_cast<std::uint32_t>(rounded < top ? rounded : top);
      const std::uint32_t outside =
          lane_mask(static_cast<std::int32_t>(magnitude + from_least) > last);
      others[i] |= outside & magnitude;
      const std::uint32_t y = (clamped & ~outside) | (x & fp32::kSignBit);
      std::memcpy(out + 4 * i, &y, 4);
    }
  }
}

bool has_any(const Lanes& lanes) {
  std::uint32_t any = 0;
  for (const std::uint32_t lane : lanes) any |= lane;
  return any != 0;
}

/// The groups of blocks one after the other.
template <int kMantissaBits>
void round_blocks(std::span<const Bits> scales, std::size_t block_size, const Type type,
                  const std::byte* values, std::byte* results, std::vector<std::size_t>& rest) {
  OfBlocks<Bits> group;
  Steps<kMantissaBits> steps;
  for (std::size_t first = 0; first < scales.size(); first += kGroup) {
    const std::size_t count = std::min(kGroup, scales.size() - first);
    group.fill(fp32::kOne);
    std::copy_n(scales.begin() + static_cast<std::ptrdiff_t>(first), count, group.begin());
    make_steps(group, type, steps);
    const auto round = [&](std::size_t b, Lanes& others) {
      const std::size_t at = 4 * block_size * (first + b);
      round_block(steps, b, block_size, values + at, results + at, others);
    };
    Lanes others{};
    std::uint32_t far = 0;
    for (std::size_t b = 0; b < count; ++b) {
      round(b, others);
      far |= steps.is_far[b];
    }
    if (far == 0 && !has_any(others)) continue;
    // Which ones: they are rounded again, each by itself.
    for (std::size_t b = 0; b < count; ++b) {
      Lanes own{};
      round(b, own);
      if (steps.is_far[b] != 0 || has_any(own)) rest.push_back(first + b);
    }
  }
}

}  // namespace

bool BlockSimd::applies(const Kernel& kernel, std::size_t block_size) {
  const int mantissa_bits = kernel.info().mantissa_bits;
  if (!ScaledSimd::applies(kernel) || mantissa_bits > 2) return false;
  const Bits below_last = kernel.bound() & ((Bits{1} << (23 - mantissa_bits)) - 1);
  return block_size != 0 && block_size % kPiece == 0 && below_last == 0 &&
         exponent_field(kernel.bound()) <= 127 + kFarthest;
}

BlockSimd::BlockSimd(const Kernel& kernel, VectorTarget target)
    : mantissa_bits_(kernel.info().mantissa_bits),
      emin_(kernel.emin()),
      emax_(exponent_field(kernel.bound()) - 127),
      top_count_(((kernel.bound() & 0x7FFFFF) | 0x800000) >> (23 - mantissa_bits_)),
      target_(target) {}

void BlockSimd::operator()(std::span<const Bits> scales, std::size_t block_size,
                           const std::byte* values, std::byte* results,
                           std::vector<std::size_t>& rest) const {
  const Type type = {emin_, emax_, top_count_};
  on_vectors(target_, [&] {
    if (mantissa_bits_ == 1) {
      round_blocks<1>(scales, block_size, type, values, results, rest);
    } else {
      round_blocks<2>(scales, block_size, type, values, results, rest);
    }
  });
}

}  // namespace mx::emulators::aimet
