#include "emulators/microxcaling/quantize_mx.hpp"

#include <algorithm>

#include "emulators/common/refusals.hpp"
#include "emulators/microxcaling/kernels/block_kernels.hpp"
#include "emulators/microxcaling/kernels/result_tables.hpp"
#include "emulators/microxcaling/quantize_elemwise.hpp"
#include "emulators/microxcaling/tiling.hpp"

namespace mx::emulators::microxcaling {
namespace {

/// Everything about a call that its checks found out.
struct Job {
  const TensorView& tensor;
  const BlockConfig& config;
  Tiling tiling;
  bool is_per_element = false;  ///< method "none", or no axes at all
  bool keeps_sign = false;      ///< no axes: nothing takes the magnitude of the maximum
  std::span<const std::uint32_t> random;
};

template <typename Kernel>
void quantize_each(const Kernel& kernel, const Job& job, std::span<std::byte> out) {
  using T = typename Kernel::Type;
  const Word mask = job.keeps_sign ? ~Word{0} : ~T::kSign;
  job.tiling.for_each_run([&](const Run& run) {
    for (std::size_t i = 0; i < run.count; ++i) {
      const Word word = T::load(job.tensor.bytes, run.first + i);
      const std::uint64_t random =
          job.random.empty() ? 0 : dither_bits<T>(job.random, run.padded + i);
      T::store(out, run.first + i, kernel.apply(kernel.plan(word & mask), word, random));
    }
  });
}

/// The largest magnitude of words that follow each other.
template <typename T>
Word largest_of(const std::byte* words, std::size_t count) {
  using Stored = typename T::Stored;
  Stored most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Stored word = 0;
    std::memcpy(&word, words + i * sizeof word, sizeof word);
    most = std::max(most, static_cast<Stored>(word & (T::kSign - 1)));
  }
  return most;
}

template <typename T>
std::vector<Word> largest_magnitudes(const Job& job) {
  std::vector<Word> largest(job.tiling.tiles(), 0);
  const bool is_shared = job.tiling.is_last_blocked();
  job.tiling.for_each_run([&](const Run& run) {
    // The order of patterns is that of magnitudes, NaN above infinity.
    if (is_shared) {
      const Word most = largest_of<T>(job.tensor.bytes.data() + run.first * T::kBytes, run.count);
      largest[run.tile] = std::max(largest[run.tile], most);
      return;
    }
    for (std::size_t i = 0; i < run.count; ++i) {
      Word& most = largest[run.tile + i];
      most = std::max(most, T::load(job.tensor.bytes, run.first + i) & ~T::kSign);
    }
  });
  return largest;
}

/// A whole block of binary32 at once, where the kernel can and the words are aligned.
template <typename Kernel>
bool apply_all(const Kernel& kernel, const typename Kernel::Plan& plan,
               std::span<const std::byte> words, std::span<std::byte> results) {
  if constexpr (std::is_same_v<Kernel, PythonBlocks<Fp32>>) {
    const auto is_aligned = [](const std::byte* bytes) {
      return reinterpret_cast<std::uintptr_t>(bytes) % alignof(Bits) == 0;
    };
    if (!is_aligned(words.data()) || !is_aligned(results.data())) return false;
    return kernel.apply_all(plan, {reinterpret_cast<const Bits*>(words.data()), words.size() / 4},
                            {reinterpret_cast<Bits*>(results.data()), results.size() / 4});
  }
  return false;
}

template <typename Kernel>
void quantize_tiles(const Kernel& kernel, const Job& job, std::span<std::byte> out) {
  using T = typename Kernel::Type;
  if (job.is_per_element) return quantize_each(kernel, job, out);
  const std::vector<Word> largest = largest_magnitudes<T>(job);
  std::vector<typename Kernel::Plan> plans(largest.size());
  std::transform(largest.begin(), largest.end(), plans.begin(),
                 [&](Word most) { return kernel.plan(most); });
  const std::byte* const in = job.tensor.bytes.data();
  const bool is_shared = job.tiling.is_last_blocked();
  const bool may_look_up = T::kBytes == 2 && is_shared && job.random.empty();
  const ResultTables<Kernel> tables(
      kernel, std::span<const typename Kernel::Plan>(plans.data(), may_look_up ? plans.size() : 0),
      job.tensor.size() / std::max<std::size_t>(plans.size(), 1));
  job.tiling.for_each_run([&](const Run& run) {
    const std::span<const std::byte> words(in + run.first * T::kBytes, run.count * T::kBytes);
    const std::span<std::byte> results = out.subspan(run.first * T::kBytes, run.count * T::kBytes);
    if (!job.random.empty()) {
      for (std::size_t i = 0; i < run.count; ++i) {
        const auto& plan = plans[run.tile + (is_shared ? 0 : i)];
        const Word word = T::load(words, i);
        T::store(results, i, kernel.apply(plan, word, dither_bits<T>(job.random, run.padded + i)));
      }
    } else if (is_shared) {
      const auto plan = plans[run.tile];
      if constexpr (T::kBytes == 2) {
        if (const std::uint16_t* const table = tables.of(kernel.key(plan))) {
          for (std::size_t i = 0; i < run.count; ++i) {
            T::store(results, i, table[T::load(words, i)]);
          }
          return;
        }
      }
      if (apply_all(kernel, plan, words, results)) return;
      for (std::size_t i = 0; i < run.count; ++i) {
        T::store(results, i, kernel.apply(plan, T::load(words, i), 0));
      }
    } else {
      for (std::size_t i = 0; i < run.count; ++i) {
        T::store(results, i, kernel.apply(plans[run.tile + i], T::load(words, i), 0));
      }
    }
  });
}

/// The path's limits, in the order in which the original meets them.
std::string kernel_problem(const TensorView& tensor, const BlockConfig& config, bool has_one_axis) {
  if (!has_one_axis) return "AssertionError: ";
  if (config.shared_exp_method != SharedExponentMethod::kMax) return "AssertionError: ";
  const std::size_t rank = tensor.shape.size() + (config.block_size > 0 ? 1 : 0);
  if (config.path == Path::kCpp && (rank < 1 || rank > 5)) {
    return "RuntimeError:  number of dims outside of range [1,5]";
  }
  if (tensor.type == TensorType::kFp64) return "RuntimeError:  Tensor dtype not supported";
  if (config.scale_bits > 31) return "ValueError: the C++ path is modelled for scale_bits 1..31";
  return {};
}

std::string config_problem(const TensorView& tensor, const BlockConfig& config,
                           const Setting& setting) {
  if (config.scale_bits < 1) return "AssertionError: ";
  if (config.scale_bits > 64) return "OverflowError: can't convert negative int to unsigned";
  if (config.block_size < 0) {
    return "UnboundLocalError: cannot access local variable 'padded_shape' where it is not "
           "associated with a value";
  }
  const bool is_compat = setting.mode == Mode::kCompat;
  const bool is_on_cuda = setting.platform == Platform::kCuda;
  if (is_compat && uses_kernels(config.path, config.round)) return {};
  if (is_compat && is_on_cuda && tensor.type == TensorType::kFp64) {
    return std::string(kCudaBinary64);
  }
  if (is_compat && !is_on_cuda && config.scale_bits > 16 && tensor.type == TensorType::kFp16) {
    return "RuntimeError: value cannot be converted to type c10::Half without overflow";
  }
  return problem_of(element_in_block(config), tensor.type, setting);
}

Problem empty_axis(std::size_t axis) {
  return {"IndexError: max(): Expected reduction dim " + std::to_string(axis) +
          " to have non-zero size."};
}

Checked<Job> checked_job(const TensorView& tensor, const BlockConfig& config,
                         const Setting& setting) {
  if (std::string problem = config_problem(tensor, config, setting); !problem.empty()) {
    return Problem{std::move(problem)};
  }
  const bool has_blocks = config.block_size > 0;
  auto axes = axes_of_call(config.axes, tensor.shape, has_blocks, setting.mode == Mode::kStrict);
  if (!axes) return Problem{std::string(axes.problem())};
  const bool has_max = config.shared_exp_method == SharedExponentMethod::kMax;
  if (setting.mode == Mode::kCompat && uses_kernels(config.path, config.round)) {
    std::string problem = kernel_problem(tensor, config, config.axes.size() == 1);
    if (!problem.empty()) return Problem{std::move(problem)};
  }
  for (std::size_t i = 0; i < axes->size() && has_max && !tensor.shape.empty(); ++i) {
    const std::size_t axis = (*axes)[i];
    if (tensor.shape[axis] == 0) return empty_axis(axis + (has_blocks ? i + 1 : 0));
    if (has_blocks && i > 0 && (*axes)[i - 1] == axis) {
      return Problem{"RuntimeError: an axis that is named twice cannot be blocked"};
    }
  }
  Tiling tiling(tensor.shape, *axes, static_cast<std::size_t>(config.block_size));
  return Job{tensor,
             config,
             std::move(tiling),
             !has_max || axes->empty(),
             has_max && axes->empty() && setting.mode == Mode::kCompat,
             {}};
}

}  // namespace

