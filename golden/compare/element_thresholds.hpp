// The thresholds that comparisons of conversions go by, and where two of them part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "golden/certificates/certificate.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

/// An interval of magnitudes of one sign on which two thresholds differ.
struct Interval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::size_t sign = 0;
};

/// Ordered by magnitude, then sign. NaN patterns are intervals too: signalling, then quiet.
[[nodiscard]] std::vector<Interval> differing_intervals(const ConversionThresholds& a,
                                                        const ConversionThresholds& b);

/// Is there a step function for a normalized conversion?
[[nodiscard]] bool has_thresholds(const ConversionConfig& conversion);

/// Makes thresholds, each once, and the certificates they come from.
class ThresholdCache {
 public:
  /// Requires has_thresholds(). Where a quirk of e8m0 acts, below the second binade, every pattern
  /// is converted; the rest is the certificate's.
  [[nodiscard]] const ConversionThresholds& thresholds_of(const ConversionConfig& conversion);

 private:
  struct Pair {
    ThresholdCertificate certificate;
    std::deque<std::pair<ConversionConfig, ConversionThresholds>> thresholds;
  };
  Pair& pair_of(const ConversionConfig& conversion);
  std::deque<Pair> pairs_;
};

}  // namespace mx::golden
