#include "golden/identify/surface.hpp"

#include <algorithm>
#include <utility>

#include "golden/bytes/number_text.hpp"
#include "golden/certificates/certificate.hpp"
#include "golden/compare/block_answers.hpp"
#include "golden/compare/causes.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

/// Appends the names of a list separated by blanks, each once; `*` and `binary*` are no names.
void append_names(std::string_view list, std::vector<std::string>& names) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    const std::string entry(list.substr(0, end));
    if (!entry.empty() && entry.back() != '*' && std::ranges::find(names, entry) == names.end()) {
      names.push_back(entry);
    }
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
}

std::vector<std::string> destination_names() {
  std::vector<std::string> names;
  for (const ElementFormat& format : all_formats()) {
    if (format.bits <= 19) names.emplace_back(format.name);
  }
  for (const Profile& profile : all_profiles()) {
    for (const ElementRow& row : profile.elements) append_names(row.destinations, names);
  }
  for (int k = 3; k <= 8; ++k) {
    for (int p = 1; p <= k; ++p) {
      for (const char* const suffix : {"se", "sf", "ue", "uf"}) {
        append_names(filled("binary{}p{}{}", k, p, suffix), names);
      }
    }
  }
  return names;
}

bool is_spoken_of(const Surface& surface) {
  int speakers = 0;
  for (const Profile& profile : all_profiles()) {
    if (subject_of({&profile, ""}, surface)) ++speakers;
  }
  return speakers >= 2;
}

OpenParts open_parts(const ElementSubject& subject, std::uint64_t input) {
  return {.scale = false, .elements = {is_masked(subject.masks, subject.conversion, input)}};
}

/// Part by part: where memory ends within one braced list, g++ 12 frees a part of it twice.
Difference as_block(const Subject& a, const Subject& b, const ElementDifference& d) {
  Difference made;
  made.input.lanes.push_back(d.input);
  made.input.random.push_back(d.random);
  made.a.codes.push_back(d.code_a);
  made.b.codes.push_back(d.code_b);
  made.open_a = open_parts(a.element, d.input);
  made.open_b = open_parts(b.element, d.input);
  made.kind = d.kind;
  made.causes = d.causes;
  return made;
}

std::uint32_t word_of(const BlockInput& input) {
  return input.random.empty() ? 0 : input.random.front();
}

}  // namespace

std::string Surface::name() const { return filled("{} -> {}", source.name, target()); }

std::string Candidate::name() const {
  std::string text(profile->name);
  return variant.empty() ? text : text + ":" + variant;
}

std::optional<Subject> subject_of(const Candidate& candidate, const Surface& surface) {
  const Profile& profile = *candidate.profile;
  Subject subject;
  if (surface.is_block) {
    const auto config = block_config(profile, surface.block, surface.source, candidate.variant);
    if (!config || !Quantizer::problem(*config).empty()) return std::nullopt;
    subject.block = {*config,
                     block_masks(profile, surface.block, surface.source, candidate.variant)};
    return subject;
  }
  const auto conversion =
      element_conversion(profile, surface.source, surface.destination, candidate.variant);
  if (!conversion) return std::nullopt;
  subject.element = {
      *conversion, element_masks(profile, surface.source, surface.destination, candidate.variant)};
  return subject;
}

std::vector<Candidate> candidates_of(const Surface& surface) {
  std::vector<Candidate> found;
  for (const Profile& profile : all_profiles()) {
    const std::vector<std::string_view> variants =
        surface.is_block ? block_variants(profile, surface.block, surface.source)
                         : element_variants(profile, surface.source, surface.destination);
    for (const std::string_view variant : variants) {
      const Candidate candidate{&profile, std::string(variant)};
      if (subject_of(candidate, surface)) found.push_back(candidate);
    }
  }
  return found;
}

std::optional<Surface> find_surface(std::string_view source, std::string_view target,
                                    FormatCatalog& catalog) {
  const ElementFormat* from = catalog.find(source);
  if (from == nullptr) return std::nullopt;
  if (const BlockFormat* block = catalog.find_block(target)) {
    return Surface{.source = *from, .is_block = true, .destination = {}, .block = *block};
  }
  const ElementFormat* to = catalog.find(target);
  if (to == nullptr) return std::nullopt;
  return Surface{.source = *from, .is_block = false, .destination = *to, .block = {}};
}

