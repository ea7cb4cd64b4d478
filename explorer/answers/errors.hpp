// SPDX-License-Identifier: Apache-2.0
// How far the values of a tensor move under a format, summed piece by piece.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "explorer/answers/question.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::explorer {

/// Sums over the elements that are finite on both sides, as `mxgold.measure` of the Python package
/// has them: x is what was quantized, y what became of it.
struct ErrorSums {
  double elements = 0;
  double left_out = 0;   ///< not finite on one side
  double exact = 0;      ///< did not move
  double saturated = 0;  ///< became the largest magnitude of the format and lost magnitude
  double flushed = 0;    ///< other than zero, became zero
  double signal = 0;     ///< sum of x^2
  double noise = 0;      ///< sum of (y - x)^2
  double largest = 0;    ///< of |y - x|
  double moved = 0;      ///< sum of y - x
};

/// One format under one profile, over a tensor in C order whose blocks lie along its last axis.
class Errors {
 public:
  /// source, format, profile, and `length`, the elements of a row. Throws Refusal.
  explicit Errors(const Question& question);

  /// Does a scale of the whole tensor have to be found first, by look() at every piece?
  [[nodiscard]] bool looks_first() const;
  void look(std::span<const std::byte> words);
  /// Quantizes the next words and adds what became of them. The last piece ends with a row.
  void add(std::span<const std::byte> words);

  [[nodiscard]] const ErrorSums& sums() const { return sums_; }

 private:
  void add_block();
  void add_value(double x, double y, double top);

  QuantizerConfig config_;
  std::optional<Quantizer> quantizer_;  ///< nothing: single values
  std::optional<Conversion> conversion_;
  std::uint64_t length_ = 0;
  std::uint64_t in_row_ = 0;
  Unpacked amax_ = {};
  std::vector<std::uint64_t> block_;  ///< source words that wait for the rest of their block
  std::vector<std::uint64_t> codes_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> tops_;  ///< what the largest code means in each lane
  ErrorSums sums_;
};

}  // namespace mx::explorer
