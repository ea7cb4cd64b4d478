// Hadamard transforms by the CPU path beside the reference: every source, order of signs and
// layout, on every set of vector instructions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cfenv>
#include <cstring>

#include "fast/cpu/targets.hpp"
#include "fast/hadamard/hadamard.hpp"
#include "reference/format/rows.hpp"
#include "reference/tensor/hadamard.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/support/print.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace mx::fast::test {
namespace {

/// A group by itself, and what its values are. One that no stimulus reaches proves nothing.
enum class Group : std::uint8_t {
  kNumbers,
  kNegativeZero,
  kSubnormal,
  kOverflow,
  kInfinity,
  kNan,
  kCount
};
using Seen = std::array<std::uint64_t, static_cast<std::size_t>(Group::kCount)>;

Group class_of(std::uint32_t value, bool is_finite_source) {
  const std::uint32_t magnitude = value & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return Group::kNan;
  if (magnitude == 0x7F800000) return is_finite_source ? Group::kOverflow : Group::kInfinity;
  if (value == 0x80000000) return Group::kNegativeZero;
  return magnitude != 0 && magnitude < 0x00800000 ? Group::kSubnormal : Group::kNumbers;
}

/// Words of the seeded classes; then groups of zeros, of equal numbers with signs of their own, of
/// the smallest and of the largest numbers.
std::vector<std::byte> words_of(const ElementFormat& source, std::uint64_t seed,
                                std::size_t elements) {
  std::vector<std::byte> words = random_words(source, seed, elements);
  const std::size_t width = storage_bytes(source);
  const std::uint64_t largest = source.inf_code() - 1;
  for (std::size_t i = 0; i < elements; ++i) {
    const std::uint64_t group = i / kHadamardSize;
    if (group % 3 != 0) continue;
    const std::array<std::uint64_t, 4> kinds = {0, largest / 2, group % 5 + 1, largest - group % 7};
    const std::uint64_t negative = (seed + group * 7 + i * i) / 3 % 2;
    const std::uint64_t word = kinds[group / 3 % 4] | (negative != 0 ? source.sign_bit() : 0);
    std::memcpy(words.data() + i * width, &word, width);
  }
  return words;
}

struct Case {
  ElementFormat source;
  Hadamard hadamard;
  BlockLayout layout;
};

Checked<HadamardPlan> plan_of(const Case& one) {
  const bool is_first = one.hadamard.signs == HadamardSigns::kFirst;
  return HadamardPlan::make({one.source, one.hadamard.mask,
                             is_first ? HadamardOrder::kSignsFirst : HadamardOrder::kSignsLast});
}

/// By the reference, and what was seen on the way.
std::vector<std::byte> expected_of(const Case& one, std::span<const std::byte> words, Seen& seen) {
  const std::array<std::uint64_t, 3> sizes = {one.layout.outer, one.layout.length,
                                              one.layout.inner};
  const BlockedShape shape = BlockedShape::make(sizes, 1, kHadamardSize).value();
  std::vector<std::byte> values(shape.elements * 4);
  transform_tensor(one.hadamard, shape, one.source, words, values);
  const std::size_t width = storage_bytes(one.source);
  bool is_finite = true;
  for (std::size_t i = 0; i < shape.elements; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words.data() + i * width, width);
    is_finite = is_finite && (word & one.source.magnitude_mask()) < one.source.inf_code();
  }
  for (std::size_t i = 0; i < shape.elements; ++i) {
    std::uint32_t value = 0;
    std::memcpy(&value, values.data() + i * 4, 4);
    ++seen[static_cast<std::size_t>(class_of(value, is_finite))];
  }
  return values;
}

/// "" or where the path differs, on every target, by one thread and by three.
std::string difference(const Case& one, std::span<const std::byte> words,
                       std::span<const std::byte> expected) {
  const HadamardPlan plan = plan_of(one).value();
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    for (const int threads : {1, 3}) {
      Guarded values(expected.size());
      if (!plan.transform(one.layout, words, values.span(), threads)) return "refused";
      const auto found = std::ranges::mismatch(expected, values.span());
      if (found.in1 == expected.end() && values.guards_hold()) continue;
      return fmt::format("{}, {} threads, {} x {} x {}: element {}", target, threads,
                         one.layout.outer, one.layout.length, one.layout.inner,
                         (found.in1 - expected.begin()) / 4);
    }
  }
  return "";
}

