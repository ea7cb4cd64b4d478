// SPDX-License-Identifier: Apache-2.0
// Where the casts of QPyTorch clamp and saturate: the limit, its neighbours and its negative.
#include "tests/emulators/limits.hpp"

#include <cmath>

#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "emulators/qtorch/kernels/fixed_kernel.hpp"
#include "emulators/qtorch/kernels/float_kernel.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"
#include "tests/emulators/qtorch/support.hpp"

namespace mx::emulators::qtorch {
namespace {

/// Strict by the host: rounded once, clamped, +0 for every zero.
Bits fixed_by_host(const FixedCall& call, Bits x) {
  float value = 0;
  std::memcpy(&value, &x, sizeof value);
  const auto fl = static_cast<int>(call.fl);
  const double scaled = std::ldexp(double{value}, fl);
  double code = std::nearbyint(scaled);
  if (call.rounding == Rounding::kDocLiteral) code = std::ceil(scaled - 0.5);
  const double most = std::ldexp(1.0, static_cast<int>(call.wl) - 1) - 1;
  if (call.clamp) code = std::clamp(code, call.symmetric ? -most : -most - 1, most);
  return code == 0 ? 0 : f(static_cast<float>(std::ldexp(code, -fl)));
}

template <typename Fixed>
Patterns fixed_row(const Patterns& row, std::uint32_t word, std::vector<std::uint8_t>& outside,
                   Fixed fixed) {
  Patterns results(row.size());
  outside.assign(row.size(), 0);
  fixed(row, Patterns(row.size(), word), results, outside);
  return results;
}

void expect_fixed(const FixedCall& call, const Patterns& x, std::uint32_t word) {
  const std::string name = std::to_string(call.wl) + " " + std::to_string(call.fl) +
                           (call.clamp ? " C" : " _") + (call.symmetric ? "S " : "_ ") +
                           std::string(token_of(call.rounding));
  // So many values that a table is made.
  const std::size_t many = call.wl <= 12 ? std::size_t{1} << call.wl : 0;
  std::vector<std::uint8_t> outside;
  const auto strict_row = [&](const Patterns& row) {
    return fixed_row(row, word, outside,
                     [&](const auto& values, const auto& random, auto& out, auto& mask) {
                       fixed_strict(call, values, random, out, mask);
                     });
  };
  if (call.rounding != Rounding::kStochastic) {
    expect_one_answer(
        name + " strict", x, strict_row, [&](Bits each) { return fixed_by_host(call, each); },
        many);
  }
  if (call.rounding == Rounding::kDocLiteral) return;
  for (const Platform platform : {Platform::kX86, Platform::kCuda}) {
    const auto compat_row = [&](const Patterns& row) {
      return fixed_row(row, word, outside,
                       [&](const auto& values, const auto& random, auto& out, auto& mask) {
                         fixed_compat(call, platform, values, random, out, mask);
                       });
    };
    const auto rule = [&](Bits each) { return fixed_by_rule(call, platform, each, word); };
    expect_one_answer(
        name + " compat", x, compat_row, [&](Bits each) { return rule(each).value; }, many);
    (void)compat_row(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(outside[i] != 0, rule(x[i]).is_outside) << name << std::hex << " " << x[i];
    }
  }
}

TEST(QtorchLimits, FixedPoint) {
  for (const int wl : {1, 2, 3, 4, 8, 11, 12, 13, 16, 23, 24}) {
    for (const int fl : {-3, 0, wl - 1, 20}) {
      const Patterns x = around(limits_of_integers(wl - 1, 127 - fl));
      for (const bool clamp : {true, false}) {
        for (const bool symmetric : {true, false}) {
          FixedCall call = {wl, fl, clamp, symmetric, Rounding::kNearest};
          expect_fixed(call, x, 0);
          call.rounding = Rounding::kDocLiteral;
          expect_fixed(call, x, 0);
          call.rounding = Rounding::kStochastic;
          for (const std::uint32_t word : {0U, 1U, 0x800000U, 0xFFFFFFU}) {
            expect_fixed(call, x, word);
          }
        }
      }
    }
  }
}

TEST(QtorchLimits, Floats) {
  for (int exp = 1; exp <= 8; ++exp) {
    for (const int man : {1, 2, 3, 10, 22}) {
      const FloatCall call = {exp, man, Rounding::kNearest};
      const Patterns x = around(ends_of_binades(man), 1);
      // Types of few bits take a table where values are many.
      const std::size_t many = man == 3 && exp % 4 == 0 ? std::size_t{1} << 15 : 0;
      const Patterns none;
      expect_one_answer(
          std::to_string(exp) + " " + std::to_string(man), x,
          [&](const Patterns& row) {
            Patterns results(row.size());
            float_compat(call, Platform::kX86, row, none, results);
            return results;
          },
          [&](Bits each) { return float_by_rule(call, Platform::kX86, each, 0); }, many);
    }
  }
}

/// Blocks under one exponent, strict by the host.
Bits block_by_host(int wl, int field, Bits x) {
  float value = 0;
  std::memcpy(&value, &x, sizeof value);
  const int quantum = field - 127 - (wl - 2);
  const double most = std::ldexp(1.0, wl - 1) - 1;
  const double code = std::clamp(std::nearbyint(std::ldexp(double{value}, -quantum)), -most, most);
  return code == 0 ? 0 : f(static_cast<float>(std::ldexp(code, quantum)));
}

TEST(QtorchLimits, Blocks) {
  for (int wl = 2; wl <= 22; ++wl) {
    const BlockCall call = {wl, Rounding::kNearest};
    for (const int field : {40, 127, 240}) {
      const Bits reach = (static_cast<Bits>(field) << 23) | 0x7FFFFF;
      Patterns block = {reach};
      for (const Bits each : around(limits_of_integers(wl - 1, field - wl + 2))) {
        if (magnitude_of(each) <= reach) block.push_back(each);
      }
      Patterns compat(block.size()), strict(block.size());
      const BlockLayout layout = {.inner = block.size()};
      block_compat(call, layout, Platform::kX86, block, {}, compat);
      block_strict(call, layout, block, {}, strict);
      for (std::size_t i = 0; i < block.size(); ++i) {
        ASSERT_EQ(compat[i], block_by_rule(call, Platform::kX86, reach, block[i], 0))
            << wl << std::hex << " " << block[i];
        ASSERT_EQ(strict[i], block_by_host(wl, field, block[i])) << wl << std::hex << block[i];
      }
    }
  }
}

}  // namespace
}  // namespace mx::emulators::qtorch
