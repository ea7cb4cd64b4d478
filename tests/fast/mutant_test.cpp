// Negative control: the judge and its stimulus catch each wrong variant of the arithmetic. The same
// loop over the unchanged arithmetic finds nothing, so what is caught is the change.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fast/cuda/arithmetic.hpp"
#include "fast/cuda/host_lanes.hpp"
#include "mutants.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

/// quantize_block of one arithmetic over a whole span, e4m3fn or int8.
template <class Arithmetic>
Status quantize_with(const ElementFormat&, const ElementFormat& element,
                     std::span<const std::byte> words, QuantizedSpans out) {
  for (std::size_t block = 0; block < out.scales.size(); ++block) {
    const std::size_t first = block * kBlockSize;
    const auto count =
        static_cast<int>(std::min<std::size_t>(kBlockSize, out.codes.size() - first));
    auto* codes = reinterpret_cast<std::uint8_t*>(out.codes.data()) + first;
    auto* scale = reinterpret_cast<std::uint8_t*>(out.scales.data()) + block;
    const std::byte* source = words.data() + first * storage_bytes(formats::fp32);
    if (element == formats::int8) {
      Arithmetic::template block<formats::int8>(source, count, codes, scale, &out.status[block]);
    } else {
      Arithmetic::template block<formats::e4m3fn>(source, count, codes, scale, &out.status[block]);
    }
  }
  return {};
}

template <class Arithmetic>
Tally judge_arithmetic() {
  Tally tally;
  for (const ElementFormat* element : {&formats::e4m3fn, &formats::int8}) {
    const BackendCheck judge(formats::fp32, *element);
    const Sink sink = [&](std::span<const std::uint32_t> codes) {
      judge.compare(&quantize_with<Arithmetic>, codes, tally);
    };
    thresholds_at_every_scale(formats::fp32, *element, sink);
    random_blocks(formats::fp32, 1, 2048, sink);
  }
  return tally;
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a namespace cannot be a template argument.
#define MX_ARITHMETIC(type, space)                                                               \
  struct type {                                                                                  \
    template <const ElementFormat& kElement>                                                     \
    static void block(const std::byte* source, int count, std::uint8_t* codes,                   \
                      std::uint8_t* scale, std::uint16_t* status) {                              \
      space::quantize_block<space::SourceTraits<formats::fp32>, space::ElementTraits<kElement>>( \
          HostLanes{}, source, count, codes, scale, status);                                     \
    }                                                                                            \
  };

#define MX_MUTANT(name)                                             \
  MX_ARITHMETIC(name##_arithmetic, ::mx::fast::mutant::name)        \
  TEST(Mutant, name) {                                              \
    const Tally tally = judge_arithmetic<name##_arithmetic>();      \
    EXPECT_GT(tally.mismatches, 0u) << "the mutant survives";       \
    RecordProperty("mismatches", std::to_string(tally.mismatches)); \
  }
// NOLINTEND(cppcoreguidelines-macro-usage)

MX_ARITHMETIC(Unchanged, ::mx::fast)

TEST(Mutant, UnchangedArithmeticPasses) {
  const Tally tally = judge_arithmetic<Unchanged>();
  EXPECT_GT(tally.elements, 100'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first_mismatch;
}

#include "mutants.inc"

}  // namespace
}  // namespace mx::fast::test
