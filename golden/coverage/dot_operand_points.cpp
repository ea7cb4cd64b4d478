#include "golden/coverage/dot_operand_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mx::golden {
namespace {

/// Lanes from this one on share a bin.
constexpr std::size_t kLanesApart = 1024;
constexpr int kMostScaleBits = 10;

/// Binades in bins that double: 0, 1, 2-3, ... 128 and more.
constexpr std::array<int, 9> kBinades = {0, 1, 2, 4, 8, 16, 32, 64, 128};
constexpr std::array<std::string_view, 9> kBinadeNames = {"0",     "1",     "2-3",    "4-7", "8-15",
                                                          "16-31", "32-63", "64-127", "128+"};
std::size_t binade_bin(int binades) {
  const auto above = std::ranges::upper_bound(kBinades, binades);
  return static_cast<std::size_t>(above - kBinades.begin()) - 1;
}

enum Cancellation : std::size_t { kTotal, kMuchAbove, kAbove, kLevel };  // then kBinades from 1

enum Special : std::size_t {
  kNone,
  kPositiveInfinity,
  kNegativeInfinity,
  kBothInfinities,
  kInfinityOfZero,
  kNanOfAddend,
  kNanOfScale,
  kNanOfElement
};
constexpr std::array<std::string_view, 8> kSpecialNames = {
    "none",          "+infinity",     "-infinity",    "infinities_of_both_signs",
    "zero*infinity", "nan_of_addend", "nan_of_scale", "nan_of_element"};

enum Place : std::size_t {
  kFarAbove,
  kAboveSum,
  kNearSame,
  kNearOpposite,
  kBelowSum,
  kFarBelow,
  kCancels,
  kAgainstZero
};
constexpr std::array<std::string_view, 8> kPlaceNames = {
    "25+_binades_above", "2-24_above", "near_same_sign", "near_other_sign",
    "2-24_below",        "25+_below",  "cancels",        "sum_is_zero"};
constexpr int kFar = 24;

Reach reach_if(bool is_reachable) { return is_reachable ? Reach::kOpen : Reach::kUnreachable; }

bool is_nan(const Unpacked& x) { return x.cls == ValueClass::kNan; }
bool is_number(const Unpacked& x) { return x.cls == ValueClass::kFinite; }

void add_lanes(Coverpoint& point, std::size_t lanes) {
  for (std::size_t lane = 0; lane < std::min(lanes, kLanesApart + 1); ++lane) {
    point.bins.push_back(
        {std::to_string(lane) + (lane == kLanesApart ? "+" : ""), 0, Reach::kOpen});
  }
}

void add_pairs(Coverpoint& point, const SourceClasses& a, const SourceClasses& b) {
  for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
    for (std::size_t j = 0; j < SourceClasses::kCount; ++j) {
      point.bins.push_back({SourceClasses::name(i) + " " + SourceClasses::name(j), 0,
                            reach_if(!a.is_empty(i) && !b.is_empty(j))});
    }
  }
}

std::size_t pair_index(std::size_t a, std::size_t b) { return a * SourceClasses::kCount + b; }

}  // namespace

DotOperandPoints::ScalePoint::ScalePoint(std::string name, const BlockFormat& format)
    : classes(format.scale),
      point(std::move(name), "every code, or sign and kind, of a scale"),
      has_codes(format.scale_bits() <= kMostScaleBits) {
  if (has_codes) {
    for (std::uint64_t code = 0; code >> format.scale_bits() == 0; ++code) {
      point.bins.push_back({fmt::format("{:02x}", code), 0, Reach::kOpen});
    }
    return;
  }
  for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
    point.bins.push_back({SourceClasses::name(i), 0, reach_if(!classes.is_empty(i))});
  }
}

void DotOperandPoints::ScalePoint::sample(const BlockFormat& format, std::uint64_t code) {
  const Unpacked scale = decode(format.scale, code & format.scale.code_mask());
  point.hit(has_codes ? static_cast<std::size_t>(code) : classes.index(scale));
}

DotOperandPoints::DotOperandPoints(const DotCase& what, const DotReach& reach, std::size_t lanes,
                                   Lengths lengths)
    : what_(what),
      lanes_(lanes),
      a_classes_(what.dot.a.element),
      b_classes_(what.dot.b.element),
      c_classes_(what.dot.addend),
      a_scale_("a_scale", what.dot.a),
      b_scale_("b_scale", what.dot.b) {
  add_pairs(pair_, a_classes_, b_classes_);
  add_pairs(scales_, a_scale_.classes, b_scale_.classes);
  make_bits(a_bit_, what.dot.a.element);
  make_bits(b_bit_, what.dot.b.element);
  if (lengths == Lengths::kVary) add_lanes(length_, lanes);
  // Bin 0 stands for one element.
  for (std::size_t i = 0; i < length_.bins.size(); ++i) {
    length_.bins[i].name = std::to_string(i + 1) + (i == kLanesApart ? "+" : "");
  }
  add_lanes(largest_, lanes);
  for (std::size_t i = 0; i < kBinades.size(); ++i) {
    const bool is_reachable = kBinades[i] <= (lanes > 1 ? reach.spread : 0);
    spread_.bins.push_back({std::string(kBinadeNames[i]), 0, reach_if(is_reachable)});
  }
  make_special(reach);
  make_places(reach);
  if (what.addend == Addend::kAbsent) return;
  for (std::size_t i = 0; i < SourceClasses::kCount; ++i) {
    addend_.bins.push_back({SourceClasses::name(i), 0, reach_if(!c_classes_.is_empty(i))});
  }
}

