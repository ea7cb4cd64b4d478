// Axes, lines with short blocks, block sizes, packed codes and swizzled scales: one body for the
// host program and the device program.
#include <gtest/gtest.h>

#include "reference/format/rows.hpp"
#include "tests/fast/backend.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

TEST(CudaLayouts, AgreeAlongEveryAxisPackedAndSwizzled) {
  StreamTally tally;
  std::uint64_t seed = 0;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      for (const BlockLayout& shape :
           {BlockLayout{3, 70, 1}, BlockLayout{2, 40, 33}, BlockLayout{1, 129, 1},
            BlockLayout{130, 200, 1}, BlockLayout{5, 1, 7}, BlockLayout{1, 1100, 17}}) {
        for (const int block_size : {1, 5, 16, 32, 1024}) {
          BlockJob job = stream_job(*source, *element);
          job.format.block_size = block_size;
          for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
            const StreamLayout layout{shape, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
            if (!StreamPlan::make(job).value().layout_problem(layout).empty()) continue;
            if ((seed++ % 5) != 0) continue;
            compare_stream(job, layout, random_words(*source, seed, shape.elements()),
                           stream_backend(), tally);
          }
        }
      }
    }
  }
  EXPECT_GT(tally.elements, 1'000'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

// Shapes that the fast kernels take on a device.
TEST(CudaLayouts, AgreeInWholeBlocks) {
  StreamTally tally;
  std::uint64_t seed = 100;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      for (const BlockLayout& shape :
           {BlockLayout{33, 160, 1}, BlockLayout{1, 96, 160}, BlockLayout{2, 64, 288}}) {
        for (const ScaleRule rule : stream_rules()) {
          BlockJob job = stream_job(*source, *element);
          job.block.rule = rule;
          if (seed % 3 == 0) job.element.rounding = Rounding::kTowardNegative;
          const StreamLayout layout{shape, true, seed % 2 == 0, seed % 5 < 2};
          EXPECT_NE(StreamPlan::make(job).value().kernel(layout), "general");
          compare_stream(job, layout, random_words(*source, ++seed, shape.elements()),
                         stream_backend(), tally);
        }
      }
    }
  }
  EXPECT_GT(tally.elements, 4'000'000u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

}  // namespace
}  // namespace mx::fast::test
