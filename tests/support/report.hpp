// What a sweep found, and the exit code that says so.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mx::oracle {

/// Cases compared and what differed. A sweep that compared nothing has failed.
class Report {
 public:
  /// Counts one comparison; `describe` is called only for the first few mismatches.
  template <class Describe>
  void check(bool equal, Describe&& describe) {
    ++cases_;
    if (equal) return;
    if (++mismatches_ <= kExamples) examples_.push_back(describe());
  }
  /// Counts comparisons that were equal.
  void add_equal(std::uint64_t cases) { cases_ += cases; }
  /// Counts a class of stimulus; a floor on it is asserted by require().
  void classify(const std::string& name) { ++classes_[name]; }

  [[nodiscard]] std::uint64_t cases() const { return cases_; }
  [[nodiscard]] std::uint64_t mismatches() const { return mismatches_; }
  [[nodiscard]] std::uint64_t count(const std::string& name) const {
    const auto found = classes_.find(name);
    return found == classes_.end() ? 0 : found->second;
  }
  /// spec V9: 0 pass, 6 the oracle disagrees or nothing was compared.
  [[nodiscard]] int exit_code() const { return cases_ != 0 && mismatches_ == 0 ? 0 : 6; }
  /// Counts, seed, the first mismatches and the command that reproduces them.
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::uint64_t kExamples = 5;
  std::uint64_t cases_ = 0;
  std::uint64_t mismatches_ = 0;
  std::vector<std::string> examples_;
  std::map<std::string, std::uint64_t> classes_;
};

/// "MX_TEST_SEED=1 <this binary> --gtest_filter=<the running test>"
[[nodiscard]] std::string reproduce_command();

/// Lower-case hexadecimal without prefix, at least `digits` wide.
[[nodiscard]] std::string hex(std::uint64_t value, int digits = 2);

}  // namespace mx::oracle
