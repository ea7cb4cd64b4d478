// What is timed on a device, and which fraction of the copy's rate each case is to reach.
#pragma once

#include "bench/gpu/nvfp4.cuh"
#include "bench/gpu/quantize.cuh"
#include "reference/format/rows.hpp"

namespace mx::bench {

constexpr double kRowsGoal = 0.94;
constexpr double kColumnsGoal = 0.92;
constexpr double kBothGoal = 0.85;
constexpr double kBackGoal = 0.90;
constexpr double kNvfp4RowsGoal = 0.92;
constexpr double kHadamardGoal = 0.80;
constexpr double kSwizzled = 0.98;  ///< scales in tiles lose that much at most

constexpr Case kCases[] = {
    {"rows fp32 to e4m3fn", &formats::fp32, &formats::e4m3fn, Case::kRows, false, false, kRowsGoal},
    {"rows bf16 to e4m3fn", &formats::bf16, &formats::e4m3fn, Case::kRows, false, false, kRowsGoal},
    {"rows bf16 to e4m3fn, swizzled", &formats::bf16, &formats::e4m3fn, Case::kRows, false, true,
     kRowsGoal* kSwizzled},
    {"rows bf16 to e2m1fn, packed", &formats::bf16, &formats::e2m1fn, Case::kRows, true, false,
     kRowsGoal},
    {"rows bf16 to e3m2fn, packed", &formats::bf16, &formats::e3m2fn, Case::kRows, true, false,
     kRowsGoal},
    {"rows bf16 to int8", &formats::bf16, &formats::int8, Case::kRows, false, false, kRowsGoal},
    {"rows fp16 to e4m3fn", &formats::fp16, &formats::e4m3fn, Case::kRows, false, false, kRowsGoal},
    {"columns fp32 to e4m3fn, swizzled", &formats::fp32, &formats::e4m3fn, Case::kColumns, false,
     true, kColumnsGoal* kSwizzled},
    {"columns bf16 to e4m3fn", &formats::bf16, &formats::e4m3fn, Case::kColumns, false, false,
     kColumnsGoal},
    {"both fp32 to e4m3fn", &formats::fp32, &formats::e4m3fn, Case::kBoth, false, false, kBothGoal},
    {"both bf16 to e4m3fn", &formats::bf16, &formats::e4m3fn, Case::kBoth, false, false, kBothGoal},
    {"both bf16 to e2m1fn, packed", &formats::bf16, &formats::e2m1fn, Case::kBoth, true, false,
     kBothGoal},
    {"rows e4m3fn to fp32", &formats::fp32, &formats::e4m3fn, Case::kRowsBack, false, false,
     kBackGoal},
    {"rows e4m3fn to bf16", &formats::bf16, &formats::e4m3fn, Case::kRowsBack, false, false,
     kBackGoal},
    {"rows e4m3fn to bf16, swizzled", &formats::bf16, &formats::e4m3fn, Case::kRowsBack, false,
     true, kBackGoal},
    {"rows e5m2 to fp16", &formats::fp16, &formats::e5m2, Case::kRowsBack, false, false, kBackGoal},
    {"rows e2m1fn to bf16, packed", &formats::bf16, &formats::e2m1fn, Case::kRowsBack, true, false,
     kBackGoal},
    {"rows e3m2fn to bf16, packed", &formats::bf16, &formats::e3m2fn, Case::kRowsBack, true, false,
     kBackGoal},
    {"rows int8 to bf16", &formats::bf16, &formats::int8, Case::kRowsBack, false, false, kBackGoal},
    {"columns e4m3fn to fp32", &formats::fp32, &formats::e4m3fn, Case::kColumnsBack, false, false,
     kBackGoal},
    {"columns e4m3fn to bf16", &formats::bf16, &formats::e4m3fn, Case::kColumnsBack, false, false,
     kBackGoal},
    {"columns e2m1fn to bf16, packed", &formats::bf16, &formats::e2m1fn, Case::kColumnsBack, true,
     false, kBackGoal}};

constexpr Nvfp4Rate kNvfp4Rates[] = {
    {"nvfp4 rows fp32, exact", &formats::fp32, mx::ScaleRule::kNvfp4Exact, false, false, false,
     kNvfp4RowsGoal},
    {"nvfp4 rows bf16, exact", &formats::bf16, mx::ScaleRule::kNvfp4Exact, false, false, false,
     kNvfp4RowsGoal},
    {"nvfp4 rows bf16, te", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, false,
     kNvfp4RowsGoal},
    {"nvfp4 rows bf16, te, swizzled", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, true,
     kNvfp4RowsGoal* kSwizzled},
    {"nvfp4 rows bf16, torchao", &formats::bf16, mx::ScaleRule::kNvfp4Torchao, false, false, false,
     kNvfp4RowsGoal},
    {"nvfp4 rows bf16, cublas", &formats::bf16, mx::ScaleRule::kNvfp4Cublas, false, false, false,
     kNvfp4RowsGoal},
    {"nvfp4 columns bf16, te", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false, false, 0},
    {"nvfp4 columns bf16, te, swizzled", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false, true,
     0},
    {"nvfp4 both fp32, te", &formats::fp32, mx::ScaleRule::kNvfp4Te, false, false, false, 0, true},
    {"nvfp4 both bf16, te", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, false, 0, true},
    {"nvfp4 both bf16, te, swizzled", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, true,
     0, true},
    {"nvfp4 rows bf16, te, hadamard", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false, false,
     kHadamardGoal, false, true},
    {"nvfp4 columns bf16, te, hadamard", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false,
     false, kHadamardGoal, false, true},
    {"nvfp4 both bf16, te, col hadamard", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false,
     true, kHadamardGoal, true, true},
    {"nvfp4 rows bf16, te, stochastic_a", &formats::bf16, mx::ScaleRule::kNvfp4Te, false, false,
     false, 0, false, false, mx::Rounding::kStochasticA},
    {"nvfp4 columns bf16, te, stochastic_a", &formats::bf16, mx::ScaleRule::kNvfp4Te, true, false,
     false, 0, false, false, mx::Rounding::kStochasticA},
    {"nvfp4 rows bf16, ggml", &formats::bf16, mx::ScaleRule::kNvfp4Ggml, false, false, false, 0},
    {"nvfp4 rows bf16, 4over6", &formats::bf16, mx::ScaleRule::kNvfp44over6, false, false, false,
     0},
    {"nvfp4 rows back to bf16", &formats::bf16, mx::ScaleRule::kNvfp4Exact, false, true, false,
     kBackGoal},
    {"nvfp4 rows back to fp32", &formats::fp32, mx::ScaleRule::kNvfp4Exact, false, true, false,
     kBackGoal}};

}  // namespace mx::bench
