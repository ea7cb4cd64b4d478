// A policy is refused where nothing reads it, and there alone: whether it acts is seen by the
// answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/options/unread.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/format/table.hpp"
#include "reference/number/philox.hpp"
#include "reference/policy/fields.hpp"
#include "reference/policy/scale_rule.hpp"

namespace mx::cli::test {
namespace {

using Block = std::vector<std::uint64_t>;

bool is_refused(std::string_view name, const PolicyReader& reader) {
  const std::vector<std::string> given = {std::string(name)};
  try {
    refuse_unread_policies(given, {&reader, 1});
  } catch (const Error&) {
    return true;
  }
  return false;
}

/// Blocks of fp32 in every binade: numbers of one and of many binades, zeros, subnormals, the ends,
/// infinities and NaN among numbers and alone, maxima that carry, ties of scales.
std::vector<Block> blocks_of(std::size_t lanes) {
  std::vector<Block> blocks;
  for (std::uint32_t i = 0; i < 256; ++i) {
    Block block(lanes, 0);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t word = counter_random(3, i, lane, 32);
      const std::uint64_t binade = (i + (i % 3 == 0 ? word >> 28 : 0)) % 254;
      if (i % 5 != 4 || lane < 2) block[lane] = (word & 0x807FFFFF) | binade << 23;
    }
    constexpr std::array<std::uint64_t, 8> kSpecials = {
        0x7FC00000, 0xFF800000, 0x7F800000, 0x7F7FFFFF, 0, 0x80000000, 1, 0x7FFFFF};
    if (i % 4 == 1) block[i % lanes] = kSpecials[i / 4 % 8];
    if (i % 16 == 2) std::fill(block.begin(), block.end(), kSpecials[i / 16 % 8]);
    if (i % 16 == 6) block[0] = (i % 254) << 23 | 0x7FFFFF;
    if (i % 16 == 10) std::fill(block.begin() + 1, block.end(), 0);
    blocks.push_back(block);
  }
  return blocks;
}

struct Answer {
  BlockResult result;
  Block codes;
  bool operator==(const Answer& other) const {
    return result.scale_code == other.result.scale_code && result.flags == other.result.flags &&
           codes == other.codes;
  }
};

std::vector<Answer> answers_of(const QuantizerConfig& config, const std::vector<Block>& blocks) {
  const Quantizer quantizer = Quantizer::make(config).value();
  std::vector<Answer> answers;
  for (const Block& block : blocks) {
    const std::vector<std::uint32_t> random(block.size(), 0x5A & 0xFF);
    Answer answer{{}, Block(block.size())};
    answer.result = quantizer.quantize_block(block, random, answer.codes);
    answers.push_back(std::move(answer));
  }
  return answers;
}

/// Does some value of the field answer otherwise than another, beside this configuration?
bool acts(const QuantizerConfig& base, const PolicyField& field, const std::vector<Block>& blocks) {
  std::vector<Answer> first;
  for (const std::string_view value : field.values()) {
    Policies policies{base.element, base.block};
    EXPECT_EQ(set_policy(policies, field.name, value), FieldError::kNone);
    QuantizerConfig config = base;
    config.element = policies.element;
    config.block = policies.block;
    if (!Quantizer::problem(config).empty()) continue;
    std::vector<Answer> answers = answers_of(config, blocks);
    if (first.empty())
      first = std::move(answers);
    else if (answers != first)
      return true;
  }
  return false;
}

/// Taken, although these blocks do not show that it acts.
bool is_known_to_act(ScaleRule rule, std::string_view name) {
  // Codes are those of scale_nan; the values of emulated systems are another matter (spec F16.2).
  if (name == "nan_block") return true;
  // Ratios at a tie alone, and ratios as binary32 does not have them.
  if (name == "ratio_op") return facts_of(rule).reads_ratio_op;
  // fp32 has no maximum whose scale is beyond the largest; fp64 has.
  if (name == "scale_sat") return rule == ScaleRule::kFloor || rule == ScaleRule::kNearestVal;
  // Under an inf_block that goes on with the largest scale.
  if (name == "elem_scaling") return rule == ScaleRule::kSbfp;
  // Of tensors whose maximum is tiny.
  return name == "scale_floor" && rule == ScaleRule::kFp32Tensor;
}

/// A rule's block formats, three at most.
std::vector<QuantizerConfig> bases_of(const ScaleRuleFacts& rule) {
  std::vector<QuantizerConfig> all;
  for (const BlockFormat& format : all_block_formats()) {
    QuantizerConfig base{formats::fp32, format, {}, {}};
    base.element.random_bits = 8;
    base.block.rule = rule.rule;
    base.tensor = {.amax = 0x45280000, .scale = 0x3F800000};
    const bool is_short = format.extent == BlockExtent::kElements && format.elements() <= 32;
    if (is_short && Quantizer::problem(base).empty()) all.push_back(base);
  }
  if (all.size() <= 3) return all;
  return {all.front(), all[all.size() / 2], all.back()};
}

TEST(PoliciesOfBlocks, AreRefusedWhereTheyDoNotAct) {
  std::size_t acting = 0, refused = 0;
  for (const ScaleRuleFacts& rule : kScaleRules) {
    const std::vector<QuantizerConfig> bases = bases_of(rule);
    if (bases.empty()) continue;
    const PolicyReader reader{bases.front().format.element, bases.front().element,
                              bases.front().block};
    for (const PolicyField& field : policy_fields()) {
      // The rule itself, and what the way back reads.
      const bool is_other = field.name == "rule" || field.name == "dequant_overflow";
      if (field.scope != FieldScope::kBlock || is_other) continue;
      const bool is_acting = std::ranges::any_of(bases, [&](const QuantizerConfig& base) {
        return acts(base, field, blocks_of(static_cast<std::size_t>(base.format.elements())));
      });
      const bool is_unread = is_refused(field.name, reader);
      EXPECT_FALSE(is_acting && is_unread) << token_of(rule.rule) << ' ' << field.name;
      EXPECT_TRUE(is_acting || is_unread || is_known_to_act(rule.rule, field.name))
          << token_of(rule.rule) << ' ' << field.name << " is taken and does not act";
      ++(is_acting ? acting : refused);
    }
  }
  EXPECT_GT(acting, 140U);
  EXPECT_GT(refused, 50U);
}

}  // namespace
}  // namespace mx::cli::test
