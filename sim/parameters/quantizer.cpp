// SPDX-License-Identifier: Apache-2.0
// mx_quantizer: its parameters, and the device file of a build.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"
#include "sim/parameters/stream_file.hpp"
#include "sim/parameters/units.hpp"

namespace mx::sim {
namespace of_quantizer {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// In the order of the module's header.
constexpr std::array kParameters{RtlParameter{"Lanes", 1, 32, 32, true, false},
                                 RtlParameter{"BlockSize", 16, 64, 32, true, false},
                                 RtlParameter{"InFmtMask", 1, 0x7, 0x7, false, true},
                                 RtlParameter{"FmtMask", 1, 0x3F, 0x3F, false, true},
                                 RtlParameter{"RoundMask", 1, 0x3FF, 0x3FF, false, true},
                                 RtlParameter{"RuleMask", 1, 0x1F, 0x1F, false, true},
                                 RtlParameter{"PolicyMask", 0, 0x7FFF, 0x7FFF, false, true},
                                 RtlParameter{"SrBits", 2, 16, 8, false, false},
                                 RtlParameter{"SrVariant", 0, 2, 0, false, false},
                                 RtlParameter{"Subnormals", 0, 1, 1, false, false},
                                 RtlParameter{"PipeLane", 0, 3, 3, false, false},
                                 RtlParameter{"OutSkid", 0, 1, 0, false, false}};

/// The largest values that two parameters have together.
std::string wrong_together(const RtlParameters& build) {
  const std::uint32_t lanes = build.of("Lanes"), block = build.of("BlockSize");
  if (lanes <= block) return {};
  return fmt::format("Lanes is {} and BlockSize {}: a beat has at most a block; give Lanes={} too",
                     lanes, block, block);
}

/// A field of the configuration that a mask chooses the values of: all of them, by their codes.
struct MaskedField {
  std::string_view name, mask;
  Words words;
};

std::vector<MaskedField> masked_fields(const RtlParameters& build) {
  MaskedField source{"source", "InFmtMask", {}}, format{"format", "FmtMask", {}};
  MaskedField rounding{"rounding", "RoundMask", {}}, rule{"rule", "RuleMask", {}};
  for (const std::string_view each : golden::kSourceCodes) source.words.emplace_back(each);
  for (const std::string_view element : golden::kFormatCodes) {
    for (const BlockFormat& row : mx_block_formats()) {
      if (row.element.name == element) format.words.emplace_back(row.name);
    }
  }
  for (const Rounding each : golden::kRoundingCodes) rounding.words.emplace_back(token_of(each));
  constexpr std::array kVariants{Rounding::kStochasticA, Rounding::kStochasticB,
                                 Rounding::kStochasticC};
  rounding.words.emplace_back(token_of(kVariants.at(build.of("SrVariant"))));
  for (const ScaleRule each : golden::kRuleCodes) rule.words.emplace_back(token_of(each));
  return {std::move(source), std::move(format), std::move(rounding), std::move(rule)};
}

/// The words whose bits are `bit` in the field's mask.
Words words_with(const MaskedField& field, const RtlParameters& build, std::uint32_t bit) {
  Words words;
  for (std::size_t code = 0; code < field.words.size(); ++code) {
    if (((build.of(field.mask) >> code) & 1U) == bit) words.push_back(field.words[code]);
  }
  return words;
}

/// The bits of the configuration word that policies of the build may set.
std::uint32_t policy_bits(const RtlParameters& build) {
  std::uint32_t bits = 0;
  for (const golden::ConfigWordField& field : golden::kConfigWordFields) {
    if (field.lsb < golden::kPolicyLsb) continue;
    const bool is_enabled = ((build.of("PolicyMask") >> (field.lsb - golden::kPolicyLsb)) & 1) != 0;
    if (is_enabled) bits |= ((1U << field.width) - 1) << field.lsb;
  }
  return bits;
}

bool is_policy(const PolicyField& field) {
  return field.name != "rounding" && field.name != "rule" && field.name != "random_bits";
}

/// The values of a policy that the word can say, of a build with these bits.
Words policy_words(const PolicyField& field, std::uint32_t bits) {
  Words words;
  for (const std::string_view value : field.values()) {
    QuantizerConfig config;
    config.source = formats::fp32;
    config.format = mx_block_formats().front();
    Policies policies{config.element, config.block};
    field.write(policies, value);
    config.element = policies.element;
    config.block = policies.block;
    const golden::ConfigWord word = golden::config_word_of(config);
    if (word.holds() && (word.word & ~bits) == 0) words.emplace_back(value);
  }
  return words;
}

/// Policies with one value; the others may have any that the word can say.
std::vector<std::pair<std::string_view, std::string>> fixed_policies(const RtlParameters& build) {
  std::vector<std::pair<std::string_view, std::string>> fixed;
  for (const PolicyField& field : policy_fields()) {
    if (!is_policy(field)) continue;
    if (field.name == "src_ftz" && build.of("Subnormals") == 0) {
      fixed.emplace_back(field.name, token_of(SourceSubnormals::kFlush));
      continue;
    }
    Words words = policy_words(field, policy_bits(build));
    if (words.size() == 1) fixed.emplace_back(field.name, std::move(words.front()));
  }
  return fixed;
}

std::string device_file(const RtlParameters& build, const std::vector<std::string>& sources) {
  Json configuration;
  for (const MaskedField& field : masked_fields(build)) {
    configuration[std::string(field.name)] = words_with(field, build, 1);
  }
  configuration["block_size"] = fmt::format("{}", build.of("BlockSize"));
  configuration["random_bits"] = fmt::format("{}", build.of("SrBits"));
  for (const auto& [name, value] : fixed_policies(build)) configuration[std::string(name)] = value;
  const bool has_fp32 = (build.of("InFmtMask") & 1) != 0;
  const Json status = Json::array({Json{{"field", "scale"}, {"width", 8}},
                                   Json{{"field", "flags"}, {"width", 8}, {"beats", "last"}}});
  return text_of({.operation = "block",
                  .configuration = configuration,
                  .elements = build.of("BlockSize"),
                  .lanes = build.of("Lanes"),
                  .keep_in = has_fp32 ? 4U : 2U,
                  .keep_out = 1,
                  .input = {{"s_axis_tdata", {{"field", "source"}}},
                            {"s_axis_tuser", {{"field", "tuser"}, {"width", 32}}},
                            {"rnd_i", {{"field", "random"}, {"taken_by", "rnd_ready_o"}}}},
                  .output = {{"m_axis_tdata", {{"field", "code"}}}, {"m_axis_tuser", status}}},
                 build, sources);
}

std::string left_out(const RtlParameters& build) {
  Words parts;
  for (const MaskedField& field : masked_fields(build)) {
    const Words missing = words_with(field, build, 0);
    if (missing.empty()) continue;
    parts.push_back(fmt::format("{} {} ({})", field.name, fmt::join(missing, ", "), field.mask));
  }
  Words policies;
  for (const auto& [name, value] : fixed_policies(build)) {
    const bool is_told = policy_words(*find_policy_field(name), ~std::uint32_t{0}).size() > 1;
    if (is_told) policies.push_back(fmt::format("{} {}", name, value));
  }
  if (!policies.empty()) {
    parts.push_back(fmt::format("policies other than {}", fmt::join(policies, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace
}  // namespace of_quantizer

RtlUnit quantizer_unit() {
  using namespace of_quantizer;
  return {"mx_quantizer", "rtl", kParameters, wrong_together, device_file, left_out};
}

}  // namespace mx::sim
