#include "reference/systems/dmx/compat.hpp"

#include "reference/number/log2f.hpp"
#include "reference/systems/dmx/kernels.hpp"
#include "reference/systems/dmx/rows.hpp"

namespace mx::systems::dmx {
namespace {

FloatKernel kernel_of(const FloatingPoint& format, Platform platform) {
  return {.exponent_bits = format.exponent,
          .mantissa_bits = format.mantissa,
          .bias = format.bias,
          .flush = format.flush_subnormal,
          .rounding = bit_rounding_of(format.rounding),
          .machine = SoftMachine{platform}};
}

bool is_float32(const FloatingPoint& format) { return repr(format) == "FP[1|8|23,127](_N)"; }

/// Whatever the kernels can do, the package's functions take two modes for floats.
Problem invalid_rounding(Rounding rounding) {
  return {"AssertionError: invalid rounding mode, " + std::string(token_of(rounding))};
}

bool is_refused(Rounding rounding) {
  return rounding == Rounding::kUp || rounding == Rounding::kDown;
}

/// FloatingPoint.cast() of binary32 values.
class FloatCast {
 public:
  FloatCast(const FloatingPoint& format, Platform platform)
      : kernel_(kernel_of(format, platform)),
        passes_(is_float32(format)),
        is_float16_(repr(format) == "FP[1|5|10,15](FN)"),
        is_unsigned_(format.is_unsigned) {}

  [[nodiscard]] Bits operator()(Bits x, Words& words) const {
    Bits y = passes_ ? x : kernel_(x, words);
    constexpr Bits kSmallestNormal = 0x38800000;  // 2^-14
    if (is_float16_ && magnitude_of(y) < kSmallestNormal) y = 0;
    return is_unsigned_ ? magnitude_of(y) : y;
  }

  [[nodiscard]] int least_field() const { return kernel_.least_field(); }
  [[nodiscard]] bool sees_below_binary32() const {
    return passes_ || kernel_.least_field() < 30 || kernel_.mantissa_bits == 23;
  }

 private:
  FloatKernel kernel_;
  bool passes_;
  bool is_float16_;
  bool is_unsigned_;
};

/// The rows of a blocked cast, or what the package raises for the shape.
Checked<Rows> rows_of(const Source& source, bool takes_no_rows) {
  Checked<Rows> rows = Rows::make(source.shape, source.axis);
  if (!rows) return rows;
  if (source.shape.empty()) return Problem{"IndexError: tuple index out of range"};
  const bool no_columns = rows->columns() == 0;
  if (no_columns || (rows->rows() == 0 && !takes_no_rows)) {
    return Problem{std::string("RuntimeError: cannot reshape tensor of 0 elements into shape ") +
                   (no_columns ? "[-1, 0]" : "[0, -1]") +
                   " because the unspecified dimension size -1 can be any value and is ambiguous"};
  }
  return rows;
}

Checked<std::vector<Bits>> cast_bfp(const BlockFloatingPoint& format, const Source& source,
                                    Words& words) {
  std::vector<Bits> out(source.values.size());
  if (format.block_size == 1) {
    const FloatingPoint single{
        .mantissa = format.precision - 2, .flush_subnormal = false, .rounding = format.rounding};
    if (is_refused(format.rounding)) return invalid_rounding(format.rounding);
    quantize_float(single, source.platform, source.values, words, out);
    return out;
  }
  const auto made = rows_of(source, false);
  if (!made) return Problem{std::string(made.problem())};
  const Rows& rows = *made;
  std::vector<Bits> moved;
  if (!rows.in_place()) moved = rows.gather(source.values);
  const std::span<const Bits> values =
      rows.in_place() ? source.values : std::span<const Bits>(moved);
  const BlockKernel kernel{.word_length = format.precision,
                           .rounding = bit_rounding_of(format.rounding),
                           .machine = SoftMachine{source.platform}};
  const std::size_t n = rows.columns();
  const auto block_size = static_cast<std::size_t>(format.block_size);
  for_each_block(rows.rows(), n, block_size, [&](std::size_t row, std::size_t c, std::size_t w) {
    const auto block = values.subspan(row * n + c, w);
    kernel(block, largest_magnitude(block), words, std::span(out).subspan(row * n + c, w));
  });
  if (!format.symmetric) {
    for (std::size_t c = 0; c < n; c += block_size) {
      const std::size_t w = block_size < n - c ? block_size : n - c;
      std::vector<Bits> q(rows.rows() * w), x(rows.rows() * w);
      for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = out[i / w * n + c + i % w];
        x[i] = values[i / w * n + c + i % w];
      }
      q = make_mantissa_asymmetric(q, x, w, format.precision, source.platform);
      for (std::size_t i = 0; i < q.size(); ++i) out[i / w * n + c + i % w] = q[i];
    }
  }
  return rows.scatter(std::move(out));
}

Checked<std::vector<Bits>> cast_sbfp(const ScaledBlockFloatingPoint& format, const Source& source,
                                     Words& words) {
  const auto made = rows_of(source, true);
  if (!made) return Problem{std::string(made.problem())};
  if (is_refused(format.scaler_format.rounding)) {
    return invalid_rounding(format.scaler_format.rounding);
  }
  const Rows& rows = *made;
  const std::vector<Bits> values = rows.gather(source.values);
  std::vector<Bits> out(values.size());
  const SoftMachine machine{source.platform};
  const FixedPoint& block = format.block_format;
  const FixedKernel codes = FixedKernel::make(block.precision, block.fraction, block.clamp,
                                              block.symmetric, block.rounding, source.platform);
  const FloatCast scaler(format.scaler_format, source.platform);
  const Bits largest_code = fp32::from_integer((std::uint32_t{1} << (block.precision - 1)) - 1);
  const std::size_t n = rows.columns();
  const auto block_size = static_cast<std::size_t>(format.block_size);
  std::vector<Bits> scales(rows.rows());
  for (std::size_t c = 0; c < n; c += block_size) {
    const std::size_t w = block_size < n - c ? block_size : n - c;
    // All codes of a chunk before its scales: the order of the random words.
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const auto x = std::span(values).subspan(row * n + c, w);
      const auto y = std::span(out).subspan(row * n + c, w);
      scales[row] = machine.divide(largest_magnitude(x), largest_code);
      for (std::size_t i = 0; i < w; ++i) {
        y[i] = codes(divide(machine, x[i], scales[row]), words);
      }
    }
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const auto x = std::span(values).subspan(row * n + c, w);
      const auto y = std::span(out).subspan(row * n + c, w);
      const Bits scale = scaler(scales[row], words);
      const bool quantizes = is_below(0, scales[row]);
      for (std::size_t i = 0; i < w; ++i) {
        y[i] = quantizes ? multiply(machine, y[i], scale) : x[i];
      }
    }
  }
  return rows.scatter(std::move(out));
}

