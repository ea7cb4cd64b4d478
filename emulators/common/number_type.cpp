#include "emulators/common/number_type.hpp"

#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators {
namespace {

constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan, .nan = NanPolicy::kKeepSign};

/// A NaN of `from` as one of `to`: the sign, the quiet bit, the leading payload bits.
std::uint64_t nan_between(const ElementFormat& from, const ElementFormat& to, std::uint64_t word) {
  const std::uint64_t payload = word & ((std::uint64_t{1} << from.man_bits) - 1);
  const int shift = to.man_bits - from.man_bits;
  const std::uint64_t moved = shift >= 0 ? payload << shift : payload >> -shift;
  const std::uint64_t exponent = ((std::uint64_t{1} << to.exp_bits) - 1) << to.man_bits;
  const std::uint64_t quiet = std::uint64_t{1} << (to.man_bits - 1);
  return (word >> (from.bits - 1)) << (to.bits - 1) | exponent | quiet | moved;
}

std::uint64_t convert(const ElementFormat& from, const ElementFormat& to, std::uint64_t word) {
  const Unpacked x = decode(from, word);
  if (x.cls == ValueClass::kNan) return nan_between(from, to, word);
  return encode(x, to, kIeee, 0).code;
}

}  // namespace

Bits widen(TensorType type, std::uint64_t word) {
  if (type == TensorType::kFp32) return static_cast<Bits>(word);
  return static_cast<Bits>(convert(format_of(type), formats::fp32, word));
}

std::uint64_t narrow(TensorType type, Bits value) {
  if (type == TensorType::kFp32) return value;
  return convert(formats::fp32, format_of(type), value);
}

}  // namespace mx::emulators
