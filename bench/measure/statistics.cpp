#include "bench/measure/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace mx::goals {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("no measurement to take the median of");
  std::ranges::sort(values);
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {at(0.25), at(0.5), at(0.75)};
}

std::vector<double> ratios(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) throw std::invalid_argument("rounds of different numbers");
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] / b[i];
  return result;
}

}  // namespace mx::goals
