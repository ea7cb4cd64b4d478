#include "golden/points/gaps.hpp"

#include <algorithm>

#include "golden/points/sort_unique.hpp"

namespace mx::golden {
namespace {

/// The finite magnitude codes of a tapered format in the order of their values.
std::vector<std::uint64_t> tapered_codes(const ElementFormat& format) {
  std::vector<std::uint64_t> codes;
  for (std::uint64_t code = 0; code <= format.magnitude_mask(); ++code) {
    const ValueClass cls = decode(format, code).cls;
    if (cls == ValueClass::kZero || cls == ValueClass::kFinite) codes.push_back(code);
  }
  std::ranges::sort(codes, [&](std::uint64_t a, std::uint64_t b) {
    return compare_magnitude(decode(format, a), decode(format, b)) < 0;
  });
  return codes;
}

/// Of integers and fixed point, whose codes are their values in units: every power of two with the
/// ends and middle of its binade.
std::vector<std::uint64_t> codes_of_powers(const ElementFormat& format) {
  std::vector<std::uint64_t> codes = {0};
  for (std::uint64_t power = 1; power <= format.max_code; power <<= 1) {
    const std::uint64_t ones = power - 1;
    for (const std::uint64_t rest : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                     ones & 0x5555555555555555U, ones - 1, ones}) {
      codes.push_back(std::min(power + std::min(rest, ones), format.max_code));
    }
  }
  sort_unique(codes);
  return codes;
}

/// Codes whose gaps are taken, in the order of their values: all, or every exponent with the ends
/// and middle of its binade.
std::vector<std::uint64_t> chosen_codes(const ElementFormat& format) {
  if (format.kind == FormatKind::kTapered) return tapered_codes(format);
  std::vector<std::uint64_t> codes;
  if (format.max_code <= 2048) {
    for (std::uint64_t code = 0; code <= format.max_code; ++code) codes.push_back(code);
    return codes;
  }
  // A list of them all would fill the memory: 2^31 of int32.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
  if (format.man_bits == 0 && format.max_code >= kMost) return codes_of_powers(format);
  const std::uint64_t ones = format.man_mask();
  const std::uint64_t alternating = ones & 0x5555555555555555U;
  for (std::uint64_t field = 0; field <= format.max_code >> format.man_bits; ++field) {
    for (const std::uint64_t man :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, alternating, ones - 1, ones}) {
      codes.push_back(std::min(field << format.man_bits | man, format.max_code));
    }
  }
  sort_unique(codes);
  return codes;
}

/// The gap between two neighbouring values, low < high: their difference is a power of two, of
/// which low is a multiple.
Gap between(const Unpacked& low, const Unpacked& high) {
  if (low.cls == ValueClass::kZero) return {0, high.exponent};
  // Neighbours lie in one binade or high starts the next one, where low's ulp is the gap.
  const int shift = high.exponent - low.exponent;
  const std::uint64_t difference = shift == 0 ? high.significand - low.significand
                                              : (high.significand - (low.significand >> 1)) << 1;
  int log2 = -1;
  for (std::uint64_t d = difference; d != 0; d >>= 1) ++log2;
  return {low.significand >> log2, low.exponent - 63 + log2};
}

/// The gap above the largest value: as wide as the one below it; doubling where a binade has one
/// value only; that of a binade's start, one bit of significand, for the tapered format.
Gap beyond(const ElementFormat& format, const Unpacked& top, const Gap& below) {
  if (format.kind == FormatKind::kFloat && format.man_bits == 0) return {1, top.exponent};
  if (format.kind == FormatKind::kTapered) return {2, top.exponent - 1};
  return {below.units + 1, below.exponent};
}

std::uint64_t shifted_out(std::uint64_t value, int by) { return by > 63 ? 0 : value >> by; }

}  // namespace

FormatGaps::FormatGaps(const ElementFormat& format) {
  const bool has_normals = format.kind == FormatKind::kFloat;
  const std::vector<std::uint64_t> codes = chosen_codes(format);
  const bool tapered = format.kind == FormatKind::kTapered;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const Unpacked low = decode(format, codes[i]);
    if (has_normals && low.cls == ValueClass::kFinite && low.exponent < format.emin()) {
      normal_ = gaps_.size() + 1;
    }
    if (codes[i] != format.max_code) {
      gaps_.push_back(between(low, decode(format, tapered ? codes[i + 1] : codes[i] + 1)));
    } else {
      const std::uint64_t before = tapered ? codes[i - 1] : codes[i] - 1;
      gaps_.push_back(beyond(format, low, between(decode(format, before), low)));
    }
  }
  normal_ = std::min(normal_, gaps_.size() - 1);
}

Unpacked point(const Gap& gap, std::uint64_t numerator, int bits) {
  return unpack_integer(false, (gap.units << bits) + numerator, gap.exponent - bits);
}