void DotOperandPoints::make_bits(Coverpoint& point, const ElementFormat& format) const {
  for (std::size_t lane = 0; lane < std::min(lanes_, kLanesApart + 1); ++lane) {
    for (int bit = 0; bit < format.bits; ++bit) {
      for (const int value : {0, 1}) {
        point.bins.push_back(
            {fmt::format("{}{}.{}={}", lane, lane == kLanesApart ? "+" : "", bit, value), 0,
             Reach::kOpen});
      }
    }
  }
}

/// n terms sum to less than n times the largest one's next power of two; what is left of sums that
/// cancel is a multiple of the smallest weight.
void DotOperandPoints::make_places(const DotReach& reach) {
  const bool cancels = reach.has_negative && reach.terms > 1;
  const auto add = [&](std::string_view name, bool is_reachable) {
    cancellation_.bins.push_back({std::string(name), 0, reach_if(is_reachable)});
  };
  add("total", cancels);
  add("2+_above", reach.terms > 2);
  add("1_above", reach.terms > 1);
  add("0", true);
  for (std::size_t i = 1; i < kBinades.size(); ++i) {
    add(fmt::format("{}_below", kBinadeNames[i]), cancels && kBinades[i] <= reach.depth);
  }
  if (what_.addend == Addend::kAbsent) return;
  const Extent& sum = reach.products;
  const Extent& c = reach.start;
  const auto place = [&](Place bin, bool is_reachable) {
    addend_place_.bins.push_back({std::string(kPlaceNames[bin]), 0, reach_if(is_reachable)});
  };
  const bool meets = c.highest >= sum.lowest - 1 && sum.highest >= c.lowest - 1;
  place(kFarAbove, c.highest - sum.lowest > kFar);
  place(kAboveSum, c.highest - sum.lowest > 1 && sum.highest - c.lowest >= -kFar);
  place(kNearSame, meets);
  place(kNearOpposite, meets && reach.has_negative);
  place(kBelowSum, sum.highest - c.lowest > 1 && c.highest - sum.lowest >= -kFar);
  place(kFarBelow, sum.highest - c.lowest > kFar);
  place(kCancels, reach.has_negative && c.highest >= sum.lowest && sum.highest >= c.lowest);
  place(kAgainstZero, true);
}

void DotOperandPoints::make_special(const DotReach& reach) {
  const DotConfig& dot = what_.dot;
  const bool has_addend = what_.addend == Addend::kPresent;
  const bool has_nan_scale = dot.a.scale.has_nan() || dot.b.scale.has_nan();
  const bool has_nan_element = dot.a.element.has_nan() || dot.b.element.has_nan();
  const auto add = [&](Special bin, bool is_reachable) {
    special_.bins.push_back({std::string(kSpecialNames[bin]), 0, reach_if(is_reachable)});
  };
  add(kNone, true);
  add(kPositiveInfinity, reach.has_infinity);
  add(kNegativeInfinity, reach.has_infinity && reach.has_negative);
  add(kBothInfinities, reach.has_both_infinities);
  add(kInfinityOfZero, reach.has_infinite_factor && reach.has_zero);
  add(kNanOfAddend, has_addend && dot.addend.has_nan());
  add(kNanOfScale, has_nan_scale);
  add(kNanOfElement, has_nan_element);
}

std::size_t DotOperandPoints::cause_of(const DotOperands& operands) const {
  if (operands.total.cls == ValueClass::kInf) {
    return operands.total.negative ? kNegativeInfinity : kPositiveInfinity;
  }
  if (!is_nan(operands.total)) return kNone;
  const auto has_nan = [](const ElementFormat& format, std::span<const std::uint64_t> codes) {
    return std::ranges::any_of(codes, [&](std::uint64_t code) {
      return is_nan(decode(format, code & format.code_mask()));
    });
  };
  const DotConfig& dot = what_.dot;
  if (has_nan(dot.a.element, operands.a.codes) || has_nan(dot.b.element, operands.b.codes)) {
    return kNanOfElement;
  }
  if (has_nan(dot.a.scale, operands.a.scales) || has_nan(dot.b.scale, operands.b.scales)) {
    return kNanOfScale;
  }
  if (operands.addend && is_nan(*operands.addend)) return kNanOfAddend;
  return std::ranges::any_of(operands.products, is_nan) ? kInfinityOfZero : kBothInfinities;
}

