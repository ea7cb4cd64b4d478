// Coverpoints of results: codes and flags.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "golden/coverpoints/coverpoint.hpp"
#include "reference/format/format.hpp"

namespace mx::golden {

/// The coverpoint `code`: every code of a format; without bins where they are more than 10 bits.
class CodePoint {
 public:
  explicit CodePoint(const ElementFormat& format);
  void sample(std::uint64_t code);
  void exclude_what(const CodePoint& witnesses) { point_.exclude_what(witnesses.point_); }
  void append_to(std::vector<Coverpoint>& points) const;

 private:
  Coverpoint point_;
};

/// The coverpoint `flags`: every flag set and clear.
class FlagsPoint {
 public:
  /// `names`: of the bits from bit 0 up; they must outlive this.
  explicit FlagsPoint(std::span<const std::string_view> names);
  void sample(std::uint64_t flags);
  void exclude_what(const FlagsPoint& witnesses) { point_.exclude_what(witnesses.point_); }
  /// Flags that no result can have set.
  void exclude(const std::function<bool(std::string_view)>& is_impossible);
  void append_to(std::vector<Coverpoint>& points) const { points.push_back(point_); }

 private:
  std::span<const std::string_view> names_;
  Coverpoint point_;
};

}  // namespace mx::golden
