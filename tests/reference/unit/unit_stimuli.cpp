#include "tests/reference/unit/unit_stimuli.hpp"

#include <algorithm>
#include <string>

namespace mx::oracle {
namespace {

int top_field(const ElementFormat& f) { return static_cast<int>(f.max_code >> f.man_bits); }

std::uint64_t sign_of(const ElementFormat& f, Stream& stream) {
  return stream.coin() ? f.sign_bit() : 0;
}

std::uint64_t any_code(const ElementFormat& f, Stream& stream) {
  return stream.next64() & f.code_mask();
}

/// A NaN or an infinity where the format has any.
std::uint64_t special_code(const ElementFormat& f, Stream& stream) {
  if (f.has_inf() && stream.coin()) return f.inf_code() | sign_of(f, stream);
  return f.has_nan() ? f.canonical_nan : f.max_code;
}

std::uint64_t zero_code(const ElementFormat& f, Stream& stream) {
  return f.zero == ZeroKind::kPosAndNeg ? sign_of(f, stream) : 0;
}

std::uint64_t element(UnitClass what, const ElementFormat& f, Stream& stream) {
  const int top = top_field(f);
  switch (what) {
    case UnitClass::kNear:
    case UnitClass::kCancel:
      return code_between(f, f.bias - 3, f.bias + 3, stream);
    case UnitClass::kWide:
    case UnitClass::kFloor:
      return code_between(f, 0, top, stream);
    case UnitClass::kBottom:
      return code_between(f, 0, 2, stream);
    case UnitClass::kTop:
      return code_between(f, top - 2, top, stream);
    case UnitClass::kSpecial:
      return stream.below(12) == 0 ? special_code(f, stream) : any_code(f, stream);
    case UnitClass::kZeros:
      break;
  }
  return stream.below(4) != 0 ? zero_code(f, stream) : code_between(f, 0, top, stream);
}

std::uint64_t scale(UnitClass what, const ScaleFormat& f, Stream& stream) {
  const int top = top_field(f);
  switch (what) {
    case UnitClass::kBottom:
      return code_between(f, 0, top / 8, stream);
    case UnitClass::kTop:
      return code_between(f, top - top / 8, top, stream);
    case UnitClass::kWide:
      return code_between(f, 0, top, stream);
    case UnitClass::kFloor:
      return code_between(f, f.bias - 72, f.bias - 68, stream);
    case UnitClass::kSpecial:
      return stream.below(8) == 0 ? f.canonical_nan : code_between(f, 0, top, stream);
    default:
      return code_between(f, f.bias - 6, f.bias + 6, stream);
  }
}

/// C: zero, at one of the ends, special, or near the products.
std::uint64_t addend(UnitClass what, const UnitConfig& config, const UnitOperands& operands,
                     Stream& stream) {
  const ElementFormat& f = config.result;
  if (what == UnitClass::kFloor) return 0;  // a subnormal C is aligned at emin
  const auto way = stream.below(8);
  if (way == 0) return zero_code(f, stream);
  if (way == 1) return code_between(f, 0, 1, stream);
  if (way == 2) return code_between(f, top_field(f) - 1, top_field(f), stream);
  if (way == 3 && what == UnitClass::kSpecial) return special_code(f, stream);
  int exponent = 0;
  for (std::size_t i = 0; i < operands.a.size(); ++i) {
    const Unpacked x =
        multiply(decode(config.a.element, operands.a[i]), decode(config.b.element, operands.b[i]));
    if (x.cls == ValueClass::kFinite) exponent = x.exponent;
  }
  const int off = static_cast<int>(stream.below(81)) - 40;
  const int field = exponent + f.bias + (stream.coin() ? off : off / 8);
  return code_between(f, field, field, stream);
}

void cancel(const UnitConfig& config, UnitOperands& operands, Stream& stream) {
  const std::size_t n = operands.a.size();
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    if (stream.below(8) == 0) continue;
    // Its partner may stand in another group.
    const std::size_t other = (i + 1 + 2 * stream.below(n / 2)) % n;
    operands.a[other] = operands.a[i] ^ config.a.element.sign_bit();
    operands.b[other] = operands.b[i];
  }
}

/// The products of the first 32 cancel, under scales far above those of the rest.
void cancel_under_scales(const UnitConfig& config, UnitOperands& operands, Stream& stream) {
  for (std::size_t i = 0; i + 16 < operands.a.size() && i < 16; ++i) {
    operands.a[i + 16] = operands.a[i] ^ config.a.element.sign_bit();
    operands.b[i + 16] = operands.b[i];
  }
  const auto first = static_cast<std::size_t>(32 / config.a.scale->block_size);
  const ScaleFormat& f = config.a.scale->format;
  const int high = std::min(f.bias + 20, top_field(f));
  for (auto* scales : {&operands.a_scales, &operands.b_scales}) {
    const std::uint64_t top = code_between(f, high, high, stream);
    for (std::size_t i = 0; i < scales->size(); ++i) {
      const int low = high - 12 - static_cast<int>(stream.below(8));
      (*scales)[i] = i < first ? top : code_between(f, low, low, stream);
    }
  }
}

/// Products near the smallest results, a quarter of them zero.
void meet_floor(const UnitConfig& config, UnitOperands& operands, Stream& stream) {
  const ElementFormat& f = config.a.element;
  const ElementFormat& g = config.b.element;
  const int lowest = config.result.emin() - config.result.man_bits;
  for (std::size_t i = 0; i < operands.b.size(); ++i) {
    int wanted = lowest;
    if (config.a.scale) {
      const std::size_t block = i / static_cast<std::size_t>(config.a.scale->block_size);
      wanted -= decode(config.a.scale->format, operands.a_scales[block]).exponent +
                decode(config.b.scale->format, operands.b_scales[block]).exponent;
    }
    const int one = f.bias + wanted / 2;
    operands.a[i] = code_between(f, one - 3, one + 1, stream);
    const int other = g.bias + wanted - (decode(f, operands.a[i]).exponent);
    operands.b[i] = stream.below(4) == 0 ? 0 : code_between(g, other - 6, other + 1, stream);
  }
}

}  // namespace

