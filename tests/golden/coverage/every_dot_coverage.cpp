// The directed suites close the coverage of dot products of every mode and of many accumulators
// (spec V10); some minutes.
#include "tests/golden/coverage/dot_coverage_kit.hpp"
#include "tests/support/print.hpp"

namespace mx::golden::dots {
namespace {

class EveryDotMode : public ::testing::TestWithParam<DotMode> {};

TEST_P(EveryDotMode, IsClosedByDirectedDots) {
  for (const char* format :
       {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp4", "mxint8", "nvfp4", "binary8p3se_k32"}) {
    for (const ElementFormat* result : {&formats::fp32, &formats::bf16, &formats::fp16}) {
      for (const Addend addend : {Addend::kAbsent, Addend::kPresent}) {
        // Two roundings of two blocks of NVFP4 differ from one in very few sums; none is drawn.
        const bool is_rare = std::string_view(format) == "nvfp4" && result == &formats::fp16 &&
                             addend == Addend::kAbsent && GetParam() == DotMode::kBlockExactFp32Seq;
        if (!is_rare) expect_closed(mode(format, format, GetParam(), addend, *result));
      }
    }
    expect_closed(mode(format, format, GetParam(), Addend::kAbsent, formats::fp32,
                       block_elements(dot(format, format))));
  }
  expect_closed(mode("mxfp4", "mxfp8_e4m3", GetParam(), Addend::kPresent, formats::fp32));
  expect_closed(mode("hifx4", "hifx4", GetParam(), Addend::kAbsent, formats::fp32));
  expect_closed(mode("fp8_e4m3_fp32_1x128", "fp8_e4m3_fp32_1x128", GetParam(), Addend::kAbsent,
                     formats::fp32));
}

INSTANTIATE_TEST_SUITE_P(All, EveryDotMode,
                         ::testing::Values(DotMode::kExactOnce, DotMode::kFp32Seq,
                                           DotMode::kFp32Tree, DotMode::kBlockExactFp32Seq),
                         [](const auto& each) { return std::string(token_of(each.param)); });

/// Units whose widths come so close to the products' that a bin needs one sum of many thousands;
/// no directed vector makes it.
bool is_close(std::string_view format, std::string_view unit) {
  if (format == "nvfp4") {
    return unit == "flushing" || unit == "floor" || unit == "fma" || unit == "mx4" ||
           unit == "strided";
  }
  return unit == "strided" && (format == "mxint8" || format == "mxfp4");
}

class EveryDotUnit : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryDotUnit, IsClosedByDirectedDots) {
  for (const Unit& unit : units()) {
    if (is_close(GetParam(), unit.name)) continue;
    for (const Addend addend : {Addend::kAbsent, Addend::kPresent}) {
      expect_closed(unit_case(unit, GetParam(), addend));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryDotUnit,
                         ::testing::Values("mxfp8_e4m3", "mxfp8_e5m2", "mxfp4", "nvfp4", "mxint8"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace mx::golden::dots
