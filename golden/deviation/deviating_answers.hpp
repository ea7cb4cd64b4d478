// A configuration as a deviating device has it, and its answers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "golden/answers/answers.hpp"
#include "golden/structure/structure.hpp"
#include "golden/vectors/header.hpp"
#include "reference/policy/token.hpp"

namespace mx::golden {

/// What subnormals of IEEE-like source formats mean besides what spec F7 says.
#define MX_SUBNORMAL_READING(X)                                                             \
  X(kAsSpecified, "as_specified")                                                           \
  X(kLeadingOne, "leading_one") /* 1.m * 2^-bias: exponent field 0 is an ordinary binade */ \
  X(kForcedOne, "forced_one")   /* 1.m * 2^(1-bias) */                                      \
  X(kHalf, "half")              /* 0.m * 2^-bias */

/// What Inf and NaN of IEEE-like source formats mean.
#define MX_SPECIAL_READING(X)     \
  X(kAsSpecified, "as_specified") \
  X(kNumbers, "numbers") /* the numbers of one more binade */

}  // namespace mx::golden

namespace mx {
MX_POLICY(SubnormalReading, MX_SUBNORMAL_READING);
MX_POLICY(SpecialReading, MX_SPECIAL_READING);
}  // namespace mx

namespace mx::golden {

/// A configuration, and what a device does that no configuration says. What it does to answers
/// comes after everything else, in the order of the members.
struct DeviatingConfiguration {
  Configuration configuration;
  SubnormalReading subnormals = SubnormalReading::kAsSpecified;
  SpecialReading specials = SpecialReading::kAsSpecified;
  std::optional<int> lowest = {}, highest = {};  ///< exponents at which scales are held
  /// Added to the scale code, within the range of codes; codes and flags are those of that scale.
  int scale_offset = 0;
  int shown_scale_offset = 0;  ///< added to the scale code alone
  std::map<std::uint64_t, std::uint64_t> scale_codes =
      {};                                             ///< scale codes that are given for others
  std::map<std::uint64_t, std::uint64_t> codes = {};  ///< codes that are given for others
  std::uint64_t flags_missing = 0, flags_set = 0;     ///< bits of the flags
  /// What no policy says, before all that is done to answers; in the table of structures.
  std::vector<const Structure*> structures = {};
};

/// The source format of a configuration; nullptr where its operation has none.
[[nodiscard]] const ElementFormat* source_of(const Configuration& configuration);
/// Has the source format subnormals, Inf and NaN as IEEE 754 has them? Readings need it.
[[nodiscard]] bool is_ieee_like(const ElementFormat& format);
/// Are scales exponents alone, one for each block? Ends and offsets of scales need it.
[[nodiscard]] bool has_exponent_scale(const Configuration& configuration);

/// The reference under such a configuration, a record at a time. Not thread-safe.
class DeviatingAnswers {
 public:
  /// `header`: of records of the configuration, as one of many.
  DeviatingAnswers(const VectorHeader& header, DeviatingConfiguration changed);
  /// Can it be computed? The rest asks for it.
  [[nodiscard]] bool is_possible() const { return reference_ != nullptr; }

  /// Would it give the answer in record i of `actual`, in every word that is compared? `expected`
  /// has the operands.
  [[nodiscard]] bool gives(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                           const OpenAnswer& open);

 private:
  void answer(const RecordBatch& operands, std::size_t i);
  void change_answer();
  void move_scale();
  [[nodiscard]] std::uint64_t as_format(std::uint64_t code) const;

  VectorHeader header_;
  DeviatingConfiguration changed_;
  std::optional<ElementFormat> source_;  ///< where its codes are read differently
  std::optional<ScaleFormat> scale_;
  ScaleFormat held_;
  std::unique_ptr<ReferenceAnswerer> reference_;
  std::optional<Elements> elements_;  ///< where structures, or a scale that is moved, need them
  RecordBatch own_;                   ///< one record: operands as read, and the answer
};

}  // namespace mx::golden
