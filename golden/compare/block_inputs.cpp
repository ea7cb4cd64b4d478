#include "golden/compare/block_inputs.hpp"

#include <algorithm>
#include <array>

#include "golden/compare/element_difference.hpp"
#include "golden/points/draw.hpp"
#include "golden/points/gaps.hpp"
#include "golden/points/sort_unique.hpp"

namespace mx::golden {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kLongestTried = 64;
constexpr std::size_t kSeededSingles = 8192;

/// Tensor maxima that the tensor scale's arithmetic treats differently: 1.015625, 1.09375,
/// 1.203125 (ties of the block scale) and 2688 (a tensor scale of 1).
constexpr std::array<std::uint32_t, 4> kTensorMaxima = {0x3F820000, 0x3F8C0000, 0x3F9A0000,
                                                        0x45280000};

bool has_tensor_scale(const BlockFormat& format) {
  return format.tensor_scale != TensorScale::kNone;
}

/// Keeps every k-th, so that at most `limit` remain, and the first and last few.
template <typename T>
void thin(std::vector<T>& values, std::size_t limit, std::size_t ends) {
  if (values.size() <= limit + 2 * ends) return;
  const std::size_t step = (values.size() + limit - 1) / limit;
  std::vector<T> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < ends || i + ends >= values.size() || i % step == 0) kept.push_back(values[i]);
  }
  values = std::move(kept);
}

/// A block maximum and a scale it may get.
struct Scaled {
  std::uint64_t maximum = 0;
  Unpacked scale;
};

/// Under power-of-two scales: maxima of several significands in several binades, and the scales
/// 2^(e - emax), the next one, and 2^e.
std::vector<Scaled> power_scales(const SourceGrid& grid, const BlockFormat& format) {
  const ElementFormat& source = grid.format();
  const int emax = format.rule_emax.value_or(format.element.emax());
  const int last = source.emax();
  const int first = source.emin();
  const int lowest = -format.scale.bias;
  std::vector<int> exponents = {first - 3,         first,    lowest + emax - 1,
                                lowest + emax + 1, emax - 1, emax,
                                emax + 3,          last - 1, last};
  sort_unique(exponents);
  std::vector<Scaled> found;
  for (const int e : exponents) {
    if (e > last || e < first - source.man_bits) continue;
    const std::uint64_t one = grid.floor(unpack_integer(false, 1, e));
    const std::uint64_t next = grid.floor(unpack_integer(false, 1, e + 1));
    const std::uint64_t top = e == last ? grid.max() : next - 1;
    std::vector<std::uint64_t> maxima = {one, grid.floor(unpack_integer(false, 5, e - 2)),
                                         grid.floor(unpack_integer(false, 3, e - 1)),
                                         grid.floor(unpack_integer(false, 7, e - 2)), top};
    sort_unique(maxima);
    for (const std::uint64_t maximum : maxima) {
      for (const int t : {e - emax, e - emax + 1, e}) {
        found.push_back({maximum, unpack_integer(false, 1, t)});
      }
    }
  }
  return found;
}

/// Under real-valued scales: for scales of several codes, the maximum that is the largest element
/// times the scale; levels below multiply it by up to 4.
std::vector<Scaled> real_scales(const SourceGrid& grid, const BlockFormat& format) {
  const ElementFormat& scale = format.scale;
  const std::uint64_t one = encode(unpack_integer(false, 1, 0), scale, ElementPolicy{}, 0).code;
  std::vector<std::uint64_t> codes = {0,
                                      1,
                                      2,
                                      std::uint64_t{1} << scale.man_bits,
                                      one - 1,
                                      one,
                                      one + 1,
                                      one + 2,
                                      one + 3,
                                      scale.max_code / 2 + 1,
                                      scale.max_code - 1,
                                      scale.max_code};
  sort_unique(codes);
  const Unpacked largest = decode(format.element, format.element.max_code);
  const int levels = (format.sublevels[0] != 0 ? 1 : 0) + (format.sublevels[1] != 0 ? 1 : 0);
  std::vector<Scaled> found;
  for (const std::uint64_t code : codes) {
    const Unpacked value = decode(scale, code);
    if (value.cls != ValueClass::kFinite) continue;
    for (int level = 0; level <= levels; ++level) {
      const Unpacked lifted = scaled(value, level);
      const std::uint64_t maximum = grid.floor(multiply(largest, scaled(value, levels)));
      if (maximum == 0 || maximum >= grid.max()) continue;
      for (const std::uint64_t each : {maximum - 1, maximum, maximum + 1}) {
        found.push_back({each, lifted});
      }
    }
  }
  return found;
}

/// Values and midpoints of the element format, the ends of its range in full.
std::vector<Unpacked> thresholds(const ElementFormat& element, std::size_t limit) {
  const FormatGaps ladder(element);
  std::vector<Unpacked> points;
  for (const Gap& gap : ladder.gaps()) {
    points.push_back(start_of(gap));
    points.push_back(midpoint(gap));
  }
  thin(points, limit, 16);
  return points;
}

/// A seeded number `distance` binades below the exponent field `field`.
std::uint64_t seeded_number(const ElementFormat& source, std::uint32_t word, int field,
                            int distance) {
  const int at = std::max(field - distance, 0);
  const std::uint64_t significand = word & source.man_mask();
  // Half of the numbers have few significant bits, so that ties occur.
  const bool is_short = (word & 0x40000000) != 0;
  const std::uint64_t kept =
      is_short ? significand & ~(source.man_mask() >> std::min(4, source.man_bits)) : significand;
  const std::uint64_t sign = (word & 0x80000000) != 0 ? source.sign_bit() : 0;
  return sign | static_cast<std::uint64_t>(at) << source.man_bits | kept;
}

}  // namespace

