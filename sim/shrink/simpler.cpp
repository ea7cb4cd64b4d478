#include "sim/shrink/simpler.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "reference/number/unpacked.hpp"

namespace mx::sim {
namespace {

/// A word of a floating-point format in its parts.
struct Parts {
  std::uint64_t sign = 0, man = 0;
  std::int64_t field = 0;
};

bool is_float(const Slot& slot) {
  return slot.format != nullptr && slot.format->kind == FormatKind::kFloat;
}

Parts parts_of(const ElementFormat& format, std::uint64_t word) {
  return {word & format.sign_bit(), word & format.man_mask(),
          static_cast<std::int64_t>((word & format.magnitude_mask()) >> format.man_bits)};
}

std::uint64_t word_of(const ElementFormat& format, const Parts& parts) {
  return parts.sign | static_cast<std::uint64_t>(parts.field) << format.man_bits | parts.man;
}

/// Bits beside a code, which mean nothing.
std::uint64_t stray_bits(const ElementFormat& format, std::uint64_t word) {
  return word & ~format.code_mask();
}

ValueClass class_of(const ElementFormat& format, std::uint64_t word) {
  return decode(format, word & format.code_mask()).cls;
}

/// What simpler words have less of: special classes, then significand bits, then exponent, then
/// sign.
std::uint64_t complexity(const Slot& slot, std::uint64_t word) {
  if (word == slot.rest) return 0;
  if (!is_float(slot)) return 1 + static_cast<std::uint64_t>(std::popcount(word ^ slot.rest));
  const ElementFormat& format = *slot.format;
  const Parts parts = parts_of(format, word);
  const ValueClass cls = class_of(format, word);
  const std::uint64_t special = cls == ValueClass::kNan ? 2 : cls == ValueClass::kInf ? 1 : 0;
  const auto stray = static_cast<std::uint64_t>(std::popcount(stray_bits(format, word)));
  return 1 + (stray << 56) + (special << 48) +
         (static_cast<std::uint64_t>(std::popcount(parts.man)) << 32) +
         (static_cast<std::uint64_t>(std::abs(parts.field - format.bias)) << 1) +
         (parts.sign != 0 ? 1 : 0);
}

/// The set bits of `bits` cleared in `word`: all, the lower half of them, each.
void add_cleared(std::uint64_t word, std::uint64_t bits, std::vector<std::uint64_t>& words) {
  words.push_back(word ^ bits);
  std::uint64_t lower = 0, rest = bits;
  for (int half = std::popcount(bits) / 2; half > 0; --half) {
    lower |= rest & (~rest + 1);
    rest &= rest - 1;
  }
  words.push_back(word ^ lower);
  for (rest = bits; rest != 0; rest &= rest - 1) words.push_back(word ^ (rest & (~rest + 1)));
}

void add_floats(const ElementFormat& format, std::uint64_t word,
                std::vector<std::uint64_t>& words) {
  const Parts parts = parts_of(format, word);
  words.push_back(word_of(format, {0, 0, format.bias}));
  if (format.has_inf()) words.push_back(format.inf_code());
  if (format.has_nan()) words.push_back(format.canonical_nan);
  if (parts.field == 0 && parts.man != 0) {
    // A subnormal number's significand, brought to the exponent of 1.
    const int shift = format.man_bits + 1 - static_cast<int>(std::bit_width(parts.man));
    words.push_back(
        word_of(format, {parts.sign, parts.man << shift & format.man_mask(), format.bias}));
  }
  add_cleared(word, parts.man, words);
  const std::int64_t away = parts.field - format.bias;
  const std::int64_t step = away > 0 ? 1 : -1;
  for (const std::int64_t field : {std::int64_t{format.bias}, parts.field - away / 2,
                                   away != 0 ? parts.field - step : parts.field}) {
    words.push_back(word_of(format, {parts.sign, parts.man, field}));
  }
  words.push_back(word_of(format, {0, parts.man, parts.field}));
}

}  // namespace

std::vector<std::uint64_t> simpler_words(const Slot& slot, std::uint64_t word) {
  std::vector<std::uint64_t> words{slot.rest};
  if (is_float(slot)) {
    const std::uint64_t stray = stray_bits(*slot.format, word);
    add_floats(*slot.format, word ^ stray, words);
    if (stray != 0) {
      for (std::uint64_t& each : words) each |= stray;
      add_cleared(word, stray, words);
    }
  } else {
    add_cleared(word, word ^ slot.rest, words);
  }
  const std::uint64_t now = complexity(slot, word);
  std::erase_if(words, [&](std::uint64_t each) {
    return (each & ~slot.mask) != 0 || complexity(slot, each) >= now;
  });
  return words;
}

bool is_number(const Slot& slot) { return is_float(slot); }

std::vector<std::uint64_t> with_another_bit(const Slot& slot, std::uint64_t word) {
  std::vector<std::uint64_t> words;
  if (!is_float(slot) || class_of(*slot.format, word) != ValueClass::kFinite) return words;
  const std::uint64_t clear = slot.format->man_mask() & ~word;
  for (std::uint64_t rest = clear; rest != 0; rest &= rest - 1) {
    const std::uint64_t bit = rest & (~rest + 1);
    words.push_back(word | bit);
    words.push_back((word & ~slot.format->man_mask()) | bit);
  }
  std::erase_if(words, [&](std::uint64_t each) {
    return class_of(*slot.format, each) != ValueClass::kFinite;
  });
  return words;
}

int exponent_over_one(const Slot& slot, std::uint64_t word) {
  if (!is_float(slot) || class_of(*slot.format, word) != ValueClass::kFinite) return 0;
  return static_cast<int>(parts_of(*slot.format, word).field) - slot.format->bias;
}

std::uint64_t scaled_down(const Slot& slot, std::uint64_t word, int by) {
  if (!is_float(slot) || class_of(*slot.format, word) != ValueClass::kFinite) return word;
  const ElementFormat& format = *slot.format;
  Parts parts = parts_of(format, word);
  const std::int64_t field = parts.field - by;
  if (parts.field <= 0 || field <= 0) return word;
  parts.field = field;
  const std::uint64_t scaled = word_of(format, parts);
  const bool fits = (scaled & format.magnitude_mask()) <= format.max_code &&
                    static_cast<std::uint64_t>(field) >> format.exp_bits == 0;
  return fits ? scaled : word;
}

}  // namespace mx::sim
