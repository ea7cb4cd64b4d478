#include "golden/coverpoints/decision_point.hpp"

#include <algorithm>
#include <bit>

namespace mx::golden {
namespace {

bool has_gaps(const ElementFormat& f) {
  return f.is_fixed() || (f.kind == FormatKind::kFloat && f.zero != ZeroKind::kNone);
}

int precision(const ElementFormat& f) {
  if (f.is_fixed()) return static_cast<int>(std::bit_width(f.max_code));
  return f.kind == FormatKind::kTapered ? 4 : f.man_bits + 1;
}

/// The weight of the last place of a format's subnormals, or of fixed point.
int last_place(const ElementFormat& f) {
  if (f.is_fixed()) return -f.frac_bits;
  return f.has_subnormal ? f.emin() - f.man_bits : f.emin();
}

bool is_normal(const ElementFormat& f, int exponent) {
  return !f.is_fixed() && exponent >= f.emin();
}

/// The weight of the last place at an exponent.
int unit(const ElementFormat& f, int exponent) {
  return is_normal(f, exponent) ? exponent - f.man_bits : last_place(f);
}

/// Of normal numbers: the leading one and the last bit that the decision asks for.
bool is_normal_decision(const Decision& d, const Extent& x, const ElementFormat& f) {
  const int exponent = std::min(x.highest, f.emax());
  if (exponent < f.emin()) return false;
  // Without stored bits the last place is the leading one.
  if (f.man_bits == 0 && !d.lsb) return false;
  const int below = d.sticky ? 2 : d.guard ? 1 : d.lsb ? 0 : -f.man_bits;
  const int last = exponent - f.man_bits - below;
  return last >= x.lowest && exponent - last + 1 <= x.width;
}

/// Of subnormals and fixed point: the last place does not move.
bool is_fixed_decision(const Decision& d, const Extent& x, const ElementFormat& f) {
  const int place = last_place(f);
  const int top = f.is_fixed() ? f.emax() : f.emin() - 1;
  const int even = std::max(place + 1, x.lowest);
  const int first = d.lsb ? place : d.guard ? place - 1 : d.sticky ? place - 2 : even;
  const int last = d.sticky ? place - 2 : d.guard ? place - 1 : d.lsb ? place : even;
  const int leading = std::max(first, x.least.value_or(first));
  return leading <= top && leading <= x.highest && last >= x.lowest &&
         leading - last + 1 <= x.width;
}

std::size_t index_of(const Decision& d) {
  return std::size_t{d.subnormal} << 4 | std::size_t{d.negative} << 3 | std::size_t{d.lsb} << 2 |
         std::size_t{d.guard} << 1 | std::size_t{d.sticky};
}

Decision decision_of(std::size_t index) {
  return {(index >> 4 & 1) != 0, (index >> 3 & 1) != 0, (index >> 2 & 1) != 0,
          (index >> 1 & 1) != 0, (index & 1) != 0};
}

std::string name_of(const Decision& d, const ElementFormat& f) {
  std::string name = f.is_fixed() ? "" : d.subnormal ? "subnormal " : "normal ";
  name += d.negative ? '-' : '+';
  name += d.lsb ? " lsb1" : " lsb0";
  name += d.guard ? " guard1" : " guard0";
  return name + (d.sticky ? " sticky1" : " sticky0");
}

}  // namespace

Extent Extent::in(const ElementFormat& f) const {
  return {std::max(lowest, last_place(f)),
          std::min(highest + 1, f.emax()),
          std::min(width, precision(f)),
          {}};
}

bool bit_at(const Unpacked& value, int position) {
  const int shift = position - (value.exponent - 63);
  return shift >= 0 && shift < 64 && (value.significand >> shift & 1) != 0;
}

bool has_ones_below(const Unpacked& value, int position) {
  const int shift = position - (value.exponent - 63);
  if (value.sticky || shift >= 64) return true;
  return shift > 0 && value.significand << (64 - shift) != 0;
}

bool is_decision(const Decision& d, const Extent& x, const ElementFormat& f) {
  return d.subnormal || f.is_fixed() ? is_fixed_decision(d, x, f) : is_normal_decision(d, x, f);
}

bool is_decision_of(const Decision& d, std::span<const std::uint64_t> odd,
                    std::optional<int> precision) {
  const auto matches = [&](std::uint64_t number, int place) {
    const auto bit = [&](int at) { return at >= 0 && at < 64 && (number >> at & 1) != 0; };
    const std::uint64_t below =
        place <= 1 ? 0 : number & ((std::uint64_t{1} << std::min(place - 1, 63)) - 1);
    return d.lsb == bit(place) && d.guard == bit(place - 1) && d.sticky == (below != 0);
  };
  return std::ranges::any_of(odd, [&](std::uint64_t number) {
    const int width = static_cast<int>(std::bit_width(number));
    if (precision) return matches(number, width - *precision);
    for (int place = -1; place <= width + 1; ++place) {
      if (matches(number, place)) return true;
    }
    return false;
  });
}

DecisionPoint::DecisionPoint(std::string name, std::string meaning, const ElementFormat& format,
                             const Extent& extent, Signs signs, std::span<const std::uint64_t> odd)
    : format_(format), point_(std::move(name), std::move(meaning)) {
  if (!has_gaps(format)) {
    loses_ = true;
    return;
  }
  for (std::size_t i = 0; i < (format.is_fixed() ? 16U : 32U); ++i) {
    const Decision decision = decision_of(i);
    const bool has_sign = !decision.negative || (signs == Signs::kBoth && format.is_signed);
    const bool is_normal = !format.is_fixed() && !decision.subnormal;
    const auto precision = is_normal ? std::optional<int>(format.man_bits + 1) : std::nullopt;
    const bool is_open = has_sign && is_decision(decision, extent, format) &&
                         (odd.empty() || is_decision_of(decision, odd, precision));
    loses_ = loses_ || (is_open && (decision.guard || decision.sticky));
    point_.bins.push_back(
        {name_of(decision, format), 0, is_open ? Reach::kOpen : Reach::kUnreachable});
  }
}

void DecisionPoint::sample(const Unpacked& value) {
  if (point_.bins.empty() || value.cls != ValueClass::kFinite) return;
  if (value.exponent > format_.emax() || (value.negative && !format_.is_signed)) return;
  const int place = unit(format_, value.exponent);
  point_.hit(
      index_of({!format_.is_fixed() && !is_normal(format_, value.exponent), value.negative,
                bit_at(value, place), bit_at(value, place - 1), has_ones_below(value, place - 1)}));
}

void DecisionPoint::append_to(std::vector<Coverpoint>& points) const {
  if (!point_.bins.empty()) points.push_back(point_);
}

}  // namespace mx::golden
