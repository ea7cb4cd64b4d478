// What the tests of presets share: asking a handle, and the operands and states of this machine.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "bridge/bus/handle.hpp"
#include "bridge/bus/preset.hpp"

namespace mx::bridge {

using golden::Field;

inline ScalarAnswer ask(Handle& handle, std::span<const std::uint64_t> operands) {
  EXPECT_TRUE(handle.start(0)) << handle.error();
  const bool is_conversion = handle.words(Field::kSource) != 0;
  const std::array fields = {is_conversion ? Field::kSource : Field::kA, Field::kB, Field::kC};
  for (std::size_t i = 0; i < operands.size(); ++i) handle.put_word(fields[i], operands[i]);
  EXPECT_TRUE(handle.answer()) << handle.error();
  return {handle.word(Field::kCode), handle.word(Field::kFlags)};
}

struct Case {
  const char* text;
  std::vector<std::uint64_t> operands;
  std::uint64_t code;
  std::uint64_t flags;
};

inline void expect_case(const Case& one) {
  const auto handle = Handle::open(one.text);
  ASSERT_TRUE(handle->is_open()) << handle->error();
  const ScalarAnswer answer = ask(*handle, one.operands);
  EXPECT_EQ(answer.code, one.code) << one.text << std::hex << " " << one.operands[0];
  EXPECT_EQ(answer.flags, one.flags) << one.text << std::hex << " " << one.operands[0];
}

inline constexpr std::uint64_t kInf = 0x7F800000, kQuiet = 0x7FC00123, kSignaling = 0xFF800456;

/// MXCSR with all exceptions masked and no flags, in a rounding; then what the operation left.
inline constexpr std::array<std::uint32_t, 4> kControl = {0x1F80, 0x3F80, 0x5F80, 0x7F80};
inline constexpr std::array kRoundings = {"ties_to_even", "toward_negative", "toward_positive",
                                          "toward_zero"};
inline constexpr std::uint32_t kCompared = 0x3D;  // all but DE

struct Format {
  int exp_bits;
  int man_bits;
};

/// Specials, both ends of the exponents, and words drawn near them.
inline std::vector<std::uint64_t> operands_of(const Format& format, std::mt19937_64& draw,
                                              int count) {
  const std::uint64_t sign = std::uint64_t{1} << (format.exp_bits + format.man_bits);
  const std::uint64_t one = ((std::uint64_t{1} << (format.exp_bits - 1)) - 1) << format.man_bits;
  const std::uint64_t inf = ((std::uint64_t{1} << format.exp_bits) - 1) << format.man_bits;
  const std::uint64_t quiet = std::uint64_t{1} << (format.man_bits - 1);
  std::vector<std::uint64_t> list;
  for (const std::uint64_t x :
       {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << format.man_bits) - 1,
        std::uint64_t{1} << format.man_bits, one, one + 1, one - 1, inf - 1, inf, inf | quiet,
        inf | quiet | 5, inf | 9, (std::uint64_t{1} << format.man_bits) + 1}) {
    list.push_back(x);
    list.push_back(x | sign);
  }
  for (int i = 0; i < count; ++i) list.push_back(draw() & (2 * sign - 1));
  return list;
}

}  // namespace mx::bridge
