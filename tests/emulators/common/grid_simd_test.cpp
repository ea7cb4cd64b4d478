// Lanes of a grid against its definition by whole numbers.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "emulators/common/grid_simd.hpp"
#include "tests/emulators/limits.hpp"

namespace mx::emulators {
namespace {

/// Multiples of a step below 2P, as GridSimd are asked for.
struct Plain {
  GridRounding rounding = GridRounding::kEven;
  int top_field = 127;
  int kept = 0;
  bool takes_twice_the_power = false;
  bool adds_one_half = false;

  static std::uint64_t to_even(std::uint64_t units, int dropped) {
    return (units + (std::uint64_t{1} << (dropped - 1)) - 1 + (units >> dropped & 1)) >> dropped;
  }

  /// The multiple of the step, before the limit; x in units of 2^-45 P, an odd one where bits are
  /// lost.
  [[nodiscard]] std::uint64_t count(Bits x) const {
    const int field = exponent_field(x), below = top_field - std::max(field, 1);
    const std::uint64_t significand = (x & 0x7FFFFF) | (field == 0 ? 0 : 0x800000);
    if (below < 0) return ~std::uint64_t{0} >> 1;
    const std::uint64_t wide = significand << 22;
    const std::uint64_t units = below > 22 ? (significand != 0 ? 1 : 0) : wide >> below;
    if (rounding == GridRounding::kEven) return to_even(units, 45 - kept);
    if (rounding == GridRounding::kEvenSlip) {
      const Bits half_step = static_cast<Bits>(top_field - kept - 1) << 23;
      return magnitude_of(x) == half_step - 1 ? 1 : to_even(units, 45 - kept);
    }
    const std::uint64_t once = to_even(units, 45 - 21);
    if (rounding == GridRounding::kTwiceEven) return to_even(once, 21 - kept);
    const std::uint64_t half = std::uint64_t{1} << (20 - kept);
    return (once + half - (sign_of(x) != 0 ? 1 : 0)) >> (21 - kept);
  }

