// The types of tensors as integers: patterns without sign, and the exact powers of two by which
// microxcaling moves numbers. Everything a tensor operation rounds is rounded here, ties to even.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emulators/common/tensor.hpp"

namespace mx::emulators::microxcaling {

/// A pattern of any of the types, in the low bits.
using Word = std::uint64_t;

/// significand * 2^exponent.
struct Dyadic {
  std::uint64_t significand = 0;
  int exponent = 0;
};

template <TensorType kItsType, int kExponentBits, int kStoredBits>
struct IeeeType {
  static constexpr TensorType kType = kItsType;
  static constexpr int kStored = kStoredBits;
  static constexpr int kPrecision = kStoredBits + 1;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kEmin = 1 - kBias;
  static constexpr int kTop = (1 << kExponentBits) - 1;  ///< exponent field of infinity
  static constexpr Word kSign = Word{1} << (kExponentBits + kStoredBits);
  static constexpr Word kHidden = Word{1} << kStoredBits;
  static constexpr Word kInfinity = Word{kTop} << kStoredBits;
  static constexpr Word kNan = kInfinity | kHidden >> 1;
  static constexpr std::size_t kBytes = (1 + kExponentBits + kStoredBits) / 8;
  /// A word as tensors hold it.
  using Stored = std::conditional_t<kBytes == 2, std::uint16_t,
                                    std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>;

  [[nodiscard]] static Word load(std::span<const std::byte> bytes, std::size_t index) {
    Stored word;
    std::memcpy(&word, bytes.data() + index * kBytes, kBytes);
    return word;
  }
  static void store(std::span<std::byte> bytes, std::size_t index, Word word) {
    const auto stored = static_cast<Stored>(word);
    std::memcpy(bytes.data() + index * kBytes, &stored, kBytes);
  }

  [[nodiscard]] static constexpr int field(Word magnitude) {
    return static_cast<int>(magnitude >> kStored);
  }

  /// A finite magnitude as an integer of at most p bits times a power of two.
  [[nodiscard]] static constexpr Dyadic value(Word magnitude) {
    const int f = field(magnitude);
    if (f == 0) return {magnitude, kEmin - kStored};
    return {(magnitude & (kHidden - 1)) | kHidden, f - kBias - kStored};
  }

  /// fl_T(x), ties to even, as a magnitude; overflow to infinity.
  [[nodiscard]] static constexpr Word rounded(const Dyadic& x) {
    if (x.significand == 0) return 0;
    const int width = static_cast<int>(std::bit_width(x.significand));
    const int lead = x.exponent + width - 1;  // floor(log2 x)
    if (lead > kBias) return kInfinity;
    const int ulp = (lead < kEmin ? kEmin : lead) - kStored;
    const int drop = ulp - x.exponent;
    std::uint64_t kept = 0;
    if (drop <= 0) {
      kept = x.significand << -drop;
    } else if (drop <= width) {
      // The bits that are cut off, moved to the top of a word.
      const std::uint64_t cut = x.significand << (64 - drop);
      kept = drop == 64 ? 0 : x.significand >> drop;
      const std::uint64_t half = std::uint64_t{1} << 63;
      kept += cut > half || (cut == half && (kept & 1) != 0) ? 1 : 0;
    }
    const Word base = lead < kEmin ? 0 : static_cast<Word>(lead - kEmin) << kStored;
    return base + kept;
  }

  /// magnitude * 2^power rounded to the type; the magnitude is finite.
  [[nodiscard]] static constexpr Word scaled(Word magnitude, int power) {
    const int f = field(magnitude);
    const int moved = f + power;
    if (f != 0 && moved > 0 && moved < kTop) {
      return magnitude + (static_cast<Word>(static_cast<std::int64_t>(power)) << kStored);
    }
    Dyadic x = value(magnitude);
    x.exponent += power;
    return rounded(x);
  }
};

using Fp32 = IeeeType<TensorType::kFp32, 8, 23>;
using Bf16 = IeeeType<TensorType::kBf16, 8, 7>;
using Fp16 = IeeeType<TensorType::kFp16, 5, 10>;
using Fp64 = IeeeType<TensorType::kFp64, 11, 52>;

/// Calls `use` with the type of a tensor's words; false where it is no floating type.
template <typename Use>
bool with_type(TensorType type, Use use) {
  switch (type) {
    case TensorType::kFp32:
      use(Fp32{});
      return true;
    case TensorType::kBf16:
      use(Bf16{});
      return true;
    case TensorType::kFp16:
      use(Fp16{});
      return true;
    case TensorType::kFp64:
      use(Fp64{});
      return true;
    default:
      return false;
  }
}

/// The random bits of one element: a word; of binary64 two, the upper half first.
template <typename T>
[[nodiscard]] constexpr std::uint64_t dither_bits(std::span<const std::uint32_t> words,
                                                  std::size_t element) {
  if constexpr (T::kType != TensorType::kFp64) return words[element];
  return std::uint64_t{words[2 * element]} << 32 | words[2 * element + 1];
}

/// How many random words dither reads for so many elements of a type.
[[nodiscard]] constexpr std::size_t dither_words(TensorType type, std::size_t elements) {
  return type == TensorType::kFp64 ? 2 * elements : elements;
}

/// floor(log2 x) of a positive dyadic.
[[nodiscard]] constexpr int exponent_of(const Dyadic& x) {
  return x.exponent + static_cast<int>(std::bit_width(x.significand)) - 1;
}

}  // namespace mx::emulators::microxcaling
