#include "sim/score/certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "golden/bytes/number_text.hpp"
#include "golden/vectors/record_codec.hpp"

namespace mx::sim {

using golden::Field;
using golden::RecordBatch;

CertificateCounts& CertificateCounts::operator+=(const CertificateCounts& other) {
  elements += other.elements;
  scales += other.scales;
  without += other.without;
  return *this;
}

RecordCertificates::RecordCertificates(const golden::VectorHeader& header, CertificateMaker make)
    : header_(header), shelf_(std::move(make)), known_(header.configs.size()) {}

const RecordCertificates::Known& RecordCertificates::known(std::size_t config) {
  Known& known = known_.at(config);
  if (std::exchange(known.is_asked, true)) return known;
  const golden::Computation& what = header_.configs[config].what;
  if (const auto* const c = std::get_if<ConversionConfig>(&what)) {
    if (!is_certified(c->source, c->destination, c->policy)) return known;
    const bool flushes = c->policy.src_ftz == SourceSubnormals::kFlush;
    known.element.emplace(
        Element{c->source, flushes, ScaledThresholds(shelf_.of(c->destination), c->policy)});
  } else if (const auto* const block = std::get_if<QuantizerConfig>(&what)) {
    if (is_certified(*block)) known.block.emplace(shelf_.of(block->format.element), *block);
  }
  return known;
}

const CertifiedAnswer& RecordCertificates::of(const RecordBatch& own, std::size_t i) {
  CertifiedAnswer& answer = answer_;
  answer.codes.clear();
  answer.scale.reset();
  const Known& certificate = known(own.config(i));
  if (!certificate.element && !certificate.block) return answer;
  const std::size_t n = own.elements(Field::kSource, i);
  const auto stored = own.of(Field::kSource, i);
  std::vector<std::uint32_t>& sources = sources_;  // lanes that are not kept count as +0
  sources.resize(n);
  const std::uint64_t keep = own.has(Field::kKeep) ? own.word(Field::kKeep, i) : ~std::uint64_t{0};
  for (std::size_t lane = 0; lane < n; ++lane) {
    const bool is_kept = lane >= 64 || (keep >> lane & 1) != 0;
    sources[lane] = is_kept ? static_cast<std::uint32_t>(stored[lane]) : 0;
  }
  answer.codes.resize(n);
  if (certificate.element) {
    for (std::size_t lane = 0; lane < n; ++lane) {
      SourceNumber x = source_number(certificate.element->source, sources[lane]);
      if (certificate.element->flushes && x.subnormal) x.significand = 0;
      answer.codes[lane] = certificate.element->thresholds.code(x, 0);
    }
    return answer;
  }
  const bool has_scale = own.has(Field::kScale);
  const auto scale = static_cast<std::uint8_t>(has_scale ? own.word(Field::kScale, i) : 0);
  for (std::size_t lane = 0; lane < n; ++lane) {
    if (lane < 64 && (keep >> lane & 1) == 0) continue;
    answer.codes[lane] = certificate.block->code(sources[lane], scale);
  }
  if (has_scale) answer.scale = certificate.block->scale(sources);
  return answer;
}

void RecordCertificates::check(const AskedAnswer& asked, CertificateCounts& counts,
                               std::vector<RecordDisagreement>& found) {
  const auto& [own, expected, i, open, rest, number] = asked;
  if (!own.has(Field::kCode)) return;
  const CertifiedAnswer& certified = of(own, i);
  const auto disagree = [&](Field field, std::size_t lane, std::uint64_t word) {
    found.push_back({.number = asked.number,
                     .field = field,
                     .lane = lane,
                     .expected = asked.own.of(field, asked.i)[lane],
                     .certified = word,
                     .record = RecordBatch(header_.shape())});
    found.back().record.append(asked.own, asked.i, asked.i + 1);
  };
  const auto own_codes = own.of(Field::kCode, i);
  const auto expected_codes = expected.of(Field::kCode, i);
  const bool has_codes = open.observed.has(Field::kCode);
  const std::size_t codes = std::min(own.elements(Field::kCode, i), own_codes.size());
  for (std::size_t lane = 0; lane < codes; ++lane) {
    if (!open.takes_part(lane)) continue;
    const bool has_one = lane < certified.codes.size() && certified.codes[lane];
    const std::uint64_t word = has_one ? *certified.codes[lane] : 0;
    if (has_one && own_codes[lane] != word && !open.code(lane)) disagree(Field::kCode, lane, word);
    if (!has_codes || rest.code(lane)) continue;
    ++(has_one && expected_codes[lane] == word ? counts.elements : counts.without);
  }
  if (!certified.scale) return;
  if (own.word(Field::kScale, i) != *certified.scale && !open.scale) {
    disagree(Field::kScale, 0, *certified.scale);
  }
  const bool is_counted =
      expected.word(Field::kScale, i) == *certified.scale && is_compared(rest, Field::kScale, 0);
  counts.scales += is_counted ? 1U : 0U;
}

std::string text_of(const CertificateCounts& counts) {
  return fmt::format("{} elements and {} scales compared with certificates, {} elements had none",
                     golden::with_commas(counts.elements), golden::with_commas(counts.scales),
                     golden::with_commas(counts.without));
}

}  // namespace mx::sim
