#include "tests/reference/dot/dot_sweep.hpp"

#include <algorithm>

#include "oracle/block/block.hpp"
#include "reference/catalog/catalog.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle {
namespace {

std::uint64_t scale_mask(const BlockFormat& format) {
  const int bits = format.scale_bits();
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::uint64_t finite_code(const ElementFormat& format, Stream& stream) {
  for (;;) {
    const std::uint64_t code = stream.next64() & format.code_mask();
    if (value_of(format, code).finite()) return code;
  }
}

/// A finite nonzero code.
std::uint64_t some_code(const ElementFormat& format, Stream& stream) {
  for (;;) {
    const std::uint64_t code = finite_code(format, stream);
    if (!value_of(format, code).zero()) return code;
  }
}

/// The code of the number opposite to a code's; the code itself where there is none.
std::uint64_t opposite(const ElementFormat& format, std::uint64_t code) {
  if (!format.is_signed) return code;
  const std::uint64_t other = format.kind == FormatKind::kTwosComplement
                                  ? (~code + 1) & format.code_mask()
                                  : code ^ format.sign_bit();
  return value_of(format, other).finite() ? other : code;
}

/// The scale code whose value is nearest below 2^exponent.
std::uint64_t scale_near(const ElementFormat& format, int exponent) {
  std::uint64_t best = 0;
  Rational best_value = -1;
  const Rational wanted = dyadic(1, exponent);
  if (format.bits > 8) {  // binary32: a power of two
    const int field = std::clamp(exponent + format.bias, 1, (1 << format.exp_bits) - 2);
    return static_cast<std::uint64_t>(field) << format.man_bits;
  }
  for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
    const Extended value = extended(value_of(format, code));
    if (value.kind != Kind::kFinite || value.negative || value.magnitude > wanted) continue;
    if (value.magnitude > best_value) {
      best = code;
      best_value = value.magnitude;
    }
  }
  return best;
}

/// Codes that are no numbers, of any format that has them.
std::optional<std::uint64_t> special_code(const ElementFormat& format, Stream& stream) {
  std::vector<std::uint64_t> all;
  if (format.bits > 8) {
    if (format == formats::fp32) all = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001};
  } else {
    for (std::uint64_t code = 0; code <= format.code_mask(); ++code) {
      if (!value_of(format, code).finite()) all.push_back(code);
    }
  }
  if (all.empty()) return std::nullopt;
  return all[stream.below(all.size())];
}

struct Side {
  const BlockFormat& format;
  std::vector<std::uint64_t>& scales;
  std::vector<std::uint64_t>& codes;
};

void fill_random(const Side& side, std::size_t elements, Stream& stream) {
  const auto block = static_cast<std::size_t>(side.format.block_size);
  side.scales.clear();
  side.codes.clear();
  for (std::size_t i = 0; i < (elements + block - 1) / block; ++i) {
    side.scales.push_back(stream.next64() & scale_mask(side.format));
  }
  for (std::size_t i = 0; i < elements; ++i) {
    side.codes.push_back(stream.next64() & side.format.element.code_mask());
  }
}

/// Finite codes under scales around 2^exponent, a spread of binades apart.
void fill_finite(const Side& side, std::size_t elements, int exponent, int spread, Stream& stream) {
  fill_random(side, elements, stream);
  const ElementFormat& scale = side.format.scale;
  for (std::uint64_t& code : side.scales) {
    const int off = static_cast<int>(stream.below(static_cast<std::uint64_t>(spread) + 1));
    const std::uint64_t low = scale_near(scale, exponent - off);
    code = (code & ~scale.code_mask() & scale_mask(side.format)) | low;
  }
  for (std::uint64_t& code : side.codes) code = finite_code(side.format.element, stream);
}

void zero_most(const Side& side, Stream& stream) {
  for (std::uint64_t& code : side.codes) {
    if (stream.below(4) != 0) code = 0;
  }
}

void make_cancellation(const Side& a, const Side& b, Stream& stream) {
  for (std::size_t i = 0; i + 1 < a.codes.size(); i += 2) {
    const bool inside = i / static_cast<std::size_t>(a.format.block_size) ==
                        (i + 1) / static_cast<std::size_t>(a.format.block_size);
    if (!inside) continue;
    a.codes[i + 1] = opposite(a.format.element, a.codes[i]);
    b.codes[i + 1] = b.codes[i];
  }
  if (stream.coin()) a.codes.back() = some_code(a.format.element, stream);
}

