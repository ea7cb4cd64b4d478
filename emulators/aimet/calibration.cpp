#include "emulators/aimet/calibration.hpp"

#include <algorithm>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::aimet {
namespace {

/// An integer that orders patterns as their values, the two zeros one below the other; all NaNs are
/// above.
std::int64_t key_of(Bits x) {
  if (fp32::is_nan(x)) return std::int64_t{1} << 33;
  const std::int64_t magnitude = magnitude_of(x);
  return sign_of(x) != 0 ? -magnitude - 1 : magnitude;
}

Bits lesser(Bits a, Bits b) {
  if (fp32::is_nan(a) || fp32::is_nan(b)) return kNan;
  return key_of(b) < key_of(a) ? b : a;
}
Bits greater(Bits a, Bits b) {
  if (fp32::is_nan(a) || fp32::is_nan(b)) return kNan;
  return key_of(b) > key_of(a) ? b : a;
}

/// Extends a range by `count` words from `first` on, `step` apart.
void extend(const TensorView& tensor, std::size_t first, std::size_t step, std::size_t count,
            Bits& min, Bits& max) {
  for (std::size_t i = 0; i < count; ++i, first += step) {
    const Bits x = widened(tensor.type, word_at(tensor, first));
    min = lesser(min, x);
    max = greater(max, x);
  }
}

struct Steps {
  Bits count;     ///< 2^bitwidth - 1
  Bits smallest;  ///< min(2^-23, 0.01 / count)
};

Steps steps_of(int bitwidth) {
  const Arithmetic fp64 = Arithmetic::ieee(formats::fp64);
  const Unpacked count = unpack_integer(false, (std::uint64_t{1} << bitwidth) - 1, 0);
  constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan};
  constexpr std::uint64_t kHundredth = 0x3F847AE147AE147B;
  const std::uint64_t step =
      fp64.divide(kHundredth, encode(count, formats::fp64, kIeee, 0).code).code;
  const Bits epsilon = 0x34000000;  // 2^-23
  return {fp32::round(count), std::min(epsilon, widen(TensorType::kFp64, step))};
}

Bits largest(TensorType type) {
  return type == TensorType::kFp32   ? fp32::kMax
         : type == TensorType::kBf16 ? 0x7F7F0000
                                     : 0x477FE000;
}

}  // namespace

Checked<Range> observe(const TensorView& tensor, const Shape& shape, const BlockSize& block_size,
                       Mode mode) {
  const Checked<Layout> layout = Layout::make(tensor.shape, shape, block_size, mode);
  if (!layout) return Problem{std::string(layout.problem())};
  if (layout->result() != tensor.shape) {
    return Problem{"RuntimeError: an input of shape " + tuple_text(tensor.shape) +
                   " cannot be reduced to shape " + tuple_text(shape)};
  }
  const std::size_t count = elements_of(shape);
  Range range{tensor.type, shape, std::vector<Bits>(count, fp32::kInfinity),
              std::vector<Bits>(count, fp32::kInfinity | fp32::kSignBit)};
  layout->for_each_run([&](const Layout::Run& run) {
    if (run.scale_step == 0) {
      extend(tensor, run.input, run.input_step, run.count, range.min[run.scale],
             range.max[run.scale]);
      return;
    }
    for (std::size_t i = 0; i < run.count; ++i) {
      const std::size_t scale = run.scale + i * run.scale_step;
      extend(tensor, run.input + i * run.input_step, 1, 1, range.min[scale], range.max[scale]);
    }
  });
  return range;
}

Range merge(const Range& seen, const Range& batch) {
  Range both = batch;
  for (std::size_t i = 0; i < both.min.size(); ++i) {
    both.min[i] = lesser(seen.min[i], batch.min[i]);
    both.max[i] = greater(seen.max[i], batch.max[i]);
  }
  return both;
}

std::vector<Bits> maxval_of(const Range& range, int bitwidth, Mode mode) {
  const SoftMachine machine;
  const Steps steps = steps_of(bitwidth);
  const Bits widening = machine.multiply(steps.count, steps.smallest);
  const Bits threshold = rounded(range.type, steps.smallest);
  std::vector<Bits> result(range.min.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (fp32::is_nan(range.min[i]) || fp32::is_nan(range.max[i])) {
      result[i] = kNan;
      continue;
    }
    const Bits below = sign_of(range.min[i]) != 0 ? magnitude_of(range.min[i]) : 0;
    Bits above = sign_of(range.max[i]) != 0 ? 0 : range.max[i];
    if (mode == Mode::kStrict) {
      if (below == 0 && above == 0) above = widening;
    } else {
      const Bits width = rounded(range.type, machine.add(above, below));
      const Bits step = rounded(range.type, machine.divide(width, steps.count));
      if (step < threshold) above = machine.add(above, widening);
    }
    const Bits limit = largest(range.type);
    result[i] = std::max(std::min(below, limit), rounded(range.type, std::min(above, limit)));
  }
  return result;
}

}  // namespace mx::emulators::aimet
