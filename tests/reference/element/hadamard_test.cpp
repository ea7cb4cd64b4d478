// Hadamard transforms of spec F25 against exact rationals, their laws, and wrong orders.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>
#include <vector>

#include "oracle/element/hadamard.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/hadamard.hpp"
#include "tests/support/print.hpp"

namespace mx {
namespace {

using Group = std::array<fp32::Bits, kHadamardSize>;

const std::array<const ElementFormat*, 3> kSources = {&formats::fp32, &formats::bf16,
                                                      &formats::fp16};

/// Codes of 16 elements, of class `kind`: near each other, of any exponent, subnormal, equal but
/// for signs, with zeros of both signs, at the upper end, with NaN or infinities, all -0.
constexpr std::uint64_t kKinds = 9;
std::vector<std::uint64_t> group_of(const ElementFormat& source, std::uint64_t kind,
                                    std::uint64_t seed) {
  const auto man = static_cast<std::uint64_t>(source.man_bits);
  const std::uint64_t inf = source.inf_code();
  const std::uint64_t top = inf >> man;
  std::vector<std::uint64_t> codes;
  for (std::uint64_t i = 0; i < kHadamardSize; ++i) {
    const std::uint64_t r = counter_random(seed, 7, 2 * i, 32);
    const std::uint64_t fraction = counter_random(seed, 7, 2 * i + 1, 32) & ((1ULL << man) - 1);
    const std::uint64_t bias = top / 2;
    std::uint64_t field = bias - r % 4;
    if (kind == 1) field = r % top;
    if (kind == 2) field = r % 4 == 0 ? 1 : 0;
    if (kind == 3) field = bias;
    if (kind == 5) field = top - 1 - r % 3;
    std::uint64_t code = field << man | (kind == 3 ? 0 : fraction);
    if (kind == 4) code = r % 3 == 0 ? bias << man : 0;
    if (kind == 6 && r % 11 == 0) code = inf;
    if (kind == 7 && i == seed % 16) code = inf + 1 + r % 3;
    if (kind == 8) code = 0;
    codes.push_back(code | (kind == 8 || (r >> 20 & 1) != 0 ? source.sign_bit() : 0));
  }
  return codes;
}

Group transformed(const ElementFormat& source, std::span<const std::uint64_t> codes,
                  const Hadamard& hadamard) {
  Group group{};
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = fp32::round(decode(source, codes[i]));
  transform(hadamard, group);
  return group;
}

struct Seen {
  std::uint64_t groups = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t negative_zeros = 0;
  std::uint64_t zeros = 0;
  std::uint64_t subnormals = 0;
  std::uint64_t infinities = 0;
  std::uint64_t nans = 0;
};

/// Counts what differs between `model` and the oracle, over all classes.
template <class Model>
Seen judged(const Model& model, std::uint64_t seeds) {
  Seen seen;
  for (const ElementFormat* const source : kSources) {
    for (std::uint64_t kind = 0; kind < kKinds; ++kind) {
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const auto codes = group_of(*source, kind, seed * kKinds + kind);
        const Hadamard hadamard{static_cast<std::uint16_t>(counter_random(seed, 9, 0, 16)),
                                seed % 2 == 0 ? HadamardSigns::kFirst : HadamardSigns::kLast};
        const Group got = model(*source, codes, hadamard);
        const std::vector<std::uint32_t> expected =
            oracle::hadamard(*source, codes, hadamard.mask, hadamard.signs == HadamardSigns::kLast);
        ++seen.groups;
        for (std::size_t i = 0; i < got.size(); ++i) {
          const fp32::Bits magnitude = expected[i] & ~fp32::kSignBit;
          if (got[i] != expected[i]) ++seen.mismatches;
          if (expected[i] == fp32::kSignBit) ++seen.negative_zeros;
          if (expected[i] == 0) ++seen.zeros;
          if (magnitude != 0 && magnitude < 0x00800000) ++seen.subnormals;
          if (magnitude == fp32::kInfinity) ++seen.infinities;
          if (fp32::is_nan(expected[i])) ++seen.nans;
        }
      }
    }
  }
  return seen;
}

TEST(Hadamard, AgreesWithExactRationals) {
  const Seen seen = judged(&transformed, 150);
  EXPECT_EQ(seen.groups, 3u * 9 * 150);
  EXPECT_EQ(seen.mismatches, 0u);
  EXPECT_GT(seen.zeros, 500u);
  EXPECT_GT(seen.negative_zeros, 100u);
  EXPECT_GT(seen.subnormals, 500u);
  EXPECT_GT(seen.infinities, 500u);
  EXPECT_GT(seen.nans, 1000u);
}

/// Four stages of strides, each sum by `add`, then a quarter where it is not taken first.
template <class Add>
Group staged(const ElementFormat& source, std::span<const std::uint64_t> codes,
             const Hadamard& hadamard, std::array<std::size_t, 4> strides, bool quarter_first,
             const Add& add) {
  Group v{};
  const auto flip = [&] {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] ^= (hadamard.mask >> i & 1U) << 31;
  };
  const auto quarter = [&] {
    for (fp32::Bits& x : v) x = fp32::multiply(x, 0x3E800000);
  };
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = fp32::round(decode(source, codes[i]));
  if (hadamard.signs == HadamardSigns::kFirst) flip();
  if (quarter_first) quarter();
  for (const std::size_t s : strides) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      if ((i & s) != 0) continue;
      const fp32::Bits a = v[i];
      const fp32::Bits b = v[i + s];
      v[i] = add(a, b);
      v[i + s] = add(a, b ^ fp32::kSignBit);
    }
  }
  if (!quarter_first) quarter();
  if (hadamard.signs == HadamardSigns::kLast) flip();
  for (fp32::Bits& x : v) x = fp32::is_nan(x) ? 0x7FC00000 : x;
  return v;
}

