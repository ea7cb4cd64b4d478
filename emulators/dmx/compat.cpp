#include "emulators/dmx/compat.hpp"

#include <algorithm>

#include "emulators/common/refusals.hpp"
#include "emulators/dmx/format/joined.hpp"
#include "emulators/dmx/kernel/float_cast.hpp"

namespace mx::emulators::dmx {
namespace {

struct Caster {
  const Source& source;
  Words& words;
  std::span<Bits> out;

  std::string operator()(const Same&) const {
    std::copy(source.values.begin(), source.values.end(), out.begin());
    return {};
  }
  std::string operator()(const FixedPoint& format) const {
    if (source.type != TensorType::kFp32) {
      return wants_float(source.type);
    }
    quantize_fixed(format, source.platform, source.values, words, out);
    return {};
  }
  std::string operator()(const FloatingPoint& format) const {
    if (std::string why = rounding_problem(format.rounding); !why.empty()) return why;
    if (is_float32(format) && source.type != TensorType::kFp32) {
      // Another type is converted, and its values then take the kernel.
      quantize_float(format, source.platform, source.values, words, out);
    } else {
      FloatCast(format, source.platform)(source.values, words, out);
    }
    return {};
  }
  std::string operator()(const BlockFloatingPoint& format) const {
    return compat_bfp(format, source, words, out);
  }
  std::string operator()(const ScaledBlockFloatingPoint& format) const {
    return compat_sbfp(format, source, words, out);
  }
  std::string operator()(const Mxfp& format) const {
    return compat_mxfp(format, source, words, out);
  }
};

}  // namespace

std::string rounding_problem(Rounding rounding) {
  if (rounding == Rounding::kNearest || rounding == Rounding::kStochastic) return {};
  return joined({"AssertionError: invalid rounding mode, ", token_of(rounding)});
}

std::string compat_cast(const Format& format, const Source& source, Words& words,
                        std::span<Bits> out) {
  return std::visit(Caster{source, words, out}, format);
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
  kernel(values, words, out);
}

void quantize_float(const FloatingPoint& format, Platform platform, std::span<const Bits> values,
                    Words& words, std::span<Bits> out) {
  const FloatKernel kernel = kernel_of(format, platform);
  run_kernel(kernel, lanes_of(kernel), values, words, out);
}

}  // namespace mx::emulators::dmx
