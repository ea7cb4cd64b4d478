// Codes of one format that operations are sensitive to: specials, ends of ranges, significands with
// few bits, neighbours of another code. Nothing here rounds.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/points/draw.hpp"
#include "golden/points/gaps.hpp"

namespace mx::golden {

class OperandKit {
 public:
  explicit OperandKit(const ElementFormat& format);

  [[nodiscard]] const ElementFormat& format() const { return grid_.format(); }
  /// Zeros, ones, ends of the subnormals and of the range, infinities, NaN of each kind, each sign.
  [[nodiscard]] const std::vector<std::uint64_t>& specials() const { return specials_; }
  [[nodiscard]] std::uint64_t special(Draw& draw) const {
    return specials_[draw.below(specials_.size())];
  }
  /// Any code.
  [[nodiscard]] std::uint64_t any(Draw& draw) const { return draw.word64() & format().code_mask(); }
  /// A number whose significand has at most three ones or at most three zeros.
  [[nodiscard]] std::uint64_t sparse(Draw& draw) const;
  /// A number whose exponent is near 1.0's.
  [[nodiscard]] std::uint64_t middle(Draw& draw) const;
  /// Within a few binades of `code`, any sign.
  [[nodiscard]] std::uint64_t near(Draw& draw, std::uint64_t code, int binades) const;
  /// `code` with the other sign, moved by at most two magnitudes.
  [[nodiscard]] std::uint64_t opposite(Draw& draw, std::uint64_t code) const;
  /// A number next to the end of the range, or among the subnormals.
  [[nodiscard]] std::uint64_t extreme(Draw& draw) const;

 private:
  [[nodiscard]] std::uint64_t magnitude_of(std::uint64_t code) const;
  [[nodiscard]] std::uint64_t code(Draw& draw, std::uint64_t magnitude) const {
    return grid_.code(draw.small(2) != 0, std::min(magnitude, grid_.max()));
  }

  SourceGrid grid_;
  std::vector<std::uint64_t> specials_;
};

}  // namespace mx::golden