// Negative control: the stimulus tells every other order and arithmetic from the specification's.
TEST(Hadamard, OtherOrdersAreSeen) {
  const auto sum = [](fp32::Bits a, fp32::Bits b) { return fp32::add(a, b); };
  const auto flushed = [](fp32::Bits a, fp32::Bits b) {
    const fp32::Bits x = fp32::add(a, b);
    return (x & 0x7F800000) == 0 ? x & fp32::kSignBit : x;
  };
  const auto positive_zero = [](fp32::Bits a, fp32::Bits b) {
    const fp32::Bits x = fp32::add(a, b);
    return x == fp32::kSignBit ? 0 : x;
  };
  const auto run = [&](std::array<std::size_t, 4> strides, bool quarter_first, const auto& add) {
    return judged(
               [&](const ElementFormat& source, std::span<const std::uint64_t> codes,
                   const Hadamard& hadamard) {
                 return staged(source, codes, hadamard, strides, quarter_first, add);
               },
               30)
        .mismatches;
  };
  EXPECT_EQ(run({1, 2, 4, 8}, false, sum), 0u);
  EXPECT_GT(run({8, 4, 2, 1}, false, sum), 0u);
  EXPECT_GT(run({2, 1, 4, 8}, false, sum), 0u);
  EXPECT_GT(run({1, 2, 4, 8}, true, sum), 0u);
  EXPECT_GT(run({1, 2, 4, 8}, false, flushed), 0u);
  EXPECT_GT(run({1, 2, 4, 8}, false, positive_zero), 0u);
  EXPECT_GT(
      judged(
          [](const ElementFormat& source, std::span<const std::uint64_t> codes,
             const Hadamard& hadamard) { return transformed(source, codes, hadamard.inverse()); },
          30)
          .mismatches,
      0u);
}

// Small integers are transformed exactly, and then each order of the signs undoes the other.
TEST(Hadamard, GoesBackWhereNothingWasRounded) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Group group{};
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto value = static_cast<std::int32_t>(counter_random(seed, 3, i, 12)) - 2048;
      group[i] = std::bit_cast<fp32::Bits>(static_cast<float>(value));
    }
    const Hadamard hadamard{static_cast<std::uint16_t>(counter_random(seed, 4, 0, 16)),
                            seed % 2 == 0 ? HadamardSigns::kFirst : HadamardSigns::kLast};
    Group back = group;
    transform(hadamard, back);
    EXPECT_NE(back, group);
    transform(hadamard.inverse(), back);
    EXPECT_EQ(back, group) << seed;
  }
}

