#include "golden/certificates/scale.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/bytes/source.hpp"
#include "golden/certificates/json.hpp"
#include "golden/certificates/ranks.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kScaleBias = 127;  // of e8m0
constexpr std::size_t kSteps = 256;
constexpr int kCarryExponent = 128;
constexpr std::size_t kMaxBytes = std::size_t{1} << 22;
constexpr std::string_view kKind = "scale_certificates";

Unpacked power_of_two(int exponent) { return unpack_integer(false, 1, exponent); }

/// floor(log2) and value of the largest element.
Unpacked largest(const ElementFormat& element) { return decode(element, element.max_code); }

/// Significand bits below the leading one of the largest element: m of spec F11.1.
int rule_bits(const ElementFormat& element) {
  return element.is_fixed() ? element.frac_bits + largest(element).exponent : element.man_bits;
}

/// Does the rule look at amax / max_elem (or at a limit above max_elem), not at amax alone?
bool sees_ratio(ScaleRule rule) {
  return rule == ScaleRule::kRceil || rule == ScaleRule::kNearestVal || rule == ScaleRule::kMidmax;
}

/// The magnitudes that ties_to_even takes beyond the largest element: from its middle to the next
/// step on, the middle itself if the largest code is odd.
Ray beyond_largest(const ElementFormat& element) {
  const int steps_below_one = element.is_fixed() ? rule_bits(element) : element.man_bits;
  const Unpacked top = largest(element);
  const std::uint64_t units = top.significand >> (63 - steps_below_one);
  return {unpack_integer(false, 2 * units + 1, top.exponent - steps_below_one - 1),
          element.max_code % 2 == 0 ? RayEnd::kOpen : RayEnd::kClosed};
}

/// The magnitudes whose exponent, as the rule sees it, is `exponent` or above: the definitions of
/// spec F11.2 by value. rceil and nearest_val see the exponent of amax / max_elem,
/// midmax that of the smallest power of two under which amax does not round beyond max_elem.
Ray ray_of(ScaleRule rule, const ElementFormat& element, int exponent) {
  switch (rule) {
    case ScaleRule::kFloor:
      return {power_of_two(exponent), RayEnd::kClosed};
    case ScaleRule::kCeil:
      return {power_of_two(exponent - 1), RayEnd::kOpen};
    case ScaleRule::kRceil: {
      Unpacked bound = largest(element);
      bound.exponent += exponent - 1;
      return {bound, RayEnd::kOpen};
    }
    case ScaleRule::kEvenUp:
    case ScaleRule::kEvenDown: {
      // The fraction reaches 1 - 2^-(m+1), that is amax reaches 2^exponent (1 - 2^-(m+2)).
      const int m = rule_bits(element);
      const std::uint64_t ones = (std::uint64_t{1} << (m + 2)) - 1;
      return {unpack_integer(false, ones, exponent - m - 2),
              rule == ScaleRule::kEvenUp ? RayEnd::kClosed : RayEnd::kOpen};
    }
    case ScaleRule::kNearestLog:
      // The significand reaches sqrt(2): 1.3504F4 is the first of 24 bits above it.
      return {unpack_integer(false, 0xB504F4, exponent - 1 - 23), RayEnd::kClosed};
    case ScaleRule::kNearestVal: {
      Unpacked bound = largest(element);
      const std::uint64_t units = bound.significand >> 40;  // its low 40 bits are zeros
      return {unpack_integer(false, 3 * units, bound.exponent - 23 + exponent - 2),
              RayEnd::kClosed};
    }
    case ScaleRule::kMidmax: {
      Ray ray = beyond_largest(element);
      ray.from.exponent += exponent - 1;
      return ray;
    }
    default:
      throw std::invalid_argument("no scale certificate for this rule");
  }
}

/// The exponent the rule must see for scale code k.
int exponent_of(ScaleRule rule, const ElementFormat& element, int k) {
  return k - kScaleBias + (sees_ratio(rule) ? 0 : largest(element).exponent);
}

/// Rules whose every threshold follows from exact values: a binary32 logarithm has its own.
bool is_exact(const ScaleRuleFacts& rule) {
  return rule.kind == RuleKind::kPowerOfTwo && !rule.needs_fp32;
}

/// The element formats that some block format puts under a plain e8m0 scale, each once.
std::vector<ElementFormat> certified_elements() {
  std::vector<ElementFormat> elements;
  for (const BlockFormat& format : all_block_formats()) {
    const bool plain =
        format.scale == formats::e8m0 && !format.rule_emax && format.scale_limit == 0;
    if (plain && !std::ranges::count(elements, format.element)) elements.push_back(format.element);
  }
  return elements;
}

std::string line_of(const ScaleCertificate& certificate) {
  std::vector<std::string> patterns;
  for (const std::uint32_t t : certificate.thresholds) {
    patterns.push_back(pattern_text(certificate.source, t));
  }
  return fmt::format(
      "{{\"rule\": \"{}\", \"src\": \"{}\", \"element\": \"{}\", \"first_carry\": \"{}\", "
      "\"thresholds\": \"{}\"}}",
      token_of(certificate.rule), certificate.source.name, certificate.element.name,
      pattern_text(certificate.source, certificate.first_carry), fmt::join(patterns, " "));
}

