#include "emulators/aimet/operations.hpp"

#include <algorithm>
#include <type_traits>

#include "emulators/aimet/element/kernel.hpp"
#include "emulators/aimet/element/ladder.hpp"
#include "emulators/aimet/element/scale.hpp"
#include "emulators/aimet/element/step_table.hpp"
#include "emulators/aimet/simd/block_simd.hpp"
#include "emulators/aimet/simd/scaled_simd.hpp"
#include "emulators/common/vector_target.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/element/encode.hpp"
#include "reference/parallel/threads.hpp"

namespace mx::emulators::aimet {
namespace {

/// From how many elements under one scale on a table of its results pays.
constexpr std::size_t kTableFrom = std::size_t{1} << 16;

TensorType promoted(TensorType a, TensorType b) { return a == b ? a : TensorType::kFp32; }

/// What stands for the function on binary32 tensors where it can; null where it cannot.
struct Bulk {
  const LadderPlan* plan = nullptr;
  const UnitKernel* unit = nullptr;
  const Kernel* scaled = nullptr;  ///< one that has ScaledSimd
  const BlockSimd* blocks = nullptr;
};

template <TensorType kType>
[[nodiscard]] Bits load(const std::byte* words, std::size_t index) {
  constexpr std::size_t kWidth = width_of(kType);
  std::conditional_t<kWidth == 4, std::uint32_t, std::uint16_t> word = 0;
  std::memcpy(&word, words + kWidth * index, kWidth);
  return widened(kType, word);
}

template <TensorType kType>
void store(std::byte* words, std::size_t index, Bits value) {
  constexpr std::size_t kWidth = width_of(kType);
  using Word = std::conditional_t<kWidth == 4, std::uint32_t, std::uint16_t>;
  const Word word = static_cast<Word>(narrowed(kType, value));
  std::memcpy(words + kWidth * index, &word, kWidth);
}

/// The results of runs of one pair of types: `function` gives the function of a scale, which is
/// tabulated where many elements share it.
template <TensorType kIn, TensorType kOut, typename Function>
class Runner {
  static constexpr bool kIsFp32 = kIn == TensorType::kFp32 && kOut == TensorType::kFp32;

 public:
  Runner(const TensorView& tensor, Tensor& result, Function function, const Bulk& bulk,
         const FloatInfo& info)
      : values_(tensor.bytes.data()),
        results_(result.bytes.data()),
        function_(function),
        plan_(kIsFp32 ? bulk.plan : nullptr),
        unit_(kIsFp32 ? bulk.unit : nullptr),
        scaled_(kIsFp32 ? bulk.scaled : nullptr),
        info_(info) {}

  void operator()(const Layout::Run& run, Bits scale) const {
    if (plan_ != nullptr && run.input_step == 1) {
      const Ladder ladder(*plan_, scale);
      if (ladder.valid()) {
        return ladder(values_ + 4 * run.input, results_ + 4 * run.first, run.count);
      }
    }
    if (unit_ != nullptr && scale == fp32::kOne && run.input_step == 1) {
      return (*unit_)(values_ + 4 * run.input, results_ + 4 * run.first, run.count);
    }
    const bool is_long = run.count >= kTableFrom;
    if (is_long && kIn != TensorType::kFp32) return by_word(run, function_(scale));
    if (is_long && info_.mantissa_bits <= StepTable::kMostMantissaBits && !has_wide_range()) {
      const StepTable table(function_(scale), info_.mantissa_bits);
      if (table.valid()) return each(run, table);
    }
    if (scaled_ != nullptr && run.input_step == 1) {
      const ScaledSimd lanes(*scaled_, scale);
      if (lanes.valid()) return lanes(values_ + 4 * run.input, results_ + 4 * run.first, run.count);
    }
    each(run, function_(scale));
  }

 private:
  /// Lanes take subnormal results one by one: where those are rare, wide vectors beat the table.
  [[nodiscard]] bool has_wide_range() const {
    return scaled_ != nullptr && info_.exponent_bits >= 5 &&
           vector_target() != VectorTarget::kBaseline;
  }

  template <typename Map>
  void each(const Layout::Run& run, const Map& map) const {
    for (std::size_t i = 0; i < run.count; ++i) {
      const Bits x = load<kIn>(values_, run.input + i * run.input_step);
      store<kOut>(results_, run.first + i, map(x));
    }
  }

  /// A table of the results of all 16-bit words; negative ones mirror the others.
  template <typename Map>
  void by_word(const Layout::Run& run, const Map& map) const {
    constexpr std::size_t kWidth = width_of(kOut);
    using Word = std::conditional_t<kWidth == 4, std::uint32_t, std::uint16_t>;
    constexpr Word kSign = Word{1} << (8 * kWidth - 1);
    std::vector<Word> words(std::size_t{1} << 16);
    for (std::size_t word = 0; word < words.size() / 2; ++word) {
      const Bits y = map(widened(kIn, word));
      const bool keeps = fp32::is_nan(y) || (magnitude_of(y) == 0 && info_.unsigned_zero);
      const auto result = static_cast<Word>(narrowed(kOut, y));
      words[word] = result;
      words[word | 0x8000] = keeps ? result : static_cast<Word>(result ^ kSign);
    }
    for (std::size_t i = 0; i < run.count; ++i) {
      std::uint16_t word = 0;
      std::memcpy(&word, values_ + 2 * (run.input + i * run.input_step), 2);
      std::memcpy(results_ + kWidth * (run.first + i), &words[word], kWidth);
    }
  }

