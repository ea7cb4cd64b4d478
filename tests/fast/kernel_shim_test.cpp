// The kernel's own source, lane by lane in threads, against the reference: the grid-stride loop,
// the lane and block indices and the tail, which the host path does not share.
#include "tests/fast/cuda_shim.hpp"
// The shim's names first.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fast/cuda/combinations.hpp"
#include "fast/cuda/kernel.cuh"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

/// Two thread blocks of two warps: four blocks of 32 at a time, so that the loop goes round.
Status quantize_by_kernel(const ElementFormat& source, const ElementFormat& element,
                          std::span<const std::byte> words, QuantizedSpans out) {
  if (const Status bad = check_call(source, element, words, out); !bad) return bad;
  with_traits(source, element, [&]<class Source, class Element>() {
    shim::launch(2, 64, [&] {
      quantize_kernel<Source, Element>(
          words.data(), out.codes.size(), reinterpret_cast<std::uint8_t*>(out.codes.data()),
          reinterpret_cast<std::uint8_t*>(out.scales.data()), out.status.data());
    });
  });
  return {};
}

TEST(KernelShim, AgreesOnRandomBlocksWithEveryTail) {
  Tally tally;
  std::size_t tail = 0;
  for (const ElementFormat* source : kSources) {
    for (const ElementFormat* element : kElements) {
      const BackendCheck judge(*source, *element);
      random_blocks(*source, 7, 16, [&](std::span<const std::uint32_t> codes) {
        // 9 to 16 blocks, the last of them of any length.
        tail = (tail + 37) % 224;
        judge.compare(&quantize_by_kernel, codes.first(codes.size() - tail), tally);
      });
    }
  }
  EXPECT_GT(tally.blocks, 18u * 9);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first_mismatch;
}

TEST(KernelShim, AcceptsATensorSmallerThanTheGrid) {
  const BackendCheck judge(formats::bf16, formats::e2m1fn);
  Tally tally;
  for (const std::uint32_t code : {0x3F80u, 0x8000u, 0x7F80u}) {
    judge.compare(&quantize_by_kernel, std::array{code}, tally);
  }
  EXPECT_EQ(tally.elements, 3u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first_mismatch;
}

}  // namespace
}  // namespace mx::fast::test