  [[nodiscard]] Bits operator()(Bits x) const {
    const bool is_negative = sign_of(x) != 0;
    const std::uint64_t limit =
        (std::uint64_t{2} << kept) - (is_negative && takes_twice_the_power ? 0 : 1);
    const Bits half_step = static_cast<Bits>(top_field - kept - 1) << 23;
    std::uint64_t result = std::min(count(x), limit);
    if (adds_one_half && x == half_step + 1) result = 0;
    if (result == 0) {
      const bool is_minus = adds_one_half && magnitude_of(x) > half_step - (Bits{25} << 23);
      return is_minus ? sign_of(x) : 0;
    }
    const int lead = 63 - std::countl_zero(result);
    const auto fraction = static_cast<Bits>(result << (23 - lead)) & 0x7FFFFF;
    return sign_of(x) | static_cast<Bits>(top_field - kept + lead) << 23 | fraction;
  }
};

/// Around every multiple of half a step, the places where the first of two roundings tells among
/// them, and anything.
std::vector<Bits> numbers(int top_field, int kept, std::mt19937& random, bool beyond) {
  const Bits top = static_cast<Bits>(top_field) << 23;
  std::vector<Bits> edges = {0, 1, 0x00800000, top};
  const auto anywhere = [&] { return static_cast<Bits>(random()) & 0x7FFFFF; };
  for (int below = 0; below <= kept + 2; ++below) {
    const Bits base = top - (static_cast<Bits>(below) << 23);
    const int bits = std::max(kept - below, 0) + 1;
    for (int i = 0; i < 40; ++i) edges.push_back(base | (anywhere() >> (23 - bits) << (23 - bits)));
  }
  std::vector<Bits> x;
  for (const Bits edge : edges) {
    const Bits off = Bits{2} << std::clamp(top_field - exponent_field(edge), 0, 20);
    for (Bits d = 0; d < 3; ++d) {
      for (const Bits at : {edge - d, edge + d, edge - off / 2 - d, edge - off + d, edge + off - d,
                            edge + off + d, edge - 2 * off + d, edge - 2 * off - d}) {
        if (magnitude_of(at) < top + (1U << 23)) x.push_back(magnitude_of(at));
      }
    }
  }
  const Bits most = beyond ? fp32::kInfinity : top + 0x7FFFFF;
  for (int i = 0; i < 500; ++i) x.push_back(static_cast<Bits>(random()) % (most + 1));
  x.push_back(most);
  for (std::size_t i = x.size(); i-- > 0;) x.push_back(x[i] | fp32::kSignBit);
  return x;
}

template <GridRounding kRounding>
void compare(const Plain& plain, GridSimd<kRounding> lanes, const std::vector<Bits>& x) {
  std::vector<Bits> out(x.size());
  ASSERT_TRUE(lanes(x, out));
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(out[i], plain(x[i]))
        << std::hex << x[i] << std::dec << " P " << plain.top_field << " kept " << plain.kept;
  }
}

template <GridRounding kRounding>
void compare_all(std::mt19937& random) {
  int grids = 0;
  for (int kept = 0; kept < 20; ++kept) {
    for (const int top_field : {kept + 3, 100, 127, 140, 252}) {
      if (!GridSimd<kRounding>::takes(top_field, kept)) continue;
      ++grids;
      const std::vector<Bits> x = numbers(top_field, kept, random, false);
      compare<kRounding>({kRounding, top_field, kept}, {top_field, kept}, x);
    }
  }
  EXPECT_GE(grids, 55);
}

TEST(GridSimd, AreWholeNumbersRoundedOnceOrTwice) {
  std::mt19937 random(3);
  compare_all<GridRounding::kEven>(random);
  compare_all<GridRounding::kEvenSlip>(random);
  compare_all<GridRounding::kTwiceEven>(random);
  compare_all<GridRounding::kTwiceUp>(random);
}

TEST(GridSimd, AddOneHalfAndTakeTwiceThePower) {
  using Lanes = GridSimd<GridRounding::kEven>;
  std::mt19937 random(4);
  for (int kept = 0; kept <= 15; ++kept) {
    for (const int top_field : {kept + 40, 127, 200}) {
      std::vector<Bits> x = numbers(top_field, kept, random, true);
      // Where negative zeros begin.
      for (Bits d = 0; d < 5; ++d) {
        x.push_back(fp32::kSignBit | ((static_cast<Bits>(top_field - kept - 26) << 23) - 2 + d));
      }
      // The limits themselves: the largest multiple and 2P, of both signs.
      const Bits twice = static_cast<Bits>(top_field + 1) << 23;
      for (const Bits limit : around({Lanes(top_field, kept).largest(), twice})) x.push_back(limit);
      Plain plain{GridRounding::kEven, top_field, kept};
      Lanes lanes(top_field, kept);
      plain.takes_twice_the_power = true;
      lanes.take_twice_the_power();
      compare(plain, lanes, x);
      plain.adds_one_half = true;
      lanes.add_one_half();
      compare(plain, lanes, x);
    }
  }
}

TEST(GridSimd, SayWhatTheyCannotDo) {
  using Once = GridSimd<GridRounding::kEven>;
  using Twice = GridSimd<GridRounding::kTwiceEven>;
  EXPECT_FALSE(Once::takes(127, -1));
  EXPECT_FALSE(Once::takes(127, 16));
  EXPECT_FALSE(Twice::takes(127, 11));
  EXPECT_FALSE(Once::takes(253, 3));
  EXPECT_FALSE(Once::takes(5, 3));
  std::vector<Bits> x = {0x3F800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001}, out(5);
  EXPECT_TRUE(Once(127, 3)(std::span(x).first(3), out));
  EXPECT_FALSE(Once(127, 3)(std::span(x).first(4), out));
  EXPECT_FALSE(Once(127, 3)(std::span(x).last(1), out));
}

}  // namespace
}  // namespace mx::emulators
