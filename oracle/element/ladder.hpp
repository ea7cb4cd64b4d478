// The ladder of magnitudes a format can represent, and where a value lies on it.
//
// Step k is the k-th smallest magnitude: every finite magnitude code in order, plus
//   - one virtual step above the largest, the value the next code would have if exponents went on,
//   - for formats without zero, the virtual steps 0 .. 2^man_bits - 1 below the smallest value
//     (multiples of its spacing, down to 0), which all stand for the smallest code,
//   - for fixed point one more real step, the magnitude only negative codes reach.
// A value is located by search and by comparing exact numbers, never by looking at its bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "oracle/number/number.hpp"
#include "oracle/number/value.hpp"

namespace mx::oracle {

/// Where a magnitude lies between a lower and an upper neighbour: nu = (x - lower) / (upper -
/// lower) in [0, 1), in the terms the roundings of spec F9.1 ask about.
struct Position {
  bool exact = true;  ///< nu = 0
  int half = -1;      ///< sign of nu - 1/2
  bool odd = false;   ///< the lower neighbour is odd (spec F9.3)
  // Of the N that was asked for; 0 if none was:
  std::uint64_t floor_n = 0;   ///< floor(nu * 2^N)
  std::uint64_t floor_n1 = 0;  ///< floor(nu * 2^(N+1))
  std::uint64_t rint_even = 0;
  std::uint64_t rint_odd = 0;
};

/// The policy-independent facts about one magnitude and one destination.
struct Placement {
  std::uint64_t lower = 0;  ///< greatest step at or below the magnitude
  bool beyond = false;      ///< at or above the virtual step above the largest
  Position gap;
  bool below_normal = false;  ///< below the smallest normal value 2^emin (tapered: smallest value)
  bool last_gap = false;      ///< below_normal, and above the P-bit neighbour below 2^emin
  Position tiny_gap;          ///< last_gap: the gap between that neighbour and 2^emin
};

/// The facts of a ladder that need no numbers.
struct LadderShape {
  std::uint64_t virtual_steps = 0;  ///< below the smallest value: code 0 stands for all of them
  std::uint64_t top = 0;            ///< the virtual step above the largest
  int emin = 0;                     ///< floats: exponent of the smallest normal value
  /// Tapered formats: the magnitude codes in the order of their values.
  std::vector<std::uint64_t> order;

  explicit LadderShape(const ElementFormat& format) {
    if (format.kind == FormatKind::kTapered) {
      order = codes_by_value(format);
      top = order.size();
      return;
    }
    if (format.kind == FormatKind::kSignMagnitude) {
      top = format.max_code + 1;
      return;
    }
    if (format.kind == FormatKind::kTwosComplement) {
      const std::uint64_t half_range = std::uint64_t{1} << (format.bits - 1);
      top = format.is_signed ? half_range + 1 : 2 * half_range;
      return;
    }
    if (format.zero == ZeroKind::kNone) virtual_steps = std::uint64_t{1} << format.man_bits;
    emin = format.zero == ZeroKind::kNone ? -format.bias : 1 - format.bias;
    top = virtual_steps + format.max_code + 1;
  }

  /// The magnitude code of a step that is a value, and the step of a finite magnitude code.
  [[nodiscard]] std::uint64_t code_of(std::uint64_t step) const {
    return order.empty() || step >= order.size() ? step - virtual_steps : order[step];
  }
  [[nodiscard]] std::uint64_t step_of(std::uint64_t code) const {
    if (order.empty()) return code + virtual_steps;
    return static_cast<std::uint64_t>(std::find(order.begin(), order.end(), code) - order.begin());
  }

 private:
  static std::vector<std::uint64_t> codes_by_value(const ElementFormat& format) {
    std::vector<std::uint64_t> codes;
    for (std::uint64_t code = 0; code < std::uint64_t{1} << (format.bits - 1); ++code) {
      if (value_of(format, code).finite()) codes.push_back(code);
    }
    const auto number = [&](std::uint64_t code) {
      const Real x = value_of(format, code);
      return RationalField::make(x.significand, x.exponent);
    };
    std::sort(codes.begin(), codes.end(),
              [&](std::uint64_t a, std::uint64_t b) { return number(a) < number(b); });
    return codes;
  }
};

template <class Field>
class Ladder {
 public:
  using Number = typename Field::Number;

  explicit Ladder(const ElementFormat& format) : format_(format), shape_(format) {
    if (format.kind == FormatKind::kFloat) {
      smallest_normal_ = Field::make(1, shape_.emin);
      // The P-bit number just below 2^emin if exponents went on downwards: 2^emin - 2^(emin-P).
      below_normal_ = smallest_normal_ - Field::make(1, shape_.emin - format.man_bits - 1);
    }
    if (format.bits > 16 || !Field::kTabulated) return;
    table_.reserve(shape_.top + 1);
    for (std::uint64_t step = 0; step <= shape_.top; ++step) {
      table_.push_back(compute(step));
      if (step > 0 && !(table_[step - 1] < table_[step])) {
        throw std::logic_error("magnitudes of " + std::string(format.name) + " do not ascend");
      }
    }
  }

  [[nodiscard]] const LadderShape& shape() const { return shape_; }
  [[nodiscard]] const ElementFormat& format() const { return format_; }

  /// The exact magnitude of a step, 0 .. shape().top.
  [[nodiscard]] Number value(std::uint64_t step) const {
    return table_.empty() ? compute(step) : table_[step];
  }

