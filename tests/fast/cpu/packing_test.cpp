// Packed codes by the CPU path, on every set of vector instructions, against the reference.
#include <gtest/gtest.h>

#include <array>

#include "fast/cpu/targets.hpp"
#include "fast/packing/packing.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/packing.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/judge.hpp"

namespace mx::fast::test {
namespace {

struct Pair {
  CodePacking fast;
  Packing reference;
};
constexpr std::array kPairs = {Pair{CodePacking::kNibbleLowFirst, Packing::kNibbleLowFirst},
                               Pair{CodePacking::kNibbleHighFirst, Packing::kNibbleHighFirst},
                               Pair{CodePacking::kSplitHalf, Packing::kSplitHalf},
                               Pair{CodePacking::kDense6, Packing::kDense6}};

std::vector<std::uint8_t> random_codes(std::size_t count, int bits) {
  std::vector<std::uint8_t> codes(count);
  for (std::size_t i = 0; i < count; ++i) {
    codes[i] = static_cast<std::uint8_t>(counter_random(5, 0, i, bits));
  }
  return codes;
}

std::span<const std::uint8_t> as_codes(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// Both ways for one number of codes; how often something differed.
std::size_t differences(const Pair& layout, std::span<const std::uint8_t> codes) {
  std::vector<std::uint8_t> expected(CodeLayout{layout.reference}.bytes(codes.size()).value());
  EXPECT_EQ(packed_size(layout.fast, codes.size()), expected.size());
  pack({layout.reference}, std::as_bytes(codes), std::as_writable_bytes(std::span(expected)));
  Guarded packed(expected.size());
  Guarded back(codes.size());
  std::size_t count = 0;
  count += pack_codes(layout.fast, std::as_bytes(codes), packed.span()) ? 0u : 1u;
  count += std::ranges::equal(as_codes(packed.span()), expected) ? 0u : 1u;
  count += unpack_codes(layout.fast, packed.span(), back.span()) ? 0u : 1u;
  count += std::ranges::equal(as_codes(back.span()), codes) ? 0u : 1u;
  return count + (packed.guards_hold() && back.guards_hold() ? 0u : 1u);
}

TEST(CpuPacking, AgreesOnEveryLength) {
  MX_NEEDS_CPU_PATH();
  std::size_t compared = 0;
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    for (const Pair& layout : kPairs) {
      const auto codes = random_codes(4096, packed_bits(layout.reference));
      const std::size_t step = layout.fast == CodePacking::kSplitHalf ? 2 : 1;
      for (std::size_t count = 0; count <= codes.size(); count += count < 520 ? step : 596) {
        EXPECT_EQ(differences(layout, std::span(codes).last(count)), 0u)
            << target << ' ' << packing_name(layout.reference) << ' ' << count;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 2000u);
}

// Negative control: each bit above the layout's, in every place, is reported; each bit of a code
// that changes, changes what is packed.
TEST(CpuPacking, SeesEveryBit) {
  MX_NEEDS_CPU_PATH();
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    for (const Pair& layout : kPairs) {
      const int bits = packed_bits(layout.reference);
      auto codes = random_codes(166, bits);
      std::vector<std::byte> before(packed_size(layout.fast, codes.size()));
      std::vector<std::byte> after(before.size());
      ASSERT_TRUE(pack_codes(layout.fast, std::as_bytes(std::span(codes)), before));
      for (std::uint8_t& code : codes) {
        for (int bit = 0; bit < 8; ++bit) {
          code = static_cast<std::uint8_t>(code ^ 1U << bit);
          const bool done = pack_codes(layout.fast, std::as_bytes(std::span(codes)), after);
          EXPECT_EQ(done, bit < bits);
          EXPECT_TRUE(!done || before != after);
          code = static_cast<std::uint8_t>(code ^ 1U << bit);
        }
      }
    }
  }
}

TEST(CpuPacking, RefusesSpansThatDoNotFit) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::byte> codes(7);
  std::vector<std::byte> packed(4);
  EXPECT_TRUE(pack_codes(CodePacking::kNibbleLowFirst, codes, packed));
  EXPECT_TRUE(unpack_codes(CodePacking::kNibbleLowFirst, packed, codes));
  EXPECT_FALSE(pack_codes(CodePacking::kNibbleLowFirst, codes, std::span(packed).first(3)));
  EXPECT_FALSE(unpack_codes(CodePacking::kNibbleLowFirst, std::span(packed).first(3), codes));
  EXPECT_FALSE(pack_codes(CodePacking::kDense6, codes, packed));
  EXPECT_FALSE(pack_codes(CodePacking::kSplitHalf, codes, {})) << "an odd count";
  EXPECT_FALSE(unpack_codes(CodePacking::kSplitHalf, {}, codes)) << "an odd count";
}

}  // namespace
}  // namespace mx::fast::test
