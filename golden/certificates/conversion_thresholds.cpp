// From ladders and tables to the thresholds of one policy, and from a step function to codes.
#include <algorithm>
#include <stdexcept>

#include "golden/certificates/certificate.hpp"

namespace mx::golden {
namespace {

/// Segments in ascending order of their first pattern; an empty one gives way to the next.
class Builder {
 public:
  explicit Builder(std::uint32_t end) : end_(end) {}
  void add(std::uint32_t first, std::uint8_t code) {
    if (first >= end_) return;
    while (!segments_.empty() && segments_.back().first >= first) segments_.pop_back();
    if (segments_.empty() || segments_.back().code != code) segments_.push_back({first, code});
  }
  [[nodiscard]] std::vector<ThresholdStep> take() { return std::move(segments_); }

 private:
  std::uint32_t end_;
  std::vector<ThresholdStep> segments_;
};

template <typename E>
std::size_t index(E value) {
  return static_cast<std::size_t>(value);
}

/// The finite thresholds of one sign under one policy.
struct Side {
  const ThresholdCertificate& certificate;
  const ElementPolicy& policy;
  const ThresholdSet& set;
  bool negative;  ///< of the input
  std::size_t sign = negative ? 1 : 0;

  /// Patterns below this are zeros before they are rounded.
  [[nodiscard]] std::uint32_t first_nonzero() const {
    const auto normal = static_cast<std::uint32_t>(certificate.source.man_mask() + 1);
    const bool flushes = policy.src_ftz == SourceSubnormals::kFlush;
    return std::max(set.first_nonzero, flushes ? normal : 1);
  }
  /// Values below this pattern become zero before they are rounded to a rank.
  [[nodiscard]] std::uint32_t first_rounded() const {
    const bool flushes = policy.dst_ftz == ResultSubnormals::kFlushBeforeRounding;
    return std::max(first_nonzero(), flushes ? set.first_normal : 1);
  }
  [[nodiscard]] std::uint8_t zero_code() const {
    return certificate.special.zero[index(policy.zero_sign)][index(policy.zero_in)][sign];
  }
  [[nodiscard]] std::uint8_t underflow_code(std::size_t result_sign) const {
    return certificate.special.underflow[index(policy.zero_sign)][result_sign];
  }
  [[nodiscard]] std::uint8_t overflow_code(std::size_t result_sign) const {
    return certificate.special.overflow[certified_index(policy.overflow)][index(policy.int_min)]
                                       [certified_index(policy.rounding)][result_sign];
  }
  [[nodiscard]] std::uint8_t infinity_code(std::size_t result_sign) const {
    return certificate.special
        .infinity[certified_index(policy.overflow)][index(policy.int_min)][result_sign];
  }
  [[nodiscard]] const CertificateLadder& ladder(bool result_negative) const {
    return set.ladders[index(ladder_of(policy.rounding, result_negative))];
  }
  [[nodiscard]] std::uint32_t first_kept() const {
    return certificate.first_kept[certified_index(policy.dst_ftz)];
  }

  /// Every rank, then overflow, then what the staging sends to infinity.
  void add_ranks(std::size_t result_sign, Builder& out) const {
    const std::vector<std::uint32_t>& t = ladder(result_sign == 1).thresholds;
    const std::uint32_t top = certificate.top[result_sign][index(policy.int_min)];
    for (std::uint32_t rank = 0; rank <= top; ++rank) {
      const bool is_zero = rank < first_kept();
      out.add(std::max(t[rank], is_zero ? first_nonzero() : first_rounded()),
              is_zero ? underflow_code(result_sign) : certificate.codes[result_sign][rank]);
    }
    out.add(std::max(t[top + 1], first_rounded()), overflow_code(result_sign));
    out.add(set.first_infinite, infinity_code(result_sign));
  }

  /// An unsigned result below zero: what is not zero after rounding and flushing overflows.
  void add_below_zero(Builder& out) const {
    const CertificateLadder& down = ladder(true);
    const std::uint32_t kept = first_kept();
    const std::uint32_t first = kept == 0 ? down.first_step : down.thresholds[kept];
    out.add(first_nonzero(), underflow_code(1));
    out.add(std::max(first, first_rounded()), overflow_code(1));
    out.add(set.first_infinite, infinity_code(1));
  }

