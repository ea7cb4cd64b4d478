// Whole numbers of 8 bits times a power of two as floats with binary32's exponents, many at once
// and without a branch, which compilers turn into vector code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "emulators/common/vector_target.hpp"

namespace mx::emulators::torchmx {

class IntegerSimd {
 public:
  /// `fraction_bits` of the codes lie below the point.
  explicit IntegerSimd(int fraction_bits, VectorTarget target = vector_target())
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
#if defined(__x86_64__) && !defined(__clang__)
    if constexpr (sizeof(Word) == 2) {
      if (target_ == VectorTarget::kAvx512 && block_size % kPiece == 0) {
        return by_table(scales, block_size, codes, words);
      }
    }
#endif
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
#if defined(__x86_64__) && !defined(__clang__)
  static constexpr std::size_t kPiece = 32;
  using Codes = signed char __attribute__((vector_size(kPiece)));
  using Lanes = std::int16_t __attribute__((vector_size(2 * kPiece)));

  /// The products of magnitudes below 128 for the base 1, read by permutations of words: as long
  /// as a block's codes are whole pieces, that is a third of the steps.
  void by_table(std::span<const std::byte> scales, std::size_t block_size, const std::byte* codes,
                std::byte* words) const {
    std::array<std::uint16_t, 128> products{};
    for (std::size_t i = 0; i < products.size(); ++i) products[i] = product(std::byte(i), 1);
    const int fraction_bits = fraction_bits_;
    on_vectors(target_, [=] {
      std::array<Lanes, 4> table;
      std::memcpy(table.data(), products.data(), sizeof(products));
      const std::byte* code = codes;
      std::byte* word = words;
      for (const std::byte scale : scales) {
        const int base = std::to_integer<int>(scale) - fraction_bits;
        const Lanes rise = Lanes{} + static_cast<std::int16_t>((base - 1) << 7);
        for (std::size_t i = 0; i < block_size; i += kPiece) {
          Codes piece;
          std::memcpy(&piece, code + i, kPiece);
          const Lanes value = __builtin_convertvector(piece, Lanes);
          const Lanes sign = value >> 15;
          const Lanes magnitude = (value ^ sign) - sign;
          const Lanes low = __builtin_shuffle(table[0], table[1], magnitude);
          const Lanes high = __builtin_shuffle(table[2], table[3], magnitude);
          Lanes result = (magnitude & 64) != 0 ? high : low;
          result += (magnitude != 0) & rise;
          result += (magnitude & 128) << 3;  // 128 itself, whose entry was that of 0
          result |= value & -0x8000;
          std::memcpy(word + 2 * i, &result, sizeof(result));
        }
        code += block_size;
        word += 2 * block_size;
      }
    });
  }
#endif

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

}  // namespace mx::emulators::torchmx
