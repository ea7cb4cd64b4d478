#include "reference/systems/aimet/operations.hpp"

#include <algorithm>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/element/encode.hpp"
#include "reference/systems/aimet/element/kernel.hpp"
#include "reference/systems/aimet/element/step_table.hpp"

namespace mx::systems::aimet {
namespace {

/// From how many elements under one scale on a table of its results pays.
constexpr std::size_t kTableFrom = std::size_t{1} << 16;

TensorType promoted(TensorType a, TensorType b) { return a == b ? a : TensorType::kFp32; }

/// The results of runs: an element's function of value and scale, by table where many elements
/// share a scale.
template <typename Function>
class Runner {
 public:
  Runner(const TensorView& tensor, Tensor& result, Function function, int mantissa_bits)
      : tensor_(tensor),
        result_(result),
        function_(function),
        mantissa_bits_(mantissa_bits),
        in_width_(width_of(tensor.type)),
        out_width_(width_of(result.type)) {}

  void operator()(const Layout::Run& run, Bits scale) {
    const auto at_scale = [&](Bits x) { return function_(x, scale); };
    if (run.count >= kTableFrom && tensor_.type != TensorType::kFp32) return by_word(run, at_scale);
    if (run.count >= kTableFrom && mantissa_bits_ <= StepTable::kMostMantissaBits) {
      const StepTable table(at_scale, mantissa_bits_);
      if (table.valid()) return each(run, table);
    }
    each(run, at_scale);
  }

 private:
  template <typename Map>
  void each(const Layout::Run& run, const Map& map) {
    for (std::size_t i = 0; i < run.count; ++i) {
      const std::uint64_t word = word_at(tensor_.bytes, in_width_, run.input + i * run.input_step);
      set_word(result_.bytes, out_width_, run.first + i,
               narrowed(result_.type, map(widened(tensor_.type, word))));
    }
  }

  template <typename Map>
  void by_word(const Layout::Run& run, const Map& map) {
    std::vector<std::uint32_t> words(std::size_t{1} << 16);
    for (std::size_t word = 0; word < words.size(); ++word) {
      words[word] =
          static_cast<std::uint32_t>(narrowed(result_.type, map(widened(tensor_.type, word))));
    }
    for (std::size_t i = 0; i < run.count; ++i) {
      const std::uint64_t word = word_at(tensor_.bytes, 2, run.input + i * run.input_step);
      set_word(result_.bytes, out_width_, run.first + i, words[word]);
    }
  }

  const TensorView& tensor_;
  Tensor& result_;
  Function function_;
  int mantissa_bits_;
  std::size_t in_width_, out_width_;
};

template <typename Function>
void run_all(const Layout& layout, const TensorView& tensor, std::span<const Bits> scales,
             int mantissa_bits, Tensor& result, Function function) {
  Runner runner(tensor, result, function, mantissa_bits);
  layout.for_each_run([&](const Layout::Run& run) {
    if (run.scale_step == 0) return runner(run, scales[run.scale]);
    for (std::size_t i = 0; i < run.count; ++i) {
      runner({run.first + i, 1, run.input + i * run.input_step, 1, 0, 0},
             scales[run.scale + i * run.scale_step]);
    }
  });
}

/// Strict: a scale of zero is one that nobody has calibrated (KA5).
bool has_zero(std::span<const Bits> scales) {
  for (const Bits scale : scales) {
    if (magnitude_of(scale) == 0) return true;
  }
  return false;
}

/// The backward of a cast to the type and back, without a clamp before it.
class BackwardCast {
 public:
  explicit BackwardCast(const FloatInfo& info) : format_(info.format()) {
    if (format_.has_inf()) policy_.overflow = Overflow::kNoneInfOrNan;
    if (info.unsigned_zero) policy_.overflow = Overflow::kNoneInfOrNan;
  }
  [[nodiscard]] Bits operator()(Bits g) const {
    if (fp32::is_nan(g)) return kNan;
    const Bits back =
        fp32::round(decode(format_, encode(fp32::value(g), format_, policy_, 0).code));
    return fp32::is_nan(back) ? kNan : back;
  }

