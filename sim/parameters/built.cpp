// SPDX-License-Identifier: Apache-2.0
#include "sim/parameters/built.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>

#include "golden/bytes/json_text.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"
#include "sim/compile/compiled.hpp"
#include "sim/dut/dut.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

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

/// The sources of the RTL; with a fault, those with its text and a package that chooses it.
std::vector<RtlSource> sources_of(const RtlParameters& build) {
  std::vector<RtlSource> sources = rtl_sources();
  if (build.fault == 0) return sources;
  std::vector<RtlFault> faults;
  std::ranges::copy_if(rtl_faults(), std::back_inserter(faults), &RtlFault::is_of_quantizer);
  sources = with_faults(std::move(sources), faults, {.file = "", .before = ""});
  sources.front().text =
      fmt::format("package mx_fault;\n  localparam int chosen = {};\nendpackage\n", build.fault);
  return sources;
}

}  // namespace

const DutKind& rtl_of_parameters() {
  static const DutKind kind{.name = "rtl",
                            .argument = ":[FAULT,]NAME=VALUE,...",
                            .help = "the quantizer under parameters",
                            .zeroes_dont_care = true,  // spec R6
                            .is_described = true};
  return kind;
}

std::string device_file_of(const RtlParameters& build, const std::vector<std::string>& sources) {
  Json parameter, configuration;
  for (std::size_t i = 0; i < kRtlParameters.size(); ++i) {
    parameter[std::string(kRtlParameters[i].name)] = build.values[i];
  }
  for (const MaskedField& field : masked_fields(build)) {
    configuration[std::string(field.name)] = words_with(field, build, 1);
  }
  configuration["block_size"] = fmt::format("{}", build.of("BlockSize"));
  configuration["random_bits"] = fmt::format("{}", build.of("SrBits"));
  for (const auto& [name, value] : fixed_policies(build)) configuration[std::string(name)] = value;
  const std::uint32_t beats = build.of("BlockSize") / build.of("Lanes");
  const bool has_fp32 = (build.of("InFmtMask") & 1) != 0;
  const Json file = {
      {"device_schema", 1},
      {"sources", sources},
      {"top", "mx_quantizer"},
      {"parameter", parameter},
      {"operation", "block"},
      {"configuration", configuration},
      {"lanes", build.of("BlockSize")},
      {"clock", "clk_i"},
      {"reset", {{"port", "rst_ni"}, {"active", "low"}, {"kind", "asynchronous"}}},
      {"input",
       {{"valid", "s_axis_tvalid"},
        {"ready", "s_axis_tready"},
        {"beats", beats},
        {"last", "passes"},
        {"ports",
         {{"s_axis_tdata", {{"field", "source"}}},
          {"s_axis_tkeep", {{"keep", has_fp32 ? 4 : 2}}},
          {"s_axis_tlast", {{"last", true}}},
          {"s_axis_tuser", {{"field", "tuser"}, {"width", 32}}},
          {"rnd_i", {{"field", "random"}, {"taken_by", "rnd_ready_o"}}}}}}},
      {"output",
       {{"valid", "m_axis_tvalid"},
        {"ready", "m_axis_tready"},
        {"beats", beats},
        {"ports",
         {{"m_axis_tdata", {{"field", "code"}}},
          {"m_axis_tkeep", {{"keep", 1}}},
          {"m_axis_tlast", {{"last", true}}},
          {"m_axis_tuser",
           Json::array({Json{{"field", "scale"}, {"width", 8}},
                        Json{{"field", "flags"}, {"width", 8}, {"beats", "last"}}})}}}}}};
  return golden::dumped(file, 2) + "\n";
}

std::string not_built(const RtlParameters& build) {
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
  return parts.empty() ? "" : fmt::format("not built, so not offered: {}", fmt::join(parts, "; "));
}

Description described_rtl(const std::string& argument) {
  const std::string name = "rtl:" + argument;
  const Checked<RtlParameters> build = parse_rtl_parameters(argument);
  if (!build) throw UnsupportedError(fmt::format("{}: {}", name, build.problem()));
  constexpr std::string_view kFolder = "made", kFile = "device.json";
  const std::vector<RtlSource> sources = sources_of(*build);
  Words names;
  for (const RtlSource& source : sources) names.push_back(source.name);
  const std::string text = device_file_of(*build, names);
  CacheKey key;
  key.add(kFile, text);
  for (const RtlSource& source : sources) key.add(source.name, source.text);
  const fs::path folder = compiled_of_files(
      "rtl_parameters", key.text(), fmt::format("writing the sources and device file of {}", name),
      std::string(kFolder), [&](const fs::path& work) {
        write_file_below(work / kFolder / kFile, text);
        for (const RtlSource& source : sources) {
          write_file_below(work / kFolder / source.name, source.text);
        }
        return ReadFiles();
      });
  Description description = read_description(folder / kFile);
  description.path = description.device = name;
  description.not_built = not_built(*build);
  return description;
}

}  // namespace mx::sim