Unpacked scaled(Unpacked value, int shift) {
  value.exponent += shift;
  return value;
}

SourceGrid::SourceGrid(const ElementFormat& format)
    : format_(format),
      plain_(format.kind == FormatKind::kFloat && format.has_subnormal &&
             format.zero != ZeroKind::kNone) {
  if (format.kind == FormatKind::kTapered) order_ = tapered_codes(format);
}

std::uint64_t SourceGrid::floor(const Unpacked& value) const {
  if (value.cls == ValueClass::kZero) return 0;
  if (plain_) return floor_by_bits(value);
  std::uint64_t low = 0;
  std::uint64_t high = max();
  while (low < high) {
    const std::uint64_t middle = high - (high - low) / 2;
    if (compare_magnitude(decode(format_, code(false, middle)), value) <= 0) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// The exponent field and the leading bits of the significand, as they stand.
std::uint64_t SourceGrid::floor_by_bits(const Unpacked& value) const {
  const int p = format_.man_bits;
  const int lift = value.exponent - format_.emin();
  if (lift < 0) return shifted_out(value.significand, 63 - p - lift);
  if (value.exponent > format_.emax()) return format_.max_code;
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(lift) << p) + (value.significand >> (63 - p));
  return std::min(magnitude, format_.max_code);
}

bool SourceGrid::holds(const Unpacked& value) const {
  return compare_magnitude(decode(format_, code(false, floor(value))), value) == 0;
}

std::uint64_t SourceGrid::code(bool negative, std::uint64_t magnitude) const {
  if (!order_.empty()) magnitude = magnitude < order_.size() ? order_[magnitude] : magnitude;
  if (format_.kind == FormatKind::kTwosComplement) {
    return negative && format_.is_signed ? (~magnitude + 1) & format_.code_mask() : magnitude;
  }
  // A shift, not a branch: signs are coin tosses to a branch predictor.
  return magnitude | static_cast<std::uint64_t>(negative & format_.is_signed) << (format_.bits - 1);
}

std::vector<std::uint64_t> SourceGrid::nans() const {
  std::vector<std::uint64_t> codes;
  const std::uint64_t quiet = format_.man_bits > 0 ? std::uint64_t{1} << (format_.man_bits - 1) : 0;
  switch (format_.nan) {
    case NanKind::kNone:
      break;
    case NanKind::kIeeeAll:
      for (const bool negative : {false, true}) {
        for (const std::uint64_t payload :
             {std::uint64_t{1}, quiet, quiet | 1, quiet >> 1, quiet - 1, format_.man_mask()}) {
          if (payload != 0) codes.push_back(code(negative, format_.inf_code() | payload));
        }
      }
      break;
    case NanKind::kOuterOnePerSign:
      codes = {format_.magnitude_mask(), code(true, format_.magnitude_mask())};
      break;
    case NanKind::kNegZeroSlot:
      codes = {format_.sign_bit()};
      break;
    case NanKind::kTopCode:
      codes = {format_.code_mask()};
      break;
  }
  sort_unique(codes);
  return codes;
}

std::vector<std::uint64_t> SourceGrid::infinities() const {
  if (!format_.has_inf()) return {};
  if (!format_.is_signed) return {format_.inf_code()};
  return {format_.inf_code(), format_.inf_code() | format_.sign_bit()};
}

std::uint64_t first_random_up(Rounding variant, int random_bits, const Unpacked& value,
                              const Gap& gap) {
  const std::uint64_t all = std::uint64_t{1} << random_bits;
  if (value.cls != ValueClass::kFinite) return all;
  // The fraction of the gap as 64 bits and what lies below them.
  const int shift = value.exponent - gap.exponent;
  std::uint64_t fraction = 0;
  bool below = false;
  if (shift >= 63) {
    fraction = 0;
  } else if (shift >= -1) {
    fraction = shift == -1 ? value.significand : value.significand << (shift + 1);
  } else if (shift >= -64) {
    fraction = value.significand >> (-1 - shift);
    below = (value.significand << (65 + shift)) != 0;
  } else {
    below = true;
  }
  const std::uint64_t top = fraction >> (64 - random_bits);
  const std::uint64_t rest = fraction << random_bits;
  const bool half = rest >> 63 != 0;
  const bool more = (rest << 1) != 0 || below;
  switch (variant) {
    case Rounding::kStochasticB:
      return all - top - (half ? 1 : 0);
    case Rounding::kStochasticC:
      return all - top - (half && (more || (top & 1) != 0) ? 1 : 0);
    case Rounding::kStochasticCOdd:
      return all - top - (half && (more || (top & 1) == 0) ? 1 : 0);
    default:
      return all - top;
  }
}

}  // namespace mx::golden