  const std::byte* values_;
  std::byte* results_;
  Function function_;
  const LadderPlan* plan_;
  const UnitKernel* unit_;
  const Kernel* scaled_;
  const FloatInfo& info_;
};

/// Rounds of a layout.
struct Part {
  const Layout& layout;
  std::size_t from = 0;
  std::size_t to = 0;

  template <typename Visit>
  void for_each_run(Visit visit) const {
    layout.for_each_run(from, to, visit);
  }
};

/// Is every one the first?
bool are_equal(std::span<const Bits> scales) {
  return std::memcmp(scales.data(), scales.data() + 1, (scales.size() - 1) * sizeof(Bits)) == 0;
}

template <TensorType kIn, TensorType kOut, typename Function>
void run_typed(const Part& part, const TensorView& tensor, std::span<const Bits> scales,
               const FloatInfo& info, const Bulk& bulk, Tensor& result, Function function) {
  const Runner<kIn, kOut, Function> runner(tensor, result, function, bulk, info);
  if (const std::size_t length = part.layout.block_length(); length != 0) {
    const std::size_t first = part.from * length;
    const std::span<const Bits> own = scales.subspan(part.from, part.to - part.from);
    // Those of float16 and bfloat16 are all 1.
    if (are_equal(own)) return runner({first, own.size() * length, first, 1, part.from, 0}, own[0]);
    if (bulk.blocks != nullptr) {
      std::vector<std::size_t> rest;
      (*bulk.blocks)(own, length, tensor.bytes.data() + 4 * first, result.bytes.data() + 4 * first,
                     rest);
      for (const std::size_t block : rest) {
        const std::size_t at = first + block * length;
        runner({at, length, at, 1, part.from + block, 0}, own[block]);
      }
      return;
    }
  }
  // Neighbours under equal scales are one run.
  Layout::Run pending{};
  const auto run_pending = [&] {
    if (pending.count != 0) runner(pending, scales[pending.scale]);
    pending.count = 0;
  };
  part.for_each_run([&](const Layout::Run& run) {
    if (run.scale_step == 0) {
      const bool goes_on = pending.count != 0 && run.input_step == pending.input_step &&
                           run.input == pending.input + pending.count * pending.input_step &&
                           scales[run.scale] == scales[pending.scale];
      if (goes_on) {
        pending.count += run.count;
      } else {
        run_pending();
        pending = run;
      }
      return;
    }
    run_pending();
    for (std::size_t i = 0; i < run.count; ++i) {
      const Bits x = load<kIn>(tensor.bytes.data(), run.input + i * run.input_step);
      const Bits scale = scales[run.scale + i * run.scale_step];
      store<kOut>(result.bytes.data(), run.first + i, function(scale)(x));
    }
  });
  run_pending();
}

/// function(scale)(value) for every result.
template <typename Function>
void run_all(const Part& part, const TensorView& tensor, std::span<const Bits> scales,
             const FloatInfo& info, const Bulk& bulk, Tensor& result, Function function) {
  constexpr TensorType kFp32 = TensorType::kFp32, kBf16 = TensorType::kBf16,
                       kFp16 = TensorType::kFp16;
  const auto run = [&](auto in, auto out) {
    run_typed<in(), out()>(part, tensor, scales, info, bulk, result, function);
  };
  const auto from = [&](auto in) {
    if (result.type == kFp32) return run(in, std::integral_constant<TensorType, kFp32>{});
    if (result.type == kBf16) return run(in, std::integral_constant<TensorType, kBf16>{});
    return run(in, std::integral_constant<TensorType, kFp16>{});
  };
  if (tensor.type == kFp32) return from(std::integral_constant<TensorType, kFp32>{});
  if (tensor.type == kBf16) return from(std::integral_constant<TensorType, kBf16>{});
  return from(std::integral_constant<TensorType, kFp16>{});
}

/// One piece for each thread, because each makes its own tables; none of few results.
std::size_t rounds_of_a_thread(const Layout& layout, int threads) {
  constexpr std::size_t kLeast = std::size_t{1} << 16;
  const std::size_t rounds = std::max<std::size_t>(layout.rounds(), 1);
  const std::size_t shared = (rounds - 1) / static_cast<std::size_t>(threads) + 1;
  const std::size_t least = (kLeast - 1) / (elements_of(layout.result()) / rounds + 1) + 1;
  return std::max(shared, least);
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
                        const BlockSize& block_size, int threads, Platform platform) {
  for (const TensorType type : {tensor.type, scale.type}) {
    if (const std::string_view why = type_problem(type); !why.empty()) {
      return Problem{std::string(why)};
    }
  }
  const Checked<Layout> layout = Layout::make(tensor.shape, scale.shape, block_size, mode);
  if (!layout) return Problem{std::string(layout.problem())};
  const TensorType type = result_type(tensor, scale, mode);
  const bool clamps = mode == Mode::kCompat && operation != Operation::kDequantize;
  if (clamps && platform != Platform::kCuda) {
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
  Tensor result = Tensor::unset("values", type, layout->result());
  const LadderPlan plan(kernel);
  const UnitKernel unit(kernel);
  const BlockSimd blocks(kernel);
  const bool has_blocks = !plan.applies() && tensor.type == type && info.exponent_bits >= 5 &&
                          BlockSimd::applies(kernel, layout->block_length());
  const Bulk bulk{plan.applies() ? &plan : nullptr, unit.applies() ? &unit : nullptr,
                  ScaledSimd::applies(kernel) ? &kernel : nullptr, has_blocks ? &blocks : nullptr};
  const auto dequantize = [&](const Layout::Run& each) {
    for (std::size_t k = 0; k < each.count; ++k) {
      const std::uint64_t word = word_at(tensor, each.input + k * each.input_step);
      const Bits s = scales[each.scale + k * each.scale_step];
      set_word(result.bytes, width_of(type), each.first + k,
               narrowed(type, kernel.dequantize(widened(tensor.type, word), s)));
    }
  };
  const auto work = [&](const Part& part) {
    const auto run = [&](const Bulk& quick, auto function) {
      run_all(part, tensor, scales, info, quick, result, function);
    };
    switch (operation) {
      case Operation::kQuantizeDequantize:
        return run(bulk, [&](Bits s) { return ScaledKernel(kernel, s); });
      case Operation::kQuantize:
        return run({},
                   [&](Bits s) { return [&kernel, s](Bits x) { return kernel.quantize(x, s); }; });
      case Operation::kDequantize:
        return part.for_each_run(dequantize);
    }
  };
  share_work(layout->rounds(), rounds_of_a_thread(*layout, threads), threads,
             [&](std::uint64_t from, std::uint64_t to) {
               work({*layout, static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
             });
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
  if (mode == Mode::kStrict) {
    const Tensor maxval =
        from_fp32("maxval", TensorType::kFp32, {}, std::vector<Bits>{maxval_of.max_fp32()});
    return strict_fake_cast(maxval_of, tensor, maxval);
  }
  if (const std::string_view why = type_problem(tensor.type); !why.empty()) {
    return Problem{std::string(why)};
  }
  Tensor result = Tensor::zeros("values", tensor.type, tensor.shape);
  const std::size_t width = width_of(tensor.type);
  const bool is_scalar = tensor.shape.empty();
  // Even types that torch has go through the formula here.
  const FakeCast formula(maxval_of, tensor.type);
  const ScalarFakeCast scalar(maxval_of);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    const Bits x = widened(tensor.type, word_at(tensor, i));
    Bits y = 0;
    if (!finite && magnitude_of(x) == fp32::kInfinity) {
      y = x;
    } else {
      y = is_scalar ? rounded(tensor.type, scalar(x)) : formula(x);
    }
    set_word(result.bytes, width, i, narrowed(tensor.type, y));
  }
  return result;
}

Checked<Tensor> strict_fake_cast(const FloatInfo& type, const TensorView& tensor,
                                 const TensorView& maxval) {
  if (const std::string_view why = type_problem(tensor.type); !why.empty()) {
    return Problem{std::string(why)};
  }
  const Checked<Layout> layout = Layout::make(tensor.shape, maxval.shape, {}, Mode::kStrict);
  if (!layout) return Problem{std::string(layout.problem())};
  // The type of two exponent bits and one mantissa bit is OCP's (ST3), whatever its maximum.
  const bool is_e2m1 = type.exponent_bits == 2 && type.mantissa_bits == 1;
  const FloatInfo own = is_e2m1 ? kFloat4E2m1fn : type;
  std::vector<Bits> scales = to_fp32(maxval);
  for (Bits& scale : scales) scale = scale_of(scale, own, Mode::kStrict);
  if (has_zero(scales)) return Problem{"RuntimeError: a maxval is 0: its range is not initialised"};
  const Kernel kernel(own, Mode::kStrict, tensor.type, false);
  Tensor result = Tensor::unset("values", tensor.type, layout->result());
  layout->for_each_run([&](const Layout::Run& run) {
    for (std::size_t k = 0; k < run.count; ++k) {
      const Bits x = widened(tensor.type, word_at(tensor, run.input + k * run.input_step));
      const Bits scale = scales[run.scale + k * run.scale_step];
      // What overflows saturates, also in types with infinities.
      const Bits most = kernel.dequantize(own.max_fp32(), scale), y = kernel(x, scale);
      const bool is_beyond = !fp32::is_nan(y) && magnitude_of(y) > most;
      set_word(result.bytes, width_of(tensor.type), run.first + k,
               narrowed(tensor.type, is_beyond ? sign_of(y) | most : y));
    }
  });
  return result;
}

}  // namespace mx::emulators::aimet