/// x / scale and back for a scale that is a power of two.
class MxfpBlock {
 public:
  MxfpBlock(const FloatCast& element, const SoftMachine& machine, Bits scale)
      : element_(element), machine_(machine), scale_(scale) {
    const int field = exponent_field(scale);
    is_plain_ = field >= 1 && field <= 254 && (scale & kFraction) == 0;
    shift_ = field - 127;
  }

  [[nodiscard]] Bits operator()(Bits x, Words& words) const {
    return times_scale(element_(over_scale(x), words));
  }

 private:
  [[nodiscard]] Bits over_scale(Bits x) const {
    const int field = exponent_field(x);
    const int moved = field - shift_;
    if (!is_plain_ || field == 0 || field == 255 || moved > 254) return machine_.divide(x, scale_);
    if (moved >= 1) return (x & ~fp32::kInfinity) | static_cast<Bits>(moved) << 23;
    // Below 2^-126: most elements cannot tell it from zero.
    return element_.sees_below_binary32() ? machine_.divide(x, scale_) : sign_of(x);
  }

  [[nodiscard]] Bits times_scale(Bits y) const {
    if (!is_plain_ || fp32::is_nan(y)) return machine_.multiply(y, scale_);
    return scaled(y, shift_);
  }

  const FloatCast& element_;
  const SoftMachine& machine_;
  Bits scale_;
  bool is_plain_;
  int shift_;
};

/// 2^floor(log2 most) / 2^emax as the package computes it, emax = 2^(E - 1).
Bits mxfp_scale(Bits most, int exponent_bits) {
  const int emax = 1 << (exponent_bits - 1);
  if (fp32::is_nan(most)) return most | kQuietBit;
  if (most == 0 || most == fp32::kInfinity) return most;
  const int exponent = log2f::floor_exponent(most);
  return exponent > 127 ? fp32::kInfinity : power_of_two(exponent - emax);
}

