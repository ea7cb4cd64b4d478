// The few results of a small type under one scale, each with the smallest magnitude that gives it:
// an element is a comparison with each, without a division.
#pragma once

#include <array>
#include <cstddef>

#include "emulators/aimet/element/kernel.hpp"

namespace mx::emulators::aimet {

/// The positive values of a type: at most so many.
inline constexpr std::size_t kMostRungs = 8;

/// What is the same for every scale: the type's values and the middles between them.
class LadderPlan {
 public:
  /// A plan of a kernel whose route is the pattern's, on binary32 quotients.
  explicit LadderPlan(const Kernel& kernel);

  /// Are there a plan and few enough values?
  [[nodiscard]] bool applies() const { return count_ != 0; }

 private:
  friend class Ladder;

  std::size_t count_ = 0;
  std::array<Bits, kMostRungs> values_{};
  /// The least quotient that is rounded to the value or beyond, as significand * 2^exponent; `open`
  /// where the quotient must exceed it.
  struct Middle {
    std::uint32_t significand = 0;
    int exponent = 0;
    bool open = false;
  };
  std::array<Middle, kMostRungs> middles_{};
};

class Ladder {
 public:
  /// valid() says whether the scale is far enough from the ends of binary32.
  Ladder(const LadderPlan& plan, Bits scale);

  [[nodiscard]] bool valid() const { return is_valid_; }

  /// Results of elements, binary32 both.
  void operator()(const std::byte* values, std::byte* results, std::size_t count) const;

 private:
  std::array<std::int32_t, kMostRungs> from_{};    ///< the smallest magnitude of a value
  std::array<std::uint32_t, kMostRungs> rises_{};  ///< from the result before to the value's
  bool is_valid_ = false;
};

}  // namespace mx::emulators::aimet
