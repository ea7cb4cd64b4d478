#include "golden/certificates/ranks.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace mx::golden {
namespace {

bool less(const Unpacked& a, const Unpacked& b) { return compare_magnitude(a, b) < 0; }

/// The value after the largest: one spacing of its binade. Where the largest is a power of two, the
/// spacing above it is twice the one below; subnormals and integers have one spacing.
Unpacked next_value(const ElementFormat& f, const std::vector<Unpacked>& values) {
  const Unpacked& top = values.back();
  int spacing = 0;
  if (f.kind == FormatKind::kFloat) {
    spacing = std::max(top.exponent, f.emin()) - f.man_bits;
  } else if (f.kind == FormatKind::kTapered) {
    const Unpacked& below = values[values.size() - 2];
    // Both significands are short, so the difference of the leading words is exact.
    const std::uint64_t down = below.significand >> (top.exponent - below.exponent);
    const int log2 = static_cast<int>(std::bit_width(top.significand - down)) - 1;
    const bool starts_binade = top.significand << 1 == 0;
    spacing = top.exponent - 63 + log2 + (starts_binade ? 1 : 0);
  } else {
    spacing = -f.frac_bits;
  }
  const std::uint64_t units = top.significand >> (spacing - (top.exponent - 63));
  return unpack_integer(false, units + 1, spacing);
}

/// Magnitude codes of finite values in value order, for formats whose codes are not in order.
std::vector<std::uint64_t> codes_by_value(const ElementFormat& f) {
  std::vector<std::uint64_t> codes;
  for (std::uint64_t code = 0; code <= f.magnitude_mask(); ++code) {
    const ValueClass cls = decode(f, code).cls;
    if (cls == ValueClass::kFinite || cls == ValueClass::kZero) codes.push_back(code);
  }
  std::ranges::sort(
      codes, [&](std::uint64_t a, std::uint64_t b) { return less(decode(f, a), decode(f, b)); });
  return codes;
}

/// The magnitude of a code on the rounding grid: where the format has no subnormals, exponent field
/// 0 stands for the subnormals it would have (spec F8 step 9).
Unpacked grid_value(const ElementFormat& f, std::uint64_t code) {
  const bool is_hidden_subnormal = f.kind == FormatKind::kFloat && !f.has_subnormal &&
                                   f.zero != ZeroKind::kNone && code >> f.man_bits == 0;
  return is_hidden_subnormal ? unpack_integer(false, code, f.emin() - f.man_bits) : decode(f, code);
}

std::uint8_t with_sign(const ElementFormat& f, std::uint64_t code, bool negative) {
  if (!negative || !f.is_signed) return static_cast<std::uint8_t>(code);
  const std::uint64_t signed_code =
      f.kind == FormatKind::kTwosComplement ? (~code + 1) & f.code_mask() : code | f.sign_bit();
  return static_cast<std::uint8_t>(signed_code);
}

bool is_odd(const ElementFormat& f, std::uint64_t code) {
  if (f.parity == Parity::kImplicitOdd && f.man_bits == 0 && f.kind == FormatKind::kFloat) {
    return code != 0 || f.zero == ZeroKind::kNone;
  }
  return (code & 1) != 0;
}

}  // namespace

RankLadder rank_ladder(const ElementFormat& f) {
  RankLadder ladder;
  std::vector<std::uint64_t> order;
  if (f.kind == FormatKind::kTapered) {
    order = codes_by_value(f);
  } else {
    for (std::uint64_t code = 0; code <= f.max_code; ++code) order.push_back(code);
  }
  for (const std::uint64_t code : order) {
    ladder.values.push_back(grid_value(f, code));
    ladder.odd.push_back(is_odd(f, code));
    for (const bool negative : {false, true}) {
      ladder.codes[negative ? 1 : 0].push_back(with_sign(f, code, negative));
    }
  }
  if (f.kind == FormatKind::kTwosComplement && f.is_signed) {  // the code below -max
    ladder.values.push_back(unpack_integer(false, f.max_code + 1, -f.frac_bits));
    ladder.odd.push_back(is_odd(f, f.max_code + 1));
    ladder.codes[1].push_back(with_sign(f, f.max_code + 1, true));
  }
  ladder.values.push_back(next_value(f, ladder.values));
  for (std::size_t k = 1; k < ladder.values.size(); ++k) {
    if (!less(ladder.values[k - 1], ladder.values[k])) {
      throw std::logic_error("the values of the destination do not ascend");
    }
  }
  if (f.zero == ZeroKind::kNone) ladder.grid = unpack_integer(false, 1, f.emin() - f.man_bits);
  return ladder;
}

Unpacked midpoint(const Unpacked& a, const Unpacked& b) {
  if (a.cls == ValueClass::kZero) {
    Unpacked half = b;
    --half.exponent;
    return half;
  }
  // In units of 2^(b.exponent - 62) both are integers below 2^63: significands here are short.
  const int shift = 1 + b.exponent - a.exponent;
  if (shift < 1 || shift > 32 || a.significand << (64 - shift) != 0 || b.significand << 63 != 0) {
    throw std::logic_error("neighbours that are too far apart for an exact midpoint");
  }
  const std::uint64_t sum = (a.significand >> shift) + (b.significand >> 1);
  return unpack_integer(false, sum, b.exponent - 63);
}

Ray ray_of(LadderKind kind, const Unpacked& lower, const Unpacked& upper, bool lower_is_odd) {
  switch (kind) {
    case LadderKind::kNe:
      return {midpoint(lower, upper), lower_is_odd ? RayEnd::kClosed : RayEnd::kOpen};
    case LadderKind::kNa:
      return {midpoint(lower, upper), RayEnd::kClosed};
    case LadderKind::kNz:
      return {midpoint(lower, upper), RayEnd::kOpen};
    case LadderKind::kTz:
      return {upper, RayEnd::kClosed};
    case LadderKind::kAz:
      return {lower, RayEnd::kOpen};
    case LadderKind::kOd:
      return lower_is_odd ? Ray{upper, RayEnd::kClosed} : Ray{lower, RayEnd::kOpen};
  }
  throw std::logic_error("ladder outside the enum");
}

std::uint32_t first_pattern(const ElementFormat& source, const Ray& ray) {
  const int least = ray.end == RayEnd::kClosed ? 0 : 1;
  std::uint64_t low = 0;
  std::uint64_t high = source.inf_code();  // on every ray
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (compare_magnitude(decode(source, middle), ray.from) >= least) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<std::uint32_t>(low);
}

}  // namespace mx::golden
