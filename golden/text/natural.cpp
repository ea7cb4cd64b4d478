// SPDX-License-Identifier: Apache-2.0
#include "golden/text/natural.hpp"

#include <algorithm>
#include <bit>

#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

/// The largest power of 5 in a word, and its exponent.
constexpr std::uint32_t kPower = 1220703125;
constexpr int kExponent = 13;

std::uint32_t small_power_of_5(int exponent) {
  std::uint32_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 5;
  return power;
}

}  // namespace

Natural::Natural(std::uint64_t value)
    : words_{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)} {
  drop_zeros();
}

void Natural::drop_zeros() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

int Natural::bits() const {
  if (words_.empty()) return 0;
  return static_cast<int>(32 * words_.size()) - std::countl_zero(words_.back());
}

void Natural::multiply(std::uint32_t factor, std::uint32_t added) {
  std::uint64_t carry = added;
  for (std::uint32_t& word : words_) {
    carry += std::uint64_t{word} * factor;
    word = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  words_.push_back(static_cast<std::uint32_t>(carry));
  drop_zeros();
}

void Natural::multiply_by_power_of_5(int exponent) {
  for (; exponent >= kExponent; exponent -= kExponent) multiply(kPower);
  multiply(small_power_of_5(exponent));
}

std::uint32_t Natural::divide(std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = words_.size(); i-- > 0;) {
    rest = rest << 32 | words_[i];
    words_[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  drop_zeros();
  return static_cast<std::uint32_t>(rest);
}

bool Natural::divide_by_power_of_5(int exponent) {
  bool has_rest = false;
  for (; exponent >= kExponent; exponent -= kExponent) has_rest |= divide(kPower) != 0;
  has_rest |= divide(small_power_of_5(exponent)) != 0;
  return has_rest;
}

void Natural::shift_left(int places) {
  multiply(std::uint32_t{1} << places % 32);
  if (!is_zero()) words_.insert(words_.begin(), static_cast<std::size_t>(places / 32), 0);
}

bool Natural::bit(int place) const {
  const auto word = static_cast<std::size_t>(place / 32);
  return place >= 0 && word < words_.size() && (words_[word] >> place % 32 & 1) != 0;
}

std::uint64_t Natural::word_at(int place) const {
  std::uint64_t word = 0;
  for (int i = 63; i >= 0; --i) word = word << 1 | (bit(place + i) ? 1U : 0U);
  return word;
}

bool Natural::has_bits_below(int place) const {
  if (place <= 0) return false;
  const auto whole = std::min(static_cast<std::size_t>(place / 32), words_.size());
  if (std::any_of(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(whole),
                  [](std::uint32_t word) { return word != 0; })) {
    return true;
  }
  for (int i = 32 * (place / 32); i < place; ++i) {
    if (bit(i)) return true;
  }
  return false;
}

std::string Natural::decimal() const {
  constexpr std::uint32_t kPart = 1'000'000'000;
  Natural rest = *this;
  std::vector<std::uint32_t> parts;
  do parts.push_back(rest.divide(kPart));
  while (!rest.is_zero());
  std::string text = filled("{}", parts.back());
  for (std::size_t i = parts.size() - 1; i-- > 0;) text += filled("{:09}", parts[i]);
  return text;
}

}  // namespace mx::golden
