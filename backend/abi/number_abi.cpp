// SPDX-License-Identifier: Apache-2.0
// Exact values over the C ABI.
#include <algorithm>
#include <bit>
#include <optional>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "mxgold.h"
#include "reference/catalog/catalog.hpp"

namespace {

using mx::abi::guarded;

/// Exponents beyond these no format has.
constexpr std::int32_t kMostExponent = 1 << 24;
/// A value that is cut at 64 bits of significand is exact enough for one rounding to so many.
constexpr int kMostPrecision = 62;

mxgold_number number_of(const mx::Unpacked& x) {
  mxgold_number number{.significand = 0,
                       .exponent = 0,
                       .kind = static_cast<std::uint8_t>(x.cls),
                       .is_negative = x.negative,
                       .is_signaling = x.signaling,
                       .is_cut = 0};
  if (x.cls != mx::ValueClass::kFinite) return number;
  const int trailing = std::countr_zero(x.significand);
  number.significand = x.significand >> trailing;
  number.exponent = x.exponent - 63 + trailing;
  return number;
}

static_assert(static_cast<int>(mx::ValueClass::kZero) == MXGOLD_ZERO);
static_assert(static_cast<int>(mx::ValueClass::kFinite) == MXGOLD_FINITE);
static_assert(static_cast<int>(mx::ValueClass::kInf) == MXGOLD_INFINITE);
static_assert(static_cast<int>(mx::ValueClass::kNan) == MXGOLD_NAN);

/// Nothing where the number is none.
std::optional<mx::Unpacked> value_of(const mxgold_number& number) {
  const bool is_negative = number.is_negative != 0;
  switch (number.kind) {
    case MXGOLD_ZERO:
    case MXGOLD_INFINITE:
      return mx::Unpacked{.cls = static_cast<mx::ValueClass>(number.kind), .negative = is_negative};
    case MXGOLD_NAN:
      return mx::Unpacked{.cls = mx::ValueClass::kNan,
                          .negative = is_negative,
                          .signaling = number.is_signaling != 0};
    case MXGOLD_FINITE:
      break;
    default:
      return std::nullopt;
  }
  const bool is_cut = number.is_cut != 0;
  if (number.significand == 0 || (is_cut && number.significand >> 63 == 0) ||
      number.exponent < -kMostExponent || number.exponent > kMostExponent) {
    return std::nullopt;
  }
  mx::Unpacked x = mx::unpack_integer(is_negative, number.significand, number.exponent);
  x.sticky = is_cut;
  return x;
}

/// The destination's bits that a rounding may reach.
int precision_of(const mx::ElementFormat& format) {
  if (format.kind == mx::FormatKind::kFloat) return format.man_bits + 1;
  return format.bits - (format.is_signed ? 1 : 0);
}

mxgold_status check_values(const mx::ConversionConfig& config,
                           std::span<const mxgold_number> values, const std::uint32_t* random) {
  const mx::ElementPolicy& policy = config.policy;
  if (policy.src_ftz != mx::SourceSubnormals::kKeep) return MXGOLD_BAD_VALUE;
  const bool takes_cut = precision_of(config.destination) <= kMostPrecision;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!value_of(values[i]) || (values[i].is_cut != 0 && !takes_cut)) return MXGOLD_BAD_VALUE;
    if (random != nullptr && !mx::is_drawn(policy, random[i])) return MXGOLD_BAD_VALUE;
  }
  return MXGOLD_OK;
}

template <typename Word>
mx::abi::Buffer buffer(const Word* data, std::size_t count) {
  return {data, count * sizeof(Word)};
}

}  // namespace

extern "C" mxgold_status mxgold_values(const char* format, const uint64_t* codes, size_t count,
                                       mxgold_number* values) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (format == nullptr || (count > 0 && (codes == nullptr || values == nullptr))) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const std::optional<mx::ElementFormat> found = mx::make_format(format);
    if (!found) return MXGOLD_UNKNOWN_FORMAT;
    if (!std::all_of(codes, codes + count, [&](auto code) { return found->takes(code); })) {
      return MXGOLD_BAD_CODE;
    }
    if (mx::abi::is_shared({buffer(values, count)}, {buffer(codes, count)})) return MXGOLD_OVERLAP;
    for (std::size_t i = 0; i < count; ++i) values[i] = number_of(mx::decode(*found, codes[i]));
    return MXGOLD_OK;
  });
}

extern "C" mxgold_status mxgold_round(const mxgold_conversion* conversion,
                                      const mxgold_number* values, const uint32_t* random,
                                      size_t count, uint64_t* codes, uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (conversion == nullptr || (count > 0 && (values == nullptr || codes == nullptr))) {
      return MXGOLD_NULL_ARGUMENT;
    }
    const mx::Conversion& convert = conversion->conversion;
    const bool is_stochastic = mx::is_stochastic(convert.config().policy.rounding);
    if (is_stochastic && random == nullptr && count > 0) return MXGOLD_NULL_ARGUMENT;
    const std::uint32_t* const words = is_stochastic ? random : nullptr;
    const mxgold_status status = check_values(convert.config(), {values, count}, words);
    if (status != MXGOLD_OK) return status;
    if (mx::abi::is_shared({buffer(codes, count), buffer(flags, count)},
                           {buffer(values, count), buffer(words, count)})) {
      return MXGOLD_OVERLAP;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t word = words == nullptr ? 0 : words[i];
      const mx::Encoded made = convert.of(*value_of(values[i]), word);
      codes[i] = made.code;
      if (flags != nullptr) flags[i] = made.flags;
    }
    return MXGOLD_OK;
  });
}
