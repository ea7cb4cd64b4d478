// The encode kernel: spec F8, inline so that the block loops see through it. Public
// face: reference/element/encode.hpp.
#pragma once

#include "reference/element/decode_kernel.hpp"
#include "reference/element/encode.hpp"
#include "reference/element/overflow.hpp"
#include "reference/format/table.hpp"
#include "reference/number/rounding.hpp"

namespace mx::kernel {

/// The kernel is written once; tracing is a compile-time choice so that it costs nothing unused.
struct NoTrace {
  void step(Trace::Step) {}
  void rounding(const Discarded&, bool, bool, std::uint64_t) {}
};

struct WriteTrace {
  Trace& out;
  void step(Trace::Step step) { out.step = step; }
  void rounding(const Discarded& discarded, bool odd, bool up, std::uint64_t lower) {
    out.discarded = discarded;
    out.odd = odd;
    out.rounded_up = up;
    out.lower = lower;
    out.upper = lower + 1;
    out.has_neighbours = true;
  }
};

/// The sign bit of a negative value, 0 of any other: a selection, since signs are coin tosses to a
/// branch predictor.
[[nodiscard]] inline std::uint64_t sign_of(const ElementFormat& f, bool negative) {
  return static_cast<std::uint64_t>(f.is_signed & negative) << (f.bits - 1);
}

/// Zero results: which of the two zeros, and the flags of a value that vanished.
[[nodiscard]] inline std::uint64_t zero_code(const ElementFormat& f, const ElementPolicy& p,
                                             bool negative) {
  return negative && f.zero == ZeroKind::kPosAndNeg && p.zero_sign != ZeroSign::kFlushPositive
             ? f.sign_bit()
             : 0;
}

[[nodiscard]] inline Encoded encode_zero(const Unpacked& x, const ElementFormat& f,
                                         const ElementPolicy& p) {
  if (f.zero == ZeroKind::kNone) {
    return {p.zero_in == ZeroIn::kNan && f.has_nan() ? f.canonical_nan : 0, kFlagInexact};
  }
  return {p.zero_sign == ZeroSign::kFlushInput ? 0 : zero_code(f, p, x.negative), 0};
}

[[nodiscard]] inline Encoded encode_nan(const Unpacked& x, const ElementFormat& f,
                                        const ElementPolicy& p) {
  const std::uint64_t code = nan_code(f, p.nan, x.negative);
  const bool lost = kernel::decode(f, code).cls != ValueClass::kNan;
  return {code, static_cast<std::uint8_t>(x.signaling || lost ? kFlagInvalid : 0)};
}

/// Step 10: beyond the range, or infinite.
[[nodiscard]] inline Encoded encode_overflow(const Unpacked& x, const ElementFormat& f,
                                             const ElementPolicy& p) {
  const bool is_infinite = x.cls == ValueClass::kInf;
  const std::uint64_t code = overflow_code(f, p, x.negative, is_infinite);
  int flags = is_infinite ? 0 : kFlagOverflow | kFlagInexact;
  if (code == f.max_code || code == extreme_code(f, x.negative, p.int_min)) {
    flags |= kFlagSaturated;
  }
  // Only an unsigned format's M_lo is a zero.
  if (!is_infinite && code == 0 && f.zero != ZeroKind::kNone) flags |= kFlagToZero;
  return {code, static_cast<std::uint8_t>(flags)};
}

/// The significand cut at weight 2^quantum: n = floor(|x| / 2^quantum) and what is discarded.
struct Cut {
  std::uint64_t kept = 0;
  Discarded discarded;
};

[[nodiscard]] inline Cut cut_at(const Unpacked& x, int quantum) {
  const int shift = 63 - x.exponent + quantum;  // bits discarded; >= 0 wherever it is called
  if (shift == 0) return {x.significand, {0, x.sticky}};
  if (shift < 64) return {x.significand >> shift, {x.significand << (64 - shift), x.sticky}};
  if (shift == 64) return {0, {x.significand, x.sticky}};
  if (shift < 128) {
    const int deep = shift - 64;
    return {0, {x.significand >> deep, x.sticky || (x.significand << (64 - deep)) != 0}};
  }
  return {0, {0, true}};
}

/// The significand of x at the format's precision, as if the exponent had no end, in units of
/// 2^(x.exponent - man_bits).
[[nodiscard]] inline std::uint64_t unbounded_significand(const Unpacked& x, const ElementFormat& f,
                                                         Rounding rounding, int random_bits,
                                                         std::uint32_t random) {
  const Cut cut = cut_at(x, x.exponent - f.man_bits);
  const bool odd = f.man_bits > 0
                       ? (cut.kept & 1) != 0
                       : f.parity == Parity::kImplicitOdd || ((x.exponent + f.bias) & 1) != 0;
  const bool up = round_up(rounding, x.negative, odd, cut.discarded, random_bits, random);
  return cut.kept + (up ? 1 : 0);
}

/// Is |x|, rounded to the format's precision with unbounded exponent, below the smallest normal?
[[nodiscard]] inline bool rounds_below_normal(const Unpacked& x, const ElementFormat& f,
                                              const ElementPolicy& p, std::uint32_t random) {
  const int emin = f.emin();
  if (x.exponent >= emin) return false;
  if (x.exponent < emin - 1) return true;
  // In [2^(emin-1), 2^emin): not tiny only if rounding carries to 2^emin.
  return unbounded_significand(x, f, p.rounding, p.random_bits, random) < std::uint64_t{1}
                                                                              << (f.man_bits + 1);
}

[[nodiscard]] inline bool is_tiny(const Unpacked& x, const ElementFormat& f, const ElementPolicy& p,
                                  std::uint32_t random) {
  return p.tininess == Tininess::kBeforeRounding ? x.exponent < f.emin()
                                                 : rounds_below_normal(x, f, p, random);
}

/// Step 9: results below the smallest normal that the format or the policy does not have.
[[nodiscard]] inline bool flushes_result(const Unpacked& x, const ElementFormat& f,
                                         const ElementPolicy& p, std::uint32_t random,
                                         std::uint64_t magnitude) {
  if (f.zero == ZeroKind::kNone) return false;
  if (p.dst_ftz == ResultSubnormals::kFlushBeforeRounding && x.exponent < 1 - f.bias) return true;
  if (p.dst_ftz == ResultSubnormals::kFlushAfterUnboundedRounding &&
      rounds_below_normal(x, f, p, random)) {
    return true;
  }
  const bool is_subnormal = magnitude >> f.man_bits == 0 && magnitude != 0;
  const bool has_none = !f.has_subnormal && f.man_bits > 0;
  return is_subnormal && (has_none || p.dst_ftz == ResultSubnormals::kFlushAfterRounding);
}

/// Can the code below -max be produced?
[[nodiscard]] inline bool has_int_min(const ElementFormat& f, const ElementPolicy& p) {
  return f.kind == FormatKind::kTwosComplement && p.int_min == IntMin::kAllow;
}

template <typename Sink>
[[nodiscard]] Encoded encode_fixed(const Unpacked& x, const ElementFormat& f,
                                   const ElementPolicy& p, std::uint32_t random, Sink sink) {
  // Step 5: the integer |x| * 2^frac_bits; anything that needs 64 integer bits is out of range.
  const int top = x.exponent + f.frac_bits;  // floor(log2) of that integer
  std::uint64_t limit = f.max_code;
  if (x.negative) limit = !f.is_signed ? 0 : limit + (has_int_min(f, p) ? 1 : 0);
  if (top >= 64) {
    sink.step(Trace::Step::kOverflowed);
    return encode_overflow(x, f, p);
  }
  const Cut cut = cut_at(x, -f.frac_bits);
  const bool odd = (cut.kept & 1) != 0;
  const bool up = round_up(p.rounding, x.negative, odd, cut.discarded, p.random_bits, random);
  sink.rounding(cut.discarded, odd, up, cut.kept);
  const std::uint64_t magnitude = cut.kept + (up ? 1 : 0);
  if (magnitude > limit || magnitude < cut.kept) {
    sink.step(Trace::Step::kOverflowed);
    return encode_overflow(x, f, p);
  }
  sink.step(Trace::Step::kRounded);
  int flags = cut.discarded.exact() ? 0 : kFlagInexact;
  if (magnitude == 0) {
    return {zero_code(f, p, x.negative), static_cast<std::uint8_t>(flags | kFlagToZero)};
  }
  const std::uint64_t code = f.kind == FormatKind::kSignMagnitude
                                 ? magnitude | sign_of(f, x.negative)
                                 : (x.negative ? ~magnitude + 1 : magnitude) & f.code_mask();
  return {code, static_cast<std::uint8_t>(flags)};
}

template <typename Sink>
[[nodiscard]] Encoded encode_float(const Unpacked& x, const ElementFormat& f,
                                   const ElementPolicy& p, std::uint32_t random, Sink sink) {
  // Step 8.1: the binade decides the quantum; below emin it stays that of the subnormals.
  const int emin = f.emin();
  const int e = x.exponent;
  if (e > f.emax()) {
    sink.step(Trace::Step::kOverflowed);
    return encode_overflow(x, f, p);
  }
  const int quantum = (e > emin ? e : emin) - f.man_bits;
  // Steps 8.2, 8.3: n, what is discarded, and the decision.
  const Cut cut = cut_at(x, quantum);
  // Step 12, ahead of rounding: the magnitude code of the lower candidate. The plain addition of
  // the significand (hidden bit included) to the exponent field makes every carry come out right.
  const std::uint64_t hidden = std::uint64_t{1} << f.man_bits;
  std::uint64_t lower = 0;
  if (f.zero != ZeroKind::kNone) {
    const auto field = static_cast<std::uint64_t>(quantum + f.man_bits + f.bias - 1);
    lower = (field << f.man_bits) + cut.kept;
  } else if (cut.kept >= hidden) {
    lower = (static_cast<std::uint64_t>(quantum + f.man_bits + f.bias) << f.man_bits) +
            (cut.kept - hidden);
  }
  const bool below_smallest = f.zero == ZeroKind::kNone && cut.kept < hidden;
  const bool odd =
      !below_smallest &&
      (f.parity == Parity::kImplicitOdd && f.man_bits == 0 ? cut.kept != 0 : (lower & 1) != 0);
  const bool up = round_up(p.rounding, x.negative, odd, cut.discarded, p.random_bits, random);
  sink.rounding(cut.discarded, odd, up, lower);
  const std::uint64_t magnitude = below_smallest ? 0 : lower + (up ? 1 : 0);
  if (flushes_result(x, f, p, random, magnitude)) {  // step 9
    sink.step(Trace::Step::kFlushed);
    const int underflow = is_tiny(x, f, p, random) ? kFlagUnderflow : 0;
    return {zero_code(f, p, x.negative),
            static_cast<std::uint8_t>(kFlagInexact | kFlagToZero | underflow)};
  }
  // Step 10: overflow is judged on the rounded magnitude. Without a sign, a negative result is too.
  const bool below_zero = !f.is_signed && x.negative && (cut.kept != 0 || up);
  if (magnitude > f.max_code || below_zero) {
    sink.step(Trace::Step::kOverflowed);
    return encode_overflow(x, f, p);
  }
  const bool inexact = !cut.discarded.exact() || below_smallest;
  int flags = inexact ? kFlagInexact : 0;
  if (e < emin && inexact && is_tiny(x, f, p, random)) flags |= kFlagUnderflow;
  if (f.zero == ZeroKind::kNone) {
    sink.step(Trace::Step::kRounded);
    return {magnitude, static_cast<std::uint8_t>(flags)};
  }
  sink.step(Trace::Step::kRounded);
  if (magnitude == 0) {  // step 11
    return {zero_code(f, p, x.negative), static_cast<std::uint8_t>(flags | kFlagToZero)};
  }
  return {magnitude | sign_of(f, x.negative), static_cast<std::uint8_t>(flags)};
}

/// HiF8: the same steps with a quantum that depends on the binade and a code that is not a sum.
template <typename Sink>
[[nodiscard]] Encoded encode_hif8(const Unpacked& x, const ElementFormat& f, const ElementPolicy& p,
                                  std::uint32_t random, Sink sink) {
  if (x.exponent > f.emax()) {
    sink.step(Trace::Step::kOverflowed);
    return encode_overflow(x, f, p);
  }
  const int quantum = hif8_quantum(x.exponent);
  const Cut cut = cut_at(x, quantum);
  const std::uint64_t lower = hif8_magnitude_code(cut.kept, quantum);
  const bool odd = (lower & 1) != 0;
  const bool up = round_up(p.rounding, x.negative, odd, cut.discarded, p.random_bits, random);
  sink.rounding(cut.discarded, odd, up, lower);
  const std::uint64_t magnitude = hif8_magnitude_code(cut.kept + (up ? 1 : 0), quantum);
  // Beyond 2^15 the codes run on into infinity (6F) and the negative exponents.
  if (x.exponent == f.emax() && magnitude != f.max_code) {
    sink.step(Trace::Step::kOverflowed);
    return encode_overflow(x, f, p);
  }
  sink.step(Trace::Step::kRounded);
  int flags = cut.discarded.exact() ? 0 : kFlagInexact;
  const bool tiny =
      p.tininess == Tininess::kBeforeRounding ? x.exponent < kHif8Smallest : magnitude == 0;
  if (flags != 0 && tiny) flags |= kFlagUnderflow;
  if (magnitude == 0) return {0, static_cast<std::uint8_t>(flags | kFlagToZero)};
  return {magnitude | sign_of(f, x.negative), static_cast<std::uint8_t>(flags)};
}

/// Step 4: a negative value for an unsigned format, where the policy answers at once.
[[nodiscard]] inline Encoded encode_unsigned_negative(const Unpacked& x, const ElementFormat& f,
                                                      const ElementPolicy& p) {
  const int inexact = x.cls == ValueClass::kFinite ? kFlagInexact : 0;
  if (p.unsigned_negative == UnsignedNegative::kToNan && f.has_nan()) {
    return {f.canonical_nan, static_cast<std::uint8_t>(kFlagInvalid | inexact)};
  }
  const bool to_zero = x.cls == ValueClass::kFinite && f.zero != ZeroKind::kNone;
  return {0, static_cast<std::uint8_t>(inexact | (to_zero ? kFlagToZero : 0))};
}

template <typename Sink>
[[nodiscard]] Encoded encode_with(const Unpacked& value, const ElementFormat& f,
                                  const ElementPolicy& p, std::uint32_t random, Sink sink) {
  // Step numbers are those of spec F8.
  if (value.cls == ValueClass::kNan) {  // 3
    sink.step(Trace::Step::kNan);
    return encode_nan(value, f, p);
  }
  Unpacked x = value;
  bool sign_lost = false;
  if (!f.is_signed && x.negative && x.cls != ValueClass::kZero) {  // 4
    switch (p.unsigned_negative) {
      case UnsignedNegative::kMagnitude:
        x.negative = false;
        sign_lost = x.cls == ValueClass::kFinite;
        break;
      case UnsignedNegative::kToNan:
      case UnsignedNegative::kToMin:
        sink.step(Trace::Step::kUnsignedNegative);
        return encode_unsigned_negative(x, f, p);
      case UnsignedNegative::kSaturateRule:
        break;
    }
  }
  Encoded result;
  if (x.cls == ValueClass::kInf) {  // 6
    sink.step(Trace::Step::kInfinity);
    result = encode_overflow(x, f, p);
  } else if (x.cls == ValueClass::kZero) {  // 7
    sink.step(Trace::Step::kZero);
    result = encode_zero(x, f, p);
  } else if (f.is_fixed()) {  // 5
    result = encode_fixed(x, f, p, random, sink);
  } else if (f.kind == FormatKind::kTapered) {
    result = encode_hif8(x, f, p, random, sink);
  } else {
    result = encode_float(x, f, p, random, sink);
  }
  if (sign_lost) {  // the magnitude may be exact, the value is not
    result.flags |= kFlagInexact;
    if (f.kind == FormatKind::kFloat && is_tiny(x, f, p, random)) result.flags |= kFlagUnderflow;
  }
  return result;
}

/// Staging rounds ties_to_even and overflows to infinity; a NaN passes through with its sign.
[[nodiscard]] inline Unpacked stage(const Unpacked& x, const ElementFormat& format) {
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  policy.nan = NanPolicy::kKeepSign;
  Unpacked staged = kernel::decode(format, encode_with(x, format, policy, 0, NoTrace{}).code);
  staged.signaling = x.signaling;
  return staged;
}

[[nodiscard]] inline bool is_subnormal(const ElementFormat& f, const Unpacked& x) {
  return f.kind == FormatKind::kFloat && f.zero != ZeroKind::kNone &&
         x.cls == ValueClass::kFinite && x.exponent < f.emin();
}

[[nodiscard]] inline Unpacked decode_flushed(const ElementFormat& source,
                                             const ElementPolicy& policy, std::uint64_t code) {
  const Unpacked x = kernel::decode(source, code);
  const bool is_flushed = policy.src_ftz == SourceSubnormals::kFlush && is_subnormal(source, x);
  return is_flushed ? Unpacked{.negative = x.negative} : x;
}

/// Rounded before it is denormalised: below the normals of a float to its precision, as `rounding`
/// says; ties_to_even where that would draw.
[[nodiscard]] inline Unpacked stage_unbounded(const Unpacked& x, const ElementFormat& destination,
                                              const ElementPolicy& policy) {
  const ElementFormat& f = destination;
  if (f.kind != FormatKind::kFloat || x.cls != ValueClass::kFinite || x.exponent >= f.emin()) {
    return x;
  }
  const bool draws = is_stochastic(policy.rounding);
  const Rounding rounding = draws ? Rounding::kTiesToEven : policy.rounding;
  return unpack_integer(x.negative, unbounded_significand(x, f, rounding, 1, 0),
                        x.exponent - f.man_bits);
}

[[nodiscard]] inline Unpacked staged(const Unpacked& x, const ElementPolicy& policy,
                                     const ElementFormat& destination) {
  if (policy.staging == Staging::kViaUnbounded) return stage_unbounded(x, destination, policy);
  const ElementFormat* staging = staging_format(policy.staging);
  return staging == nullptr ? x : stage(x, *staging);
}

/// What a conversion sees of a source code.
[[nodiscard]] inline Unpacked seen_source(const ConversionConfig& c, std::uint64_t code) {
  return kernel::staged(kernel::decode_flushed(c.source, c.policy, code), c.policy, c.destination);
}

}  // namespace mx::kernel
