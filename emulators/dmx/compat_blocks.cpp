// The blocked casts of the package: BFP, SBFP, MXFP. Rules DX-B, DX-S, DX-M, spec S5.5.
#include <algorithm>
#include <array>

#include "emulators/common/refusals.hpp"
#include "emulators/dmx/compat.hpp"
#include "emulators/dmx/format/joined.hpp"
#include "emulators/dmx/kernel/asymmetric.hpp"
#include "emulators/dmx/kernel/float_cast.hpp"
#include "emulators/dmx/kernel/scaled_codes.hpp"
#include "emulators/dmx/rows.hpp"
#include "reference/number/log2f.hpp"

namespace mx::emulators::dmx {
namespace {

/// The rows of a blocked cast, or what the package raises for the shape.
Checked<Rows> rows_of(const Source& source, bool takes_no_rows) {
  Checked<Rows> rows = Rows::make(source.shape, source.axis);
  if (!rows) return rows;
  if (source.shape.empty()) return Problem{"IndexError: tuple index out of range"};
  const bool no_columns = rows->columns() == 0;
  if (no_columns || (rows->rows() == 0 && !takes_no_rows)) {
    return Problem{joined({"RuntimeError: cannot reshape tensor of 0 elements into shape ",
                           no_columns ? "[-1, 0]" : "[0, -1]",
                           " because the unspecified dimension size -1 can be any value and is "
                           "ambiguous"})};
  }
  return rows;
}

/// A block of codes times a scale.
class ScaledBlock {
 public:
  ScaledBlock(const ScaledBlockFloatingPoint& format, Platform platform)
      : machine_{platform},
        precision_(format.block_format.precision),
        kernel_(FixedKernel::make(precision_, format.block_format.fraction,
                                  format.block_format.clamp, format.block_format.symmetric,
                                  format.block_format.rounding, platform)),
        scaler_(format.scaler_format, platform),
        largest_((std::uint32_t{1} << (precision_ - 1)) - 1),
        largest_code_(fp32::from_integer(largest_)),
        reciprocal_(divide(machine_, fp32::from_integer(1), largest_code_)) {}

  /// Both steps.
  void operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
    const Bits c = exact_scale(x);
    const ScaledCodes codes(kernel_, precision_, c);
    if (codes.usable()) return by_reciprocal(codes, scaler_(c, words), x, out);
    code(x, words, out);
    scale(x, words, out);
  }

  void code(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
    const Bits c = exact_scale(x);
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = kernel_(divide(machine_, x[i], c), words);
  }

  /// A NaN or zero block keeps its values.
  void scale(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
    const Bits c = exact_scale(x);
    const Bits scale = scaler_(c, words);
    const bool quantizes = is_below(0, c);
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = quantizes ? multiply(machine_, out[i], scale) : x[i];
    }
  }

 private:
  static constexpr std::uint32_t kTable = 16;

  /// torch divides a tensor by a Python number; on CUDA it multiplies by that number's reciprocal.
  [[nodiscard]] Bits exact_scale(std::span<const Bits> x) const {
    const Bits most = largest_magnitude(x);
    if (machine_.platform == Platform::kCuda) return multiply(machine_, most, reciprocal_);
    return divide(machine_, most, largest_code_);
  }

  /// Codes to nearest, times the scale by a table where there are few.
  void by_reciprocal(const ScaledCodes& codes, Bits scale, std::span<const Bits> x,
                     std::span<Bits> out) const {
    std::array<Bits, kTable> products{};
    const bool has_table = largest_ < kTable && largest_ <= x.size();
    for (std::uint32_t n = 1; has_table && n <= largest_; ++n) {
      products[n] = multiply(machine_, exact_pattern(0, n, 0), scale);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto [magnitude, is_certain] = codes(x[i]);
      if (is_certain && has_table) {
        out[i] = sign_of(x[i]) | products[magnitude % kTable];
      } else {
        out[i] = multiply(machine_, code_of(codes, x[i], magnitude, is_certain), scale);
      }
    }
  }

  [[nodiscard]] static Bits code_of(const ScaledCodes& codes, Bits x, std::uint32_t magnitude,
                                    bool is_certain) {
    if (is_certain) return exact_pattern(sign_of(x), magnitude, 0);
    Words none;
    return magnitude_of(x) == 0 ? 0 : codes.exact(x, none);
  }

  SoftMachine machine_;
  std::int64_t precision_;
  FixedKernel kernel_;
  FloatCast scaler_;
  std::uint32_t largest_;
  Bits largest_code_;
  Bits reciprocal_;
};

/// x / scale and back for a scale that is a power of two.
class MxfpBlock {
 public:
  MxfpBlock(const FloatCast& element, const SoftMachine& machine, Bits scale)
      : element_(element), machine_(machine), scale_(scale) {
    const int field = exponent_field(scale);
    is_plain_ = field >= 1 && field <= 254 && (scale & kFraction) == 0;
    shift_ = field - 127;
  }

  void operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
    const FloatSimd* const lanes = element_.block_lanes();
    if (lanes != nullptr && is_plain_ && lanes->takes(shift_)) return (*lanes)(x, shift_, out);
    for (std::size_t i = 0; i < x.size(); ++i) {
      out[i] = times_scale(element_(over_scale(x[i]), words));
    }
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
  // The logarithm slips within 88 values of the next power of two.
  const bool is_clear = exponent_field(most) != 0 && (most & kFraction) < kFraction - 88;
  const int exponent = is_clear ? exponent_field(most) - 127 : log2f::floor_exponent(most);
  return exponent > 127 ? fp32::kInfinity : power_of_two(exponent - emax);
}

