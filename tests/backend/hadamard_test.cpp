// Hadamard transforms of tensors: who computes, and the same bits whoever it is.
#include <gtest/gtest.h>

#include <array>

#include "backend/tensor/self_check.hpp"
#include "backend/transform/hadamard.hpp"
#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"

namespace mx::backend {
namespace {

TEST(BackendHadamard, ChoosesAndSaysWhy) {
  const Hadamard hadamard{0xD7E8, HadamardSigns::kFirst};
  const auto model = TensorTransform::make(hadamard, formats::bf16, Choice::kReference);
  EXPECT_EQ(model->path(), "reference");
  EXPECT_EQ(model->self_check(), "");
  EXPECT_NE(TensorTransform::make(hadamard, formats::fp64, Choice::kAuto).problem(), "");
  const auto fast = TensorTransform::make(hadamard, formats::bf16, Choice::kAuto);
  if (fast::cpu_targets().empty()) {
    EXPECT_EQ(fast->path(), "reference");
    EXPECT_NE(fast->why_reference(), "");
    GTEST_SKIP() << "this build has no Highway: nothing is faster than the reference";
  }
  EXPECT_TRUE(fast->path().starts_with("cpu ("));
  EXPECT_EQ(fast->self_check(), "");
}

TEST(BackendHadamard, AgreesAlongEveryAxis) {
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
    const std::vector<std::byte> words = structured_words(source, 16);
    for (const HadamardSigns signs : {HadamardSigns::kFirst, HadamardSigns::kLast}) {
      const auto fast = TensorTransform::make({0x3C59, signs}, source, Choice::kAuto).value();
      const auto model = TensorTransform::make({0x3C59, signs}, source, Choice::kReference).value();
      for (const int axis : {0, 1, 2}) {
        std::array<std::uint64_t, 3> sizes = {3, 5, 7};
        sizes.at(static_cast<std::size_t>(axis)) = 32;
        const BlockedShape shape = BlockedShape::make(sizes, axis, kHadamardSize).value();
        const auto part = std::span(words).last(shape.elements * storage_bytes(source));
        std::vector<std::byte> expected(shape.elements * 4);
        std::vector<std::byte> values(expected.size());
        model.transform(shape, part, expected);
        fast.transform(shape, part, values, 2);
        EXPECT_EQ(values, expected) << source.name << ", axis " << axis;
      }
    }
  }
}

}  // namespace
}  // namespace mx::backend
