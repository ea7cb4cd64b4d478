// What a device may do otherwise: a policy with another value, another reading of its operands,
// scales that end elsewhere; one of these or several at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/record/run.hpp"

namespace mx::sim {

/// What exponent fields of IEEE-like source codes mean besides what spec F7 says.
enum class Reading : std::uint8_t {
  kAsSpecified,
  kLeadingOne,        ///< subnormals are 1.m * 2^-bias: field 0 is an ordinary binade
  kForcedOne,         ///< subnormals are 1.m * 2^(1-bias)
  kHalf,              ///< subnormals are 0.m * 2^-bias
  kSpecialsAreFinite  ///< Inf and NaN are the numbers of one more binade
};

/// A configuration of the run as a device would have it.
struct Variant {
  golden::Configuration configuration;
  Reading reading = Reading::kAsSpecified;
  std::optional<int> lowest, highest;  ///< exponents at which scales are held
};

/// One thing done otherwise.
struct Otherwise {
  std::string text;  ///< "rounding ties_to_away for ties_to_even (spec F15)"
  /// What it concerns: of two that concern the same, a device has one.
  std::string subject;
  /// Changes a configuration; false where it says nothing of that configuration.
  std::function<bool(Variant&)> apply;
};

/// Everything that might explain a wrong answer of the run.
[[nodiscard]] std::vector<Otherwise> all_otherwise(const golden::VectorHeader& header,
                                                   std::span<const RecordMismatch> wrong);

/// The answers of a device that does some things otherwise.
class OtherwiseModel {
 public:
  OtherwiseModel(const golden::VectorHeader& header, std::vector<const Otherwise*> changes);
  ~OtherwiseModel();

  /// Would it give the answer that the device gave, as far as that is compared?
  [[nodiscard]] bool explains(const RecordMismatch& m);

 private:
  class Answers;
  const std::unique_ptr<Answers>& of(std::size_t config);

  const golden::VectorHeader* header_;
  std::vector<const Otherwise*> changes_;
  std::vector<std::unique_ptr<Answers>> answers_;
  std::vector<bool> made_;
};

}  // namespace mx::sim
