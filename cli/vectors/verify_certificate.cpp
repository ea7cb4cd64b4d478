#include "cli/vectors/verify_certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "cli/vectors/check_text.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/certificates/file.hpp"
#include "golden/certificates/index.hpp"
#include "golden/certificates/scale.hpp"
#include "golden/files/vector_file.hpp"
#include "oracle/block/rules.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kJson = ".thr.json";
constexpr std::string_view kHex = ".thr.hex";

golden::CertificateVerdict prove(const golden::ThresholdCertificate& certificate) {
  OracleJudge judge(certificate.source, certificate.destination);
  return golden::prove(certificate, judge);
}

std::string problems_of(const golden::CertificateVerdict& verdict) {
  return fmt::format("{} of {} judgements disagree: {}", golden::with_commas(verdict.wrong),
                     golden::with_commas(verdict.judged), fmt::join(verdict.problems, "; "));
}

/// The scale byte of a magnitude by the oracle, clamped.
std::uint8_t oracle_scale(const golden::ScaleCertificate& certificate, const BlockPolicy& policy,
                          std::uint32_t magnitude) {
  const oracle::Real amax = oracle::value_of(certificate.source, magnitude);
  oracle::RulesCase what;
  what.block.source = certificate.source;
  what.block.format = {"certificate", certificate.element, formats::e8m0, 1};
  what.block.block = policy;
  const oracle::RuleScale found = oracle::scale_by_rule(what, oracle::extended(amax), {}, 0);
  return static_cast<std::uint8_t>(found.code);
}

/// Both ends of every run of patterns between two thresholds; the patterns judged, or 0 and the
/// first that is wrong.
std::uint64_t prove_scale(const golden::ScaleCertificate& certificate, std::string& problem) {
  std::vector<std::uint32_t> steps = certificate.thresholds;
  steps.push_back(static_cast<std::uint32_t>(certificate.source.inf_code()));
  if (steps.front() != 1 || !std::ranges::is_sorted(steps)) {
    problem = "thresholds do not ascend from 1 to infinity";
    return 0;
  }
  if (certificate.first_carry > steps.back()) {
    problem = fmt::format("first_carry {:x} lies beyond infinity", certificate.first_carry);
    return 0;
  }
  steps.push_back(certificate.first_carry);
  std::uint64_t judged = 0;
  for (const ScaleSat sat : {ScaleSat::kClamp, ScaleSat::kToNan}) {
    for (const EvenCarry carry : {EvenCarry::kExact, EvenCarry::kToNan}) {
      BlockPolicy policy;
      policy.rule = certificate.rule;
      policy.scale_sat = sat;
      policy.even_carry = carry;
      for (const std::uint32_t step : steps) {
        for (const std::uint32_t magnitude : {step - 1, step}) {
          if (magnitude == 0 || magnitude >= certificate.source.inf_code()) continue;
          ++judged;
          const std::uint8_t golden = golden::scale_of(certificate, policy, magnitude);
          const std::uint8_t wanted = oracle_scale(certificate, policy, magnitude);
          if (golden == wanted) continue;
          problem = fmt::format("{} {} amax {:x}: certificate {:02x}, oracle {:02x}",
                                token_of(certificate.rule), certificate.element.name, magnitude,
                                golden, wanted);
          return 0;
        }
      }
    }
  }
  return judged;
}

}  // namespace

std::uint64_t OracleJudge::code(const ElementPolicy& policy, std::uint32_t pattern) {
  auto& known = located_[{policy.src_ftz, policy.staging}];
  auto found = known.find(pattern);
  if (found == known.end()) {
    const oracle::Real value =
        oracle::source_value(source_, judge_.ladder().format(), policy, pattern);
    found = known.emplace(pattern, Located{value, judge_.place(value, 0)}).first;
  }
  return judge_.conclude(found->second.value, found->second.place, policy, 0).code;
}

bool is_certificate(std::string_view path) { return path.ends_with(kJson) || path.ends_with(kHex); }

CertificateOutcome verify_certificate(const std::string& path) {
  std::string json = path;
  if (json.ends_with(kHex)) json.replace(json.size() - kHex.size(), kHex.size(), kJson);
  FormatCatalog catalog;
  const golden::ThresholdCertificate certificate = golden::read_certificate(json, catalog);
  const golden::CertificateVerdict verdict = prove(certificate);
  CertificateOutcome outcome{
      golden::certificate_id(certificate), certificate.counts.total(), verdict.proved(), {}};
  outcome.detail =
      verdict.proved()
          ? fmt::format("proved: {} thresholds, {} segments, {} patterns judged",
                        golden::with_commas(verdict.thresholds),
                        golden::with_commas(verdict.segments), golden::with_commas(verdict.judged))
          : problems_of(verdict);
  return outcome;
}

CertificateOutcome verify_index(const std::string& path) {
  CertificateOutcome outcome{std::string(golden::kIndexName), 0, true, {}};
  FormatCatalog catalog;
  std::uint64_t judged = 0;
  for (const golden::IndexEntry& entry : golden::read_index(path)) {
    const ElementFormat* source = catalog.find(entry.source);
    const ElementFormat* destination = catalog.find(entry.destination);
    if (source == nullptr || destination == nullptr ||
        !golden::certificate_problem(*source, *destination).empty()) {
      throw golden::VectorError(
          fmt::format("{}: no certificate of {} to {}", path, entry.source, entry.destination));
    }
    const auto certificate = golden::make_certificate(*source, *destination);
    ++outcome.count;
    if (golden::index_entry(certificate, entry.stored) != entry) {
      outcome.proved = false;
      outcome.detail =
          fmt::format("{} to {}: not what is generated now", entry.source, entry.destination);
      return outcome;
    }
    if (entry.stored) continue;
    const golden::CertificateVerdict verdict = prove(certificate);
    judged += verdict.judged;
    if (!verdict.proved()) {
      outcome.proved = false;
      outcome.detail =
          fmt::format("{} to {}: {}", entry.source, entry.destination, problems_of(verdict));
      return outcome;
    }
  }
  outcome.detail =
      fmt::format("certificates made again; {} patterns judged", golden::with_commas(judged));
  return outcome;
}

CertificateOutcome verify_scale(const std::string& path) {
  CertificateOutcome outcome{std::string(golden::kScaleFileName), 0, true, {}};
  FormatCatalog catalog;
  std::uint64_t judged = 0;
  for (const golden::ScaleCertificate& certificate : golden::read_scale(path, catalog)) {
    ++outcome.count;
    const std::uint64_t count = prove_scale(certificate, outcome.detail);
    judged += count;
    if (count != 0) continue;
    outcome.proved = false;
    return outcome;
  }
  outcome.detail = fmt::format("proved: {} patterns judged", golden::with_commas(judged));
  return outcome;
}

}  // namespace mx::cli
