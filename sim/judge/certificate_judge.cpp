#include "sim/judge/certificate_judge.hpp"

#include <algorithm>

#include "reference/format/table.hpp"

namespace mx::sim {
namespace {

constexpr int kScaleBias = 127;           // of e8m0
constexpr std::uint8_t kNanScale = 0xFF;  // of e8m0

bool is_stored(const ElementFormat& destination) {
  return golden::certificate_problem(formats::fp32, destination).empty() &&
         std::ranges::find(all_formats(), destination) != all_formats().end();
}

/// The rules of scale certificates speak of the maximum as it is, exactly.
bool has_scale(const QuantizerConfig& c) {
  return golden::has_scale_certificate(c.block.rule) && c.block.ratio_op == RatioOp::kExact &&
         c.element.src_ftz == SourceSubnormals::kKeep && c.element.e8m0_quirk == E8m0Quirk::kNone &&
         !c.format.rule_emax && c.format.scale_limit == 0;
}

}  // namespace

std::string_view token_of(Judge judge) {
  switch (judge) {
    case Judge::kReference:
      return "reference";
    case Judge::kCertificate:
      return "certificate";
    case Judge::kBoth:
      break;
  }
  return "both";
}

std::optional<Judge> parse_judge(std::string_view token) {
  for (const Judge judge : {Judge::kReference, Judge::kCertificate, Judge::kBoth}) {
    if (token == token_of(judge)) return judge;
  }
  return std::nullopt;
}

golden::ThresholdCertificate make_fp32_certificate(const ElementFormat& destination) {
  return golden::make_certificate(formats::fp32, destination);
}

bool is_certified(const ElementFormat& source, const ElementFormat& destination,
                  const ElementPolicy& policy) {
  return golden::certificate_problem(source, destination).empty() && is_stored(destination) &&
         golden::is_certified(policy) && policy.staging == Staging::kNone &&
         policy.e8m0_quirk == E8m0Quirk::kNone;
}

bool is_certified(const QuantizerConfig& c) {
  const BlockFormat& f = c.format;
  ElementPolicy elements = c.element;
  elements.e8m0_quirk = E8m0Quirk::kNone;  // of scales
  return is_certified(c.source, f.element, elements) && is_power_rule(c.block.rule) &&
         f.scale == formats::e8m0 && c.block.elem_scaling == ElemScaling::kExact &&
         c.block.src_daz_block == BlockFlush::kKeep && c.block.inf_block != InfBlock::kAsTwoTo128 &&
         f.tensor_scale == TensorScale::kNone && f.sublevels[0] == 0 && f.cut_from == 0 &&
         f.negative_zero == NegativeZeroDatum::kZero && !facts_of(c.block.rule).rounds_to_away;
}

BlockCertificate::BlockCertificate(const golden::ThresholdCertificate& elements,
                                   const QuantizerConfig& config)
    : source_(config.source),
      block_(config.block),
      flushes_(config.element.src_ftz == SourceSubnormals::kFlush),
      thresholds_(elements, config.element) {
  if (!has_scale(config)) return;
  scale_ = golden::make_scale_certificate(config.block.rule, formats::fp32, config.format.element);
}

std::optional<std::uint64_t> BlockCertificate::code(std::uint32_t source,
                                                    std::uint8_t scale) const {
  if (scale == kNanScale) return std::nullopt;
  SourceNumber x = source_number(source_, source);
  if (flushes_ && x.subnormal) x.significand = 0;
  return thresholds_.code(x, scale - kScaleBias);
}

std::optional<std::uint8_t> BlockCertificate::scale(std::span<const std::uint32_t> sources) const {
  if (!scale_) return std::nullopt;
  std::uint32_t amax = 0;
  for (const std::uint32_t source : sources) {
    const SourceNumber x = source_number(source_, source);
    if (x.kind != SourceNumber::Kind::kFinite) return std::nullopt;
    amax = std::max(amax, magnitude32(x));
  }
  return amax == 0 ? std::nullopt : std::optional(golden::scale_of(*scale_, block_, amax));
}

const golden::ThresholdCertificate& CertificateShelf::of(const ElementFormat& destination) {
  const auto known =
      std::ranges::find(made_, destination, &golden::ThresholdCertificate::destination);
  return known != made_.end() ? *known : made_.emplace_back(make_(destination));
}

}  // namespace mx::sim
