#include "golden/coverpoints/whole_points.hpp"

#include <array>
#include <bit>
#include <optional>
#include <string>
#include <string_view>

#include "golden/points/gaps.hpp"

namespace mx::golden {
namespace {

__extension__ using Int128 = __int128;

/// A magnitude below 2^70 in quarters, and whether more is below them. Nothing for larger ones.
struct Quarters {
  Int128 count = 0;
  bool has_rest = false;
};

std::optional<Quarters> quarters_of(const Unpacked& x) {
  if (x.cls == ValueClass::kZero) return Quarters{};
  if (x.exponent >= 70) return std::nullopt;
  const int shift = x.exponent - 63 + 2;
  if (shift >= 0) return Quarters{static_cast<Int128>(x.significand) << shift};
  if (shift <= -64) return Quarters{0, true};
  return Quarters{static_cast<Int128>(x.significand >> -shift), x.significand << (64 + shift) != 0};
}

constexpr std::array<std::string_view, 4> kRests = {"exact", "below_half", "half", "above_half"};

/// From the inside of a type to its outside; bin 2 * i of them is a point, others lie between.
constexpr std::array<std::string_view, 11> kPlaces = {
    "inside", "-1", "-1..-1/2", "-1/2", "-1/2..0", "0", "0..1/2", "1/2", "1/2..1", "1", "outside"};
constexpr std::array<std::string_view, 2> kEnds = {"most", "least"};

/// The end of a type in quarters, outwards from 0: of the least one its negative.
Int128 end_in_quarters(const ElementFormat& integer, std::size_t end) {
  if (end == 0) return static_cast<Int128>(integer.max_code) * 4;
  return static_cast<Int128>(integer.sign_bit()) * 4;
}

/// Quarters as a value; nothing where they have more than 64 bits.
std::optional<Unpacked> value_of(Int128 quarters) {
  const bool negative = quarters < 0;
  Int128 magnitude = negative ? -quarters : quarters;
  int exponent = -2;
  while (magnitude >> 64 != 0) {
    if ((magnitude & 1) != 0) return std::nullopt;
    magnitude >>= 1;
    ++exponent;
  }
  return unpack_integer(negative, static_cast<std::uint64_t>(magnitude), exponent);
}

/// Has the format a number in the place next to the end? Where it has one between two halves, it
/// has the one in their middle.
bool is_held(const SourceGrid& grid, const ElementFormat& integer, std::size_t end,
             std::size_t place) {
  const ElementFormat& format = grid.format();
  const bool has_sign = end == 0 || format.is_signed;
  if (place == 0) return true;
  if (place + 1 == kPlaces.size()) {
    const auto largest = quarters_of(decode(format, grid.code(false, grid.max())));
    return has_sign && (!largest || largest->count > end_in_quarters(integer, end) + 4);
  }
  const Int128 outwards = end_in_quarters(integer, end) + static_cast<int>(place) - 5;
  const auto value = value_of(end == 0 ? outwards : -outwards);
  if (!value) return false;
  return grid.holds(*value) && (!value->negative || format.is_signed);
}

}  // namespace

FractionPoint::FractionPoint()
    : point_("fraction", "sign, parity of the whole number below, and the rest") {
  for (const char* sign : {"+", "-"}) {
    for (const char* parity : {"even", "odd"}) {
      for (const std::string_view rest : kRests) {
        point_.bins.push_back(
            {std::string(sign) + parity + " " + std::string(rest), 0, Reach::kOpen});
      }
    }
  }
}

void FractionPoint::sample(const Unpacked& value) {
  if (value.cls != ValueClass::kZero && value.cls != ValueClass::kFinite) return;
  const auto quarters = quarters_of(value);
  const Int128 count = quarters ? quarters->count : 0;
  const bool has_rest = quarters && quarters->has_rest;
  const auto low = static_cast<int>(count & 3);
  const std::size_t rest = low == 0 && !has_rest ? 0 : low < 2 ? 1 : low == 2 && !has_rest ? 2 : 3;
  const std::size_t parity = (count & 4) != 0 ? 1 : 0;
  point_.hit((value.negative ? 8U : 0U) + 4 * parity + rest);
}

EndPoint::EndPoint(const ElementFormat& format, const ElementFormat& integer)
    : integer_(integer), point_("end", "how far beyond the ends of the integer type") {
  const SourceGrid grid(format);
  for (std::size_t end = 0; end < kEnds.size(); ++end) {
    for (std::size_t place = 0; place < kPlaces.size(); ++place) {
      point_.bins.push_back(
          {std::string(kEnds[end]) + " " + std::string(kPlaces[place]), 0,
           is_held(grid, integer, end, place) ? Reach::kOpen : Reach::kUnreachable});
    }
  }
}

void EndPoint::sample(const Unpacked& value) {
  if (value.cls != ValueClass::kZero && value.cls != ValueClass::kFinite) return;
  const auto quarters = quarters_of(value);
  for (std::size_t end = 0; end < kEnds.size(); ++end) {
    // Outwards the most end is up, the least one down.
    const bool is_inwards = value.negative == (end == 0) && value.cls != ValueClass::kZero;
    std::size_t place = is_inwards ? 0 : kPlaces.size() - 1;
    if (quarters) {
      // In halves beyond the end, rounded down, and whether something is left.
      Int128 beyond =
          (is_inwards ? -quarters->count : quarters->count) - end_in_quarters(integer_, end);
      bool has_rest = quarters->has_rest;
      if (has_rest && is_inwards) --beyond;
      has_rest = has_rest || (beyond & 1) != 0;
      const Int128 halves = beyond >> 1;
      if (halves < -2) {
        place = 0;
      } else if (halves > 2 || (halves == 2 && has_rest)) {
        place = kPlaces.size() - 1;
      } else {
        place =
            static_cast<std::size_t>(2 * (static_cast<int>(halves) + 2) + (has_rest ? 1 : 0)) + 1;
      }
    }
    point_.hit(end * kPlaces.size() + place);
  }
}

}  // namespace mx::golden
