#include "emulators/aimet/element/float_info.hpp"

#include <array>

#include "reference/arithmetic/fp32.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::aimet {
namespace {

#define MX_AIMET_INFO(name, text, exponent, mantissa, finite, unsigned_zero) \
  FloatInfo{exponent, mantissa, finite, unsigned_zero},
constexpr std::array kInfos = {MX_AIMET_DTYPE(MX_AIMET_INFO)};

constexpr std::array kFormats = {formats::fp16,     formats::bf16, formats::e4m3fn,
                                 formats::e4m3fnuz, formats::e5m2, formats::e5m2fnuz};
static_assert(kFormats.size() == kInfos.size());

}  // namespace

FloatInfo info_of(Dtype dtype) { return kInfos[static_cast<std::size_t>(dtype)]; }

std::optional<Dtype> FloatInfo::dtype() const {
  for (std::size_t i = 0; i < kInfos.size(); ++i) {
    if (kInfos[i] == *this) return static_cast<Dtype>(i);
  }
  return {};
}

std::string FloatInfo::name() const {
  if (const std::optional<Dtype> torch = dtype()) return std::string(token_of(*torch));
  return "float" + std::to_string(bitwidth()) + "_e" + std::to_string(exponent_bits) + "m" +
         std::to_string(mantissa_bits) + (finite ? "fn" : "") + (unsigned_zero ? "uz" : "");
}

ElementFormat FloatInfo::format() const {
  if (const std::optional<Dtype> torch = dtype()) return kFormats[static_cast<std::size_t>(*torch)];
  if (*this == kFloat4E2m1fn) return formats::e2m1fn;
  // With one exponent bit IEEE 754 has no normal numbers; the documented maximum lies in [1, 2), so
  // there both fields count.
  const bool is_narrow = exponent_bits < 2;
  const std::uint64_t top = is_narrow ? 2 : (std::uint64_t{1} << exponent_bits) - 1;
  return {.bits = bitwidth(),
          .storage_bits = bitwidth() <= 8    ? 8
                          : bitwidth() <= 16 ? 16
                                             : 32,
          .exp_bits = exponent_bits,
          .man_bits = mantissa_bits,
          .bias = is_narrow ? 1 : bias(),
          .max_code = (top << mantissa_bits) - 1,
          .parity = mantissa_bits == 0 ? Parity::kImplicitOdd : Parity::kCodeLsb};
}

Unpacked FloatInfo::max() const {
  if (dtype() || *this == kFloat4E2m1fn) {
    const ElementFormat known = format();
    return decode(known, known.max_code);
  }
  const std::uint64_t ones = (std::uint64_t{2} << mantissa_bits) - 1;
  const int top = (1 << exponent_bits) - 1;
  return unpack_integer(false, ones, top - bias() - 1 - mantissa_bits);
}

int FloatInfo::emax() const { return max().exponent; }

std::uint32_t FloatInfo::max_fp32() const { return fp32::round(max()); }

Checked<FloatInfo> make_info(const FloatInfo& wanted, Mode mode) {
  const int least = mode == Mode::kStrict ? 1 : 0;
  if (wanted.exponent_bits > 8 || (wanted.exponent_bits == 8 && wanted.mantissa_bits > 23)) {
    return Problem{"RuntimeError: value cannot be converted to type float without overflow"};
  }
  if (wanted.exponent_bits < least) {
    return Problem{"ValueError: exponent_bits must lie in " + std::to_string(least) + "..8, not " +
                   std::to_string(wanted.exponent_bits)};
  }
  if (wanted.mantissa_bits < 0 || wanted.mantissa_bits > 23) {
    return Problem{"ValueError: mantissa_bits must lie in 0..23, not " +
                   std::to_string(wanted.mantissa_bits)};
  }
  const bool is_known = wanted.dtype().has_value() || wanted == kFloat4E2m1fn;
  if ((wanted.finite || wanted.unsigned_zero) && !is_known) {
    return Problem{
        "RuntimeError: finite and unsigned_zero are known of torch's own types and of "
        "float4_e2m1fn only, not of '" +
        wanted.name() + "'"};
  }
  return wanted;
}

std::string_view maximum_problem(const FloatInfo& info, Mode mode, MaximumUse use) {
  if (mode == Mode::kStrict || info.mantissa_bits != 0) return {};
  if (info.exponent_bits == 8) return "OverflowError: int too big to convert";
  if (info.exponent_bits < 7 || use == MaximumUse::kBound) return {};
  return "RuntimeError: value cannot be converted to type int64_t without overflow";
}

}  // namespace mx::emulators::aimet
