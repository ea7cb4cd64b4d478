// Which scale belongs to which element: broadcasting and blocks. spec S8.4.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulators/common/interface.hpp"
#include "emulators/common/tensor.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::aimet {

/// Elements in a block along each axis of the scale, right-aligned to it; -1: as many as fit.
using BlockSize = std::vector<std::int64_t>;

/// A block size for each axis of the scale. ValueError where it has more axes than the scale, or
/// the scale more than the input.
[[nodiscard]] Checked<BlockSize> concretize_block_size(const Shape& input, const Shape& scale,
                                                       const BlockSize& block_size);

/// The results' shape and, for each of them in order, which element and which scale it is made of,
/// as nested loops: result index = sum of counters in row-major order.
class Layout {
 public:
  /// Plain broadcasting where block_size is empty, else blocks. RuntimeError where shapes do not
  /// fit. Strict refuses blocks that do not cover their axis, too (KA17).
  [[nodiscard]] static Checked<Layout> make(const Shape& input, const Shape& scale,
                                            const BlockSize& block_size, Mode mode);

  [[nodiscard]] const Shape& result() const { return result_; }

  /// A stretch of results: `count` of them, from element `input` on in steps of `input_step` and
  /// from scale `scale` on in steps of `scale_step`.
  struct Run {
    std::size_t first;
    std::size_t count;
    std::size_t input, input_step;
    std::size_t scale, scale_step;
  };

  /// The outermost loop's rounds: stretches of results of equal length. 0: there are no results.
  [[nodiscard]] std::size_t rounds() const {
    return elements_of(result_) == 0 ? 0 : loops_[0].count;
  }

  /// How many elements a block has where round b is the b-th block of neighbours under the b-th
  /// scale; 0: the rounds are others.
  [[nodiscard]] std::size_t block_length() const {
    if (loops_.size() != 2) return 0;
    const Loop &blocks = loops_[0], &block = loops_[1];
    const bool are_rows = block.input_step == 1 && block.scale_step == 0 &&
                          blocks.input_step == block.count && blocks.scale_step == 1;
    return are_rows ? block.count : 0;
  }

  /// Calls visit(run) for all results in order.
  template <typename Visit>
  void for_each_run(Visit visit) const {
    for_each_run(0, rounds(), visit);
  }

  /// The same for the results of the rounds from `from` up to `to`.
  template <typename Visit>
  void for_each_run(std::size_t from, std::size_t to, Visit visit) const {
    if (from >= to) return;
    const std::size_t inner = loops_.size() - 1;
    const Loop& outer = loops_[0];
    Run run{from * (elements_of(result_) / outer.count),
            inner == 0 ? to - from : loops_[inner].count,
            from * outer.input_step,
            loops_[inner].input_step,
            from * outer.scale_step,
            loops_[inner].scale_step};
    std::vector<std::size_t> counters(loops_.size(), 0);
    counters[0] = from;
    for (;;) {
      visit(static_cast<const Run&>(run));
      run.first += run.count;
      std::size_t i = inner;
      for (;;) {
        if (i == 0) return;
        --i;
        run.input += loops_[i].input_step;
        run.scale += loops_[i].scale_step;
        if (++counters[i] < (i == 0 ? to : loops_[i].count)) break;
        run.input -= counters[i] * loops_[i].input_step;
        run.scale -= counters[i] * loops_[i].scale_step;
        counters[i] = 0;
      }
    }
  }

 private:
  struct Loop {
    std::size_t count, input_step, scale_step;
  };
  void add_loop(const Loop& loop);

  Shape result_;
  std::vector<Loop> loops_;  ///< outermost first, at least one
};

/// "(2, 3)", "(2,)", "()".
[[nodiscard]] std::string tuple_text(std::span<const std::int64_t> sizes);
[[nodiscard]] std::string tuple_text(const Shape& shape);
/// The inverse; also a bare integer and a tuple without its last comma.
[[nodiscard]] std::optional<std::vector<std::int64_t>> parse_tuple(std::string_view text);

}  // namespace mx::emulators::aimet
