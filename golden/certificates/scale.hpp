// Scale certificates: the shared power-of-two scale of a block as a step function over the pattern
// of its largest magnitude (spec V5.7).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/catalog/catalog.hpp"
#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {

/// One rule and one element format, over the finite nonzero magnitudes of a source.
struct ScaleCertificate {
  ScaleRule rule = ScaleRule::kFloor;
  ElementFormat source;
  ElementFormat element;
  /// S_k: the first pattern whose scale, before clamping, is code k or above; S_0 = 1 and counts
  /// what is clamped from below. k = 0 .. 255, where 255 is beyond the largest code. A threshold
  /// that is never reached is the pattern of +Inf.
  std::vector<std::uint32_t> thresholds;
  /// First pattern that the even rules carry to 2^128, where even_carry = to_nan gives FF.
  std::uint32_t first_carry = 0;
  bool operator==(const ScaleCertificate&) const = default;
};

/// Is the rule one of those whose scale depends on the real number amax alone and that this module
/// knows: floor, ceil, rceil, even_up, even_down?
[[nodiscard]] bool has_scale_certificate(ScaleRule rule);

/// Derives a certificate. Requires has_scale_certificate(rule) and a source of fp32, bf16 or fp16.
[[nodiscard]] ScaleCertificate make_scale_certificate(ScaleRule rule, const ElementFormat& source,
                                                      const ElementFormat& element);

/// The first pattern whose scale, before clamping, is code 0 or above: what lies below is clamped.
/// Requires what make_scale_certificate requires.
[[nodiscard]] std::uint32_t first_unclamped(ScaleRule rule, const ElementFormat& source,
                                            const ElementFormat& element);

/// The scale byte of a finite nonzero magnitude pattern.
[[nodiscard]] std::uint8_t scale_of(const ScaleCertificate& certificate, const BlockPolicy& policy,
                                    std::uint32_t magnitude);

/// Every certificate that is stored: the rules above x the elements of the named block formats,
/// over binary32.
[[nodiscard]] std::vector<ScaleCertificate> stored_scale_certificates();

/// One file holds them all: JSON, one certificate a line, with the digest of its content.
inline constexpr std::string_view kScaleFileName = "scale.fp32.v1.thr.json";
[[nodiscard]] std::string scale_text(const std::vector<ScaleCertificate>& certificates);
/// Throws VectorError naming `name` and the field.
[[nodiscard]] std::vector<ScaleCertificate> parse_scale(std::string_view name,
                                                        const std::string& text,
                                                        FormatCatalog& catalog);
[[nodiscard]] std::vector<ScaleCertificate> read_scale(const std::string& path,
                                                       FormatCatalog& catalog);
[[nodiscard]] bool is_scale_file(std::string_view path);

}  // namespace mx::golden
