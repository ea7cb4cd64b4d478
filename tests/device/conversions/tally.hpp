// What comparing one form found.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/device/conversions/rule.hpp"

namespace mx::device {

struct Difference {
  Code input;
  Code expected;
  Code found;
};

class Tally {
 public:
  void add_equal(std::uint64_t words) { compared_ += words; }
  void add_different(const Rule& rule, const Difference& difference);
  void merge(const Tally& other);

  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  [[nodiscard]] std::uint64_t different() const { return different_; }
  /// The first differences and the kinds of input they are about, a line each; "" without any.
  [[nodiscard]] std::string text(const Rule& rule) const;

 private:
  static constexpr std::size_t kExamples = 3;  ///< of each kind: those of the least inputs
  static constexpr std::size_t kWords = 16;

  std::uint64_t compared_ = 0;
  std::uint64_t different_ = 0;
  std::uint64_t below_only_ = 0;  ///< the same code with other bits below it
  std::array<std::uint64_t, std::size(kKinds)> of_kind_{};
  std::array<std::vector<Difference>, std::size(kKinds)> examples_;
  std::map<Code, std::uint64_t> nan_words_;  ///< what was found for NaN, where it differs
};

}  // namespace mx::device
