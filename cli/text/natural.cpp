#include "cli/text/natural.hpp"

#include <algorithm>
#include <bit>

namespace mx::cli {

Natural::Natural(std::uint64_t value) {
  for (; value != 0; value >>= 32) limbs_.push_back(static_cast<std::uint32_t>(value));
}

void Natural::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

int Natural::bit_length() const {
  if (limbs_.empty()) return 0;
  return static_cast<int>(limbs_.size() - 1) * 32 + 32 - std::countl_zero(limbs_.back());
}

bool Natural::bit(int position) const {
  const auto limb = static_cast<std::size_t>(position / 32);
  return position >= 0 && limb < limbs_.size() && ((limbs_[limb] >> (position % 32)) & 1) != 0;
}

std::uint64_t Natural::word_at(int position) const {
  std::uint64_t word = 0;
  for (int i = 63; i >= 0; --i) word = word << 1 | (bit(position + i) ? 1 : 0);
  return word;
}

bool Natural::any_below(int position) const {
  for (int i = 0; i < std::min(position, bit_length()); ++i) {
    if (bit(i)) return true;
  }
  return false;
}

void Natural::multiply_add(std::uint32_t factor, std::uint32_t summand) {
  std::uint64_t carry = summand;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
  trim();
}

void Natural::multiply_power(std::uint32_t base, int exponent) {
  for (int i = 0; i < exponent; ++i) multiply_add(base, 0);
}

void Natural::shift_left(int count) {
  if (limbs_.empty()) return;
  limbs_.insert(limbs_.begin(), static_cast<std::size_t>(count / 32), 0);
  multiply_add(std::uint32_t{1} << (count % 32), 0);
}

std::uint32_t Natural::divide(std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    rest = rest << 32 | limbs_[i];
    limbs_[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  trim();
  return static_cast<std::uint32_t>(rest);
}

void Natural::subtract(const Natural& other) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint64_t taken = borrow + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    borrow = limbs_[i] < taken ? 1 : 0;
    limbs_[i] = static_cast<std::uint32_t>(limbs_[i] - taken);
  }
  trim();
}

int Natural::compare(const Natural& other) const {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() < other.limbs_.size() ? -1 : 1;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] < other.limbs_[i] ? -1 : 1;
  }
  return 0;
}

std::string Natural::decimal() const {
  if (is_zero()) return "0";
  std::string reversed;
  for (Natural rest = *this; !rest.is_zero();) {
    std::uint32_t digits = rest.divide(1'000'000'000);
    for (int i = 0; i < 9 && (!rest.is_zero() || digits != 0); ++i, digits /= 10) {
      reversed += static_cast<char>('0' + digits % 10);
    }
  }
  return {reversed.rbegin(), reversed.rend()};
}

Natural divide(Natural& numerator, const Natural& divisor) {
  Natural quotient;
  Natural rest;
  for (int i = numerator.bit_length() - 1; i >= 0; --i) {
    rest.multiply_add(2, numerator.bit(i) ? 1 : 0);
    const bool fits = rest.compare(divisor) >= 0;
    if (fits) rest.subtract(divisor);
    quotient.multiply_add(2, fits ? 1 : 0);
  }
  numerator = rest;
  return quotient;
}

}  // namespace mx::cli
