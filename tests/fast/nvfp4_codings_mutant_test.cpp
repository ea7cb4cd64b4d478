// Negative control of NVFP4's other codings: roundings that carry, searches, two candidate scales.
#include "nvfp4_codings_mutants.hpp"
#include "tests/fast/nvfp4_mutant.hpp"

namespace mx::fast::test {
namespace {

MX_RUNNER(unchanged, ::mx::fast::cuda_nvfp4)

template <cuda_nvfp4::Coding kCoding>
std::uint64_t unchanged_passes() {
  const StreamTally tally = judge<kCoding>(runner_unchanged<cuda::Fp32, kCoding>(),
                                           runner_unchanged<cuda::Fp16, kCoding>());
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  return tally.elements;
}

TEST(Nvfp4Mutant, UnchangedCodingsPass) {
  using cuda_nvfp4::Coding;
  EXPECT_EQ(unchanged_passes<Coding::kCarries>(), 4u * 20 * (2 * (1280 + 640 + 160) + 3200));
  EXPECT_EQ(unchanged_passes<Coding::kSearch>(), 5u * 6400 * (2 * 2 + 4));
  EXPECT_EQ(unchanged_passes<Coding::kCandidates>(), 4u * 5 * (2 * 2 * 1280 + 1600));
}

#include "nvfp4_codings_mutants.inc"

}  // namespace
}  // namespace mx::fast::test