std::size_t tried_elements(const BlockFormat& format) {
  if (format.extent != BlockExtent::kElements) return 32;
  return std::min(static_cast<std::size_t>(format.elements()), kLongestTried);
}

std::vector<BlockInput> single_blocks(const ElementFormat& source, const BlockFormat& format) {
  std::vector<BlockInput> blocks;
  const int shift = source.bits <= 16 ? 0 : source.bits - 16;
  const int bits = std::min(source.bits, 16);
  for (std::uint64_t i = 0; i < std::uint64_t{1} << bits; ++i) {
    blocks.push_back({.lanes = {i << shift}});
  }
  if (shift != 0) {
    for (std::size_t i = 0; i < kSeededSingles; ++i) {
      Draw draw(kSeed, suite_tag("single"), i);
      blocks.push_back({.lanes = {draw.word64() & source.code_mask()}});
    }
  }
  if (!has_tensor_scale(format)) return blocks;
  const SourceGrid grid(source);
  for (const std::uint32_t tensor : kTensorMaxima) {
    // The binades in which a block scale is neither zero nor the largest.
    const std::uint64_t top = grid.floor(decode(formats::fp32, tensor));
    const std::uint64_t binade = std::uint64_t{1} << source.man_bits;
    const std::uint64_t step = std::max<std::uint64_t>(binade >> 7, 1);
    const std::uint64_t bottom = top > 20 * binade ? top - 20 * binade : 0;
    for (std::uint64_t m = bottom - bottom % step; m <= top; m += step) {
      blocks.push_back({.lanes = {m}, .tensor_amax = tensor});
    }
  }
  return blocks;
}

std::vector<BlockInput> pair_blocks(const ElementFormat& source, const BlockFormat& format,
                                    std::size_t limit) {
  const SourceGrid grid(source);
  const bool is_power = format.scale.man_bits == 0 && format.scale.kind == FormatKind::kFloat;
  const std::vector<Scaled> scales =
      is_power ? power_scales(grid, format) : real_scales(grid, format);
  if (scales.empty() || format.element.max_code == 0) return {};
  const std::size_t each = std::max<std::size_t>(limit / (scales.size() * 6), 8);
  const std::vector<Unpacked> points = thresholds(format.element, each);
  std::vector<BlockInput> blocks;
  for (const Scaled& s : scales) {
    for (const Unpacked& point : points) {
      if (point.cls != ValueClass::kFinite) continue;
      const std::uint64_t at = grid.floor(multiply(point, s.scale));
      for (const std::uint64_t x : {at - 1, at, at + 1}) {
        if (x == 0 || x > s.maximum) continue;  // at - 1 wraps where at is 0
        blocks.push_back({.lanes = {s.maximum, x}});
        blocks.push_back({.lanes = {s.maximum, grid.code(true, x)}});
      }
    }
  }
  std::ranges::sort(blocks, {}, [&](const BlockInput& x) {
    return std::pair(x.lanes[0], simplicity(source, x.lanes[1]));
  });
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

std::vector<BlockInput> special_blocks(const ElementFormat& source, const BlockFormat& format) {
  const SourceGrid grid(source);
  const std::uint64_t inf = source.inf_code();
  const std::uint64_t quiet = source.canonical_nan;
  const std::uint64_t signaling = inf | 1;
  const std::uint64_t sign = source.sign_bit();
  const std::uint64_t one = grid.floor(unpack_integer(false, 1, 0));
  const std::vector<std::uint64_t> odd = {sign,         inf,       inf | sign,      quiet,
                                          quiet | sign, signaling, signaling | sign};
  const std::vector<std::uint64_t> numbers = {1, source.man_mask() + 1, one,
                                              grid.floor(unpack_integer(false, 3, -1)), grid.max()};
  std::vector<BlockInput> blocks = {{.lanes = {0}}};
  for (const std::uint64_t x : odd) {
    blocks.push_back({.lanes = {x}});
    for (const std::uint64_t y : odd) blocks.push_back({.lanes = {x, y}});
    for (const std::uint64_t y : numbers) {
      blocks.push_back({.lanes = {y, x}});
      blocks.push_back({.lanes = {y | sign, x}});
      if (x != inf) blocks.push_back({.lanes = {y, inf, x}});
    }
    blocks.push_back({.lanes = std::vector<std::uint64_t>(tried_elements(format), x)});
  }
  return blocks;
}

std::vector<BlockInput> seeded_blocks(const ElementFormat& source, const BlockFormat& format,
                                      std::size_t count) {
  const std::size_t lanes = tried_elements(format);
  const int top = static_cast<int>(source.max_code >> source.man_bits);
  std::vector<BlockInput> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    Draw draw(kSeed, suite_tag("seeded"), i);
    BlockInput block;
    // Half of the maxima near 1, the others anywhere.
    const int field = i % 2 == 0
                          ? std::min(top, top / 2 + static_cast<int>(draw.small(16)) - 8)
                          : static_cast<int>(draw.small(static_cast<std::uint32_t>(top + 1)));
    const std::uint32_t spread = i % 3 == 0 ? 3 : 10;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const int distance = static_cast<int>(draw.small(spread));
      block.lanes.push_back(seeded_number(source, draw.word(), field, distance));
    }
    if (has_tensor_scale(format) && i % 4 == 1) block.tensor_amax = kTensorMaxima[i / 4 % 4];
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace mx::golden
