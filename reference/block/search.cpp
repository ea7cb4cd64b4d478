// Elements and scales that are found by trying: ggml's search over all codes, the two candidates of
// nvfp4_4over6, the sublevel bits of hif4. spec F11.4.
#include <array>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/block/scaling.hpp"
#include "reference/element/encode_kernel.hpp"

namespace mx {
namespace {

using Kind = ElementScaling::Kind;

/// |fl32(fl32(code * scale) - x)|
fp32::Bits search_error(const ElementFormat& element, std::uint64_t code, const Unpacked& scale,
                        fp32::Bits x) {
  const fp32::Bits value = fp32::round(multiply(decode(element, code), scale));
  return fp32::subtract(value, x) & ~fp32::kSignBit;
}

/// Codes in ascending order, strict improvement only. A NaN error never improves.
Encoded search(const QuantizerConfig& c, const Unpacked& scale, const Unpacked& x) {
  const ElementFormat& element = c.format.element;
  const fp32::Bits target = fp32::round(x);
  Encoded best;
  fp32::Bits least = search_error(element, 0, scale, target);
  for (std::uint64_t code = 1; code <= element.code_mask(); ++code) {
    const fp32::Bits error = search_error(element, code, scale, target);
    if (fp32::is_less(error, least)) {
      least = error;
      best.code = code;
    }
  }
  if (x.cls != ValueClass::kNan && least != 0) best.flags |= kFlagInexact;
  if (x.cls == ValueClass::kFinite && decode(element, best.code).cls == ValueClass::kZero) {
    best.flags |= kFlagToZero;
  }
  return best;
}

/// Sign-magnitude codes rounded to more bits first: BFP4 and BFP2 are BFP8 cut.
Encoded encode_cut(const QuantizerConfig& c, const ElementPolicy& policy, const Unpacked& y,
                   std::uint32_t random) {
  const ElementFormat& narrow = c.format.element;
  ElementFormat wide = narrow;
  wide.bits = c.format.cut_from;
  wide.frac_bits += wide.bits - narrow.bits;
  wide.max_code = wide.magnitude_mask();
  Encoded encoded = encode(y, wide, policy, random);
  const std::uint64_t magnitude = encoded.code & wide.magnitude_mask();
  const std::uint64_t kept = magnitude >> (wide.bits - narrow.bits);
  if (kept << (wide.bits - narrow.bits) != magnitude) encoded.flags |= kFlagInexact;
  if (kept == 0 && y.cls == ValueClass::kFinite) encoded.flags |= kFlagToZero;
  const bool negative = (encoded.code & wide.sign_bit()) != 0;
  encoded.code = kept | (negative && kept != 0 ? narrow.sign_bit() : 0);
  return encoded;
}

/// The largest magnitude among the lanes of a group, NaN left out; zero if there is none.
Unpacked group_maximum(const QuantizerConfig& c, std::span<const std::uint64_t> source,
                       std::size_t first, std::size_t count) {
  Unpacked amax;
  for (std::size_t i = first; i < std::min(first + count, source.size()); ++i) {
    const Unpacked x = kernel::decode_flushed(c.source, c.element, source[i]);
    const bool counts = x.cls == ValueClass::kFinite ||
                        (x.cls == ValueClass::kInf && c.block.amax_over != AmaxOver::kFiniteOnly);
    if (counts && compare_magnitude(x, amax) > 0) amax = x;
  }
  amax.negative = false;
  return amax;
}

bool reaches(const Unpacked& x, int exponent) {
  return x.cls == ValueClass::kInf || (x.cls == ValueClass::kFinite && x.exponent >= exponent);
}

/// Sum of binary32 errors over the lanes: |diff| or fl32(diff^2), sequentially.
fp32::Bits candidate_error(const QuantizerConfig& c, std::uint64_t scale_code,
                           std::span<const std::uint64_t> source) {
  const bool squared = c.block.four_over_six == FourOverSix::kMse448 ||
                       c.block.four_over_six == FourOverSix::kMse256;
  const bool is_256 = c.block.four_over_six == FourOverSix::kMae256 ||
                      c.block.four_over_six == FourOverSix::kMse256;
  const fp32::Bits divisor = fp32::from_integer(is_256 ? 6 * 256 : 6 * 448);
  const fp32::Bits scale = fp32::round(decode(c.format.scale, scale_code));
  const ElementScaling scaling = element_scaling(c, scale_code, {}, false);
  fp32::Bits sum = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const Unpacked x = kernel::decode_flushed(c.source, c.element, source[i]);
    const Encoded q = encode_scaled(c, c.element, scaling, scale_code, i, x, 0, nullptr);
    const fp32::Bits element = fp32::round(decode(c.format.element, q.code));
    const fp32::Bits product = fp32::multiply(fp32::multiply(element, scale), c.tensor.amax);
    const fp32::Bits diff = fp32::subtract(fp32::divide(product, divisor), fp32::round(x));
    sum = fp32::add(sum, squared ? fp32::multiply(diff, diff) : diff & ~fp32::kSignBit);
  }
  return sum;
}

}  // namespace

Encoded encode_scaled(const QuantizerConfig& c, const ElementPolicy& policy,
                      const ElementScaling& scaling, std::uint64_t code, std::size_t lane,
                      const Unpacked& element, std::uint32_t random, Trace* trace) {
  const Unpacked x = infinity_as_number(c, element);
  if (scaling.kind == Kind::kSearch) return search(c, scaling.factor, x);
  const Unpacked y =
      kernel::staged(scale_element(c, scaling, code, lane, x), policy, c.format.element);
  if (c.format.cut_from != 0) return encode_cut(c, policy, y, random);
  return trace == nullptr ? encode(y, c.format.element, policy, random)
                          : encode(y, c.format.element, policy, random, *trace);
}

std::uint64_t add_sublevels(const QuantizerConfig& c, std::uint64_t code,
                            std::span<const std::uint64_t> source) {
  const auto outer = static_cast<std::size_t>(c.format.sublevels[0]);
  const auto inner = static_cast<std::size_t>(c.format.sublevels[1]);
  const auto lanes = static_cast<std::size_t>(c.format.block_size);
  const Unpacked reciprocal = element_scaling(c, code, {}, false).factor;
  const std::size_t first_inner_bit = static_cast<std::size_t>(c.format.scale.bits) + lanes / outer;
  for (std::size_t i = 0; i < lanes / outer; ++i) {
    const Unpacked amax = multiply(group_maximum(c, source, i * outer, outer), reciprocal);
    const bool level2 = reaches(amax, 2);
    code |= std::uint64_t{level2} << (static_cast<std::size_t>(c.format.scale.bits) + i);
    for (std::size_t j = i * outer / inner; j < (i + 1) * outer / inner; ++j) {
      const Unpacked part = multiply(group_maximum(c, source, j * inner, inner), reciprocal);
      code |= std::uint64_t{reaches(part, level2 ? 2 : 1)} << (first_inner_bit + j);
    }
  }
  return code;
}

ScaleChoice choose_four_over_six(const QuantizerConfig& c, const Unpacked& amax,
                                 std::span<const std::uint64_t> source) {
  const FourOverSixScales scales = four_over_six_scales(c, amax);
  const bool map4 = fp32::is_less(candidate_error(c, scales.map4.code, source),
                                  candidate_error(c, scales.map6.code, source));
  return map4 ? scales.map4 : scales.map6;
}

}  // namespace mx
