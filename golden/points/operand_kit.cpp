#include "golden/points/operand_kit.hpp"

#include <algorithm>
#include <bit>

#include "golden/points/sort_unique.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

Binades::Binades(const ElementFormat& format) {
  const SourceGrid grid(format);
  const Unpacked first = decode(format, grid.code(false, 0));
  const std::uint64_t least = first.cls == ValueClass::kZero ? 1 : 0;
  lowest = decode(format, grid.code(false, least)).exponent;
  highest = decode(format, grid.code(false, grid.max())).exponent;
}

OperandKit::OperandKit(const ElementFormat& format) : grid_(format) {
  const std::uint64_t normal = format.is_fixed() ? 1 : format.man_mask() + 1;
  const std::uint64_t one = grid_.floor(unpack_integer(false, 1, 0));
  for (const std::uint64_t m :
       {std::uint64_t{0}, std::uint64_t{1}, normal - std::min<std::uint64_t>(normal, 1), normal,
        normal + 1, one - std::min<std::uint64_t>(one, 1), one, one + 1, grid_.max() - 1,
        grid_.max()}) {
    for (const bool negative : {false, true}) {
      specials_.push_back(grid_.code(negative, std::min(m, grid_.max())));
    }
  }
  for (const std::uint64_t code : grid_.infinities()) specials_.push_back(code);
  for (const std::uint64_t code : grid_.nans()) specials_.push_back(code);
  sort_unique(specials_);
}

std::vector<std::uint64_t> OperandKit::corners() const {
  std::vector<std::uint64_t> codes = specials_;
  const std::uint64_t subnormals = format().kind == FormatKind::kFloat ? format().man_mask() : 0;
  const std::uint64_t normal = subnormals + (grid_.max() - subnormals) / 2;
  for (const std::uint64_t m : {(subnormals + 1) / 2, normal}) {
    for (const bool negative : {false, true}) codes.push_back(grid_.code(negative, m));
  }
  sort_unique(codes);
  return codes;
}

std::vector<std::uint64_t> OperandKit::number_corners() const {
  std::vector<std::uint64_t> numbers = corners();
  std::erase_if(numbers, [&](std::uint64_t code) {
    const ValueClass cls = decode(format(), code).cls;
    return cls == ValueClass::kNan || cls == ValueClass::kInf;
  });
  return numbers;
}

std::uint64_t OperandKit::magnitude_of(std::uint64_t code) const {
  const Unpacked x = decode(format(), code);
  if (x.cls == ValueClass::kFinite) return grid_.floor(x);
  return x.cls == ValueClass::kZero ? 0 : grid_.max();
}

std::uint64_t OperandKit::sparse(Draw& draw) const {
  const ElementFormat& f = format();
  if (f.is_fixed() || f.kind == FormatKind::kTapered) return any(draw);
  const std::uint64_t field = draw.between(0, grid_.max() >> f.man_bits);
  std::uint64_t trailing = 0;
  for (std::uint32_t k = draw.small(4); k > 0 && f.man_bits > 0; --k) {
    trailing |= std::uint64_t{1} << draw.small(static_cast<std::uint32_t>(f.man_bits));
  }
  if (draw.small(2) != 0) trailing = f.man_mask() & ~trailing;
  return code(draw, field << f.man_bits | trailing);
}

std::uint64_t OperandKit::middle(Draw& draw) const {
  const std::uint64_t low = grid_.floor(unpack_integer(false, 1, -4));
  const std::uint64_t high = grid_.floor(unpack_integer(false, 1, 4));
  return code(draw, draw.between(low, std::max(low, high)));
}

std::uint64_t OperandKit::near(Draw& draw, std::uint64_t other, int binades) const {
  const Unpacked x = decode(format(), other);
  if (x.cls != ValueClass::kFinite) return any(draw);
  const int move = static_cast<int>(draw.small(static_cast<std::uint32_t>(2 * binades) + 1));
  const std::uint64_t low = grid_.floor(scaled(x, move - binades - 1));
  const std::uint64_t high = grid_.floor(scaled(x, move - binades));
  return code(draw, draw.between(std::min(low, high), high));
}

std::uint64_t OperandKit::opposite(Draw& draw, std::uint64_t other) const {
  const std::uint64_t m = magnitude_of(other);
  const std::uint64_t moved = m + draw.small(5) - std::min<std::uint64_t>(m, 2);
  const bool negative = decode(format(), other).negative;
  return number_code(!negative, moved);
}

std::uint64_t OperandKit::in_binade(Draw& draw, int exponent) const {
  const std::uint64_t low = grid_.floor(unpack_integer(false, 1, exponent));
  const std::uint64_t next = grid_.floor(unpack_integer(false, 1, exponent + 1));
  return code(draw, draw.between(low, std::max(low + 1, next) - 1));
}

std::uint64_t OperandKit::largest(Draw& draw) const {
  if (draw.small(2) == 0) return code(draw, grid_.max());
  const Unpacked most = decode(format(), grid_.code(false, grid_.max()));
  return code(draw, draw.between(grid_.floor(scaled(most, -1)), grid_.max()));
}

std::uint64_t OperandKit::smallest(Draw& draw) const {
  const std::uint64_t least = std::min<std::uint64_t>(1, grid_.max());
  if (draw.small(2) == 0) return code(draw, least);
  return code(draw, draw.between(least, std::min<std::uint64_t>(3, grid_.max())));
}

std::uint64_t OperandKit::negated(const Unpacked& x) const {
  return grid_.holds(x) ? number_code(!x.negative, grid_.floor(x)) : 0;
}

std::uint64_t OperandKit::moved(std::uint64_t code, int by) const {
  const std::uint64_t m = magnitude_of(code);
  const bool negative = decode(format(), code).negative;
  if (by >= 0) return number_code(negative, m + static_cast<std::uint64_t>(by));
  return number_code(negative, m - std::min(m, static_cast<std::uint64_t>(-by)));
}

std::uint64_t OperandKit::extreme(Draw& draw) const {
  const ElementFormat& f = format();
  const std::uint64_t binade = f.is_fixed() ? 1 : f.man_mask() + 1;
  const std::uint64_t reach = std::min(2 * binade, grid_.max());
  return draw.small(2) == 0 ? code(draw, draw.between(0, reach))
                            : code(draw, draw.between(grid_.max() - reach, grid_.max()));
}

}  // namespace mx::golden
