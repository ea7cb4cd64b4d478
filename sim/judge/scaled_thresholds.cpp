#include "sim/judge/scaled_thresholds.hpp"

#include <bit>

#include "reference/number/unpacked.hpp"

namespace mx::sim {
namespace {

constexpr int kBits = 24;     // of a binary32 significand
constexpr int kLeast = -126;  // exponent of the smallest normal number
constexpr int kMost = 127;    // exponent of the largest
constexpr std::uint32_t kMostPattern = 0x7F7FFFFF;

ElementPolicy asked(ElementPolicy policy) {
  policy.src_ftz = SourceSubnormals::kKeep;
  return policy;
}

}  // namespace

SourceNumber source_number(const ElementFormat& source, std::uint32_t code) {
  const auto hidden = std::uint32_t{1} << source.man_bits;
  const std::uint32_t fraction = code & (hidden - 1);
  const std::uint32_t top = (std::uint32_t{1} << source.exp_bits) - 1;
  const std::uint32_t field = code >> source.man_bits & top;
  SourceNumber x{.negative = (code >> (source.bits - 1) & 1) != 0};
  if (field == top) {
    const bool is_quiet = (fraction & hidden >> 1) != 0;
    x.kind = fraction == 0 ? SourceNumber::Kind::kInfinity
             : is_quiet    ? SourceNumber::Kind::kQuietNan
                           : SourceNumber::Kind::kSignalingNan;
    return x;
  }
  x.subnormal = field == 0 && fraction != 0;
  x.significand = field == 0 ? fraction : fraction | hidden;
  x.exponent = (field == 0 ? 1 : static_cast<int>(field)) - source.bias - source.man_bits;
  return x;
}

std::uint32_t magnitude32(const SourceNumber& x) {
  if (x.significand == 0) return 0;
  const int width = static_cast<int>(std::bit_width(x.significand));
  const int top = x.exponent + width - 1;
  const std::uint32_t aligned = x.significand << (kBits - width);
  if (top < kLeast) return aligned >> (kLeast - top);
  return (static_cast<std::uint32_t>(top - kLeast) << (kBits - 1)) + aligned;
}

ScaledThresholds::ScaledThresholds(const golden::ThresholdCertificate& certificate,
                                   const ElementPolicy& policy)
    : thresholds_(golden::conversion_thresholds(certificate, asked(policy))) {
  for (std::size_t sign = 0; sign < 2; ++sign) {
    std::uint16_t segment = 0;
    for (std::uint32_t field = 0; field < starts_[sign].size(); ++field) {
      const std::uint32_t first = field << (kBits - 1);
      const std::vector<golden::ThresholdStep>& segments = thresholds_.finite[sign];
      while (segment + 1U < segments.size() && segments[segment + 1U].first <= first) ++segment;
      starts_[sign][field] = segment;
    }
  }
  // The smallest step of a destination is its first one, or half of it where ties are.
  constexpr int kFar = 100;
  const ElementFormat& to = certificate.destination;
  const bool has_grid = to.zero != ZeroKind::kNone && to.kind != FormatKind::kTapered;
  const int lowest = to.is_fixed() ? -to.frac_bits : to.emin() - to.man_bits;
  is_coarse_ = has_grid && lowest > -kFar && to.emax() < kFar;
}

std::uint8_t ScaledThresholds::at(std::size_t sign, std::uint32_t pattern) const {
  const std::vector<golden::ThresholdStep>& segments = thresholds_.finite[sign];
  std::size_t segment = starts_[sign][pattern >> (kBits - 1)];
  while (segment + 1 < segments.size() && segments[segment + 1].first <= pattern) ++segment;
  return segments[segment].code;
}

std::optional<std::uint8_t> ScaledThresholds::finite(std::size_t sign, std::uint32_t significand,
                                                     int exponent) const {
  const int width = static_cast<int>(std::bit_width(significand));
  const int top = exponent + width - 1;
  const std::uint32_t aligned = significand << (kBits - width);
  if (top > kMost) {  // beyond every threshold, as the largest pattern is
    return is_coarse_ ? std::optional(at(sign, kMostPattern)) : std::nullopt;
  }
  if (top >= kLeast) {
    return at(sign, (static_cast<std::uint32_t>(top - kLeast) << (kBits - 1)) + aligned);
  }
  const int cut = kLeast - top;
  const std::uint32_t below = cut < 32 ? aligned >> cut : 0;
  const bool is_pattern = cut < 32 && below << cut == aligned;
  if (is_pattern) return at(sign, below);
  // Between zero and the smallest pattern there is no step but the one above zero itself.
  if (below == 0) return is_coarse_ ? std::optional(at(sign, 1)) : std::nullopt;
  const std::uint8_t code = at(sign, below);
  return code == at(sign, below + 1) ? std::optional(code) : std::nullopt;
}

std::optional<std::uint8_t> ScaledThresholds::code(const SourceNumber& x, int shift) const {
  const std::size_t sign = x.negative ? 1 : 0;
  switch (x.kind) {
    case SourceNumber::Kind::kInfinity:
      return thresholds_.infinity[sign];
    case SourceNumber::Kind::kQuietNan:
      return thresholds_.nan[0][sign];
    case SourceNumber::Kind::kSignalingNan:
      return thresholds_.nan[1][sign];
    case SourceNumber::Kind::kFinite:
      break;
  }
  if (x.significand == 0) return at(sign, 0);
  return finite(sign, x.significand, x.exponent - shift);
}

}  // namespace mx::sim
