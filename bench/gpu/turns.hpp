// Two works that take turns, as ratios: what a table of rates says of them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace mx::bench {

/// Milliseconds of each round, ours and the other's, taken in turns. At least one round.
class Turns {
 public:
  void add(float ours, float other) {
    ours_.push_back(ours);
    other_.push_back(other);
    ratios_.push_back(other / ours);
  }

  [[nodiscard]] float ours() const { return quantile(ours_, 2); }
  [[nodiscard]] float other() const { return quantile(other_, 2); }
  /// The other's time over ours, of each round.
  [[nodiscard]] float ratio() const { return quantile(ratios_, 2); }
  [[nodiscard]] float low() const { return quantile(ratios_, 1); }
  [[nodiscard]] float high() const { return quantile(ratios_, 3); }

  /// Quartiles more than 15 % of the median apart say nothing; a goal of 0 is none.
  [[nodiscard]] std::string verdict(double goal) const {
    if (high() - low() > 0.15F * ratio()) return "INVALID: too noisy";
    if (goal <= 0) return "reported";
    return static_cast<double>(ratio()) >= goal ? "met" : "NOT MET";
  }

 private:
  [[nodiscard]] static float quantile(std::vector<float> values, std::size_t quarter) {
    std::ranges::sort(values);
    return values[values.size() * quarter / 4];
  }

  std::vector<float> ours_;
  std::vector<float> other_;
  std::vector<float> ratios_;
};

}  // namespace mx::bench
