// The staircases that comparisons of conversions go by, and where two of them part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "golden/certificates/certificate.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

/// An interval of magnitudes of one sign on which two staircases differ.
struct Interval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::size_t sign = 0;
};

/// Ordered by magnitude, then sign. NaN patterns are intervals too: signalling, then quiet.
[[nodiscard]] std::vector<Interval> differing_intervals(const Staircase& a, const Staircase& b);

/// Is there a staircase for a normalized conversion?
[[nodiscard]] bool has_staircase(const ConversionConfig& conversion);

/// Makes staircases, each once, and the certificates they come from.
class StaircaseCache {
 public:
  /// Requires has_staircase(). Where a quirk of e8m0 acts, below the second binade, every pattern
  /// is converted; the rest is the certificate's.
  [[nodiscard]] const Staircase& staircase_of(const ConversionConfig& conversion);

 private:
  struct Pair {
    ThresholdCertificate certificate;
    std::deque<std::pair<ConversionConfig, Staircase>> staircases;
  };
  Pair& pair_of(const ConversionConfig& conversion);
  std::deque<Pair> pairs_;
};

}  // namespace mx::golden
