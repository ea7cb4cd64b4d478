// The two kinds of blocks of P4 (docs/proofs.md): that answers meet their own blocks is seen by
// fields in which the two differ, and by no others.
#include <gtest/gtest.h>

#include <array>

#include "sim/stream/kinds.hpp"

namespace mx::sim::test {
namespace {

constexpr unsigned kScale = 0xFF, kClamped = 1U << 8, kZeroBlock = 1U << 9, kInf = 1U << 10,
                   kNan = 1U << 11, kUnderflow = 1U << 12, kSaturated = 1U << 13;
constexpr std::array kShapes{Shape{16, 1}, Shape{32, 1}, Shape{8, 2}, Shape{8, 4}};

unsigned differing_status(const Kinds& kinds) { return kinds.marked.status ^ kinds.other.status; }

/// Bits of codes in which some lane differs.
unsigned differing_codes(const Kinds& kinds) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < kStreamWords; ++i) {
    EXPECT_NE(kinds.marked.codes[i], kinds.other.codes[i]) << "lane " << i;
    bits |= static_cast<unsigned>(kinds.marked.codes[i] ^ kinds.other.codes[i]);
  }
  return bits;
}

TEST(StreamKinds, EveryFlagAndTheScaleTellThemApart) {
  for (const Shape& shape : kShapes) {
    const unsigned by_rounding = differing_status(deterministic_kinds(shape));
    // A block of zeros has neither NaN nor Inf, is not clamped, and none of its elements can
    // underflow or saturate: that flag is left to the other pair.
    EXPECT_EQ(by_rounding & ~kScale, kClamped | kInf | kNan | kUnderflow | kSaturated);
    EXPECT_NE(by_rounding & kScale, 0u);
    const unsigned by_draw = differing_status(stochastic_kinds(shape));
    EXPECT_EQ(by_draw & ~kScale, kZeroBlock);
    EXPECT_NE(by_draw & kScale, 0u);
  }
}

TEST(StreamKinds, EveryLaneAndEveryBitOfCodesTellsThemApart) {
  for (const Shape& shape : kShapes) {
    const Kinds rounded = deterministic_kinds(shape);
    const Kinds stochastic = stochastic_kinds(shape);
    EXPECT_EQ(differing_codes(rounded) | differing_codes(stochastic), 0xFFu);
  }
}

TEST(StreamKinds, QuestionsDifferToo) {
  for (const Shape& shape : kShapes) {
    for (const Kinds& kinds : {deterministic_kinds(shape), stochastic_kinds(shape)}) {
      EXPECT_NE(kinds.marked.config_word, kinds.other.config_word);
      EXPECT_NE(kinds.marked.words, kinds.other.words);
      // The marked block lacks the last lanes, of which kept lanes and tlast tell.
      EXPECT_EQ(kinds.marked.elements, shape.lanes * shape.marked_beats() - 4);
      EXPECT_EQ(kinds.other.elements, shape.lanes * shape.beats);
    }
    const Kinds stochastic = stochastic_kinds(shape);
    EXPECT_EQ(stochastic.marked.random ^ stochastic.other.random, 0xFFu);
  }
}

}  // namespace
}  // namespace mx::sim::test
