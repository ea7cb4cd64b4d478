#include "emulators/qtorch/quantize.hpp"

#include <optional>

#include "emulators/common/tensor.hpp"
#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "emulators/qtorch/kernels/block_layout.hpp"
#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/float_kernel.hpp"
#include "emulators/qtorch/shapes.hpp"

namespace mx::emulators::qtorch {
namespace {

bool is_compat(const Setting& setting) { return setting.mode == Mode::kCompat; }

/// "" where the words suffice and the rounding is one of the mode.
std::string random_problem(const TensorView& x, Rounding rounding, RandomWords random,
                           const Setting& setting) {
  if (rounding == Rounding::kDocLiteral && is_compat(setting)) {
    return "AssertionError: invalid rounding mode, doc_literal";
  }
  if (rounding == Rounding::kStochastic && random.size() < x.size()) {
    return "ValueError: stochastic rounding reads " + std::to_string(x.size()) +
           " random words, not " + std::to_string(random.size());
  }
  return {};
}

std::string outside(const char* name, std::int64_t value, const char* range) {
  return std::string("ValueError: ") + name + " must lie in " + range + ", not " +
         std::to_string(value);
}

/// What stops every function: the type, the words.
std::string common_problem(const TensorView& x, Rounding rounding, RandomWords random,
                           const Setting& setting) {
  if (std::string why = type_problem(x, setting); !why.empty()) return why;
  return random_problem(x, rounding, random, setting);
}

/// doc_literal is the formula of FixedPoint alone.
std::string only_fixed(Rounding rounding) {
  return rounding == Rounding::kDocLiteral
             ? "ValueError: rounding doc_literal is defined for fixed point only"
             : "";
}

/// The words of a tensor of fp32 where they lie, if they are aligned.
std::optional<std::span<const Bits>> in_place(const TensorView& x) {
  const auto address = reinterpret_cast<std::uintptr_t>(x.bytes.data());
  if (x.type != TensorType::kFp32 || address % alignof(Bits) != 0) return std::nullopt;
  return std::span(reinterpret_cast<const Bits*>(x.bytes.data()), x.size());
}

/// A result tensor of fp32 that `fill` writes.
template <typename F>
Tensor filled(const TensorView& x, F&& fill) {
  Tensor result = Tensor::zeros("values", TensorType::kFp32, x.shape);
  const std::span results(reinterpret_cast<Bits*>(result.bytes.data()), x.size());
  if (const auto values = in_place(x)) {
    fill(*values, results);
  } else {
    fill(std::span<const Bits>(to_fp32(x)), results);
  }
  return result;
}

std::string fixed_problem(const FixedPoint& format, const Setting& setting) {
  if (format.wl == -1 && format.fl != -1) {
    return "ValueError: fixed point  wl -1, fl " + std::to_string(format.fl);
  }
  if (!is_compat(setting) && format.wl < 1) return outside("wl", format.wl, "1..2147483647");
  return {};
}

}  // namespace

Checked<Tensor> float_quantize(const TensorView& x, std::int64_t exp, std::int64_t man,
                               Rounding rounding, RandomWords random, const Setting& setting) {
  std::string why = common_problem(x, rounding, random, setting);
  if (why.empty()) why = only_fixed(rounding);
  if (why.empty() && !is_compat(setting)) {
    if (exp < 1) why = outside("exp", exp, "1..2147483647");
    if (man < 0 || man > 23) why = outside("man", man, "0..23");
  }
  if (!why.empty()) return Problem{why};
  const FloatCall call = {exp, man, rounding};
  return filled(x, [&](std::span<const Bits> values, std::span<Bits> results) {
    if (is_compat(setting)) return float_compat(call, setting.platform, values, random, results);
    float_strict(call, values, random, results);
  });
}

namespace {

/// The values, and the mask if `mask` is not empty.
Checked<Tensor> fixed_point(const TensorView& x, const FixedPoint& format, Rounding rounding,
                            RandomWords random, const Setting& setting,
                            std::span<std::uint8_t> mask) {
  std::string why = common_problem(x, rounding, random, setting);
  if (why.empty()) why = fixed_problem(format, setting);
  if (!why.empty()) return Problem{why};
  const FixedCall call = {format.wl, format.fl, format.clamp, format.symmetric, rounding};
  return filled(x, [&](std::span<const Bits> values, std::span<Bits> results) {
    if (is_compat(setting)) {
      return fixed_compat(call, setting.platform, values, random, results, mask);
    }
    fixed_strict(call, values, random, results, mask);
  });
}

}  // namespace

Checked<std::vector<Tensor>> fixed_point_quantize_mask(const TensorView& x,
                                                       const FixedPoint& format, Rounding rounding,
                                                       RandomWords random, const Setting& setting) {
  Tensor mask = Tensor::zeros("mask", TensorType::kUint8, x.shape);
  const std::span outside(reinterpret_cast<std::uint8_t*>(mask.bytes.data()), mask.bytes.size());
  Checked<Tensor> result = fixed_point(x, format, rounding, random, setting, outside);
  if (!result) return Problem{std::string(result.problem())};
  return listed(std::move(result).value(), std::move(mask));
}

Checked<Tensor> fixed_point_quantize(const TensorView& x, const FixedPoint& format,
                                     Rounding rounding, RandomWords random,
                                     const Setting& setting) {
  return fixed_point(x, format, rounding, random, setting, {});
}

Checked<Tensor> block_quantize(const TensorView& x, std::int64_t wl, std::int64_t dim,
                               Rounding rounding, RandomWords random, const Setting& setting) {
  std::string why = common_problem(x, rounding, random, setting);
  if (why.empty()) why = only_fixed(rounding);
  if (why.empty() && !is_compat(setting) && wl < 1) why = outside("wl", wl, "1..2147483647");
  if (!why.empty()) return Problem{why};
  const Checked<BlockLayout> layout = block_layout(x.shape, dim);
  if (!layout) return Problem{std::string(layout.problem())};
  const BlockCall call = {wl, rounding};
  return filled(x, [&](std::span<const Bits> values, std::span<Bits> results) {
    if (is_compat(setting)) {
      return block_compat(call, *layout, setting.platform, values, random, results);
    }
    block_strict(call, *layout, values, random, results);
  });
}

Checked<Tensor> block_quantize_sim(const TensorView& x, std::int64_t wl, Rounding rounding,
                                   RandomWords random, const Setting& setting) {
  if (!is_compat(setting)) return block_quantize(x, wl, -1, rounding, random, setting);
  std::string why = common_problem(x, rounding, random, setting);
  if (why.empty() && setting.platform != Platform::kCuda) {
    why = "AttributeError: only the CUDA module has block_quantize_sim";
  }
  if (!why.empty()) return Problem{why};
  const Checked<BlockLayout> layout = block_layout(x.shape, -1);
  if (!layout) return Problem{std::string(layout.problem())};
  const BlockCall call = {wl, rounding};
  return filled(x, [&](std::span<const Bits> values, std::span<Bits> results) {
    const Bits largest = block_maxima(*layout, values).front();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_random = rounding == Rounding::kStochastic;
      results[i] = block_sim_by_rule(call, largest, values[i], is_random ? random[i] : 0);
    }
  });
}

Checked<Tensor> quantize(const TensorView& x, const Number& number, Rounding rounding,
                         RandomWords random, const Setting& setting) {
  if (const auto* const fixed = std::get_if<FixedPoint>(&number)) {
    return fixed_point_quantize(x, *fixed, rounding, random, setting);
  }
  if (const auto* const floating = std::get_if<FloatingPoint>(&number)) {
    return float_quantize(x, floating->exp, floating->man, rounding, random, setting);
  }
  if (const auto* const block = std::get_if<BlockFloatingPoint>(&number)) {
    return block_quantize(x, block->wl, block->dim, rounding, random, setting);
  }
  return Tensor{"values", x.type, x.shape, {x.bytes.begin(), x.bytes.end()}};
}

}  // namespace mx::emulators::qtorch
