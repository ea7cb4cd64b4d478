// Codes of one format that operations are sensitive to: specials, ends of ranges, significands with
// few bits, neighbours of another code. Nothing here rounds.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/points/draw.hpp"
#include "golden/points/gaps.hpp"

namespace mx::golden {

/// The exponents that a format's numbers have.
struct Binades {
  int lowest, highest;

  explicit Binades(const ElementFormat& format);
};

class OperandKit {
 public:
  explicit OperandKit(const ElementFormat& format);

  [[nodiscard]] const ElementFormat& format() const { return grid_.format(); }
  /// Zeros, ones, ends of the subnormals and of the range, infinities, NaN of each kind, each sign.
  [[nodiscard]] const std::vector<std::uint64_t>& specials() const { return specials_; }
  /// The specials and, of either sign, a subnormal and a normal number inside their ranges.
  [[nodiscard]] std::vector<std::uint64_t> corners() const;
  /// Those of them that are numbers.
  [[nodiscard]] std::vector<std::uint64_t> number_corners() const;
  [[nodiscard]] std::uint64_t special(Draw& draw) const {
    return specials_[draw.below(specials_.size())];
  }
  /// Any code.
  [[nodiscard]] std::uint64_t any(Draw& draw) const { return draw.word64() & format().code_mask(); }
  /// Any number: no NaN, no infinity.
  [[nodiscard]] std::uint64_t number(Draw& draw) const {
    return code(draw, draw.between(0, grid_.max()));
  }
  /// A number whose significand has at most three ones or at most three zeros.
  [[nodiscard]] std::uint64_t sparse(Draw& draw) const;
  /// A number whose exponent is near 1.0's.
  [[nodiscard]] std::uint64_t middle(Draw& draw) const;
  /// Within a few binades of `code`, any sign.
  [[nodiscard]] std::uint64_t near(Draw& draw, std::uint64_t code, int binades) const;
  /// `code` with the other sign, moved by at most two magnitudes.
  [[nodiscard]] std::uint64_t opposite(Draw& draw, std::uint64_t code) const;
  /// A number of the binade from 2^exponent on, or of the nearest one that there is; any sign.
  [[nodiscard]] std::uint64_t in_binade(Draw& draw, int exponent) const;
  /// The code of 2^exponent, or of the largest magnitude below it.
  [[nodiscard]] std::uint64_t power(int exponent) const {
    return grid_.code(false, grid_.floor(unpack_integer(false, 1, exponent)));
  }
  /// The largest or the smallest magnitude that is not zero, or one next to it; any sign.
  [[nodiscard]] std::uint64_t largest(Draw& draw) const;
  [[nodiscard]] std::uint64_t smallest(Draw& draw) const;
  /// The code of -x, if there is one; 0 else. `x` is a number.
  [[nodiscard]] std::uint64_t negated(const Unpacked& x) const;
  /// The number of the sign whose magnitude is the largest that is at most |x|.
  [[nodiscard]] std::uint64_t at_or_below(const Unpacked& x, bool negative) const {
    return number_code(negative, grid_.floor(x));
  }
  /// A number so many magnitudes further from zero, or as near or as far as there is one.
  [[nodiscard]] std::uint64_t moved(std::uint64_t code, int by) const;
  /// A number next to the end of the range, or among the subnormals.
  [[nodiscard]] std::uint64_t extreme(Draw& draw) const;

 private:
  [[nodiscard]] std::uint64_t magnitude_of(std::uint64_t code) const;
  [[nodiscard]] std::uint64_t code(Draw& draw, std::uint64_t magnitude) const {
    return number_code(draw.small(2) != 0, magnitude);
  }
  /// +0 where the format has its NaN in the place of -0.
  [[nodiscard]] std::uint64_t number_code(bool negative, std::uint64_t magnitude) const {
    const std::uint64_t drawn = grid_.code(negative, std::min(magnitude, grid_.max()));
    return decode(format(), drawn).cls == ValueClass::kNan ? 0 : drawn;
  }

  SourceGrid grid_;
  std::vector<std::uint64_t> specials_;
};

}  // namespace mx::golden
