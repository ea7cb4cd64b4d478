#include "emulators/microxcaling/kernels/literal.hpp"

#include "emulators/common/number_type.hpp"
#include "emulators/microxcaling/kernels/python_element.hpp"
#include "reference/arithmetic/fp32.hpp"

namespace mx::emulators::microxcaling {
namespace {

constexpr Bits kHalf = 0x3F000000;

/// Operations on tensors of one type: binary32, then rounded.
class Operations {
 public:
  explicit Operations(TensorType type) : type_(type) {}

  [[nodiscard]] Bits round(Bits x) const { return rounded_to(type_, x); }
  [[nodiscard]] Bits add(Bits a, Bits b) const { return round(fp32::add(a, b)); }
  [[nodiscard]] Bits subtract(Bits a, Bits b) const { return round(fp32::subtract(a, b)); }
  [[nodiscard]] Bits multiply(Bits a, Bits b) const { return round(fp32::multiply(a, b)); }
  [[nodiscard]] Bits divide(Bits a, Bits b) const { return round(fp32::divide(a, b)); }
  /// 2 ** exponent.
  [[nodiscard]] Bits power(int exponent) const {
    return round(static_cast<Bits>(Fp32::rounded({1, exponent})));
  }
  [[nodiscard]] TensorType type() const { return type_; }

 private:
  TensorType type_;
};

/// The largest integer not above a non-negative number.
Bits floor_of(Bits x) {
  const int field = static_cast<int>(x >> 23);
  if (field >= 127 + 23) return x;
  if (field < 127) return 0;
  return x >> (127 + 23 - field) << (127 + 23 - field);
}

/// x % 2 == 0.
bool is_even(Bits x) {
  const Bits magnitude = x & ~fp32::kSignBit;
  if (magnitude >= fp32::kInfinity) return false;
  if (magnitude == 0) return true;
  const int field = static_cast<int>(magnitude >> 23);
  if (field > 127 + 23) return true;
  if (field < 128) return false;
  const Bits significand = (magnitude & 0x007FFFFF) | 0x00800000;
  const int fraction_bits = 127 + 23 - field;
  return (significand & ((Bits{2} << fraction_bits) - 1)) == 0;
}

/// The number of [0, 1) that rand_like makes of a random word: 24 bits of it rounded to the type,
/// where 1 wraps to 0.
Bits uniform(const Operations& on, std::uint32_t random) {
  const Bits u = on.round(static_cast<Bits>(Fp32::rounded({random & 0x00FFFFFF, -24})));
  return u == fp32::kOne ? 0 : u;
}

Bits round_mantissa(const Operations& on, RoundingMode round, Bits x, std::uint32_t random) {
  const Bits magnitude = x & ~fp32::kSignBit;
  if (fp32::is_nan(x)) return x;
  Bits integer = 0;
  switch (round) {
    case RoundingMode::kDither:
      integer = floor_of(on.add(magnitude, uniform(on, random)));
      break;
    case RoundingMode::kFloor:
      integer = floor_of(magnitude);
      break;
    case RoundingMode::kNearest:
      integer = floor_of(on.add(magnitude, kHalf));
      break;
    case RoundingMode::kEven: {
      const bool is_tie = is_even(on.subtract(magnitude, kHalf));
      const Bits up = floor_of(on.add(magnitude, kHalf));
      integer = on.subtract(up, is_tie ? fp32::kOne : 0);
      break;
    }
  }
  if (magnitude == 0) return 0;  // sign(+-0) is 0, and 0 times the integer is +0
  return integer | (x & fp32::kSignBit);
}

int exponent_read(TensorType type, Word magnitude) {
  int exponent = 0;
  with_type(type, [&](auto t) { exponent = read_exponent<decltype(t)>(magnitude); });
  return exponent;
}

Bits limit(const Operations& on, const ElementConfig& config, Bits x) {
  if (fp32::is_nan(x)) return x;
  const Bits max_norm =
      config.max_norm == Fp64::kInfinity
          ? fp32::kInfinity
          : on.round(static_cast<Bits>(Fp32::rounded(Fp64::value(config.max_norm))));
  const Bits sign = x & fp32::kSignBit;
  const Bits magnitude = x & ~fp32::kSignBit;
  if (magnitude <= max_norm) return x;
  return sign | (config.saturate_normals || config.is_integer() ? max_norm : fp32::kInfinity);
}

Bits element(const Operations& on, const ElementConfig& config, Bits x, Word magnitude_word,
             std::uint32_t random) {
  const Bits magnitude = x & ~fp32::kSignBit;
  if (fp32::is_nan(x)) return x;
  if (magnitude == fp32::kInfinity) return x;
  Bits out = x;
  if (!config.allow_denorm && !config.is_integer()) {
    const auto smallest =
        static_cast<Bits>(Fp32::rounded(Fp64::value(get_min_norm(config.exp_bits))));
    if (magnitude < on.round(smallest)) out = on.multiply(0, x);
  }
  const Bits bits = static_cast<Bits>(Fp32::rounded({1, config.bits - 2}));
  Bits power = fp32::kOne;
  if (!config.is_integer()) {
    int exponent = magnitude == 0 ? 0 : exponent_read(on.type(), magnitude_word);
    if (exponent < config.min_exponent()) exponent = config.min_exponent();
    power = on.power(exponent);
    out = on.divide(out, power);
  }
  out = on.multiply(out, bits);
  out = round_mantissa(on, config.round, out, random);
  out = on.divide(out, bits);
  if (!config.is_integer()) out = on.multiply(out, power);
  return limit(on, config, out);
}

Word as_word(const Operations& on, Bits x) {
  if (!fp32::is_nan(x)) return narrow(on.type(), x);
  return narrow(on.type(), 0x7FC00000);
}

Word sign_bit(TensorType type) { return type == TensorType::kFp32 ? Fp32::kSign : Bf16::kSign; }

}  // namespace

Word literal_element(TensorType type, const ElementConfig& config, Word word,
                     std::uint32_t random) {
  if (type == TensorType::kFp64) return Fp64::kNan;
  const Operations on(type);
  const Word magnitude = word & (sign_bit(type) - 1);
  return as_word(on, element(on, config, widen(type, word), magnitude, random));
}

Word literal_block_element(TensorType type, const ElementConfig& config, Word word, int exponent,
                           std::uint32_t random) {
  if (type == TensorType::kFp64) return Fp64::kNan;
  const Operations on(type);
  const Bits scale = on.power(exponent);
  const Bits scaled = on.divide(widen(type, word), scale);
  const Word magnitude = as_word(on, scaled) & (sign_bit(type) - 1);
  const Bits quantized = element(on, config, scaled, magnitude, random);
  return as_word(on, on.multiply(quantized, scale));
}

}  // namespace mx::emulators::microxcaling
