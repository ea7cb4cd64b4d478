// Single values by the fast path beside the reference.
#include <gtest/gtest.h>

#include "backend/tensor/converter.hpp"
#include "backend/tensor/self_check.hpp"
#include "fast/cpu/targets.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/philox.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::backend {
namespace {

/// The specification of one value: the kernel's code, stored in the format's width.
void expect_kernel(const TensorConverter& converter, const ConversionConfig& config) {
  const std::vector<std::byte> words = structured_words(config.source, 32);
  const std::size_t from = storage_bytes(config.source);
  const std::size_t to = storage_bytes(config.destination);
  const std::uint64_t count = words.size() / from;
  std::vector<std::byte> codes(count * to);
  const TensorSummary first = converter.convert(words, {5, 2}, codes, 0, 77);
  const TensorSummary rest = converter.convert(words, {5, 2}, codes, 77, count);
  EXPECT_EQ(first.elements + rest.elements, count);
  const Conversion kernel = Conversion::make(config).value();
  const int bits = config.policy.random_bits;
  std::uint16_t flags = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t random =
        is_stochastic(config.policy.rounding) ? counter_random(5, 2, i, bits) : 0;
    const Encoded expected = kernel(load_word(words.data() + i * from, from), random);
    ASSERT_EQ(load_word(codes.data() + i * to, to), expected.code) << "element " << i;
    flags |= expected.flags;
  }
  if (!converter.is_fast()) {
    EXPECT_EQ(first.flags | rest.flags, flags);
  }
}

TEST(BackendConverter, GivesTheKernelsCodes) {
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp64}) {
    for (const ElementFormat* to : {&formats::e4m3fn, &formats::e5m2, &formats::fp16}) {
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kStochasticA}) {
        ConversionConfig config{*source, *to, default_policy(*to)};
        config.policy.rounding = rounding;
        for (const Wanted wanted : {Wanted::kCounts, Wanted::kFlags}) {
          expect_kernel(TensorConverter::make(config, Choice::kAuto, wanted).value(), config);
        }
        const auto model =
            TensorConverter::make(config, Choice::kReference, Wanted::kFlags).value();
        EXPECT_FALSE(model.is_fast());
        expect_kernel(model, config);
      }
    }
  }
}

TEST(BackendConverter, IsFastWhereNoFlagsAreWanted) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  const ConversionConfig config{formats::fp32, formats::e4m3fn, {}};
  const auto fast = TensorConverter::make(config, Choice::kAuto, Wanted::kCounts).value();
  EXPECT_TRUE(fast.path().starts_with("cpu ("));
  EXPECT_EQ(fast.self_check(), "");
  const auto model = TensorConverter::make(config, Choice::kAuto, Wanted::kFlags).value();
  EXPECT_NE(model.why_reference().find("flags"), std::string_view::npos);
  EXPECT_NE(TensorConverter::make(config, Choice::kCpu, Wanted::kFlags).problem(), "");
}

}  // namespace
}  // namespace mx::backend
