// A rounding of one scale as a table of steps: a monotone function of few results, read by the
// leading bits of its argument.
#pragma once

#include <vector>

#include "emulators/aimet/element/working.hpp"

namespace mx::emulators::aimet {

class StepTable {
 public:
  /// Tables are made for types of at most this many mantissa bits.
  static constexpr int kMostMantissaBits = 4;

  /// Of a function of binary32 patterns that is monotone in the magnitude of either sign and has at
  /// most one step within 2^-(mantissa_bits + 1) of a binade. valid() says whether that was so.
  template <typename Function>
  StepTable(Function function, int mantissa_bits)
      : shift_(22 - mantissa_bits), steps_(std::size_t{1} << (32 - shift_)) {
    for (const Bits sign : {Bits{0}, fp32::kSignBit}) {
      const Bits last = sign | fp32::kInfinity;
      fill(function, sign, last - 1, function(sign), function(last - 1));
      // Infinity stands alone at the head of the NaNs.
      for (Bits u = last >> shift_; u <= (sign | 0x7FFFFFFF) >> shift_; ++u) {
        steps_[u] = {u == last >> shift_ ? last + 1 : u << shift_, function(last), kNan};
      }
    }
  }

  [[nodiscard]] bool valid() const { return is_valid_; }

  [[nodiscard]] Bits operator()(Bits x) const {
    const Step& step = steps_[x >> shift_];
    // Without a branch: which side of its step an element lies on is a coin toss.
    const Bits reached = Bits{0} - static_cast<Bits>(x >= step.from);
    return step.below ^ ((step.below ^ step.result) & reached);
  }

 private:
  struct Step {
    Bits from = 0;  ///< the first argument of `result`
    Bits below = 0;
    Bits result = 0;
  };

  /// The buckets of first..last, whose results at both ends are known.
  template <typename Function>
  void fill(Function& function, Bits first, Bits last, Bits at_first, Bits at_last) {
    const Bits from = first >> shift_, to = last >> shift_;
    if (at_first == at_last) {
      for (Bits u = from; u <= to; ++u) steps_[u] = {0, at_first, at_first};
      return;
    }
    if (from == to) {
      Bits below = first, above = last;
      while (above - below > 1) {
        const Bits middle = below + (above - below) / 2;
        (function(middle) == at_first ? below : above) = middle;
      }
      is_valid_ = is_valid_ && function(above) == at_last;
      steps_[from] = {above, at_first, at_last};
      return;
    }
    const Bits middle = (from + (to - from) / 2 + 1) << shift_;
    fill(function, first, middle - 1, at_first, function(middle - 1));
    fill(function, middle, last, function(middle), at_last);
  }

  int shift_;
  std::vector<Step> steps_;
  bool is_valid_ = true;
};

}  // namespace mx::emulators::aimet
