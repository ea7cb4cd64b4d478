// Both directions of a matrix from one read on a device, against the reference.
#include <gtest/gtest.h>

#include "tests/fast/backend.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

TEST(CudaBothDirections, AgreeWithTheReference) {
  StreamTally tally;
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      const std::size_t rows = 32 * (1 + seed % 7);
      const std::size_t columns = 32 * (1 + seed % 11);
      const bool packed = seed % 2 == 0;
      const bool swizzled = seed % 3 == 0;
      BlockJob job = stream_job(*source, *element);
      if (seed % 5 > 2) job.element.rounding = Rounding::kStochasticA;
      const StreamRandom random{nullptr, seed + 7, 1};
      const StreamPlan plan = StreamPlan::make(job).value();
      const std::vector<std::byte> words = random_words(*source, ++seed, rows * columns);
      const StreamLayout layouts[2] = {{{rows, columns, 1}, false, packed, swizzled},
                                       {{1, rows, columns}, true, packed, swizzled}};
      StreamAnswer got[2];
      for (int d = 0; d < 2; ++d) {
        const StreamSizes sizes = plan.sizes(layouts[d]);
        got[d].codes.resize(sizes.code_bytes);
        got[d].scales.resize(sizes.scale_bytes);
        got[d].status.resize(seed % 4 == 0 ? sizes.status_words : 0);
      }
      const Status outcome = plan.copy_and_run_both(
          rows, columns, packed, swizzled, words, {got[0].codes, got[0].scales, got[0].status},
          {got[1].codes, got[1].scales, got[1].status}, random);
      ASSERT_TRUE(outcome) << outcome.detail;
      for (int d = 0; d < 2; ++d) {
        compare_answers(reference_answer(job, layouts[d], words, random), got[d],
                        d == 0 ? "along rows" : "down columns", tally);
        tally.elements += rows * columns;
      }
    }
  }
  EXPECT_GT(tally.elements, 500'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

TEST(CudaNvfp4BothDirections, AgreeWithTheReference) {
  StreamTally tally;
  std::uint64_t seed = 40;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ScaleRule rule : nvfp4_rules()) {
      for (const int flags : {0, 1, 2, 3}) {
        const Nvfp4Case along = nvfp4_case(*source, rule, 0x40490FDB);
        Nvfp4Case down = nvfp4_case(*source, rule, 0x41490FDB);
        if (flags % 2 == 0) down = transformed(down, 0xD7E8, flags == 2);
        Nvfp4Both shape;
        shape.rows = 16 * (1 + seed % 7);
        shape.columns = 16 * (1 + seed % 11);
        shape.packed = (flags & 1) != 0;
        shape.swizzled = (flags & 2) != 0;
        const auto words = nvfp4_words(*source, ++seed, shape.rows * shape.columns, 0x40490FDB);
        compare_nvfp4_both(along, down, shape, words, nvfp4_backend(), flags > 1, tally);
      }
    }
  }
  EXPECT_GT(tally.elements, 300'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

}  // namespace
}  // namespace mx::fast::test
