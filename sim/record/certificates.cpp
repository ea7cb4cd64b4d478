#include "sim/record/certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "golden/bytes/number_text.hpp"
#include "golden/vectors/record_codec.hpp"

namespace mx::sim {

using golden::Field;
using golden::RecordBatch;

RecordCertificates::RecordCertificates(const golden::VectorHeader& header, CertificateMaker make)
    : header_(header), known_(header.configs.size()) {
  CertificateShelf shelf(std::move(make));
  for (std::size_t i = 0; i < known_.size(); ++i) {
    const golden::Computation& what = header.configs[i].what;
    if (const auto* const c = std::get_if<ConversionConfig>(&what)) {
      if (!is_certified(c->source, c->destination, c->policy)) continue;
      const bool flushes = c->policy.src_ftz == SourceSubnormals::kFlush;
      known_[i].element.emplace(
          Element{c->source, flushes, ScaledStairs(shelf.of(c->destination), c->policy)});
    } else if (const auto* const block = std::get_if<QuantizerConfig>(&what)) {
      if (!is_certified(*block)) continue;
      known_[i].block.emplace(shelf.of(block->format.element), *block);
    }
  }
}

void RecordCertificates::check(const RecordBatch& own, const RecordBatch& expected, std::size_t i,
                               const golden::OpenAnswer& open, std::uint64_t number,
                               CertificateCounts& counts,
                               std::vector<RecordDisagreement>& found) const {
  if (!own.has(Field::kCode)) return;
  const Known& known = known_.at(own.config(i));
  const auto disagree = [&](Field field, std::size_t lane, std::uint64_t certified) {
    RecordDisagreement each{.number = number,
                            .field = field,
                            .lane = lane,
                            .expected = own.of(field, i)[lane],
                            .certified = certified,
                            .record = RecordBatch(header_.shape())};
    each.record.append(own, i, i + 1);
    found.push_back(std::move(each));
  };
  // Is the word of the answer one that the certificate has?
  const auto compare = [&](Field field, std::size_t lane, std::uint64_t certified) {
    if (own.of(field, i)[lane] != certified) disagree(field, lane, certified);
    return expected.of(field, i)[lane] == certified;
  };
  if (!known.element && !known.block) {
    const std::size_t codes =
        std::min(own.elements(Field::kCode, i), own.of(Field::kCode, i).size());
    for (std::size_t lane = 0; lane < codes; ++lane) {
      counts.without += is_compared(expected, open, Field::kCode, lane) ? 1U : 0U;
    }
    return;
  }
  const std::size_t n = own.elements(Field::kSource, i);
  std::vector<std::uint32_t> sources;
  for (std::size_t lane = 0; lane < n; ++lane) {
    sources.push_back(static_cast<std::uint32_t>(own.of(Field::kSource, i)[lane]));
  }
  const bool has_scale = known.block && own.has(Field::kScale);
  const auto scale = static_cast<std::uint8_t>(has_scale ? own.word(Field::kScale, i) : 0);
  for (std::size_t lane = 0; lane < n; ++lane) {
    if (!is_compared(expected, open, Field::kCode, lane)) continue;
    std::optional<std::uint64_t> code;
    if (known.block) {
      code = known.block->code(sources[lane], scale);
    } else {
      SourceNumber x = source_number(known.element->source, sources[lane]);
      if (known.element->flushes && x.subnormal) x.significand = 0;
      code = known.element->stairs.code(x, 0);
    }
    const bool is_certified = code && compare(Field::kCode, lane, *code);
    ++(is_certified ? counts.elements : counts.without);
  }
  if (!has_scale || !is_compared(expected, open, Field::kScale, 0)) return;
  const std::optional<std::uint8_t> certified = known.block->scale(sources);
  if (certified && compare(Field::kScale, 0, *certified)) ++counts.scales;
}

std::string text_of(const CertificateCounts& counts) {
  return fmt::format("{} elements and {} scales compared with certificates, {} elements had none",
                     golden::with_commas(counts.elements), golden::with_commas(counts.scales),
                     golden::with_commas(counts.without));
}

}  // namespace mx::sim
