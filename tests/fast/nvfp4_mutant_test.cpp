// Negative control of NVFP4 by thresholds, and of its way back: the judge and its stimulus catch
// each wrong variant of the arithmetic. The same loops over the unchanged arithmetic find nothing.
#include "tests/fast/nvfp4_mutant.hpp"

#include "nvfp4_mutants.hpp"

namespace mx::fast::test {
namespace {

MX_RUNNER(unchanged, ::mx::fast::cuda_nvfp4)

TEST(Nvfp4Mutant, UnchangedArithmeticPasses) {
  constexpr auto kCoding = cuda_nvfp4::Coding::kThresholds;
  const StreamTally tally = judge<kCoding>(runner_unchanged<cuda::Fp32, kCoding>(),
                                           runner_unchanged<cuda::Fp16, kCoding>());
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(tally.elements, (2u * 4 * 5 * 3 + 4 * 12) * 6400 + 16);
}

#include "nvfp4_mutants.inc"

}  // namespace
}  // namespace mx::fast::test
