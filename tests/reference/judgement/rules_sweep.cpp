#include "tests/reference/judgement/rules_sweep.hpp"
#include "tests/support/made.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mx::oracle {
namespace {

std::string describe(const RulesCase& what, const QuantizerConfig& config,
                     std::span<const std::uint64_t> source, std::span<const std::uint32_t> random,
                     const BlockOutcome& got, const BlockOutcome& want) {
  const BlockPolicy& p = what.block.block;
  return describe_blocks(what.block, source, random, got, want) + "\n    ratio " +
         std::string(token_of(p.ratio_op)) + " scaling " + std::string(token_of(p.elem_scaling)) +
         " quirk " + std::string(token_of(config.element.e8m0_quirk)) + " floor " +
         std::string(token_of(p.scale_floor)) + " daz " + std::string(token_of(p.src_daz_block)) +
         " nan_codes " + std::string(token_of(p.nan_scale_codes)) + " tensor " +
         hex(config.tensor.amax, 8) + ' ' + hex(config.tensor.scale, 8);
}

}  // namespace

RulesImplementation reference_rules() {
  return [](const QuantizerConfig& config, std::span<const std::uint64_t> source,
            std::span<const std::uint32_t> random) {
    std::vector<std::uint64_t> codes(source.size());
    const BlockResult result = made(config).quantize_block(source, random, codes);
    return from_result(result, std::move(codes));
  };
}

QuantizerConfig config_of(const RulesCase& what) {
  QuantizerConfig config = config_of(what.block);
  if (what.tensor_amax == 0) return config;
  // The maximum as an Unpacked: every one the tests use is a number of the source.
  const Outcome code =
      encode_extended(what.block.source, extended(what.tensor_amax), ElementPolicy{});
  config.tensor = tensor_level(config, decode(what.block.source, code.code));
  return config;
}

RulesCase rules_case(const BlockCase& block, const Rational& tensor_amax) {
  RulesCase what{block, tensor_amax, extended(Rational(1))};
  if (tensor_amax != 0) what.tensor_scale = stored_tensor_scale(block, tensor_amax);
  return what;
}

void check_rules(const RulesCase& what, std::span<const std::uint64_t> source,
                 std::span<const std::uint32_t> random, const RulesImplementation& implementation,
                 Report& report) {
  const QuantizerConfig config = config_of(what);
  ASSERT_EQ(Quantizer::problem(config), "");
  const BlockOutcome want = quantize_by_rules(what, source, random);
  const BlockOutcome got = implementation(config, source, random);
  report.check(same_block(got, want),
               [&] { return describe(what, config, source, random, got, want); });
  if (want.clamped) report.classify("clamped");
  if (want.zero_block) report.classify("zero");
  if (want.nan_scale) report.classify("nan_scale");
  if ((want.element_flags & kFlagOverflow) != 0) report.classify("overflow");
}

BlockCase default_case(const ElementFormat& source, std::string_view block_format) {
  const BlockFormat* format = find_block_format(block_format);
  EXPECT_NE(format, nullptr) << block_format;
  BlockCase block{source, *format, {}, {}};
  block.block.rule = format->rule;
  return block;
}

std::vector<std::uint64_t> lowest_ratios(const ElementFormat& source,
                                         const ElementFormat& element) {
  std::vector<std::uint64_t> patterns;
  for (int k = -129; k <= -125; ++k) {
    for (const int halves : {2, 3}) {
      const Rational x = largest_magnitude(element) * dyadic(static_cast<unsigned>(halves), k - 1);
      const std::uint64_t code = encode_extended(source, extended(x), ElementPolicy{}).code;
      for (std::uint64_t step = 0; step <= 4; ++step) {
        if (code + step >= 3) patterns.push_back(code + step - 2);
      }
    }
  }
  return patterns;
}

std::vector<std::uint64_t> random_block(const ElementFormat& source, std::uint64_t amax,
                                        std::size_t lanes, Stream& stream) {
  const std::uint64_t sign = std::uint64_t{1} << (source.bits - 1);
  std::vector<std::uint64_t> block(lanes);
  for (std::uint64_t& x : block) {
    const std::uint64_t drop = stream.below(8) << source.man_bits;
    const std::uint64_t low = stream.next64() & ((std::uint64_t{1} << source.man_bits) - 1);
    std::uint64_t magnitude = amax > drop ? amax - drop : amax >> 1;
    if (!stream.coin())
      magnitude = (magnitude & ~((std::uint64_t{1} << source.man_bits) - 1)) | low;
    if (stream.below(8) == 0) magnitude = 0;
    x = std::min(magnitude, amax) | (stream.coin() ? sign : 0);
  }
  block[stream.below(lanes)] = amax | (stream.coin() ? sign : 0);
  return block;
}

}  // namespace mx::oracle
