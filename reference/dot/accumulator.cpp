#include "reference/dot/accumulator.hpp"

#include <algorithm>
#include <bit>

namespace mx {

ExactSum::ExactSum(int lowest, int highest)
    : lowest_(lowest),
      // 32 bits of headroom for the count, a sign bit, and a whole word for the term that
      // straddles.
      words_(static_cast<std::size_t>((highest - lowest + 1 + 33) / 64 + 2)) {}

void ExactSum::clear() {
  std::fill(words_.begin(), words_.end(), 0);
  nan_ = positive_inf_ = negative_inf_ = false;
}

void ExactSum::add(const Unpacked& term) {
  switch (term.cls) {
    case ValueClass::kZero:
      return;
    case ValueClass::kNan:
      nan_ = true;
      return;
    case ValueClass::kInf:
      (term.negative ? negative_inf_ : positive_inf_) = true;
      return;
    case ValueClass::kFinite:
      break;
  }
  // The significand's last one stands at or above bit 0 of the sum; shift it into one or two words.
  const int trailing = std::countr_zero(term.significand);
  const std::uint64_t significand = term.significand >> trailing;
  const int position = term.exponent - 63 + trailing - lowest_;
  const auto word = static_cast<std::size_t>(position / 64);
  const int bit = position % 64;
  const std::uint64_t low = significand << bit;
  const std::uint64_t high = bit == 0 ? 0 : significand >> (64 - bit);
  std::uint64_t carry = 0;
  for (std::size_t i = word; i < words_.size(); ++i) {
    const std::uint64_t part = i == word ? low : i == word + 1 ? high : 0;
    if (i > word + 1 && carry == 0) break;
    const std::uint64_t before = words_[i];
    if (term.negative) {
      const std::uint64_t taken = before - part;
      words_[i] = taken - carry;
      carry = static_cast<std::uint64_t>(before < part) | static_cast<std::uint64_t>(taken < carry);
    } else {
      const std::uint64_t sum = before + part;
      words_[i] = sum + carry;
      carry =
          static_cast<std::uint64_t>(sum < part) | static_cast<std::uint64_t>(words_[i] < carry);
    }
  }
}

std::vector<std::uint64_t> ExactSum::magnitude() const {
  std::vector<std::uint64_t> magnitude = words_;
  if (!is_negative()) return magnitude;
  std::uint64_t carry = 1;
  for (std::uint64_t& word : magnitude) {
    word = ~word + carry;
    carry = carry != 0 && word == 0 ? 1 : 0;
  }
  return magnitude;
}

Unpacked ExactSum::value() const {
  if (nan_ || (positive_inf_ && negative_inf_)) return {.cls = ValueClass::kNan};
  if (is_special()) return {.cls = ValueClass::kInf, .negative = negative_inf_};
  return unpack_words(is_negative(), magnitude(), lowest_, false);
}

Unpacked ExactSum::value_over(const Unpacked& divisor) const {
  if (is_special()) {
    Unpacked out = value();
    out.negative = out.cls == ValueClass::kInf && out.negative != divisor.negative;
    return out;
  }
  // Long division of the words and of 128 zeros below them, so that the quotient has 64 bits.
  __extension__ using Uint128 = unsigned __int128;
  std::vector<std::uint64_t> words = magnitude();
  words.insert(words.begin(), 2, 0);
  std::uint64_t rest = 0;
  for (std::size_t i = words.size(); i > 0; --i) {
    const Uint128 dividend = static_cast<Uint128>(rest) << 64 | words[i - 1];
    words[i - 1] = static_cast<std::uint64_t>(dividend / divisor.significand);
    rest = static_cast<std::uint64_t>(dividend % divisor.significand);
  }
  return unpack_words(is_negative() != divisor.negative, words,
                      lowest_ - 128 - (divisor.exponent - 63), rest != 0);
}

Unpacked unpack_words(bool negative, const std::vector<std::uint64_t>& words, int lowest,
                      bool rest) {
  std::size_t top = words.size();
  while (top > 0 && words[top - 1] == 0) --top;
  if (top == 0) return {};
  const int zeros = std::countl_zero(words[top - 1]);
  std::uint64_t significand = words[top - 1] << zeros;
  std::uint64_t below = rest ? 1 : 0;
  if (top > 1) {
    if (zeros > 0) significand |= words[top - 2] >> (64 - zeros);
    below |= words[top - 2] << zeros;
  }
  for (std::size_t i = 0; i + 2 < top; ++i) below |= words[i];
  return {.cls = ValueClass::kFinite,
          .negative = negative,
          .sticky = below != 0,
          .exponent = lowest + static_cast<int>(64 * top) - 1 - zeros,
          .significand = significand};
}

}  // namespace mx