 private:
  ElementFormat format_;
  ElementPolicy policy_;
};

/// Strict: does the clamp let the element through? By the binary32 quotient, so that the largest
/// value, whose own quotient made the scale, always passes.
bool is_inside(const FloatInfo& info, Bits bound, Bits x, Bits scale) {
  const Bits quotient = divide(x, scale);
  if (fp32::is_nan(quotient)) return false;
  return bound == fp32::kInfinity || magnitude_of(quotient) <= info.max_fp32();
}

}  // namespace

TensorType result_type(const TensorView& tensor, const TensorView& scale, Mode mode) {
  if (mode == Mode::kStrict) return tensor.type;
  if (tensor.shape.empty() == scale.shape.empty()) return promoted(tensor.type, scale.type);
  return tensor.shape.empty() ? scale.type : tensor.type;
}

std::string_view type_problem(TensorType type) {
  if (type != TensorType::kFp64) return {};
  return "TypeError: fp64 tensors are not emulated; fp32, bf16 and fp16 ones are";
}

Checked<Tensor> compute(Operation operation, const FloatInfo& info, Mode mode,
                        const TensorView& tensor, const TensorView& scale,
                        const BlockSize& block_size) {
  for (const TensorType type : {tensor.type, scale.type}) {
    if (const std::string_view why = type_problem(type); !why.empty()) {
      return Problem{std::string(why)};
    }
  }
  const Checked<Layout> layout = Layout::make(tensor.shape, scale.shape, block_size, mode);
  if (!layout) return Problem{std::string(layout.problem())};
  const TensorType type = result_type(tensor, scale, mode);
  if (mode == Mode::kCompat && operation != Operation::kDequantize) {
    if (const std::string_view why = clamp_problem(info, type); !why.empty()) {
      return Problem{std::string(why)};
    }
  }
  const std::vector<Bits> scales = to_fp32(scale);
  if (mode == Mode::kStrict && has_zero(scales)) {
    return Problem{"RuntimeError: a scale is 0: its range is not initialised"};
  }
  const bool is_scalar = block_size.empty() && tensor.shape.empty() && scale.shape.empty();
  const Kernel kernel(info, mode, type, is_scalar);
  Tensor result = Tensor::zeros("values", type, layout->result());
  const auto run = [&](auto function) {
    run_all(*layout, tensor, scales, info.mantissa_bits, result, function);
  };
  switch (operation) {
    case Operation::kQuantizeDequantize:
      run([&](Bits x, Bits s) { return kernel(x, s); });
      break;
    case Operation::kQuantize:
      run([&](Bits x, Bits s) { return kernel.quantize(x, s); });
      break;
    case Operation::kDequantize:
      layout->for_each_run([&](const Layout::Run& each) {
        for (std::size_t k = 0; k < each.count; ++k) {
          const std::uint64_t word = word_at(tensor, each.input + k * each.input_step);
          const Bits s = scales[each.scale + k * each.scale_step];
          set_word(result.bytes, width_of(type), each.first + k,
                   narrowed(type, kernel.dequantize(widened(tensor.type, word), s)));
        }
      });
      break;
  }
  return result;
}

Checked<Tensor> gradient(const FloatInfo& info, Mode mode, const TensorView& tensor,
                         const TensorView& scale, const BlockSize& block_size,
                         const TensorView& of_results) {
  const Checked<Layout> layout = Layout::make(tensor.shape, scale.shape, block_size, mode);
  if (!layout) return Problem{std::string(layout.problem())};
  if (layout->result() != tensor.shape || of_results.shape != tensor.shape) {
    return Problem{"RuntimeError: the gradient, the results and the tensor differ in shape"};
  }
  const TensorType type = result_type(tensor, scale, mode);
  const std::vector<Bits> scales = to_fp32(scale), values = to_fp32(tensor),
                          given = to_fp32(of_results);
  const Kernel kernel(info, mode, type, false);
  const BackwardCast cast(info);
  const FakeCast formula(info, type);
  const SoftMachine machine;
  const auto compat = [&](Bits x, Bits s, Bits g) {
    const Bits d = kernel.quotient(x, s);
    const bool passes = !fp32::is_nan(d) && magnitude_of(d) < kernel.bound();
    if (!info.dtype()) {
      // The gradient of a rounding is 0, and is divided by the formula's scale, which may be 0.
      return passes && formula.scale_of(magnitude_of(d)) == 0 ? kNan : machine.divide(0, s);
    }
    const Bits through = passes ? cast(rounded(type, machine.multiply(g, s))) : 0;
    return rounded(type, machine.divide(rounded(type, through), s));
  };
  std::vector<Bits> results(values.size());
  layout->for_each_run([&](const Layout::Run& run) {
    for (std::size_t k = 0; k < run.count; ++k) {
      const std::size_t i = run.input + k * run.input_step;
      const Bits s = scales[run.scale + k * run.scale_step], g = given[i];
      if (mode == Mode::kCompat) {
        results[i] = compat(values[i], s, g);
      } else {
        results[i] = is_inside(info, kernel.bound(), values[i], s) ? g : 0;
      }
      if (fp32::is_nan(results[i])) results[i] = kNan;
    }
  });
  return from_fp32("gradient", tensor.type, tensor.shape, results);
}

Checked<Tensor> fake_cast(const FloatInfo& maxval_of, bool finite, Mode mode,
                          const TensorView& tensor) {
  if (const std::string_view why = type_problem(tensor.type); !why.empty()) {
    return Problem{std::string(why)};
  }
  Tensor result = Tensor::zeros("values", tensor.type, tensor.shape);
  const std::size_t width = width_of(tensor.type);
  const bool is_scalar = tensor.shape.empty();
  // Even types that torch has go through the formula here.
  const FakeCast formula(maxval_of, tensor.type);
  const ScalarFakeCast scalar(maxval_of);
  const Kernel strict(maxval_of, Mode::kStrict, tensor.type, false);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const Bits x = widened(tensor.type, word_at(tensor, i));
    Bits y = 0;
    if (mode == Mode::kStrict) {
      const Bits magnitude = std::min(magnitude_of(x), maxval_of.max_fp32());
      y = fp32::is_nan(x) ? kNan : strict(sign_of(x) | magnitude, fp32::kOne);
    } else if (!finite && magnitude_of(x) == fp32::kInfinity) {
      y = x;
    } else {
      y = is_scalar ? rounded(tensor.type, scalar(x)) : formula(x);
    }
    set_word(result.bytes, width, i, narrowed(tensor.type, y));
  }
  return result;
}

}  // namespace mx::systems::aimet
