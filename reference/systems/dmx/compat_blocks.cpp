// The blocked casts of the package: BFP, SBFP, MXFP. Rules DX-B, DX-S, DX-M, spec S5.5.
#include <algorithm>
#include <array>

#include "reference/number/log2f.hpp"
#include "reference/systems/dmx/compat.hpp"
#include "reference/systems/dmx/format/joined.hpp"
#include "reference/systems/dmx/kernel/asymmetric.hpp"
#include "reference/systems/dmx/kernel/float_cast.hpp"
#include "reference/systems/dmx/kernel/scaled_codes.hpp"
#include "reference/systems/dmx/rows.hpp"

namespace mx::systems::dmx {
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

/// A block whose scale is known: codes to nearest times the scale, by a table where it is shorter.
void cast_scaled_block(const ScaledCodes& codes, int precision, Bits scale, std::span<const Bits> x,
                       std::span<Bits> out) {
  constexpr int kTable = 16;
  const std::uint32_t largest = (std::uint32_t{1} << (precision - 1)) - 1;
  const bool has_table = largest < kTable && largest <= x.size();
  const SoftMachine machine = codes.machine();
  std::array<Bits, kTable> products{};
  for (std::uint32_t n = 0; has_table && n <= largest; ++n) {
    products[n] = multiply(machine, fp32::from_integer(n), scale);
  }
  Words none;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto [magnitude, is_certain] = codes(x[i]);
    if (is_certain && has_table && magnitude <= largest) {
      out[i] = sign_of(x[i]) | products[magnitude];
    } else {
      const Bits code = is_certain                ? exact_pattern(sign_of(x[i]), magnitude, 0)
                        : magnitude_of(x[i]) == 0 ? 0
                                                  : codes.exact(x[i], none);
      out[i] = multiply(machine, code, scale);
    }
  }
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

  void operator()(std::span<const Bits> x, Words& words, std::span<Bits> out) const {
    const FloatLanes* const lanes = element_.block_lanes();
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
    return joined(
        {"IndexError: Dimension out of range (expected to be in range of [-2, 1], but "
         "got ",
         std::to_string(source.axis), ")"});
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
  const BlockKernel kernel =
      BlockKernel::make(format.precision, bit_rounding_of(format.rounding), source.platform);
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
  const SoftMachine machine{source.platform};
  const FixedPoint& block = format.block_format;
  const FixedKernel kernel = FixedKernel::make(block.precision, block.fraction, block.clamp,
                                               block.symmetric, block.rounding, source.platform);
  const FloatCast scaler(format.scaler_format, source.platform);
  const Bits largest_code = fp32::from_integer((std::uint32_t{1} << (block.precision - 1)) - 1);
  const auto block_size = static_cast<std::size_t>(format.block_size);
  const bool draws = is_stochastic(Format(format));
  constexpr Bits kDone = fp32::kSignBit;  // no scale is negative
  std::vector<Bits> scales(rows.rows());
  for (std::size_t c = 0; c < rows.columns(); c += block_size) {
    const std::size_t width = std::min(block_size, rows.columns() - c);
    // All codes of a chunk before its scales: the order of the random words.
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const auto x = matrix.in(row, c, width);
      const auto y = matrix.out(row, c, width);
      scales[row] = divide(machine, largest_magnitude(x), largest_code);
      const ScaledCodes codes(kernel, block.precision, scales[row]);
      if (codes.usable() && !draws) {
        const Bits scale = scaler(scales[row], words);
        cast_scaled_block(codes, static_cast<int>(block.precision), scale, x, y);
        scales[row] = kDone;
      } else {
        for (std::size_t i = 0; i < width; ++i) {
          y[i] = kernel(divide(machine, x[i], scales[row]), words);
        }
      }
    }
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (scales[row] == kDone) continue;
      const auto x = matrix.in(row, c, width);
      const auto y = matrix.out(row, c, width);
      const Bits scale = scaler(scales[row], words);
      const bool quantizes = is_below(0, scales[row]);
      for (std::size_t i = 0; i < width; ++i) {
        y[i] = quantizes ? multiply(machine, y[i], scale) : x[i];
      }
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

}  // namespace mx::systems::dmx