Checked<Tensor> quantize_mx(const TensorView& tensor, const BlockConfig& config,
                            const Setting& setting, std::span<const std::uint32_t> random) {
  auto checked = checked_job(tensor, config, setting);
  if (!checked) return Problem{std::string(checked.problem())};
  Job job = *std::move(checked);
  if (config.round == RoundingMode::kDither) {
    if (random.size() < dither_words(tensor.type, job.tiling.padded_elements())) {
      return Problem{
          "ValueError: dither reads a random word for each element of the padded blocks, of fp64 "
          "two"};
    }
    job.random = random;
  }
  Tensor result = Tensor::zeros("values", tensor.type, tensor.shape);
  with_type(tensor.type, [&](auto t) {
    using T = decltype(t);
    if (setting.mode == Mode::kStrict) {
      quantize_tiles(ExactBlocks<T>(config), job, result.bytes);
    } else if (!uses_kernels(config.path, config.round)) {
      quantize_tiles(PythonBlocks<T>(config), job, result.bytes);
    } else if constexpr (T::kPrecision != 53) {
      const Platform platform = config.path == Path::kCuda ? Platform::kCuda : setting.platform;
      quantize_tiles(KernelBlocks<T>(config, platform), job, result.bytes);
    }
  });
  return result;
}

Checked<std::size_t> quantize_mx_random_words(const TensorView& tensor, const BlockConfig& config,
                                              const Setting& setting) {
  if (config.round != RoundingMode::kDither) return std::size_t{0};
  const auto job = checked_job(tensor, config, setting);
  if (!job) return Problem{std::string(job.problem())};
  return dither_words(tensor.type, job->tiling.padded_elements());
}

}  // namespace mx::emulators::microxcaling
