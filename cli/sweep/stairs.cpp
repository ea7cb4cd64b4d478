#include "cli/sweep/stairs.hpp"

#include "cli/base/error.hpp"
#include "golden/certificates/index.hpp"
#include "reference/format/rows.hpp"
#include "sim/judge/scaled_stairs.hpp"

namespace mx::cli {
namespace {

std::string name_of(const golden::ThresholdCertificate& certificate) {
  return "certificate " + golden::index_entry(certificate, false).json_sha256;
}

/// One sign of a staircase, found by halving: patterns with one code at both ends have it between
/// them, since a staircase never goes back (spec V5.1).
template <typename CodeOf>
class StairFinder {
 public:
  explicit StairFinder(const CodeOf& code_of) : code_of_(code_of) {}

  std::vector<golden::Stair> find(std::uint32_t end) {
    stairs_ = {{0, code_of_(0)}};
    // A zero has policies of its own: what follows it is a stair by itself.
    const std::uint8_t first = code_of_(1);
    if (first != stairs_.back().code) stairs_.push_back({1, first});
    split(1, first, end - 1, code_of_(end - 1));
    return std::move(stairs_);
  }

 private:
  void split(std::uint32_t low, std::uint8_t low_code, std::uint32_t high, std::uint8_t high_code) {
    if (low_code == high_code) return;
    if (high - low == 1) {
      stairs_.push_back({high, high_code});
      return;
    }
    const std::uint32_t middle = low + (high - low) / 2;
    const std::uint8_t code = code_of_(middle);
    split(low, low_code, middle, code);
    split(middle, code, high, high_code);
  }

  const CodeOf& code_of_;
  std::vector<golden::Stair> stairs_;
};

/// The code of a finite word under a scale.
std::uint8_t scaled_code(const sim::ScaledStairs& stairs, const ConversionConfig& config, int shift,
                         std::uint32_t word) {
  sim::SourceNumber x = sim::source_number(config.source, word);
  if (x.subnormal && config.policy.src_ftz == SourceSubnormals::kFlush) x.significand = 0;
  const auto code = stairs.code(x, shift);
  if (!code) {
    fail(Exit::kInternal, "the thresholds of {} do not decide word {:X}", config.destination.name,
         word);
  }
  return *code;
}

}  // namespace

SweepJudge sweep_judge(const ConversionConfig& config, const SweepSpace& space) {
  const golden::ThresholdCertificate own =
      golden::make_certificate(config.source, config.destination);
  SweepJudge judge{golden::staircase(own, config.policy), name_of(own)};
  if (space.scale == kScaleOne) return judge;
  const golden::ThresholdCertificate certificate =
      golden::make_certificate(formats::fp32, config.destination);
  judge.name = name_of(certificate);
  const sim::ScaledStairs scaled(certificate, config.policy);
  const std::uint32_t sign_bit = std::uint32_t{1} << (config.source.bits - 1);
  for (const std::uint32_t sign : {0U, sign_bit}) {
    const auto code_of = [&](std::uint32_t pattern) {
      return scaled_code(scaled, config, space.scale - kScaleOne, sign | pattern);
    };
    judge.stairs.finite[sign == 0 ? 0 : 1] =
        StairFinder(code_of).find(judge.stairs.infinity_pattern);
  }
  return judge;
}

}  // namespace mx::cli
