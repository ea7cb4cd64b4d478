// Whole numbers of 8 bits times a power of two as floats with binary32's exponents, many at once
// and without a branch, which compilers turn into vector code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "reference/systems/parts/vector_target.hpp"

namespace mx::systems::torchmx {

class IntegerLanes {
 public:
  /// `fraction_bits` of the codes lie below the point.
  explicit IntegerLanes(int fraction_bits, VectorTarget target = vector_target())
      : fraction_bits_(fraction_bits), target_(target) {}

  /// Are all products under these scale bytes normal numbers, which bfloat16 holds exactly?
  [[nodiscard]] bool takes(std::span<const std::byte> scales) const {
    bool is_normal = true;
    for (const std::byte scale : scales) {
      const int base = std::to_integer<int>(scale) - fraction_bits_;
      is_normal &= base >= 1 && base + 7 <= 254;
    }
    return is_normal;
  }

  /// The words of bfloat16 (16 bits) or binary32 (32) of blocks of codes, each under a scale byte
  /// that is taken; they need not be aligned.
  template <typename Word>
  void operator()(std::span<const std::byte> scales, std::size_t block_size, const std::byte* codes,
                  std::byte* words) const {
    const int fraction_bits = fraction_bits_;
    on_vectors(target_, [=] {
      const std::byte* code = codes;
      std::byte* __restrict word = words;
      for (const std::byte scale : scales) {
        const auto base = static_cast<std::int16_t>(std::to_integer<int>(scale) - fraction_bits);
        for (std::size_t i = 0; i < block_size; ++i) {
          const Word value =
              static_cast<Word>(Word{product(code[i], base)} << (8 * (sizeof(Word) - 2)));
          std::memcpy(word + i * sizeof(Word), &value, sizeof(Word));
        }
        code += block_size;
        word += block_size * sizeof(Word);
      }
    });
  }

 private:
  /// The leading half of a product as a pattern; `base` is the exponent field of the code 1.
  static std::uint16_t product(std::byte code, std::int16_t base) {
    constexpr auto narrow = [](int value) { return static_cast<std::int16_t>(value); };
    // -1 or 0, by shifts: compilers keep lanes of 16 bits.
    constexpr auto is_below = [narrow](std::int16_t value, int limit) {
      return narrow(narrow(value - limit) >> 15);
    };
    const std::int16_t value = narrow(narrow(std::to_integer<int>(code) << 8) >> 8);
    const std::int16_t sign = is_below(value, 0);
    // The magnitude, at most 128, shifted until its leading bit has the weight 128.
    std::int16_t significand = narrow((value ^ sign) - sign);
    const std::int16_t is_zero = is_below(significand, 1);
    std::int16_t field = narrow(base + 7);
    const auto move = [&](int by) {
      const std::int16_t moves = is_below(significand, 256 >> by);
      significand = narrow(significand + ((narrow(significand << by) - significand) & moves));
      field = narrow(field - (by & moves));
    };
    move(4);
    move(2);
    move(1);
    const std::int16_t pattern = narrow(narrow(field << 7) | (significand & 0x7F));
    return static_cast<std::uint16_t>((pattern & ~is_zero) | (sign & -0x8000));
  }

  int fraction_bits_;
  VectorTarget target_;
};

}  // namespace mx::systems::torchmx