/// Two products: the last place of the one in block 1 is half the last place of the result, whose
/// leading one is that of the product in block 0.
void make_tie(const Side& a, const Side& b, const ElementFormat& result, Stream& stream) {
  std::fill(a.codes.begin(), a.codes.end(), 0);
  const std::size_t second =
      std::min(static_cast<std::size_t>(a.format.block_size), a.codes.size() - 1);
  for (const std::size_t i : {std::size_t{0}, second}) {
    a.codes[i] = some_code(a.format.element, stream);
    b.codes[i] = some_code(b.format.element, stream);
  }
  if (a.scales.size() < 2) return;
  const auto product = [&](std::size_t i) {
    return times(extended(value_of(a.format.element, a.codes[i])),
                 extended(value_of(b.format.element, b.codes[i])))
        .magnitude;
  };
  int last_place = -200;
  while (mp::denominator(Rational(product(second) * dyadic(1, -last_place))) == 1) ++last_place;
  const int up = (last_place - 1) + result.man_bits + 1 - floor_log2(product(0));
  a.scales[0] = scale_near(a.format.scale, up / 2);
  b.scales[0] = scale_near(b.format.scale, up - up / 2);
  a.scales[1] = scale_near(a.format.scale, 0);
  b.scales[1] = scale_near(b.format.scale, 0);
}

int scale_top(const ElementFormat& format) { return format.emax(); }

int scale_bottom(const ElementFormat& format) {
  return format.zero == ZeroKind::kNone ? format.emin() : format.emin() - format.man_bits;
}

void make_specials(const Side& side, Stream& stream) {
  if (const auto code = special_code(side.format.element, stream); code && stream.coin()) {
    side.codes[stream.below(side.codes.size())] = *code;
    if (const auto more = special_code(side.format.element, stream); more && stream.coin()) {
      side.codes[stream.below(side.codes.size())] = *more;
    }
  }
  if (const auto code = special_code(side.format.scale, stream); code && stream.below(3) == 0) {
    side.scales[stream.below(side.scales.size())] = *code;
  }
}

void make_zeros(const Side& side, Stream& stream) {
  const bool has_minus = side.format.element.zero == ZeroKind::kPosAndNeg;
  for (std::uint64_t& code : side.codes) {
    code = has_minus && stream.coin() ? side.format.element.sign_bit() : 0;
  }
}

std::uint64_t make_addend(DotClass what, const ElementFormat& format, Stream& stream) {
  const std::uint64_t random = stream.next64() & format.code_mask();
  if (what == DotClass::kRandom || what == DotClass::kSpecials) return random;
  if (what == DotClass::kZeros) return stream.coin() ? format.sign_bit() : 0;
  // Around 1, or next to the end of the range that the class is about.
  std::uint64_t field = static_cast<std::uint64_t>(format.bias) + stream.below(24) - 12;
  if (what == DotClass::kTiny) field = stream.below(3);
  if (what == DotClass::kHuge) field = (std::uint64_t{1} << format.exp_bits) - 2;
  return (random & (format.sign_bit() | format.man_mask())) | field << format.man_bits;
}

}  // namespace

std::string name_of(DotClass what) {
  static constexpr const char* kNames[] = {"random", "near", "cancellation", "tie",     "gap",
                                           "tiny",   "huge", "zeros",        "specials"};
  return kNames[static_cast<int>(what)];
}

DotImplementation reference_dot() {
  return [](const DotConfig& config, const DotOperands& operands) {
    DotProduct dot = made(config);
    return dot(operands.a(), operands.b(), operands.addend);
  };
}

BlockFormat block_of(std::string_view element, std::string_view scale, int block_size) {
  return {.name = element,
          .element = *make_format(element),
          .scale = *make_format(scale),
          .block_size = block_size};
}

DotOperands make_operands(DotClass what, const DotConfig& config, std::size_t elements,
                          Stream& stream) {
  DotOperands out;
  const Side a{config.a, out.a_scales, out.a_codes};
  const Side b{config.b, out.b_scales, out.b_codes};
  const auto fill = [&](int exponent_a, int exponent_b, int spread) {
    fill_finite(a, elements, exponent_a, spread, stream);
    fill_finite(b, elements, exponent_b, spread, stream);
  };
  switch (what) {
    case DotClass::kRandom:
      fill_random(a, elements, stream);
      fill_random(b, elements, stream);
      break;
    case DotClass::kNear:
      fill(1, 1, 3);
      break;
    case DotClass::kCancellation:
      fill(2, 0, 2);
      make_cancellation(a, b, stream);
      break;
    case DotClass::kTie:
      fill(0, 0, 0);
      make_tie(a, b, config.result, stream);
      break;
    case DotClass::kGap:
      fill(scale_top(config.a.scale) / 2, scale_top(config.b.scale) / 2,
           scale_top(config.a.scale) + 20);
      zero_most(a, stream);
      break;
    case DotClass::kTiny:
      fill(std::max(scale_bottom(config.a.scale), -80) + 6,
           std::max(scale_bottom(config.b.scale), -80) + 6, 8);
      break;
    case DotClass::kHuge:
      fill(std::min(scale_top(config.a.scale), 66), std::min(scale_top(config.b.scale), 66), 4);
      break;
    case DotClass::kZeros:
      fill(0, 0, 4);
      make_zeros(stream.coin() ? a : b, stream);
      break;
    case DotClass::kSpecials:
      fill(1, 1, 3);
      make_specials(a, stream);
      make_specials(b, stream);
      break;
  }
  if (stream.coin()) out.addend = make_addend(what, config.addend, stream);
  if (config.a.tensor_scale != TensorScale::kNone)
    out.a_tensor = 0x3F000000 + stream.below(1 << 24);
  if (config.b.tensor_scale != TensorScale::kNone)
    out.b_tensor = 0x3F000000 + stream.below(1 << 24);
  return out;
}