/// What the package raises before it looks at a value.
std::string mxfp_problem(const Mxfp& format, const Source& source, std::size_t columns) {
  if (format.element_format.exponent > 6) return "OverflowError: int too big to convert";
  if (std::string why = rounding_problem(format.element_format.rounding); !why.empty()) return why;
  // The chunks are two-dimensional and joined along block_dim, whatever the tensor's rank.
  if (source.axis < -2 || source.axis > 1) {
    return axis_out_of_range(source.axis, 2);
  }
  const auto size = static_cast<std::size_t>(format.block_size);
  const bool joins_rows = source.axis == 0 || source.axis == -2;
  if (!joins_rows || columns <= size || columns % size == 0) return {};
  return joined({"RuntimeError: Sizes of tensors must match except in dimension 0. Expected size ",
                 std::to_string(size), " but got size ", std::to_string(columns % size),
                 " for tensor number ", std::to_string(columns / size), " in the list."});
}

}  // namespace

std::string compat_bfp(const BlockFloatingPoint& format, const Source& source, Words& words,
                       std::span<Bits> out) {
  if (format.block_size == 1) {
    if (std::string why = rounding_problem(format.rounding); !why.empty()) return why;
    const FloatingPoint single{
        .mantissa = format.precision - 2, .flush_subnormal = false, .rounding = format.rounding};
    quantize_float(single, source.platform, source.values, words, out);
    return {};
  }
  const auto made = rows_of(source, false);
  if (!made) return std::string(made.problem());
  const Rows& rows = *made;
  Matrix matrix(rows, source.values, out);
  const BlockKernel kernel{.word_length = format.precision,
                           .rounding = bit_rounding_of(format.rounding),
                           .machine = SoftMachine{source.platform}};
  const auto block_size = static_cast<std::size_t>(format.block_size);
  const BlockOrder order = order_of(format.rounding == Rounding::kStochastic);
  for_each_block(order, rows, block_size,
                 [&](std::size_t row, std::size_t first, std::size_t width) {
                   const auto block = matrix.in(row, first, width);
                   kernel(block, largest_magnitude(block), words, matrix.out(row, first, width));
                 });
  if (!format.symmetric) {
    const AsymmetricRule rule{format.precision, SoftMachine{source.platform}};
    for (std::size_t c = 0; c < rows.columns(); c += block_size) {
      const std::size_t width = std::min(block_size, rows.columns() - c);
      bool has_edge = false;
      for (std::size_t row = 0; row < rows.rows() && !has_edge; ++row) {
        has_edge = rule.has_edge(matrix.out(row, c, width));
      }
      for (std::size_t row = 0; row < rows.rows() && has_edge; ++row) {
        rule.rebuild(matrix.in(row, c, width), matrix.out(row, c, width));
      }
    }
  }
  matrix.finish();
  return {};
}

std::string compat_sbfp(const ScaledBlockFloatingPoint& format, const Source& source, Words& words,
                        std::span<Bits> out) {
  const auto made = rows_of(source, true);
  if (!made) return std::string(made.problem());
  if (std::string why = rounding_problem(format.scaler_format.rounding); !why.empty()) return why;
  const Rows& rows = *made;
  Matrix matrix(rows, source.values, out);
  const ScaledBlock block(format, source.platform);
  const auto block_size = static_cast<std::size_t>(format.block_size);
  if (!is_stochastic(Format(format))) {
    for_each_block(BlockOrder::kByRow, rows, block_size,
                   [&](std::size_t row, std::size_t first, std::size_t width) {
                     block(matrix.in(row, first, width), words, matrix.out(row, first, width));
                   });
    matrix.finish();
    return {};
  }
  for (std::size_t c = 0; c < rows.columns(); c += block_size) {
    const std::size_t width = std::min(block_size, rows.columns() - c);
    // All codes of a chunk before its scales: the order of the random words.
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      block.code(matrix.in(row, c, width), words, matrix.out(row, c, width));
    }
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      block.scale(matrix.in(row, c, width), words, matrix.out(row, c, width));
    }
  }
  matrix.finish();
  return {};
}

std::string compat_mxfp(const Mxfp& format, const Source& source, Words& words,
                        std::span<Bits> out) {
  const auto made = rows_of(source, true);
  if (!made) return std::string(made.problem());
  const Rows& rows = *made;
  if (std::string why = mxfp_problem(format, source, rows.columns()); !why.empty()) return why;
  Matrix matrix(rows, source.values, out);
  const SoftMachine machine{source.platform};
  const FloatCast element(format.element_format, source.platform);
  const bool joins_rows = source.axis == 0 || source.axis == -2;
  const int exponent_bits = format.element_format.exponent;
  const BlockOrder order = order_of(format.element_format.rounding == Rounding::kStochastic);
  for_each_block(
      order, rows, static_cast<std::size_t>(format.block_size),
      [&](std::size_t row, std::size_t first, std::size_t width) {
        const auto x = matrix.in(row, first, width);
        const std::size_t place = first * rows.rows() + row * width;
        const MxfpBlock block(element, machine, mxfp_scale(largest_magnitude(x), exponent_bits));
        block(x, words, joins_rows ? matrix.out(place, width) : matrix.out(row, first, width));
      });
  matrix.finish();
  return {};
}

}  // namespace mx::emulators::dmx