void DotOperandPoints::sample(const DotOperands& operands) {
  sample_elements(operands);
  sample_scales(operands);
  sample_products(operands);
  special_.hit(cause_of(operands));
  if (operands.addend) sample_addend(operands);
}

void DotOperandPoints::sample_elements(const DotOperands& operands) {
  const std::size_t n = operands.a.codes.size();
  if (!length_.bins.empty()) length_.hit(std::min(n - 1, kLanesApart));
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t a = operands.a.codes[i];
    const std::uint64_t b = operands.b.codes[i];
    pair_.hit(pair_index(a_classes_.index(decode(what_.dot.a.element, a)),
                         b_classes_.index(decode(what_.dot.b.element, b))));
    const auto bits = [&](Coverpoint& point, int width, std::uint64_t code) {
      const std::size_t lane = std::min(i, kLanesApart);
      const auto w = static_cast<std::size_t>(width);
      for (std::size_t bit = 0; bit < w; ++bit) point.hit(2 * (lane * w + bit) + (code >> bit & 1));
    };
    bits(a_bit_, what_.dot.a.element.bits, a);
    bits(b_bit_, what_.dot.b.element.bits, b);
  }
}

void DotOperandPoints::sample_scales(const DotOperands& operands) {
  const auto kind = [](const SourceClasses& classes, const BlockFormat& format,
                       std::uint64_t code) {
    return classes.index(decode(format.scale, code & format.scale.code_mask()));
  };
  for (std::size_t j = 0; j < operands.a.scales.size(); ++j) {
    const std::uint64_t a = operands.a.scales[j];
    const std::uint64_t b = operands.b.scales[j];
    a_scale_.sample(what_.dot.a, a);
    b_scale_.sample(what_.dot.b, b);
    scales_.hit(
        pair_index(kind(a_scale_.classes, what_.dot.a, a), kind(b_scale_.classes, what_.dot.b, b)));
  }
}

void DotOperandPoints::sample_products(const DotOperands& operands) {
  const Unpacked* most = nullptr;
  std::size_t lane = 0;
  bool is_alone = false;
  int least = 0;
  for (std::size_t i = 0; i < operands.products.size(); ++i) {
    const Unpacked& product = operands.products[i];
    if (product.cls == ValueClass::kZero) continue;
    if (!is_number(product)) return;
    const int order = most == nullptr ? 1 : compare_magnitude(product, *most);
    least = most == nullptr ? product.exponent : std::min(least, product.exponent);
    if (order == 0) is_alone = false;
    if (order <= 0) continue;
    most = &product;
    lane = i;
    is_alone = true;
  }
  if (most != nullptr) {
    if (is_alone) largest_.hit(std::min(lane, kLanesApart));
    spread_.hit(binade_bin(most->exponent - least));
  }
  const bool has_start = operands.addend && is_number(*operands.addend);
  if (most == nullptr && !has_start) return;
  const int top = most == nullptr ? operands.addend->exponent
                  : has_start     ? std::max(most->exponent, operands.addend->exponent)
                                  : most->exponent;
  if (operands.total.cls == ValueClass::kZero) cancellation_.hit(kTotal);
  if (!is_number(operands.total)) return;
  const int above = operands.total.exponent - top;
  cancellation_.hit(above > 1 ? kMuchAbove : above == 1 ? kAbove : kLevel + binade_bin(-above));
}

void DotOperandPoints::sample_addend(const DotOperands& operands) {
  const Unpacked& c = *operands.addend;
  const Unpacked& sum = operands.of_products;
  addend_.hit(c_classes_.index(c));
  if (!is_number(c)) return;
  if (sum.cls == ValueClass::kZero) addend_place_.hit(kAgainstZero);
  if (!is_number(sum)) return;
  const int above = c.exponent - sum.exponent;
  const bool is_same = c.negative == sum.negative;
  addend_place_.hit(operands.total.cls == ValueClass::kZero ? kCancels
                    : above > kFar                          ? kFarAbove
                    : above > 1                             ? kAboveSum
                    : above < -kFar                         ? kFarBelow
                    : above < -1                            ? kBelowSum
                    : is_same                               ? kNearSame
                                                            : kNearOpposite);
}

void DotOperandPoints::append_to(std::vector<Coverpoint>& points) const {
  for (const Coverpoint* point :
       {&pair_, &a_scale_.point, &b_scale_.point, &scales_, &a_bit_, &b_bit_, &length_, &largest_,
        &spread_, &cancellation_, &special_, &addend_, &addend_place_}) {
    if (!point->bins.empty()) points.push_back(*point);
  }
}

}  // namespace mx::golden