std::string body_of(const std::vector<ScaleCertificate>& certificates) {
  std::vector<std::string> lines;
  for (const ScaleCertificate& each : certificates) lines.push_back(line_of(each));
  return fmt::format("\"certificates\": [\n{}\n]", fmt::join(lines, ",\n"));
}

ScaleCertificate parse_one(const Json& json, FormatCatalog& catalog) {
  ScaleCertificate certificate;
  const auto rule = parse_token<ScaleRule>(json.at("rule").get<std::string>());
  const ElementFormat* source = catalog.find(json.at("src").get<std::string>());
  const ElementFormat* element = catalog.find(json.at("element").get<std::string>());
  if (!rule || source == nullptr || element == nullptr || !has_scale_certificate(*rule)) {
    throw std::invalid_argument("a certificate with an unknown rule or format");
  }
  certificate.rule = *rule;
  certificate.source = *source;
  certificate.element = *element;
  certificate.first_carry = parse_pattern(json.at("first_carry").get<std::string>());
  const auto text = json.at("thresholds").get<std::string>();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    certificate.thresholds.push_back(parse_pattern(text.substr(at, end - at)));
    at = end + 1;
  }
  if (certificate.thresholds.size() != kSteps) {
    throw std::invalid_argument(
        fmt::format("{} thresholds where {} are needed", certificate.thresholds.size(), kSteps));
  }
  return certificate;
}

}  // namespace

bool has_scale_certificate(ScaleRule rule) { return is_exact(facts_of(rule)); }

ScaleCertificate make_scale_certificate(ScaleRule rule, const ElementFormat& source,
                                        const ElementFormat& element) {
  ScaleCertificate certificate{rule, source, element, {1}, 0};
  for (std::size_t k = 1; k < kSteps; ++k) {
    const int exponent = exponent_of(rule, element, static_cast<int>(k));
    certificate.thresholds.push_back(first_pattern(source, ray_of(rule, element, exponent)));
  }
  certificate.first_carry = facts_of(rule).reads_even_carry
                                ? first_pattern(source, ray_of(rule, element, kCarryExponent))
                                : static_cast<std::uint32_t>(source.inf_code());
  return certificate;
}

std::uint32_t first_unclamped(ScaleRule rule, const ElementFormat& source,
                              const ElementFormat& element) {
  return first_pattern(source, ray_of(rule, element, exponent_of(rule, element, 0)));
}

std::uint8_t scale_of(const ScaleCertificate& certificate, const BlockPolicy& policy,
                      std::uint32_t magnitude) {
  constexpr std::uint8_t kNan = 0xFF;
  constexpr std::uint8_t kTop = 0xFE;
  if (policy.even_carry == EvenCarry::kToNan && magnitude >= certificate.first_carry) return kNan;
  const auto next = std::ranges::upper_bound(certificate.thresholds, magnitude);
  const auto step = static_cast<std::size_t>(next - certificate.thresholds.begin() - 1);
  if (step < kSteps - 1) return static_cast<std::uint8_t>(step);
  return policy.scale_sat == ScaleSat::kToNan ? kNan : kTop;
}

std::vector<ScaleCertificate> stored_scale_certificates() {
  std::vector<ScaleCertificate> all;
  for (const ScaleRuleFacts& facts : kScaleRules) {
    if (!is_exact(facts)) continue;
    const ScaleRule rule = facts.rule;
    for (const ElementFormat& element : certified_elements()) {
      all.push_back(make_scale_certificate(rule, formats::fp32, element));
    }
  }
  return all;
}

std::string scale_text(const std::vector<ScaleCertificate>& certificates) {
  const std::string body = body_of(certificates);
  return fmt::format(
      "{{\n\"schema\": \"1.0.0\",\n\"kind\": \"{}\",\n\"spec_refs\": \"verification.md 5.7; "
      "formats.md 11.2\",\n\"count\": {},\n{},\n\"digest\": \"{}\"\n}}\n",
      kKind, certificates.size(), body, to_hex(sha256(body)));
}

std::vector<ScaleCertificate> parse_scale(std::string_view name, const std::string& text,
                                          FormatCatalog& catalog) {
  constexpr std::string_view kRemedy =
      "regenerate it with mxgold gen --op thr --source all --format all";
  std::vector<ScaleCertificate> certificates;
  try {
    const Json json = json_of_file(name, text);
    if (json.at("kind") != kKind) throw std::invalid_argument("kind: no scale certificates");
    for (const Json& each : json.at("certificates")) {
      certificates.push_back(parse_one(each, catalog));
    }
  } catch (const nlohmann::json::exception& error) {
    throw VectorError(fmt::format("{}: {}; {}", name, error.what(), kRemedy));
  } catch (const std::invalid_argument& error) {
    throw VectorError(fmt::format("{}: {}; {}", name, error.what(), kRemedy));
  }
  if (certificates.empty() || scale_text(certificates) != text) {
    throw VectorError(
        fmt::format("{}: empty, a wrong digest, or not in the canonical form; {}", name, kRemedy));
  }
  return certificates;
}

std::vector<ScaleCertificate> read_scale(const std::string& path, FormatCatalog& catalog) {
  const std::string text = whole_text(path, {kMaxBytes, "name a file of scale certificates"});
  return parse_scale(path, text, catalog);
}

bool is_scale_file(std::string_view path) {
  return std::filesystem::path(path).filename() == kScaleFileName;
}

}  // namespace mx::golden