std::vector<std::string> source_names() {
  std::vector<std::string> names = certificate_sources();
  for (const Profile& profile : all_profiles()) {
    for (const ElementRow& row : profile.elements) append_names(row.sources, names);
    for (const BlockRow& row : profile.blocks) append_names(row.sources, names);
  }
  return names;
}

std::vector<Surface> all_surfaces(FormatCatalog& catalog) {
  std::vector<Surface> found;
  const auto add = [&](std::string_view source, std::string_view target) {
    if (source == target) return;
    const std::optional<Surface> surface = find_surface(source, target, catalog);
    if (surface && is_spoken_of(*surface)) found.push_back(*surface);
  };
  const std::vector<std::string> sources = source_names();
  for (const std::string& destination : destination_names()) {
    for (const std::string& source : sources) add(source, destination);
  }
  for (const BlockFormat& block : all_block_formats()) {
    for (const std::string& source : sources) add(source, block.name);
  }
  return found;
}

std::string basis_text(const SurfaceComparison& c) {
  switch (c.basis) {
    case Basis::kByDefinition:
      return "by definition: no setting that matters here differs";
    case Basis::kExhaustive:
      return filled("exhaustive over {} patterns", with_commas(c.compared));
    case Basis::kCertificates:
      return "proved on all 2^32 patterns by threshold certificates";
    case Basis::kScales:
      return filled(
          "proved: the settings differ in the choice of scale only, and the scale "
          "agrees at every block maximum ({} blocks)",
          with_commas(c.compared));
    case Basis::kSearched:
      break;
  }
  return c.blocks.total() == 0 ? filled("searched {} inputs", with_commas(c.compared))
                               : filled("searched {} blocks", with_commas(c.compared));
}

SurfaceComparer::SurfaceComparer(const Surface& surface) : surface_(surface) {
  if (surface.is_block) {
    blocks_ = std::make_unique<BlockComparer>(surface.source, surface.block);
  }
}
SurfaceComparer::~SurfaceComparer() = default;
SurfaceComparer::SurfaceComparer(SurfaceComparer&&) noexcept = default;
SurfaceComparer& SurfaceComparer::operator=(SurfaceComparer&&) noexcept = default;

SurfaceComparison SurfaceComparer::compare(const Subject& a, const Subject& b, Detail detail) {
  SurfaceComparison result;
  if (surface_.is_block) {
    BlockComparison found = blocks_->compare(a.block, b.block, detail);
    result.basis = found.basis;
    result.compared = found.tried.total();
    result.blocks = found.tried;
    result.by_value = !same_codes(a.block.config, b.block.config);
    result.differences = std::move(found.differences);
    result.masked = std::move(found.masked);
    return result;
  }
  const ElementComparison found = elements_.compare(a.element, b.element, detail);
  result.basis = found.basis;
  result.compared = found.compared;
  for (const ElementDifference& d : found.differences) {
    result.differences.push_back(as_block(a, b, d));
  }
  for (const ElementDifference& d : found.masked) result.masked.push_back(as_block(a, b, d));
  return result;
}

BlockAnswer answer_of(const Surface& surface, const Subject& subject, const BlockInput& input) {
  if (surface.is_block) return answer_of(subject.block.config, input);
  const Conversion conversion = Conversion::make(subject.element.conversion).value();
  return {.scale = 0, .codes = {conversion(input.lanes[0], word_of(input)).code}};
}

OpenParts open_parts(const Surface& surface, const Subject& subject, const BlockInput& input) {
  if (!surface.is_block) return open_parts(subject.element, input.lanes[0]);
  return open_parts(subject.block, input, full_answer(subject.block.config, input).result);
}

Subject normalized(const Surface& surface, const Subject& subject) {
  Subject result = subject;
  if (surface.is_block) {
    result.block.config = normalized(subject.block.config);
  } else {
    result.element.conversion = normalized(subject.element.conversion);
  }
  return result;
}

bool same_by_definition(const Surface& surface, const Subject& a, const Subject& b) {
  return same_normalized(surface, normalized(surface, a), normalized(surface, b));
}

bool same_normalized(const Surface& surface, const Subject& a, const Subject& b) {
  return surface.is_block
             ? a.block.masks == b.block.masks && same_settings(a.block.config, b.block.config)
             : a.element.masks == b.element.masks &&
                   same_settings(a.element.conversion, b.element.conversion);
}

}  // namespace mx::golden
