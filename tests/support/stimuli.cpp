#include "tests/support/stimuli.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace mx::oracle {
namespace {

std::uint64_t sign_of(const ElementFormat& format) {
  return format.is_signed ? std::uint64_t{1} << (format.bits - 1) : 0;
}

std::uint64_t trailing_mask(const ElementFormat& format) {
  return (std::uint64_t{1} << format.man_bits) - 1;
}

void both_signs(const ElementFormat& format, std::uint64_t magnitude,
                std::vector<std::uint64_t>& out) {
  out.push_back(magnitude);
  if (format.is_signed) out.push_back(magnitude | sign_of(format));
}

}  // namespace

std::vector<std::uint64_t> special_patterns(const ElementFormat& source) {
  std::vector<std::uint64_t> out;
  const std::uint64_t normal = trailing_mask(source) + 1;
  const std::uint64_t infinity = source.max_code + 1;
  const std::uint64_t quiet = normal >> 1;
  for (const std::uint64_t magnitude :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, normal - 2,
        normal - 1, normal, normal + 1, source.max_code - 1, source.max_code, infinity,
        infinity + 1, infinity + quiet - 1, infinity + quiet, infinity + quiet + 1,
        infinity + normal - 1}) {
    both_signs(source, magnitude, out);
  }
  return out;
}

std::vector<std::uint64_t> exponent_patterns(const ElementFormat& source) {
  std::vector<std::uint64_t> trailing = {0, 1, 2, 3};
  const std::uint64_t mask = trailing_mask(source);
  const std::uint64_t half = (mask + 1) >> 1;
  for (const std::uint64_t t : {mask, mask - 1, half, half - 1, half + 1}) trailing.push_back(t);
  for (int bit = 0; bit < source.man_bits; ++bit) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    trailing.push_back(one);
    trailing.push_back(mask & ~one);
    trailing.push_back(mask & ~(one - 1));
    trailing.push_back(one - 1);
    trailing.push_back((half | one) & mask);
    trailing.push_back((half >> 1 | one) & mask);
  }
  std::sort(trailing.begin(), trailing.end());
  trailing.erase(std::unique(trailing.begin(), trailing.end()), trailing.end());
  std::vector<std::uint64_t> out;
  for (std::uint64_t field = 0; field < std::uint64_t{1} << source.exp_bits; ++field) {
    for (const std::uint64_t t : trailing) both_signs(source, field << source.man_bits | t, out);
  }
  return out;
}

std::vector<std::uint64_t> threshold_patterns(const ElementFormat& source,
                                              const ElementFormat& destination, int divisions,
                                              int reach) {
  const Ladder<WideTickField> from(source);
  const Ladder<WideTickField> to(destination);
  std::vector<std::uint64_t> out;
  const auto around = [&](const Integer& magnitude) {
    const std::uint64_t at = from.step_at_or_below(magnitude);
    for (int offset = -reach; offset <= reach + 1; ++offset) {
      const auto moved = static_cast<std::int64_t>(at) + offset;
      if (moved < 0 || moved > static_cast<std::int64_t>(source.max_code)) continue;
      both_signs(source, static_cast<std::uint64_t>(moved), out);
    }
  };
  for (std::uint64_t step = 0; step < to.shape().top; ++step) {
    const Integer low = to.value(step);
    const Integer width = Integer(to.value(step + 1) - low);
    for (int part = 0; part < 1 << divisions; ++part) {
      around(Integer(low + ((width * part) >> divisions)));
    }
  }
  around(to.value(to.shape().top));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::uint64_t> random_patterns(const ElementFormat& source,
                                           const ElementFormat& destination, std::uint64_t count,
                                           Stream& stream) {
  const LadderShape shape(destination);
  // Exponents two binades beyond the destination's range on both sides.
  const int low = destination.kind == FormatKind::kFloat ? shape.emin - destination.man_bits - 2
                                                         : -destination.frac_bits - 2;
  const int high =
      destination.kind == FormatKind::kFloat
          ? static_cast<int>(destination.max_code >> destination.man_bits) - destination.bias + 2
          : destination.bits - destination.frac_bits + 1;
  const std::uint64_t sign = sign_of(source);
  const std::uint64_t mask = trailing_mask(source);
  const std::uint64_t all = (sign << 1) - 1;
  std::vector<std::uint64_t> out;
  out.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = stream.next64();
    if (i % 3 == 0) {
      out.push_back(bits & all);
      continue;
    }
    const int exponent =
        low + static_cast<int>(stream.below(static_cast<unsigned>(high - low + 1)));
    const int top_field = (1 << source.exp_bits) - 2;
    const int field = std::clamp(exponent + source.bias, 0, top_field);
    std::uint64_t trailing = bits & mask;
    if (i % 3 == 2) {  // keep the top few bits, then a lone bit or none somewhere below
      const int kept = destination.man_bits + static_cast<int>(stream.below(4));
      if (kept < source.man_bits) {
        trailing &= ~(mask >> kept);
        if (stream.coin()) {
          trailing |= std::uint64_t{1} << stream.below(static_cast<unsigned>(source.man_bits));
        }
      }
    }
    out.push_back((bits & sign) | static_cast<std::uint64_t>(field) << source.man_bits | trailing);
  }
  return out;
}

}  // namespace mx::oracle
