#include "verify_goldens_certificate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "check_text.hpp"
#include "mx/golden/certificate_file.hpp"
#include "mx/golden/certificate_index.hpp"
#include "mx/golden/vector_file.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kJson = ".thr.json";
constexpr std::string_view kHex = ".thr.hex";

golden::CertificateVerdict prove(const golden::ThresholdCertificate& certificate) {
  OracleJudge judge(certificate.source, certificate.destination);
  return golden::prove(certificate, judge);
}

std::string problems_of(const golden::CertificateVerdict& verdict) {
  return fmt::format("{} of {} judgements disagree: {}", grouped(verdict.wrong),
                     grouped(verdict.judged), fmt::join(verdict.problems, "; "));
}

}  // namespace

std::uint64_t OracleJudge::code(const ElementPolicy& policy, std::uint32_t pattern) {
  auto& known = located_[{policy.src_ftz, policy.staging}];
  auto found = known.find(pattern);
  if (found == known.end()) {
    const oracle::Real value = oracle::source_value(source_, policy, pattern);
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
  outcome.detail = verdict.proved()
                       ? fmt::format("proved: {} staircases, {} segments, {} patterns judged",
                                     grouped(verdict.staircases), grouped(verdict.segments),
                                     grouped(verdict.judged))
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
  outcome.detail = fmt::format("certificates made again; {} patterns judged", grouped(judged));
  return outcome;
}

}  // namespace mx::cli