  /// The greatest step whose value is at or below the magnitude.
  [[nodiscard]] std::uint64_t step_at_or_below(const Number& magnitude) const {
    std::uint64_t low = 0;  // value(low) <= magnitude: step 0 is 0 on every ladder
    std::uint64_t high = shape_.top + 1;
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      const bool above = table_.empty() ? magnitude < compute(middle) : magnitude < table_[middle];
      (above ? high : low) = middle;
    }
    return low;
  }

  /// Locates |x|, x finite. random_bits > 0 also fills the counts of the stochastic roundings.
  [[nodiscard]] Placement place(const Real& x, int random_bits) const {
    return place(Field::make(x.significand, x.exponent), random_bits);
  }

  /// Locates a magnitude.
  [[nodiscard]] Placement place(const Number& magnitude, int random_bits) const {
    Placement place;
    place.lower = step_at_or_below(magnitude);
    place.beyond = place.lower == shape_.top;
    if (!place.beyond) {
      place.gap =
          gap(magnitude, value(place.lower), value(place.lower + 1), odd(place.lower), random_bits);
    }
    if (format_.kind == FormatKind::kTapered && place.lower == 0) {
      // The precision has run out: nothing goes on below the smallest value, so a result is tiny
      // when it is zero (spec F20, HiF8).
      place.below_normal = true;
      place.last_gap = true;
      place.tiny_gap = place.gap;
    }
    if (format_.kind == FormatKind::kFloat && magnitude < smallest_normal_) {
      place.below_normal = true;
      place.last_gap = below_normal_ < magnitude;
      // With a stored significand the neighbour is all ones, so odd. Without, its code, exponents
      // going on, would be one below the code of 2^emin: 0, or -1 where 2^emin has code 0.
      const bool neighbour_odd = format_.man_bits > 0 || format_.zero == ZeroKind::kNone ||
                                 format_.parity == Parity::kImplicitOdd;
      if (place.last_gap) {
        place.tiny_gap =
            gap(magnitude, below_normal_, smallest_normal_, neighbour_odd, random_bits);
      }
    }
    return place;
  }

  /// Parity of a step: spec F9.3.
  [[nodiscard]] bool odd(std::uint64_t step) const {
    if (step < shape_.virtual_steps) return false;
    const std::uint64_t code = shape_.code_of(step);
    if (format_.kind == FormatKind::kFloat && format_.parity == Parity::kImplicitOdd &&
        format_.man_bits == 0) {
      return code != 0 || format_.zero == ZeroKind::kNone;
    }
    return code % 2 != 0;
  }

 private:
  [[nodiscard]] Number compute(std::uint64_t step) const {
    if (format_.kind == FormatKind::kTwosComplement || format_.kind == FormatKind::kSignMagnitude) {
      return Field::make(step, -format_.frac_bits);
    }
    if (format_.kind == FormatKind::kTapered) {
      const bool above = step == shape_.top;
      const Real x = value_of(format_, shape_.order[step - (above ? 1 : 0)]);
      return Field::make(x.significand + (above ? 1 : 0), x.exponent);
    }
    if (step == 0) return Field::make(0, 0);
    if (step < shape_.virtual_steps) return Field::make(step, shape_.emin - format_.man_bits);
    const std::uint64_t code = step - shape_.virtual_steps;
    // Rounding happens on the grid with subnormals also where the format has none; what lands on
    // them is flushed afterwards (spec F8 step 9).
    if (format_.zero != ZeroKind::kNone && code >> format_.man_bits == 0) {
      return Field::make(code, shape_.emin - format_.man_bits);
    }
    if (step == shape_.top) {  // one spacing of the largest value's binade above it
      const Real largest = value_of(format_, code - 1);
      return Field::make(largest.significand + 1, largest.exponent);
    }
    const Real x = value_of(format_, code);
    if (!x.finite() || x.negative) {
      throw std::logic_error("code below max_code of " + std::string(format_.name) +
                             " is not a positive number");
    }
    return Field::make(x.significand, x.exponent);
  }

  [[nodiscard]] static Position gap(const Number& x, const Number& lower, const Number& upper,
                                    bool odd, int random_bits) {
    Position gap;
    gap.odd = odd;
    const Number part = x - lower;
    const Number whole = upper - lower;
    gap.exact = part == 0;
    const Number twice = part + part;
    gap.half = twice < whole ? -1 : (twice == whole ? 0 : 1);
    if (random_bits == 0 || gap.exact) return gap;
    const ScaledFloor fine = Field::scaled_floor(part, whole, random_bits + 1);
    gap.floor_n1 = fine.floor;
    gap.floor_n = fine.floor / 2;
    // nu * 2^N = floor_n + (1/2 if the fine floor is odd) + (less than 1/2 if there is a rest)
    const bool at_least_half = fine.floor % 2 != 0;
    const bool tie = at_least_half && !fine.rest;
    const std::uint64_t nearest = gap.floor_n + (at_least_half ? 1 : 0);
    gap.rint_even = tie && nearest % 2 != 0 ? nearest - 1 : nearest;
    gap.rint_odd = tie && nearest % 2 == 0 ? nearest - 1 : nearest;
    return gap;
  }

  ElementFormat format_;
  LadderShape shape_;
  Number smallest_normal_;
  Number below_normal_;
  std::vector<Number> table_;
};

}  // namespace mx::oracle
