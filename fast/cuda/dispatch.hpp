// From a call to the kernel that answers it. Included after kernels.cuh by whatever can start
// kernels: nvcc's code, and the kernel test.
#pragma once

#include <algorithm>

#include "fast/cuda/calls.hpp"

namespace mx::fast::cuda {

[[nodiscard]] inline bool rounds_ties_away(const cpu::RoundingMasks& r) {
  return r.nearest != 0 && r.by_odd == 0 && r.by_negative == 0 && r.always != 0;
}

/// f.operator()<Element>() for the short encoder that the configuration has, or for the general
/// arithmetic.
template <class Function>
void with_element(const Mode& mode, const Function& f) {
  const cpu::ElementConstants& c = mode.block.element;
  if (mode.drawing != Drawing::kNone) return f.template operator()<DrawnElement>();
  const auto is = [&](int man_bits, unsigned sign_bit) {
    return c.is_plain && c.man_bits == man_bits && c.sign_bit == sign_bit;
  };
  if (is(3, 0x80)) return f.template operator()<PlainElement<3, 8, false>>();
  if (is(2, 0x80)) return f.template operator()<PlainElement<2, 8, false>>();
  if (is(3, 0x20)) return f.template operator()<PlainElement<3, 6, false>>();
  if (is(2, 0x20)) return f.template operator()<PlainElement<2, 6, false>>();
  if (is(1, 0x08)) return f.template operator()<PlainElement<1, 4, false>>();
  if (c.saturates && rounds_ties_away(c.rounding) && c.man_bits == 1 && c.sign_bit == 0x08) {
    return f.template operator()<PlainElement<1, 4, false, Ties::kAway>>();
  }
  if (is_plain_int8(c)) return f.template operator()<PlainElement<6, 8, true>>();
  f.template operator()<AnyElement>();
}

/// f(true_type) or f(false_type).
template <class Function>
void with_flag(bool flag, const Function& f) {
  if (flag) return f(std::true_type{});
  f(std::false_type{});
}

/// Thread blocks for `work` items; the kernels' loops take what is left.
[[nodiscard]] inline unsigned thread_blocks(std::size_t work, std::size_t each) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  return static_cast<unsigned>(std::min((work + each - 1) / each, kMost));
}

/// Calls start(kernel, thread blocks, threads, arguments...) once. There is at least one element.
template <class Source, class Start>
void start_kernel(const Mode& mode, const Call& call, const Start& start) {
  const Run& run = call.run;
  const bool with_status = run.out.status != nullptr;
  if (call.kernel == Kernel::kRows) {
    const std::size_t units =
        row_units(run.swizzled, run.outer, run.length / 32, Unit<Source>::kToBlock);
    return with_element(mode, [&]<class Element>() {
      with_flag(with_status, [&](auto status) {
        start(&rows_kernel<Source, Element, status.value>,
              thread_blocks(units, std::size_t{2} * kThreads), kThreads, mode, run, units);
      });
    });
  }
  if (call.kernel == Kernel::kColumns || call.kernel == Kernel::kBoth) {
    const std::size_t tiles = tiles_of(run, kTileRows, kTileColumns);
    const auto start_tiles = [&]<class Element>(auto status) {
      with_flag(call.kernel == Kernel::kBoth, [&](auto rows) {
        start(&tile_kernel<Source, Element, decltype(status)::value, rows.value>,
              thread_blocks(tiles, 1), kTileThreads, mode, run, call.rows, tiles);
      });
    };
    // Status words come from the general arithmetic alone: reports and checks ask for them.
    if (with_status) {
      if (mode.drawing != Drawing::kNone) {
        return start_tiles.template operator()<DrawnElement>(std::true_type{});
      }
      return start_tiles.template operator()<AnyElement>(std::true_type{});
    }
    return with_element(mode, [&]<class Element>() {
      start_tiles.template operator()<Element>(std::false_type{});
    });
  }
  const std::size_t blocks = blocks_of(run, mode.block.block_size);
  with_flag(mode.drawing != Drawing::kNone, [&](auto draws) {
    with_flag(with_status, [&](auto status) {
      constexpr bool kDraws = decltype(draws)::value;
      constexpr bool kStatus = decltype(status)::value;
      if (run.inner == 1) {
        start(&general_kernel<Source, kDraws, kStatus, 8>, thread_blocks(blocks, kThreads / 8),
              kThreads, mode, run, blocks);
      } else {
        start(&general_kernel<Source, kDraws, kStatus, 1>, thread_blocks(blocks, kThreads),
              kThreads, mode, run, blocks);
      }
    });
  });
}

}  // namespace mx::fast::cuda
