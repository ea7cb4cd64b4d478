// The largest finite magnitude of a tensor by vectors beside the reference.
#include "backend/tensor/amax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "backend/tensor/self_check.hpp"
#include "fast/cpu/targets.hpp"
#include "fast/scaled/scaled_block_plan.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {
namespace {

// Every length up to some vectors, the maximum in every place, by every set of instructions.
TEST(BackendAmax, FindsTheMaximumInEveryPlace) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    const std::size_t size = storage_bytes(*source);
    const std::vector<std::byte> words = structured_words(*source, 16);
    for (const std::string_view target : fast::cpu_targets()) {
      const fast::OnlyCpuTarget only(target);
      for (std::size_t length = 0; length < 150; ++length) {
        for (const std::size_t from : {std::size_t{0}, 37 * length, 61 * length}) {
          const auto some = std::span(words).subspan(from * size, length * size);
          const auto found = fast::largest_finite(*source, some);
          ASSERT_TRUE(found.has_value());
          EXPECT_EQ(decode(*source, *found), tensor_amax(*source, {}, some))
              << source->name << ", " << target << ", " << length << " from " << from;
        }
      }
      std::vector<std::byte> zeros(100 * size);
      for (std::size_t place = 0; place < 100; ++place) {
        zeros[place * size] = std::byte{1};
        EXPECT_EQ(fast::largest_finite(*source, zeros), 1u) << place;
        zeros[place * size] = std::byte{0};
      }
    }
  }
}

TEST(BackendAmax, IsThatOfTheReferenceUnderEveryChoice) {
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    std::vector<std::byte> words;
    while (words.size() < (std::size_t{1} << 18)) {
      const std::vector<std::byte> more = structured_words(*source, 16);
      words.insert(words.end(), more.begin(), more.end());
    }
    ElementPolicy flushes;
    flushes.src_ftz = SourceSubnormals::kFlush;
    ElementPolicy stages;
    stages.staging = Staging::kViaFp16;
    for (const ElementPolicy& policy : {ElementPolicy{}, flushes, stages}) {
      const Unpacked expected = tensor_amax(*source, policy, words);
      for (const Choice choice : {Choice::kAuto, Choice::kReference, Choice::kCpu}) {
        for (const int threads : {1, 2}) {
          EXPECT_EQ(find_amax(*source, policy, words, choice, threads), expected);
        }
      }
    }
  }
  EXPECT_EQ(find_amax(formats::fp64, {}, {}, Choice::kAuto).cls, ValueClass::kZero);
}

}  // namespace
}  // namespace mx::backend
