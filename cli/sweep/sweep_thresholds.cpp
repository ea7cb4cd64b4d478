#include "cli/sweep/sweep_thresholds.hpp"

#include "cli/base/error.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/stochastic.hpp"
#include "reference/format/rows.hpp"
#include "sim/judge/scaled_thresholds.hpp"

namespace mx::cli {
namespace {

std::string name_of(const golden::ThresholdCertificate& certificate) {
  return "certificate " + golden::index_entry(certificate, false).json_sha256;
}

/// One sign of a step function, found by halving: patterns with one code at both ends have it
/// between them, since a step function never goes back (spec V5.1).
template <typename CodeOf>
class ThresholdFinder {
 public:
  explicit ThresholdFinder(const CodeOf& code_of) : code_of_(code_of) {}

  std::vector<golden::ThresholdStep> find(std::uint32_t end) {
    thresholds_ = {{0, code_of_(0)}};
    // A zero has policies of its own: what follows it is a stair by itself.
    const std::uint8_t first = code_of_(1);
    if (first != thresholds_.back().code) thresholds_.push_back({1, first});
    split(1, first, end - 1, code_of_(end - 1));
    return std::move(thresholds_);
  }

 private:
  void split(std::uint32_t low, std::uint8_t low_code, std::uint32_t high, std::uint8_t high_code) {
    if (low_code == high_code) return;
    if (high - low == 1) {
      thresholds_.push_back({high, high_code});
      return;
    }
    const std::uint32_t middle = low + (high - low) / 2;
    const std::uint8_t code = code_of_(middle);
    split(low, low_code, middle, code);
    split(middle, code, high, high_code);
  }

  const CodeOf& code_of_;
  std::vector<golden::ThresholdStep> thresholds_;
};

/// The code of a finite word under a scale.
std::uint8_t scaled_code(const sim::ScaledThresholds& thresholds, const ConversionConfig& config,
                         int shift, std::uint32_t word) {
  sim::SourceNumber x = sim::source_number(config.source, word);
  if (x.subnormal && config.policy.src_ftz == SourceSubnormals::kFlush) x.significand = 0;
  const auto code = thresholds.code(x, shift);
  if (!code) {
    fail(Exit::kInternal, "the thresholds of {} do not decide word {:X}", config.destination.name,
         word);
  }
  return *code;
}

/// The finite thresholds of both signs, where `code_of` says the code of a word.
template <typename CodeOf>
void find_finite(golden::ConversionThresholds& thresholds, const CodeOf& code_of) {
  const std::uint32_t sign_bit = std::uint32_t{1} << (thresholds.source_bits - 1);
  for (const std::uint32_t sign : {0U, sign_bit}) {
    const auto signed_code = [&](std::uint32_t pattern) { return code_of(sign | pattern); };
    thresholds.finite[sign == 0 ? 0 : 1] =
        ThresholdFinder(signed_code).find(thresholds.infinity_pattern);
  }
}

/// A certificate under a stochastic rounding whose random word is told: codes never go back with
/// the magnitude, since the word is added to what is cut off.
golden::ConversionThresholds stochastic_thresholds(const golden::ThresholdCertificate& certificate,
                                                   const ElementPolicy& policy,
                                                   std::uint32_t random) {
  ElementPolicy infinities = policy;  // which are not rounded
  infinities.rounding = Rounding::kTiesToEven;
  golden::ConversionThresholds thresholds = golden::conversion_thresholds(certificate, infinities);
  find_finite(thresholds, [&](std::uint32_t word) {
    return golden::stochastic_code(certificate, policy, word, random);
  });
  return thresholds;
}

}  // namespace

SweepJudge sweep_judge(const ConversionConfig& config, const SweepSpace& space) {
  const golden::ThresholdCertificate own =
      golden::make_certificate(config.source, config.destination);
  if (space.random) {
    return {stochastic_thresholds(own, config.policy, *space.random), name_of(own)};
  }
  SweepJudge judge{golden::conversion_thresholds(own, config.policy), name_of(own)};
  if (space.scale == kScaleOne) return judge;
  const golden::ThresholdCertificate certificate =
      golden::make_certificate(formats::fp32, config.destination);
  judge.name = name_of(certificate);
  const sim::ScaledThresholds scaled(certificate, config.policy);
  find_finite(judge.thresholds, [&](std::uint32_t word) {
    return scaled_code(scaled, config, space.scale - kScaleOne, word);
  });
  return judge;
}

}  // namespace mx::cli
