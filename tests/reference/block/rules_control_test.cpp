// Negative controls: an implementation that is wrong in one way each, under the comparison of
// rules_test.cpp. Each must be seen; the reference itself must pass the same blocks.
#include <gtest/gtest.h>

#include "reference/format/table.hpp"
#include "tests/reference/judgement/rules_sweep.hpp"

namespace mx::oracle {
namespace {

struct Mutant {
  const char* name;
  const char* format;
  ScaleRule rule;
  void (*prepare)(BlockCase&);       ///< policies both sides share
  void (*damage)(QuantizerConfig&);  ///< what the implementation gets wrong
  void (*spoil)(BlockOutcome&);      ///< or its answer
};
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

Unpacked fp32_value(std::uint32_t bits) { return decode(formats::fp32, bits); }

void nothing(BlockCase&) {}
void as_is(QuantizerConfig&) {}
void untouched(BlockOutcome&) {}

const Mutant kMutants[] = {
    {"floor_for_floor_log2f", "mxfp4", ScaleRule::kFloorLog2f, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kFloor; }, untouched},
    {"ceil_for_ceil_log2f", "mxfp4", ScaleRule::kCeilLog2f, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kCeil; }, untouched},
    {"rceil_for_rceil_log2f", "mxfp8_e4m3", ScaleRule::kRceilLog2f, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kRceil; }, untouched},
    {"exact_ratio_for_fp32_div", "mxfp4", ScaleRule::kRceil,
     [](auto& b) { b.block.ratio_op = RatioOp::kFp32Div; },
     [](auto& c) { c.block.ratio_op = RatioOp::kExact; }, untouched},
    {"fp32_ratio_for_bf16", "mxfp8_e4m3", ScaleRule::kRceil,
     [](auto& b) { b.block.ratio_op = RatioOp::kBf16Div; },
     [](auto& c) { c.block.ratio_op = RatioOp::kFp32Div; }, untouched},
    {"fp16_inverse_for_bf16", "fp8_e4m3_fp32_1x128", ScaleRule::kFp32Block,
     [](auto& b) { b.block.ratio_op = RatioOp::kBf16Inverse; },
     [](auto& c) { c.block.ratio_op = RatioOp::kFp16Inverse; }, untouched},
    {"division_for_its_inverse", "fp8_e4m3_fp32_1x128", ScaleRule::kFp32Block,
     [](auto& b) { b.block.ratio_op = RatioOp::kFp32Inverse; },
     [](auto& c) { c.block.ratio_op = RatioOp::kFp32Div; }, untouched},
    {"denormalised_before_rounding", "mxfp4", ScaleRule::kFloor,
     [](auto& b) { b.element.staging = Staging::kViaUnbounded; },
     [](auto& c) { c.element.staging = Staging::kNone; }, untouched},
    {"even_up_for_midmax", "mxfp8_e4m3", ScaleRule::kMidmax, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kEvenUp; }, untouched},
    {"nearest_value_for_nearest_log", "mxfp8_e5m2", ScaleRule::kNearestLog, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNearestVal; }, untouched},
    {"nearest_log_for_nearest_log2f", "mxfp4", ScaleRule::kNearestLog2f, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNearestLog; }, untouched},
    {"no_quirk_of_ml_dtypes", "mxfp8_e4m3", ScaleRule::kNearestVal,
     [](auto& b) { b.element.e8m0_quirk = E8m0Quirk::kMldtypesNearest; },
     [](auto& c) { c.element.e8m0_quirk = E8m0Quirk::kNone; }, untouched},
    {"random_word_ignored", "mxfp4", ScaleRule::kStochExp, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kFloor; }, untouched},
    {"te_for_nvfp4_exact", "nvfp4", ScaleRule::kNvfp4Exact, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNvfp4Te; }, untouched},
    {"cublas_for_torchao", "nvfp4", ScaleRule::kNvfp4Torchao, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNvfp4Cublas; }, untouched},
    {"torchao_for_modelopt", "nvfp4", ScaleRule::kNvfp4Modelopt, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNvfp4Torchao; }, untouched},
    {"dynamic_for_static_modelopt", "nvfp4", ScaleRule::kNvfp4ModeloptStatic, nothing,
     [](auto& c) {
       c.tensor = tensor_level(c, fp32_value(c.tensor.amax));
       c.block.rule = ScaleRule::kNvfp4Modelopt;
     },
     untouched},
    {"te_for_compressed_tensors", "nvfp4", ScaleRule::kNvfp4Ct, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNvfp4Te; }, untouched},
    {"tensor_scale_forgotten", "nvfp4", ScaleRule::kNvfp4Exact, nothing,
     [](auto& c) { c.tensor = {}; }, untouched},
    {"ggml_rounds_to_even", "nvfp4", ScaleRule::kNvfp4Ggml, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNvfp4Cublas; }, untouched},
    {"one_candidate_of_4over6", "nvfp4", ScaleRule::kNvfp44over6, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNvfp4Te; }, untouched},
    {"mean_square_for_absolute", "nvfp4", ScaleRule::kNvfp44over6, nothing,
     [](auto& c) { c.block.four_over_six = FourOverSix::kMse448; }, untouched},
    {"sublevel_bit_lost", "hifx4", ScaleRule::kHif4, nothing, as_is,
     [](auto& out) { out.scale_code &= ~(std::uint64_t{1} << 31); }},
    {"multiply_for_divide", "fp8_e4m3_fp32_1x128", ScaleRule::kFp32Block, nothing,
     [](auto& c) { c.block.elem_scaling = ElemScaling::kFp32Mul; }, untouched},
    {"rounded_ratio_for_elements", "sbfp12_16_7", ScaleRule::kSbfp, nothing,
     [](auto& c) { c.block.rule = ScaleRule::kNvfp4Exact; }, untouched},
    {"bfp4_rounded_once", "tt_bfp4", ScaleRule::kFloor, nothing,
     [](auto& c) { c.format.cut_from = 0; }, untouched},
    {"negative_zero_datum", "tt_bfp8", ScaleRule::kFloor, nothing,
     [](auto& c) { c.format.negative_zero = NegativeZeroDatum::kZero; }, untouched},
    {"emax_of_the_element", "fbgemm_mx4_e3m0", ScaleRule::kCeilLog2f, nothing,
     [](auto& c) { c.format.rule_emax.reset(); }, untouched},
    {"search_by_value", "mxfp4", ScaleRule::kFloorLog2f,
     [](auto& b) { b.block.elem_scaling = ElemScaling::kSearchFp32; },
     [](auto& c) { c.block.elem_scaling = ElemScaling::kExact; }, untouched},
    {"block_not_flushed", "mxfp4", ScaleRule::kFloor,
     [](auto& b) { b.block.src_daz_block = BlockFlush::kFlush; },
     [](auto& c) { c.block.src_daz_block = BlockFlush::kKeep; }, untouched},
    {"scale_floor_ignored", "nvfp4", ScaleRule::kNvfp4Cublas,
     [](auto& b) { b.block.scale_floor = ScaleFloor::kMinNormal; },
     [](auto& c) { c.block.scale_floor = ScaleFloor::kNone; }, untouched}};