std::uint64_t code_between(const ElementFormat& format, int low, int high, Stream& stream) {
  const int top = top_field(format);
  low = std::clamp(low, 0, top);
  high = std::clamp(high, low, top);
  const int fields = high - low + 1;
  const auto field =
      static_cast<std::uint64_t>(low) + stream.below(static_cast<std::uint64_t>(fields));
  // Few significand bits as often as many: sums that are exact, ties.
  std::uint64_t significand = stream.next64() & format.man_mask();
  if (format.man_bits > 0 && stream.coin()) {
    significand &= ~std::uint64_t{0} << stream.below(static_cast<std::uint64_t>(format.man_bits));
  }
  const std::uint64_t code =
      std::min(field << format.man_bits | (significand & format.man_mask()), format.max_code);
  return format.is_signed && (code != 0 || format.zero == ZeroKind::kPosAndNeg)
             ? code | sign_of(format, stream)
             : code;
}

UnitOperands make_unit_operands(UnitClass what, const UnitConfig& config, std::size_t elements,
                                Stream& stream) {
  UnitOperands operands;
  for (std::size_t i = 0; i < elements; ++i) {
    operands.a.push_back(element(what, config.a.element, stream));
    operands.b.push_back(element(what, config.b.element, stream));
  }
  if (config.a.scale) {
    const auto block = static_cast<std::size_t>(config.a.scale->block_size);
    for (std::size_t i = 0; i < elements; i += block) {
      operands.a_scales.push_back(scale(what, config.a.scale->format, stream));
      operands.b_scales.push_back(scale(what, config.b.scale->format, stream));
    }
  }
  if (what == UnitClass::kFloor) meet_floor(config, operands, stream);
  if (what == UnitClass::kCancel && elements > 1) {
    config.a.scale&& elements > 32 ? cancel_under_scales(config, operands, stream)
                                   : cancel(config, operands, stream);
  }
  operands.c = addend(what, config, operands, stream);
  return operands;
}

std::vector<UnitConfig> all_unit_configs() {
  std::vector<UnitConfig> configs;
  for (const MatrixUnit& unit : matrix_units()) {
    std::vector<std::optional<UnitScale>> scales{std::nullopt};
    if (!unit.scales.empty()) scales.assign(unit.scales.begin(), unit.scales.end());
    for (const ElementFormat& a : unit.inputs) {
      for (const ElementFormat& b : unit.inputs) {
        for (const auto& scale : scales) {
          for (const ElementFormat& result : {formats::fp32, formats::fp16}) {
            const UnitConfig config{unit, {a, scale}, {b, scale}, result};
            if (UnitDot::problem(config).empty()) configs.push_back(config);
          }
        }
      }
    }
  }
  return configs;
}

std::string text_of(const UnitConfig& config) {
  std::string text(config.unit.name);
  text += " " + std::string(config.a.element.name) + " * " + std::string(config.b.element.name);
  if (config.a.scale) {
    text += " by " + std::string(config.a.scale->format.name) + "/" +
            std::to_string(config.a.scale->block_size);
  }
  return text + " -> " + std::string(config.result.name);
}

}  // namespace mx::oracle