AccumulatorModel random_accumulator(Stream& stream) {
  const auto pick = [&](auto all) { return all[stream.below(all.size())].value; };
  static const std::vector<ElementFormat> formats = {formats::fp32,
                                                     formats::fp16,
                                                     formats::bf16,
                                                     formats::tf32,
                                                     *make_format("e8m13"),
                                                     *make_format("fixed32.12"),
                                                     *make_format("fixed24.8")};
  AccumulatorModel m;
  m.group = 1 + static_cast<int>(stream.below(20));
  m.alignment_bits = 2 + static_cast<int>(stream.below(43));
  m.align_rounding = static_cast<Rounding>(stream.below(9));
  m.order = pick(tokens<DotOrder>());
  m.carry = pick(tokens<DotCarry>());
  m.align = pick(tokens<DotAlign>());
  m.normalize =
      m.carry == DotCarry::kAligned ? pick(tokens<DotNormalize>()) : DotNormalize::kEveryStep;
  m.format = formats[stream.below(formats.size())];
  m.rounding = static_cast<Rounding>(stream.below(9));
  m.overflow = pick(tokens<Overflow>());
  m.ftz = pick(tokens<ResultSubnormals>());
  m.zero_sign = pick(tokens<DotZeroSign>());
  return m;
}

namespace {

std::string describe_dot(const DotConfig& config, const DotOperands& operands, const Encoded& got,
                         const Outcome& want) {
  std::string text = std::string(token_of(config.mode)) + ' ' + std::string(config.a.name) + " * " +
                     std::string(config.b.name) + " -> " + std::string(config.result.name) + ' ' +
                     std::string(token_of(config.rounding));
  const auto list = [&](const char* what, const std::vector<std::uint64_t>& codes) {
    text += std::string(" ") + what;
    for (const std::uint64_t code : codes) text += ' ' + hex(code);
  };
  list("a", operands.a_scales);
  list(":", operands.a_codes);
  list("b", operands.b_scales);
  list(":", operands.b_codes);
  if (operands.addend) text += " c " + hex(*operands.addend);
  if (config.mode == DotMode::kAccumulator) {
    const AccumulatorModel& m = config.accumulator;
    text += " group " + std::to_string(m.group) + " bits " + std::to_string(m.alignment_bits) +
            " cut " + std::string(token_of(m.align_rounding)) + ' ' +
            std::string(token_of(m.order)) + ' ' + std::string(token_of(m.carry)) + ' ' +
            std::string(token_of(m.align)) + ' ' + std::string(token_of(m.normalize)) + ' ' +
            std::string(token_of(m.rounding));
  }
  return text + ": got " + hex(got.code) + " flags " + hex(got.flags) + ", oracle " +
         hex(want.code) + " flags " + hex(want.flags);
}

}  // namespace

void check_dot(const DotConfig& config, const DotOperands& operands,
               const DotImplementation& implementation, Report& report) {
  const DotOperand a = operands.a(), b = operands.b();
  const Outcome want = dot(config, {a.scales, a.codes, a.tensor_scale},
                           {b.scales, b.codes, b.tensor_scale}, operands.addend);
  const Encoded got = implementation(config, operands);
  report.check(got.code == want.code && got.flags == want.flags,
               [&] { return describe_dot(config, operands, got, want); });
  const Real value = value_of(config.result, want.code);
  if (value.kind == Kind::kNan) report.classify("nan");
  if (value.kind == Kind::kInf) report.classify("inf");
  if (value.zero()) report.classify("zero");
  if (value.zero() && value.negative) report.classify("minus zero");
  if (value.finite() && !value.zero()) report.classify("number");
  if ((want.flags & kFlagInexact) != 0) report.classify("inexact");
  if (want.flags == 0) report.classify("exact");
  if ((want.flags & kFlagOverflow) != 0) report.classify("overflow");
  if ((want.flags & kFlagUnderflow) != 0) report.classify("underflow");
  if ((want.flags & kFlagInvalid) != 0) report.classify("invalid");
  if (operands.addend) report.classify("addend");
}

}  // namespace mx::oracle