// The matrix itself, column by column: H[i][j] = (-1)^popcount(i AND j), over 4.
TEST(Hadamard, IsTheMatrixOfTheLaw) {
  for (std::size_t j = 0; j < kHadamardSize; ++j) {
    for (const auto& [mask, signs] :
         {std::pair{0U, HadamardSigns::kFirst}, std::pair{0xD7E8U, HadamardSigns::kFirst},
          std::pair{0xD7E8U, HadamardSigns::kLast}}) {
      Group group{};
      group[j] = fp32::kOne;
      transform({static_cast<std::uint16_t>(mask), signs}, group);
      for (std::size_t i = 0; i < kHadamardSize; ++i) {
        const std::size_t signed_at = signs == HadamardSigns::kFirst ? j : i;
        const bool negative = (static_cast<unsigned>(std::popcount(i & j)) % 2 != 0) !=
                              ((mask >> signed_at & 1U) != 0);
        EXPECT_EQ(group[i], negative ? 0xBE800000 : 0x3E800000) << i << ' ' << j;
      }
    }
  }
}

TEST(Hadamard, DrawsAMaskFromASeed) {
  std::set<std::uint16_t> masks;
  for (std::uint64_t seed = 0; seed < 64; ++seed) masks.insert(drawn_hadamard_mask(seed));
  EXPECT_GT(masks.size(), 60u);
  const PhiloxBlock block = philox4x32({0, 0, 0xFFFFFFFF, 0}, 5);
  EXPECT_EQ(drawn_hadamard_mask(5), block[0] >> 16);
}

// Groups along any axis, by any number of threads, in place as well.
TEST(HadamardTensor, TransformsGroupsAlongAnAxis) {
  const std::array<std::uint64_t, 3> dims = {3, 32, 5};
  std::vector<std::uint16_t> words(std::size_t{3} * 32 * 5);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint16_t>(counter_random(1, 2, i, 16) & 0xBFFF);
  }
  const Hadamard hadamard{0x1234, HadamardSigns::kFirst};
  const BlockedShape shape = BlockedShape::make(dims, 1, kHadamardSize).value();
  std::vector<std::uint32_t> values(words.size());
  transform_tensor(hadamard, shape, formats::bf16, std::as_bytes(std::span(words)),
                   std::as_writable_bytes(std::span(values)), 3);
  for (std::size_t outer = 0; outer < 3; ++outer) {
    for (std::size_t start = 0; start < 32; start += 16) {
      for (std::size_t inner = 0; inner < 5; ++inner) {
        const auto place = [&](std::size_t i) { return (outer * 32 + start + i) * 5 + inner; };
        std::vector<std::uint64_t> codes;
        for (std::size_t i = 0; i < 16; ++i) codes.push_back(words[place(i)]);
        const std::vector<std::uint32_t> expected =
            oracle::hadamard(formats::bf16, codes, 0x1234, false);
        for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(values[place(i)], expected[i]);
      }
    }
  }
  std::vector<std::uint32_t> wide(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) wide[i] = std::uint32_t{words[i]} << 16;
  transform_tensor(hadamard, shape, formats::fp32, std::as_bytes(std::span(wide)),
                   std::as_writable_bytes(std::span(wide)));
  EXPECT_EQ(wide, values);
}

TEST(HadamardTensor, SaysWhatItDoesNotTake) {
  EXPECT_EQ(hadamard_problem(formats::fp16, 48), "");
  EXPECT_NE(hadamard_problem(formats::fp64, 48), "");
  EXPECT_NE(hadamard_problem(formats::fp16, 40), "");
  EXPECT_EQ(find_hadamard_signs("last"), HadamardSigns::kLast);
  EXPECT_EQ(find_hadamard_signs("middle"), std::nullopt);
}

}  // namespace
}  // namespace mx
