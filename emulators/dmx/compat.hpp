// The casts of dmx 0.1.11, bit for bit: rules DX-F to DX-M. spec S5.5.
#pragma once

#include <span>
#include <vector>

#include "emulators/common/interface.hpp"
#include "emulators/common/machine.hpp"
#include "emulators/dmx/format/format.hpp"
#include "emulators/dmx/kernel/words.hpp"

namespace mx::emulators::dmx {

/// What a cast works on: the values as binary32 patterns.
struct Source {
  std::span<const Bits> values;
  Shape shape;
  TensorType type = TensorType::kFp32;  ///< of the tensor that the values came from
  std::int64_t axis = -1;
  Platform platform = Platform::kX86;
};

/// The package's cast to a format other than Same. "" or what it raises.
[[nodiscard]] std::string compat_cast(const Format& format, const Source& source, Words& words,
                                      std::span<Bits> out);

[[nodiscard]] std::string compat_bfp(const BlockFloatingPoint& format, const Source& source,
                                     Words& words, std::span<Bits> out);
[[nodiscard]] std::string compat_sbfp(const ScaledBlockFloatingPoint& format, const Source& source,
                                      Words& words, std::span<Bits> out);
[[nodiscard]] std::string compat_mxfp(const Mxfp& format, const Source& source, Words& words,
                                      std::span<Bits> out);

/// Whatever the kernels can do, the package's functions take two modes for floats.
[[nodiscard]] std::string rounding_problem(Rounding rounding);

/// Does the cast give its input back, in its own type?
[[nodiscard]] bool compat_passes(const Format& format, TensorType type);

/// fixed_point_quantize() and float_quantize() on patterns.
void quantize_fixed(const FixedPoint& format, Platform platform, std::span<const Bits> values,
                    Words& words, std::span<Bits> out);
void quantize_float(const FloatingPoint& format, Platform platform, std::span<const Bits> values,
                    Words& words, std::span<Bits> out);

/// make_mantissa_asymmetric(): `quantized` and `values` are matrices of `columns` columns.
[[nodiscard]] std::vector<Bits> make_mantissa_asymmetric(std::span<const Bits> quantized,
                                                         std::span<const Bits> values,
                                                         std::size_t columns, int mantissa_bits,
                                                         Platform platform);

/// The largest magnitude, a NaN if there is one.
[[nodiscard]] inline Bits largest_magnitude(std::span<const Bits> values) {
  std::int32_t most = 0;  // signed: what vector code compares
  for (const Bits x : values) {
    const auto m = static_cast<std::int32_t>(x & 0x7FFFFFFF);
    most = m > most ? m : most;
  }
  return static_cast<Bits>(most);
}

}  // namespace mx::emulators::dmx