constexpr std::array<BlockLayout, 8> kLayouts = {{{1, 16, 1},
                                                  {1, 4096, 1},
                                                  {7, 48, 1},
                                                  {1, 16, 7},
                                                  {2, 32, 16},
                                                  {3, 64, 21},
                                                  {1, 16, 1000},
                                                  {0, 16, 3}}};
constexpr std::array<std::uint16_t, 6> kMasks = {0x0000, 0xFFFF, 0xD7E8, 0x0001, 0x8000, 0x5AA5};

class FastHadamard : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(FastHadamard, AgreesInEveryLayoutUnderEveryOrderOfSigns) {
  MX_NEEDS_CPU_PATH();
  Seen seen{};
  std::uint64_t seed = 1;
  for (const std::uint16_t mask : kMasks) {
    for (const HadamardSigns signs : {HadamardSigns::kFirst, HadamardSigns::kLast}) {
      for (const BlockLayout& layout : kLayouts) {
        const Case one{GetParam(), {mask, signs}, layout};
        const std::vector<std::byte> words = words_of(one.source, ++seed, layout.elements());
        const std::vector<std::byte> expected = expected_of(one, words, seen);
        EXPECT_EQ(difference(one, words, expected), "") << fmt::format("{:04x}", mask);
      }
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    // Sums of 16 finite numbers of fp16 and their quarters are normal numbers of binary32.
    const auto one = static_cast<Group>(i);
    const bool is_of_wide = one == Group::kSubnormal || one == Group::kOverflow;
    if (is_of_wide && GetParam() == formats::fp16) continue;
    if (one == Group::kOverflow) continue;  // in FiniteGroupsOverflow
    EXPECT_GT(seen.at(i), 0u) << "class " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sources, FastHadamard,
                         ::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                         [](const auto& each) { return std::string(each.param.name); });

/// One group in a line and as a column, an element of which is one of all words of 16 bits.
TEST(FastHadamardWords, EveryWordOf16Bits) {
  MX_NEEDS_CPU_PATH();
  for (const ElementFormat& source : {formats::bf16, formats::fp16}) {
    std::vector<std::byte> words(std::size_t{2} * 16 * 65536);
    for (std::uint32_t word = 0; word < 65536; ++word) {
      std::memcpy(words.data() + (std::size_t{word} * 16 + word % 16) * 2, &word, 2);
    }
    Seen seen{};
    for (const BlockLayout& layout : {BlockLayout{1, 1 << 20, 1}, BlockLayout{1 << 13, 16, 8}}) {
      const Case one{source, {0x1234, HadamardSigns::kFirst}, layout};
      EXPECT_EQ(difference(one, words, expected_of(one, words, seen)), "") << source.name;
    }
  }
}

TEST(FastHadamardWords, FiniteGroupsOverflow) {
  MX_NEEDS_CPU_PATH();
  Seen seen{};
  for (std::uint32_t word : {0x7E000000U, 0x7E7FFFFFU, 0x7F000000U, 0x7F7FFFFFU}) {
    std::vector<std::byte> words(64);
    for (std::size_t i = 0; i < 16; ++i) std::memcpy(words.data() + i * 4, &word, 4);
    const Case one{formats::fp32, {0x0F00, HadamardSigns::kFirst}, {1, 16, 1}};
    EXPECT_EQ(difference(one, words, expected_of(one, words, seen)), "");
  }
  EXPECT_GT(seen[static_cast<std::size_t>(Group::kOverflow)], 0u);
}

/// A mode of rounding, FTZ and DAZ for this thread while it lives.
class OtherFloats {
 public:
  explicit OtherFloats(int mode) : mode_(std::fegetround()) {
    std::fesetround(mode);
#if defined(__SSE2__)
    before_ = _mm_getcsr();
    _mm_setcsr(before_ | kFlush);
#endif
  }
  ~OtherFloats() {
#if defined(__SSE2__)
    _mm_setcsr(before_);
#endif
    std::fesetround(mode_);
  }
  OtherFloats(const OtherFloats&) = delete;
  OtherFloats& operator=(const OtherFloats&) = delete;

  [[nodiscard]] bool are_kept(int mode) const {
#if defined(__SSE2__)
    if ((_mm_getcsr() & kFlush) != kFlush) return false;
#endif
    return std::fegetround() == mode;
  }

 private:
  static constexpr unsigned kFlush = 0x8040;
  int mode_;
  unsigned before_ = 0;
};

// The specification: nothing of the caller's floating point changes a bit, and nothing of it is
// changed.
TEST(FastHadamardMachine, RoundingModesAndFlushingChangeNothing) {
  MX_NEEDS_CPU_PATH();
  for (const BlockLayout& layout : {BlockLayout{1, 960, 1}, BlockLayout{3, 64, 5}}) {
    const Case one{formats::fp32, {0xD7E8, HadamardSigns::kLast}, layout};
    std::vector<std::byte> words = words_of(one.source, 3, layout.elements());
    // Every other half of the tensor is of subnormal numbers.
    for (std::size_t i = words.size() / 2; i < words.size(); i += 4) {
      words[i + 2] &= std::byte{0x0F};
      words[i + 3] &= std::byte{0x80};
    }
    Seen seen{};
    const std::vector<std::byte> expected = expected_of(one, words, seen);
    EXPECT_GT(seen[static_cast<std::size_t>(Group::kSubnormal)], 100u);
    EXPECT_GT(seen[static_cast<std::size_t>(Group::kNumbers)], 100u);
    const HadamardPlan plan = plan_of(one).value();
    for (const int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::vector<std::byte> values(expected.size());
      {
        const OtherFloats floats(mode);
        EXPECT_TRUE(plan.transform(layout, words, values));
        EXPECT_TRUE(floats.are_kept(mode));
      }
      EXPECT_EQ(values, expected) << mode;
    }
  }
}

TEST(FastHadamardSpans, InPlaceUnalignedAndRefused) {
  MX_NEEDS_CPU_PATH();
  const Case one{formats::fp32, {0x00FF, HadamardSigns::kFirst}, {2, 32, 19}};
  const std::vector<std::byte> words = words_of(one.source, 9, one.layout.elements());
  Seen seen{};
  const std::vector<std::byte> expected = expected_of(one, words, seen);
  const HadamardPlan plan = plan_of(one).value();
  for (const BlockLayout& layout : {one.layout, BlockLayout{1, one.layout.elements(), 1}}) {
    Case here = one;
    here.layout = layout;
    const std::vector<std::byte> values = expected_of(here, words, seen);
    std::vector<std::byte> memory(words.size() + 3);
    const auto place = std::span(memory).subspan(3);
    std::ranges::copy(words, place.begin());
    EXPECT_TRUE(plan.transform(layout, place, place));
    EXPECT_TRUE(std::ranges::equal(place, values));
  }
  std::vector<std::byte> values(expected.size());
  const BlockLayout odd{2, 24, 19};
  EXPECT_FALSE(plan.transform(odd, std::span(words).first(4 * odd.elements()),
                              std::span(values).first(4 * odd.elements())));
  EXPECT_FALSE(plan.transform(one.layout, std::span(words).first(words.size() - 4), values));
  EXPECT_FALSE(plan.transform(one.layout, words, std::span(values).first(values.size() - 4)));
  EXPECT_EQ(values, std::vector<std::byte>(values.size()));
  EXPECT_NE(HadamardPlan::make({formats::fp64}).problem(), "");
}

// Negative control: one sign, the other order, or a neighbour's group is another answer.
TEST(FastHadamardControls, AnotherTransformIsSeen) {
  MX_NEEDS_CPU_PATH();
  const Case one{formats::bf16, {0x1111, HadamardSigns::kFirst}, {1, 512, 19}};
  const std::vector<std::byte> words = words_of(one.source, 4, one.layout.elements());
  Seen seen{};
  const std::vector<std::byte> expected = expected_of(one, words, seen);
  EXPECT_EQ(difference(one, words, expected), "");
  for (int bit = 0; bit < kHadamardSize; ++bit) {
    Case other = one;
    other.hadamard.mask = static_cast<std::uint16_t>(other.hadamard.mask ^ 1U << bit);
    EXPECT_NE(difference(other, words, expected), "") << bit;
  }
  Case other = one;
  other.hadamard.signs = HadamardSigns::kLast;
  EXPECT_NE(difference(other, words, expected), "");
  other = one;
  other.layout = {19, 512, 1};
  EXPECT_NE(difference(other, words, expected), "");
}

}  // namespace
}  // namespace mx::fast::test
