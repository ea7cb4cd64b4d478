#include "emulators/microxcaling/quantize_elemwise.hpp"

#include "emulators/common/refusals.hpp"
#include "emulators/microxcaling/kernels/exact_element.hpp"
#include "emulators/microxcaling/kernels/kernel_element.hpp"
#include "emulators/microxcaling/kernels/python_element.hpp"
#include "emulators/microxcaling/kernels/words.hpp"

namespace mx::emulators::microxcaling {
namespace {

/// Sixteen-bit types have so few words that a table of results pays from here on.
constexpr std::size_t kTableFrom = 1 << 17;

template <typename T, typename Element>
void fill(const TensorView& tensor, std::span<std::byte> out, Element element) {
  const std::size_t count = tensor.size();
  if constexpr (T::kBytes == 2) {
    if (count >= kTableFrom) {
      std::vector<std::uint16_t> table(1 << 16);
      for (std::size_t word = 0; word < table.size(); ++word) {
        table[word] = static_cast<std::uint16_t>(element(word, 0));
      }
      for (std::size_t i = 0; i < count; ++i) T::store(out, i, table[T::load(tensor.bytes, i)]);
      return;
    }
  }
  for (std::size_t i = 0; i < count; ++i) T::store(out, i, element(T::load(tensor.bytes, i), i));
}

template <typename T>
void quantize(const TensorView& tensor, std::span<std::byte> out, const ElementConfig& config,
              const Setting& setting, std::span<const std::uint32_t> random) {
  if (config.round == RoundingMode::kDither) {
    const ExactElement exact(config);
    const PythonElement<T> python(config);
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      const Word word = T::load(tensor.bytes, i);
      const std::uint64_t bits = dither_bits<T>(random, i);
      T::store(out, i,
               setting.mode == Mode::kStrict ? exact.apply<T>(word, 0, bits) : python(word, bits));
    }
    return;
  }
  if (setting.mode == Mode::kStrict) {
    const ExactElement exact(config);
    fill<T>(tensor, out, [&](Word word, std::size_t) { return exact.apply<T>(word); });
    return;
  }
  if (!uses_kernels(config.path, config.round)) {
    const PythonElement<T> python(config);
    fill<T>(tensor, out, [&](Word word, std::size_t) { return python(word); });
    return;
  }
  if constexpr (T::kPrecision != 53) {
    const KernelElement kernel(config);
    const Platform platform = config.path == Path::kCuda ? Platform::kCuda : setting.platform;
    fill<T>(tensor, out, [&](Word word, std::size_t) {
      return from_binary32<T>(kernel(to_binary32<T>(word, platform)), platform);
    });
  }
}

/// clamp() of a maximum that the type does not hold. On CUDA 16-bit types are clamped in binary32.
bool clamp_overflows(const ElementConfig& config, TensorType type, Platform platform) {
  if (platform == Platform::kCuda && type != TensorType::kFp32) return false;
  if (!config.saturate_normals && !config.is_integer()) return false;
  if (config.max_norm == Fp64::kInfinity) return false;
  std::uint64_t most = 0;
  with_type(type, [&](auto t) {
    using T = decltype(t);
    most = Fp64::rounded(T::value(T::kInfinity - 1));
  });
  return config.max_norm > most;
}

std::string_view c10_name(TensorType type) {
  return type == TensorType::kFp16   ? "c10::Half"
         : type == TensorType::kBf16 ? "c10::BFloat16"
                                     : "float";
}

}  // namespace

std::string problem_of(const ElementConfig& config, TensorType type, const Setting& setting) {
  if (!with_type(type, [](auto) {})) {
    return "TypeError: a tensor of fp32, bf16, fp16 or fp64 is expected, not " +
           std::string(token_of(type));
  }
  if (config.is_integer() && config.max_norm > Fp64::rounded({256, 0})) {
    return "ValueError: integers with max_norm up to 256 are modelled";
  }
  if (setting.mode == Mode::kStrict) {
    if (config.bits < 2) return "ValueError: bits below 2 leave no significand";
    return {};
  }
  if (uses_kernels(config.path, config.round)) {
    if (type == TensorType::kFp64) return "RuntimeError:  Tensor dtype not supported";
    if (config.bits > 24 && config.path == Path::kCuda) {
      return "RuntimeError:  quantize_elemwise with bits > 24 leads to negative shifts";
    }
    if (config.bits < 2 || config.bits > 24 || config.exp_bits > 16) {
      return "ValueError: the C++ path is modelled for bits 2..24 and exp_bits 0..16";
    }
    return {};
  }
  if (clamp_overflows(config, type, setting.platform)) {
    return "RuntimeError: value cannot be converted to type " + std::string(c10_name(type)) +
           " without overflow";
  }
  if (type == TensorType::kFp64 && setting.platform == Platform::kCuda && config.exp_bits != 0) {
    return std::string(kCudaBinary64);
  }
  const bool is_wider = config.min_exponent() < Fp64::kEmin;
  if (type == TensorType::kFp64 && (is_wider || !PythonElement<Fp64>::has_room(config))) {
    return "ValueError: fp64 tensors are modelled for 2..11 exponent bits (or 0) and 2..54 bits";
  }
  return {};
}

std::size_t elemwise_random_words(const TensorView& tensor, const ElementConfig& config) {
  return config.round == RoundingMode::kDither ? dither_words(tensor.type, tensor.size()) : 0;
}

Checked<Tensor> quantize_elemwise_core(const TensorView& tensor, const ElementConfig& config,
                                       const Setting& setting,
                                       std::span<const std::uint32_t> random) {
  if (std::string problem = problem_of(config, tensor.type, setting); !problem.empty()) {
    return Problem{std::move(problem)};
  }
  if (random.size() < elemwise_random_words(tensor, config)) {
    return Problem{"ValueError: dither reads a random word for each element, of fp64 two"};
  }
  Tensor result = Tensor::zeros("values", tensor.type, tensor.shape);
  with_type(tensor.type,
            [&](auto t) { quantize<decltype(t)>(tensor, result.bytes, config, setting, random); });
  return result;
}

Checked<std::optional<ElementConfig>> bfloat_config(int bfloat) {
  if (bfloat == 0 || bfloat == 32) return std::optional<ElementConfig>{};
  const auto max_norm = get_max_norm(8, bfloat - 7);
  if (!max_norm) return Problem{std::string(max_norm.problem())};
  return std::optional<ElementConfig>{
      ElementConfig{.bits = bfloat - 7, .exp_bits = 8, .max_norm = *max_norm}};
}

Checked<ElementConfig> fp_config(int exp_bits, int mantissa_bits) {
  const auto max_norm = get_max_norm(exp_bits, mantissa_bits + 2);
  if (!max_norm) return Problem{std::string(max_norm.problem())};
  return ElementConfig{.bits = mantissa_bits + 2, .exp_bits = exp_bits, .max_norm = *max_norm};
}

}  // namespace mx::emulators::microxcaling
