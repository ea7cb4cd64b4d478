// SPDX-License-Identifier: Apache-2.0
// Limits as inputs. Where a clamp or a threshold decides, a test asks for the answer at the limit
// itself, at the numbers next to it and at its negative; there many values at once, one value alone
// and the plain rule must give one answer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulators/common/machine.hpp"

namespace mx::emulators {

/// Each limit, a magnitude in binary32, with `reach` patterns on either side, and all negatives.
inline std::vector<Bits> around(const std::vector<Bits>& limits, Bits reach = 2) {
  std::vector<Bits> x;
  for (const Bits limit : limits) {
    const Bits first = limit < reach ? 0 : limit - reach;
    for (Bits each = first; each <= limit + reach; ++each) x.push_back(each);
  }
  for (std::size_t i = x.size(); i-- > 0;) x.push_back(x[i] | 0x80000000);
  return x;
}

/// The ends of the binades of numbers with `kept` bits (0..22) behind the leading one: the power of
/// two, the largest number and the tie above it. Whatever range a format has, its limits are here.
inline std::vector<Bits> ends_of_binades(int kept, Bits first_field = 0, Bits last_field = 254) {
  const Bits last_place = Bits{1} << (23 - kept);
  std::vector<Bits> limits;
  for (Bits field = first_field; field <= last_field; ++field) {
    const Bits above = (field + 1) << 23;
    limits.insert(limits.end(), {field << 23, above - last_place, above - last_place / 2});
  }
  return limits;
}

/// The limits of integers of `bits` bits in steps of 2^(field - 127): the step, its half, one and a
/// half, and the largest integer and 2^bits, which is the limit of negative ones, with the ties
/// around them.
inline std::vector<Bits> limits_of_integers(int bits, int field) {
  const auto power = [](int of) { return static_cast<Bits>(std::clamp(of, 0, 254)) << 23; };
  std::vector<Bits> limits = {power(field), power(field - 1), power(field) | 0x400000};
  const Bits top = power(field + bits);
  limits.push_back(top);
  // 2^bits less two steps, one step, half a step.
  for (const int place : {25 - bits, 24 - bits, 23 - bits}) {
    if (place >= 0 && place <= 22 && bits > 0) limits.push_back(top - (Bits{1} << place));
  }
  if (bits <= 22) limits.insert(limits.end(), {top + (Bits{1} << (22 - bits)), top + 0x400000});
  return limits;
}

/// One answer to x: of rows(x), also where the row is made `row_size` long, of rows({each}), and of
/// plain(each). Of long lists every seventh value is asked alone.
template <typename Rows, typename Plain>
void expect_one_answer(const std::string& name, const std::vector<Bits>& x, Rows rows, Plain plain,
                       std::size_t row_size = 0) {
  std::vector<Bits> row = x;
  for (std::size_t i = 0; row.size() < row_size; ++i) row.push_back(x[i % x.size()]);
  const std::size_t stride = x.size() <= 256 ? 1 : 7;
  const std::vector<Bits> answers = rows(row);
  ASSERT_EQ(answers.size(), row.size()) << name;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Bits expected = plain(row[i]);
    ASSERT_EQ(answers[i], expected) << name << std::hex << " " << row[i];
    if (i >= x.size() || i % stride != 0) continue;
    ASSERT_EQ(rows({x[i]}), std::vector<Bits>{expected}) << name << " alone " << std::hex << x[i];
  }
}

}  // namespace mx::emulators