  /// The finite segments, and the code of the infinity.
  [[nodiscard]] std::vector<ThresholdStep> build(std::uint8_t& infinity) const {
    Builder out(static_cast<std::uint32_t>(certificate.source.inf_code()));
    out.add(0, zero_code());
    infinity = infinity_code(sign);
    if (!negative || certificate.destination.is_signed) {
      add_ranks(sign, out);
      return out.take();
    }
    switch (policy.unsigned_negative) {
      case UnsignedNegative::kMagnitude:
        add_ranks(0, out);
        infinity = infinity_code(0);
        break;
      case UnsignedNegative::kToNan:
        infinity = certificate.special.negative_to_nan;
        out.add(first_nonzero(), infinity);
        break;
      case UnsignedNegative::kToMin:
        infinity = certificate.special.negative_to_min;
        out.add(first_nonzero(), infinity);
        break;
      case UnsignedNegative::kSaturateRule:
        add_below_zero(out);
        break;
    }
    return out.take();
  }
};

std::vector<ThresholdStep>::const_iterator segment_at(const std::vector<ThresholdStep>& segments,
                                                      std::uint32_t magnitude) {
  return std::ranges::upper_bound(segments, magnitude, {}, &ThresholdStep::first) - 1;
}

}  // namespace

ConversionThresholds conversion_thresholds(const ThresholdCertificate& certificate,
                                           const ElementPolicy& policy) {
  if (is_stochastic(policy.rounding)) {
    throw std::invalid_argument("a step function needs a deterministic rounding");
  }
  const ElementFormat& source = certificate.source;
  ConversionThresholds thresholds;
  thresholds.source_bits = source.bits;
  thresholds.infinity_pattern = static_cast<std::uint32_t>(source.inf_code());
  thresholds.quiet_pattern =
      thresholds.infinity_pattern + (std::uint32_t{1} << (source.man_bits - 1));
  const ThresholdSet& set = certificate.set_of(policy.staging);
  for (const bool negative : {false, true}) {
    const Side side{certificate, policy, set, negative};
    thresholds.finite[side.sign] = side.build(thresholds.infinity[side.sign]);
  }
  thresholds.nan = certificate.special.nan[certified_index(policy.nan)];
  return thresholds;
}

std::uint8_t code_of(const ConversionThresholds& thresholds, std::uint32_t pattern) {
  const std::uint32_t sign_bit = std::uint32_t{1} << (thresholds.source_bits - 1);
  const std::size_t sign = (pattern & sign_bit) != 0 ? 1 : 0;
  const std::uint32_t magnitude = pattern & (sign_bit - 1);
  if (magnitude < thresholds.infinity_pattern)
    return segment_at(thresholds.finite[sign], magnitude)->code;
  if (magnitude == thresholds.infinity_pattern) return thresholds.infinity[sign];
  return thresholds.nan[magnitude < thresholds.quiet_pattern ? 1 : 0][sign];
}

void expand(const ConversionThresholds& thresholds, std::uint64_t first,
            std::span<std::uint8_t> codes) {
  const std::uint64_t half = std::uint64_t{1} << (thresholds.source_bits - 1);
  std::size_t at = 0;
  // Fills up to the pattern `end` of the half that starts at `base`.
  const auto fill = [&](std::uint64_t end, std::uint8_t code) {
    if (first + at >= end) return;
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(end - first - at, codes.size() - at));
    std::ranges::fill(codes.subspan(at, count), code);
    at += count;
  };
  for (std::size_t sign = 0; sign < 2; ++sign) {
    const std::uint64_t base = sign * half;
    const std::vector<ThresholdStep>& segments = thresholds.finite[sign];
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const bool is_last = i + 1 == segments.size();
      fill(base + (is_last ? thresholds.infinity_pattern : segments[i + 1].first),
           segments[i].code);
    }
    fill(base + thresholds.infinity_pattern + 1, thresholds.infinity[sign]);
    fill(base + thresholds.quiet_pattern, thresholds.nan[1][sign]);
    fill(base + half, thresholds.nan[0][sign]);
  }
}

}  // namespace mx::golden
