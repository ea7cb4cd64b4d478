// SPDX-License-Identifier: Apache-2.0
// Every named profile has a fast path for each of its block formats, there and back, which agrees
// with the reference, or stands in a list with the reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "backend/tensor/converter.hpp"
#include "backend/tensor/tensor_dequantizer.hpp"
#include "backend/tensor/tensor_quantizer.hpp"
#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::backend {
namespace {

/// Formats of a profile that the reference alone quantizes, and why. Beginnings of names.
struct Slow {
  std::string_view profile;
  std::string_view format;
  std::string_view why;
};
constexpr Slow kSlow[] = {
    {"mxgold-default", "hifx4", "more than one scale"},
    {"mxgold-default", "fp8_e4m3_fp32_1x128", "the scale is no bare exponent"},
    {"mxgold-default", "fp8_e5m2_fp32_1x128", "the scale is no bare exponent"},
    {"mxgold-default", "fp8_", "blocks of another shape"},
    {"mxgold-default", "tt_bfp", "cut elements"},
    {"mxgold-default", "bfp24_", "codes of more than 8 bits"},
    {"mxgold-default", "sbfp12_", "the scale is no bare exponent"},
    {"mxgold-default", "binary", "the scale rule"},
    {"p3109-", "binary", "the scale rule"},
    {"fbgemm", "fbgemm_mx4:stoch_exp", "the scale rule"},
    {"fbgemm", "fbgemm_mx4_e3m0", "dst_ftz"},
    {"ggml", "mxfp4", "elem_scaling"},
    {"hif4", "hifx4", "more than one scale"},
    {"hif8", "hifx4", "more than one scale"},
    {"modelopt-0.47", "nvfp4:static", "the scale rule"},
    {"tensix", "tt_bfp", "cut elements"},
    {"tt-metal", "tt_bfp8", "cut elements"},
    {"dmx-0.1.11/cpu", "bfp24_", "codes of more than 8 bits"}};

/// The row of the list that speaks of a format; nullptr where none does.
const Slow* slow_row(std::string_view profile, std::string_view format, std::string_view why) {
  const auto found = std::ranges::find_if(kSlow, [&](const Slow& row) {
    return profile.starts_with(row.profile) && format.starts_with(row.format) &&
           why == fmt::format("no fast path: {}", row.why);
  });
  return found == std::end(kSlow) ? nullptr : &*found;
}

/// Calls f(name of format and variant, profile, configuration) for each that a profile has.
template <typename F>
void each_configuration(const F& f) {
  for (const Profile& profile : all_profiles()) {
    for (const BlockFormat& format : all_block_formats()) {
      for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
        for (const std::string_view variant : block_variants(profile, format, *source)) {
          const auto config = block_config(profile, format, *source, variant);
          if (!config) continue;
          const std::string name = variant.empty() ? std::string(format.name)
                                                   : fmt::format("{}:{}", format.name, variant);
          f(name, profile.name, *config);
        }
      }
    }
  }
}

TEST(BackendProfiles, HaveAFastPathOrAReason) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  std::set<const Slow*> seen;
  std::map<std::string_view, int> fast;
  each_configuration([&](std::string_view format, std::string_view profile,
                         const QuantizerConfig& config) {
    const TensorQuantizer there = TensorQuantizer::make(config, Choice::kAuto).value();
    const Slow* const row = slow_row(profile, format, there.why_reference());
    if (row != nullptr) seen.insert(row);
    EXPECT_TRUE(there.is_fast() || row != nullptr)
        << profile << ", " << format << ", " << config.source.name << ": " << there.why_reference();
    fast[profile] += there.is_fast() ? 1 : 0;
    const auto back = TensorDequantizer::make(config, config.source, Choice::kAuto).value();
    EXPECT_EQ(back.is_fast(), there.is_fast() || row->profile == "fbgemm" ||
                                  row->profile == "ggml" || row->why == "the scale rule")
        << profile << ", " << format << ": " << back.why_reference();
  });
  EXPECT_EQ(seen.size(), std::size(kSlow)) << "a row of the list is no longer true";
  for (const std::string_view name :
       {"te", "torchao-0.18", "torchao-0.19dev", "cublas-13", "triton-kernels-3.5", "modelopt-0.47",
        "quark-0.13", "microxcaling-1.1.0/py-f32", "microxcaling-1.1.0/cpp"}) {
    EXPECT_GE(fast[name], 3) << name;
  }
}

// One of each arithmetic that decides: formats of one profile share theirs.
TEST(BackendProfiles, AgreeWithTheReference) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  int checked = 0;
  each_configuration([&](std::string_view format, std::string_view profile,
                         const QuantizerConfig& config) {
    const bool is_one = format.starts_with("mxfp8_e4m3") || format.starts_with("mxfp4") ||
                        format.starts_with("fbgemm");
    if (!is_one || config.source == formats::fp16) return;
    const TensorQuantizer there = TensorQuantizer::make(config, Choice::kAuto).value();
    checked += there.is_fast() ? 1 : 0;
    EXPECT_EQ(there.self_check(), "") << profile << ", " << format << ", " << config.source.name;
  });
  EXPECT_GT(checked, 80);
}

// Conversions of single values that have kernels, and those that have none.
TEST(BackendProfiles, ConvertByVectors) {
  if (fast::cpu_targets().empty()) GTEST_SKIP() << "this build has no Highway";
  constexpr std::array kWide = {formats::fp64, formats::fp32, formats::tf32, formats::bf16,
                                formats::fp16};
  constexpr std::array kNarrow = {formats::e4m3fn, formats::e5m2, formats::e3m2fn, formats::e2m3fn,
                                  formats::e2m1fn};
  const auto expect = [](const ElementFormat& from, const ElementFormat& to) {
    const TensorConverter made =
        TensorConverter::make({from, to, {}}, Choice::kAuto, Wanted::kCounts).value();
    EXPECT_TRUE(made.is_fast()) << from.name << " to " << to.name << ": " << made.why_reference();
    EXPECT_EQ(made.self_check(), "") << from.name << " to " << to.name;
  };
  for (const ElementFormat& from : kWide) {
    for (const ElementFormat& to : kWide) expect(from, to);
    for (const ElementFormat& to : kNarrow) expect(from, to);
  }
  for (const ElementFormat& from : kNarrow) {
    for (const ElementFormat& to : {formats::fp32, formats::bf16, formats::fp16}) expect(from, to);
  }
}

}  // namespace
}  // namespace mx::backend
