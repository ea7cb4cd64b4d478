// Coverpoints of source codes: the classes of values that test models of floating point name, and
// every exponent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "golden/coverpoints/coverpoint.hpp"
#include "reference/format/format.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/policy.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// The kinds of a value, without its sign: the basic types of IBM's floating-point test models, its
/// number types split at their ends.
#define MX_SOURCE_CLASS(X)          \
  X(kZero, "zero")                  \
  X(kMinSubnormal, "min_subnormal") \
  X(kSubnormal, "subnormal")        \
  X(kMaxSubnormal, "max_subnormal") \
  X(kMinNormal, "min_normal")       \
  X(kNormal, "normal")              \
  X(kMaxNormal, "max_normal")       \
  X(kInfinity, "infinity")          \
  X(kQuietNan, "quiet_nan")         \
  X(kSignalingNan, "signaling_nan")
MX_POLICY(SourceClass, MX_SOURCE_CLASS);

}  // namespace mx

namespace mx::golden {

/// Classifies the values of one format.
class SourceClasses {
 public:
  explicit SourceClasses(const ElementFormat& format);

  /// Classes times signs: the number of bins.
  static constexpr std::size_t kCount = 2 * tokens<SourceClass>().size();
  /// "+max_normal"
  [[nodiscard]] static std::string name(std::size_t index);

  [[nodiscard]] std::size_t index(const Unpacked& value) const;
  /// Is there no code of this class and sign?
  [[nodiscard]] bool is_empty(std::size_t index) const { return is_empty_[index]; }

 private:
  [[nodiscard]] SourceClass kind(const Unpacked& value) const;

  ElementFormat format_;
  Unpacked smallest_, largest_, max_subnormal_;
  bool has_subnormals_;
  bool is_empty_[kCount] = {};
};

/// Is a source value rounded: a number, and none that src_ftz makes a zero of?
[[nodiscard]] bool is_rounded(const ElementFormat& source, const ElementPolicy& policy,
                              const Unpacked& value);

/// The coverpoints `source_class` and `source_exponent`.
class SourcePoints {
 public:
  explicit SourcePoints(const ElementFormat& format);

  void sample(const Unpacked& value);
  [[nodiscard]] const SourceClasses& classes() const { return classes_; }
  void append_to(std::vector<Coverpoint>& points) const;

 private:
  SourceClasses classes_;
  Coverpoint class_point_;
  Coverpoint exponent_point_;
  int least_exponent_ = 0;
};

}  // namespace mx::golden
