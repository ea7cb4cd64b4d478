// What a series of measurements says: median, quartiles, and whether they lie close enough
// together.
#pragma once

#include <vector>

namespace mx::goals {

/// The share of the median that p25 to p75 may span in a measurement that counts.
inline constexpr double kWidestSpread = 0.15;

struct Spread {
  double low = 0;     ///< p25
  double median = 0;  ///< p50
  double high = 0;    ///< p75

  /// p25 to p75 as a share of the median.
  [[nodiscard]] double width() const { return (high - low) / median; }
  [[nodiscard]] bool is_steady() const { return median > 0 && width() <= kWidestSpread; }
};

/// Quartiles, with linear interpolation between neighbours. Throws std::invalid_argument where
/// there is nothing to look at.
[[nodiscard]] Spread spread_of(std::vector<double> values);

/// a[i] / b[i]. Throws std::invalid_argument where the lengths differ.
[[nodiscard]] std::vector<double> ratios(const std::vector<double>& a,
                                         const std::vector<double>& b);

}  // namespace mx::goals