/// Blocks at the rule's edges and at random; the tensor's maximum up to 2^6 above the block's.
Report judge(const Mutant& mutant, const RulesImplementation& implementation) {
  Report report;
  Stream stream(600);
  BlockCase block = default_case(formats::fp32, mutant.format);
  block.block.rule = mutant.rule;
  mutant.prepare(block);
  const auto whole = static_cast<std::size_t>(std::min(block.format.block_size, 64));
  std::vector<std::uint64_t> maxima = amax_patterns(formats::fp32, block.format.element);
  const std::vector<std::uint64_t> lowest = lowest_ratios(formats::fp32, block.format.element);
  for (int i = 0; i < 300; ++i) {
    std::uint64_t amax = (90 + stream.below(60)) << 23 | (stream.next() & 0x7FFFFF);
    if (i % 3 == 0) amax &= ~std::uint64_t{0xFFFF};  // few significant bits: exact ties
    const bool directed = i % 2 == 1;
    if (directed) amax = std::max<std::uint64_t>(1, maxima[stream.below(maxima.size())]);
    if (i % 4 == 1) amax = lowest[static_cast<std::size_t>(i) / 4 % lowest.size()];
    const bool alone = is_power_rule(mutant.rule) && directed;
    const std::vector<std::uint64_t> source =
        random_block(formats::fp32, amax, alone ? 1 : whole, stream);
    const std::uint64_t tensor =
        std::min<std::uint64_t>(0x7F7FFFFF, amax + (stream.below(7) << 23));
    const Real x = value_of(formats::fp32, tensor);
    const std::vector<std::uint32_t> random(source.size(), stream.next());
    check_rules(rules_case(block, dyadic(x.significand, x.exponent)), source, random,
                implementation, report);
  }
  return report;
}

class Control : public ::testing::TestWithParam<Mutant> {};

TEST_P(Control, IsCaught) {
  const Mutant& mutant = GetParam();
  const Report wrong = judge(mutant, [&](const QuantizerConfig& config, auto source, auto random) {
    QuantizerConfig damaged = config;
    mutant.damage(damaged);
    BlockOutcome out = reference_rules()(damaged, source, random);
    mutant.spoil(out);
    return out;
  });
  EXPECT_EQ(wrong.exit_code(), 6);
  EXPECT_GT(wrong.mismatches(), 0U) << wrong.text();
  const Report right = judge(mutant, reference_rules());
  EXPECT_EQ(right.exit_code(), 0) << right.text();
  EXPECT_EQ(right.cases(), 300U);
}

INSTANTIATE_TEST_SUITE_P(All, Control, ::testing::ValuesIn(kMutants),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace mx::oracle