Checked<std::vector<Bits>> cast_mxfp(const Mxfp& format, const Source& source, Words& words) {
  const auto made = rows_of(source, true);
  if (!made) return Problem{std::string(made.problem())};
  if (format.element_format.exponent > 6) {
    return Problem{"OverflowError: int too big to convert"};
  }
  if (is_refused(format.element_format.rounding)) {
    return invalid_rounding(format.element_format.rounding);
  }
  const Rows& rows = *made;
  const std::size_t n = rows.columns();
  const auto block_size = static_cast<std::size_t>(format.block_size);
  // The chunks are two-dimensional and joined along block_dim, whatever the tensor's rank: along
  // their rows for 0 and -2.
  if (source.axis < -2 || source.axis > 1) {
    return Problem{
        "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got " +
        std::to_string(source.axis) + ")"};
  }
  const bool joins_rows = source.axis == 0 || source.axis == -2;
  if (joins_rows && n > block_size && n % block_size != 0) {
    return Problem{
        "RuntimeError: Sizes of tensors must match except in dimension 0. Expected size " +
        std::to_string(block_size) + " but got size " + std::to_string(n % block_size) +
        " for tensor number " + std::to_string(n / block_size) + " in the list."};
  }
  const std::vector<Bits> values = rows.gather(source.values);
  std::vector<Bits> out(values.size());
  const SoftMachine machine{source.platform};
  const FloatCast element(format.element_format, source.platform);
  for_each_block(rows.rows(), n, block_size, [&](std::size_t row, std::size_t c, std::size_t w) {
    const auto x = std::span(values).subspan(row * n + c, w);
    const std::size_t place = joins_rows ? c * rows.rows() + row * w : row * n + c;
    const MxfpBlock block(element, machine,
                          mxfp_scale(largest_magnitude(x), format.element_format.exponent));
    for (std::size_t i = 0; i < w; ++i) out[place + i] = block(x[i], words);
  });
  return rows.scatter(std::move(out));
}

std::string_view torch_name(TensorType type) {
  switch (type) {
    case TensorType::kFp32:
      return "Float";
    case TensorType::kBf16:
      return "BFloat16";
    case TensorType::kFp16:
      return "Half";
    case TensorType::kFp64:
      return "Double";
    case TensorType::kUint8:
      return "Byte";
    case TensorType::kInt8:
      return "Char";
    case TensorType::kInt32:
      return "Int";
    case TensorType::kInt64:
      return "Long";
  }
  return {};
}

struct Caster {
  const Source& source;
  Words& words;

  using Result = Checked<std::vector<Bits>>;

  Result operator()(const Same&) const {
    return std::vector<Bits>(source.values.begin(), source.values.end());
  }
  Result operator()(const FixedPoint& format) const {
    if (source.type != TensorType::kFp32) {
      return Problem{"RuntimeError: expected scalar type Float but found " +
                     std::string(torch_name(source.type))};
    }
    std::vector<Bits> out(source.values.size());
    quantize_fixed(format, source.platform, source.values, words, out);
    return out;
  }
  Result operator()(const FloatingPoint& format) const {
    if (is_refused(format.rounding)) return invalid_rounding(format.rounding);
    // Another type is converted, and its values then take the kernel.
    if (is_float32(format) && source.type != TensorType::kFp32) {
      std::vector<Bits> out(source.values.size());
      quantize_float(format, source.platform, source.values, words, out);
      return out;
    }
    const FloatCast cast(format, source.platform);
    std::vector<Bits> out(source.values.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = cast(source.values[i], words);
    return out;
  }
  Result operator()(const BlockFloatingPoint& format) const {
    return cast_bfp(format, source, words);
  }
  Result operator()(const ScaledBlockFloatingPoint& format) const {
    return cast_sbfp(format, source, words);
  }
  Result operator()(const Mxfp& format) const { return cast_mxfp(format, source, words); }
};

}  // namespace

Checked<std::vector<Bits>> compat_cast(const Format& format, const Source& source, Words& words) {
  return std::visit(Caster{source, words}, format);
}

bool compat_passes(const Format& format, TensorType type) {
  if (std::holds_alternative<Same>(format)) return true;
  const auto* const x = std::get_if<FloatingPoint>(&format);
  if (x == nullptr) return false;
  return (type == TensorType::kFp32 && is_float32(*x)) ||
         (type == TensorType::kFp16 && repr(*x) == "FP[1|5|10,15](_N)");
}

void quantize_fixed(const FixedPoint& format, Platform platform, std::span<const Bits> values,
                    Words& words, std::span<Bits> out) {
  const FixedKernel kernel = FixedKernel::make(format.precision, format.fraction, format.clamp,
                                               format.symmetric, format.rounding, platform);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kernel(values[i], words);
}

void quantize_float(const FloatingPoint& format, Platform platform, std::span<const Bits> values,
                    Words& words, std::span<Bits> out) {
  const FloatKernel kernel = kernel_of(format, platform);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = kernel(values[i], words);
}

}  // namespace mx::systems::dmx
