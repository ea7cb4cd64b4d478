// Dot products in chunks of K: every partial sum from the oracle's unit, added by the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "oracle/element/arithmetic.hpp"
#include "oracle/unit/unit.hpp"
#include "reference/unit/chunks.hpp"
#include "tests/reference/unit/unit_stimuli.hpp"

namespace mx::oracle {
namespace {

bool is_nan(const ElementFormat& format, std::uint64_t code) {
  return decode(format, code).cls == ValueClass::kNan;
}

std::vector<std::uint64_t> cut(const std::vector<std::uint64_t>& codes, std::size_t first,
                               std::size_t size) {
  const std::size_t end = std::min(first + size, codes.size());
  return {codes.begin() + static_cast<std::ptrdiff_t>(std::min(first, end)),
          codes.begin() + static_cast<std::ptrdiff_t>(end)};
}

constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan};

/// Spec U6 in the oracle's words.
std::uint64_t oracle_of(const UnitConfig& config, const UnitOperands& x, std::size_t chunk) {
  const std::size_t block =
      config.a.scale ? static_cast<std::size_t>(config.a.scale->block_size) : chunk;
  const ElementOracle<RationalField> judge(config.result);
  std::uint64_t total = 0;
  for (std::size_t first = 0; first < x.a.size(); first += chunk) {
    const auto a = cut(x.a, first, chunk);
    const auto b = cut(x.b, first, chunk);
    const std::size_t scales = config.a.scale ? (a.size() + block - 1) / block : 0;
    const auto a_scales = cut(x.a_scales, first / block, scales);
    const auto b_scales = cut(x.b_scales, first / block, scales);
    const std::uint64_t sum = unit_dot(config, {a_scales, a}, {b_scales, b}, 0);
    const std::array both = {total, sum};
    total = first == 0 ? sum : operate(judge, ArithmeticOperation::kAdd, both, kIeee).code;
    if (is_nan(config.result, total)) {
      total = config.unit.nan == UnitNan::kAllOnes
                  ? (config.result == formats::fp32 ? 0x7FFFFFFF : 0x7FFF)
                  : config.result.canonical_nan;
    }
  }
  return total;
}

// Property: D is the sum, in order and each time rounded to nearest even, of what the unit makes of
// each chunk from +0. Where a chunk is all of K, that is the unit's own sum.
TEST(Chunks, AgreeWithTheOracle) {
  constexpr int kEach = 2;
  std::map<std::string, int> seen;
  Stream stream(0x7173);
  for (const UnitConfig& config : all_unit_configs()) {
    const auto block = config.a.scale ? static_cast<std::size_t>(config.a.scale->block_size)
                                      : UnitDot::whole_group(config.unit);
    for (const UnitClass what : kUnitClasses) {
      for (int i = 0; i < kEach; ++i) {
        const std::size_t chunk = block * static_cast<std::size_t>(1 + stream.below(5));
        const std::size_t elements = block * static_cast<std::size_t>(1 + stream.below(12));
        const UnitOperands x = make_unit_operands(what, config, elements, stream);
        const std::uint64_t got = ChunkedDot::make(config, chunk).value()(x.left(), x.right());
        ASSERT_EQ(oracle_of(config, x, chunk), got)
            << text_of(config) << ", " << elements << " elements in chunks of " << chunk
            << "\n MX_TEST_SEED=" << test_seed();
        const std::uint64_t whole = UnitDot::make(config).value()(x.left(), x.right(), 0);
        if (chunk >= elements) {
          ASSERT_EQ(whole, got);
          ++seen["one chunk"];
        } else {
          ++seen[elements % chunk == 0 ? "whole chunks" : "a short one"];
          if (is_nan(config.result, got)) ++seen["nan"];
          if (whole != got) ++seen["another result than in one piece"];
        }
      }
    }
  }
  for (const char* kind :
       {"one chunk", "whole chunks", "a short one", "nan", "another result than in one piece"}) {
    EXPECT_GT(seen[kind], 100) << kind;
  }
}

// The chunks matter: another size, or sums in the reverse order, gives other results.
TEST(Chunks, AWrongChunkIsSeen) {
  const UnitConfig config = {
      *find_unit("h100_f16"), {formats::fp16}, {formats::fp16}, formats::fp32};
  Stream stream(0x7174);
  int other_size = 0;
  int other_order = 0;
  for (int i = 0; i < 200; ++i) {
    UnitOperands x = make_unit_operands(UnitClass::kNear, config, 512, stream);
    const std::uint64_t got = ChunkedDot::make(config, 128).value()(x.left(), x.right());
    if (oracle_of(config, x, 64) != got) ++other_size;
    for (auto* const codes : {&x.a, &x.b}) {
      std::rotate(codes->begin(), codes->begin() + 256, codes->end());
    }
    if (oracle_of(config, x, 128) != got) ++other_order;
  }
  EXPECT_GT(other_size, 100);
  EXPECT_GT(other_order, 20);
}

TEST(Chunks, RefusesWhatCannotBeCut) {
  const UnitConfig scaled = {*find_unit("b200_mxf4"),
                             {formats::e2m1fn, UnitScale{formats::e8m0, 32}},
                             {formats::e2m1fn, UnitScale{formats::e8m0, 32}},
                             formats::fp32};
  EXPECT_EQ(ChunkedDot::make(scaled, 48).problem(), "a chunk has whole blocks of scales");
  EXPECT_EQ(ChunkedDot::make(scaled, 0).problem(), "a dot product has at least one element");
  const UnitConfig tree = {
      *find_unit("mi200_f16"), {formats::fp16}, {formats::fp16}, formats::fp32};
  EXPECT_EQ(ChunkedDot::make(tree, 6).problem(),
            "this unit's tree of sums takes whole groups of products");
}

}  // namespace
}  // namespace mx::oracle
