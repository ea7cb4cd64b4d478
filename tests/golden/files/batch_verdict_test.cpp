// Batches compared at once: what record by record would be counted, and every flipped bit seen.
#include <gtest/gtest.h>

#include "golden/answers/verdict.hpp"
#include "reference/profiles/masks.hpp"
#include "tests/golden/set_kit.hpp"

namespace mx::golden {
namespace {

/// Whole batches are counted as their records one by one are, and a flip of any bit of any result
/// is seen: then nothing is counted.
TEST(BatchVerdicts, WholeBatchesAreTheirRecords) {
  for (const Configuration& each :
       {conversion(formats::fp32, formats::fp16), block(formats::fp32, "nvfp4"),
        dequantize("mxfp4", formats::bf16), dot("mxfp8_e4m3", "mxfp4"), mma("h100_f16")}) {
    const GoldenSet set = golden_set({each}, SuiteKind::kRandom, 67);
    Verdict one_by_one;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      OpenAnswer open;
      if (set.records.has(Field::kScale)) open.elements = set.records.elements(Field::kSource, i);
      compare_answer(set.records, set.records, i, open, one_by_one);
    }
    Verdict at_once;
    EXPECT_TRUE(all_answers_agree(set.records, set.records, at_once));
    EXPECT_EQ(at_once, one_by_one) << name_of(each);
    for (const FieldShape& shape : set.header.shape().fields) {
      const auto lane = static_cast<std::size_t>(shape.lanes) - 1;
      for (const std::size_t i : {std::size_t{0}, std::size_t{33}, set.records.size() - 1}) {
        for (int bit = 0; bit < 8 * shape.bytes; ++bit) {
          RecordBatch wrong = set.records;
          wrong.of(shape.field, i)[lane] ^= std::uint64_t{1} << bit;
          EXPECT_EQ(all_answers_agree(set.records, wrong, at_once), !is_result(shape.field));
          EXPECT_EQ(same_answers(set.records, wrong), !is_result(shape.field));
        }
      }
    }
  }
}

/// Where the reference says that nothing can be open, nothing is.
TEST(BatchVerdicts, WhatMayBeOpen) {
  Configuration masked = conversion(formats::fp32, formats::e4m3fn);
  masked.origin.masks = kMaskNan;
  Configuration defined = block(formats::fp32, "mxfp4");
  std::get<QuantizerConfig>(defined.what).block.nan_scale_codes = NanScaleCodes::kNan;
  const Configuration plain = conversion(formats::fp32, formats::e4m3fn);
  const Configuration blocks = block(formats::fp32, "mxfp4");
  std::size_t opened = 0;
  for (const auto& [each, may] :
       {std::pair{masked, true}, std::pair{defined, false}, std::pair{plain, false},
        std::pair{blocks, true}, std::pair{mma("h100_f16"), false},
        std::pair{mma("mi300_f16"), true}}) {
    const GoldenSet set = golden_set({each}, SuiteKind::kSmoke);
    const ReferenceAnswerer reference(set.header);
    EXPECT_EQ(reference.may_be_open(), may) << name_of(each);
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const OpenAnswer open = reference.open(set.records, i);
      const bool is_open = open.by_profile() || open.dont_care;
      opened += is_open ? 1 : 0;
      EXPECT_TRUE(may || !is_open) << name_of(each) << " " << i;
    }
  }
  EXPECT_GT(opened, 2U);
}

}  // namespace
}  // namespace mx::golden
