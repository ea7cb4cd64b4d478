// The share of a lane in the fast kernels, 32 bytes of source words: four lanes hold a block of 32
// from fp32, two lanes one from 16-bit sources. And the short encoder of the common configurations.
#pragma once

#include "fast/cuda/run.hpp"

namespace mx::fast::cuda {

/// Sixteen bytes, moved as one.
struct alignas(16) Vector {
  std::uint32_t part[4];
};

/// Words that are read once: 128 bits at a time. `from` is aligned to 16 bytes on the device.
[[nodiscard]] MX_HOST_DEVICE inline Vector load_vector(const std::byte* from) {
#if defined(__CUDA_ARCH__)
  const uint4 v = __ldcs(reinterpret_cast<const uint4*>(from));
  return {{v.x, v.y, v.z, v.w}};
#else
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
#endif
}

/// Source words as they were loaded.
template <class Source>
struct Unit {
  static constexpr int kWords = 32 / static_cast<int>(sizeof(typename Source::Word));
  static constexpr int kInBlock = 32 / kWords;   ///< units that hold a block of 32
  static constexpr int kToBlock = kInBlock / 2;  ///< log2 of that
  Vector vector[2];

  [[nodiscard]] MX_HOST_DEVICE std::uint32_t word(int i) const {
    if constexpr (kWords == 8) return vector[i / 4].part[i % 4];
    return vector[i / 8].part[i / 2 % 4] >> (i % 2 * 16) & 0xFFFF;
  }
};

template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline Unit<Source> load_unit(const std::byte* words,
                                                           std::size_t element) {
  const std::byte* const from = words + element * sizeof(typename Source::Word);
  return {{load_vector(from), load_vector(from + 16)}};
}

/// The larger halves of two words.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmaxu2(a, b);
#else
  const std::uint32_t low = (a & 0xFFFFu) > (b & 0xFFFFu) ? a : b;
  const std::uint32_t high = a >> 16 > b >> 16 ? a : b;
  return (low & 0xFFFFu) | (high & 0xFFFF0000u);
#endif
}

template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t largest_of(const Unit<Source>& unit) {
  std::uint32_t amax = 0;
  MX_UNROLL
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t part = unit.vector[i / 4].part[i % 4];
    if constexpr (Unit<Source>::kWords == 8) {
      const std::uint32_t magnitude = part & Source::kMagnitudeMask;
      amax = magnitude > amax ? magnitude : amax;
    } else {
      amax = larger_halves(amax, part & Source::kMagnitudeMask * 0x10001u);
    }
  }
  if constexpr (Unit<Source>::kWords == 8) return amax;
  return amax >> 16 > (amax & 0xFFFFu) ? amax >> 16 : amax & 0xFFFFu;
}

/// has_inf of a block whose elements get no codes of their own.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t infinities_of(const Unit<Source>& unit) {
  std::uint32_t report = 0;
  MX_UNROLL
  for (int i = 0; i < Unit<Source>::kWords; ++i) {
    if ((unit.word(i) & Source::kMagnitudeMask) == Source::kInf) report = kHasInf;
  }
  return report;
}

/// The codes of a unit, packed, in the low bytes.
struct PackedUnit {
  std::uint32_t word[4];
};
template <std::size_t kWords>
[[nodiscard]] MX_HOST_DEVICE inline PackedUnit pack_unit(Packing packing,
                                                         const std::uint32_t (&code)[kWords]) {
  PackedUnit packed{};
  if (packing == Packing::kBytes) {
    MX_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) packed.word[i / 4] |= code[i] << (i % 4 * 8);
  } else if (packing == Packing::kNibbles) {
    MX_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) packed.word[i / 8] |= code[i] << (i % 8 * 4);
  } else {
    MX_UNROLL
    for (std::size_t i = 0; i < kWords; ++i) {
      packed.word[i * 6 / 32] |= code[i] << (i * 6 % 32);
      if (i * 6 % 32 > 26) packed.word[i * 6 / 32 + 1] |= code[i] >> (32 - i * 6 % 32);
    }
  }
  return packed;
}

/// Stores unit number `unit` of an array that is aligned to 16 bytes.
template <int kWords>
MX_HOST_DEVICE inline void store_unit(std::uint8_t* codes, Packing packing, std::size_t unit,
                                      const PackedUnit& packed) {
  const std::size_t bytes = packed_bytes(packing, kWords);
  std::uint8_t* const to = codes + unit * bytes;
#if defined(__CUDA_ARCH__)
  if (bytes == 16) {
    __stcs(reinterpret_cast<uint4*>(to),
           make_uint4(packed.word[0], packed.word[1], packed.word[2], packed.word[3]));
  } else if (bytes == 8) {
    __stcs(reinterpret_cast<uint2*>(to), make_uint2(packed.word[0], packed.word[1]));
  } else if (bytes == 4) {
    __stcs(reinterpret_cast<unsigned*>(to), packed.word[0]);
  } else if (bytes == 12) {
    auto* const words = reinterpret_cast<unsigned*>(to);
    for (int i = 0; i < 3; ++i) __stcs(words + i, packed.word[i]);
  } else {
    auto* const halves = reinterpret_cast<unsigned short*>(to);
    halves[0] = static_cast<unsigned short>(packed.word[0] & 0xFFFF);
    halves[1] = static_cast<unsigned short>(packed.word[0] >> 16);
    halves[2] = static_cast<unsigned short>(packed.word[1]);
  }
#else
  std::memcpy(to, packed.word, bytes);
#endif
}

[[nodiscard]] MX_HOST_DEVICE inline float as_float(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t as_bits(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

/// The magnitude of a finite word as a binary32 pattern. Every step is exact.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t wide_magnitude(std::uint32_t word) {
  const std::uint32_t aligned = (word & Source::kMagnitudeMask) << (23 - Source::kManBits);
  if constexpr (Source::kBias == 127) return aligned;
  return as_bits(as_float(aligned) * 0x1p112f);
}

/// The general arithmetic, of configurations that draw or that do not.
template <bool kWithDraws>
struct GeneralElement {
  static constexpr int kBits = 0;  ///< of a code; 0: not known here
  static constexpr bool kDraws = kWithDraws;
  template <class Source>
  struct Encoder {
    const Mode& mode;
    int exponent;

    MX_HOST_DEVICE Encoder(const Mode& the_mode, const BlockScale& scale, std::uint32_t)
        : mode(the_mode), exponent(scale.exponent) {}
    [[nodiscard]] MX_HOST_DEVICE static bool fits() { return true; }
    [[nodiscard]] MX_HOST_DEVICE Encoded encode(std::uint32_t word,
                                                std::uint32_t random = 0) const {
      return cuda::encode<kDraws>(mode, normalize<Source>(word & Source::kMagnitudeMask),
                                  is_negative<Source>(word), exponent, random);
    }
  };
};
using AnyElement = GeneralElement<false>;
using DrawnElement = GeneralElement<true>;

/// a + b without the bits below binary32's; neither is negative, and a is the smaller one.
[[nodiscard]] MX_HOST_DEVICE inline float add_toward_zero(float a, float b) {
#if defined(__CUDA_ARCH__)
  return __fadd_rz(a, b);
#else
  const double sum = static_cast<double>(a) + static_cast<double>(b);
  const auto nearest = static_cast<float>(sum);
  return static_cast<double>(nearest) > sum ? as_float(as_bits(nearest) - 1) : nearest;
#endif
}

/// Where ties go of a rounding to nearest.
enum class Ties : std::uint8_t { kEven, kAway };

/// The short encoder: to nearest, saturation at both ends alike, -0 kept where there is one. The
/// rounding is that of one binary32 addition, with subnormal operands, as the device computes
/// unless it is compiled with -ftz=true. On the host only tests run it.
template <int kManBits, int kCodeBits, bool kTwosComplement, Ties kTies = Ties::kEven>
struct PlainElement {
  static constexpr int kBits = kCodeBits;
  static constexpr bool kDraws = false;
  template <class Source>
  class Encoder {
   public:
    MX_HOST_DEVICE Encoder(const Mode& mode, const BlockScale& scale, std::uint32_t amax)
        : largest_(mode.block.element.limit[0]) {
      const int field = scale.exponent + mode.block.element.emin + 127;
      const auto top = static_cast<int>(wide_magnitude<Source>(amax) >> 23);
      fits_ = field >= 1 && (field > top ? field : top) + kLift <= 254;
      grid_ = static_cast<std::uint32_t>(field) << 23;
      offset_ = (std::uint32_t{kLift} << 23) + (grid_ >> kLift);
    }
    /// Are all sums in range? A grid finer than binary32's normal numbers and a maximum near the
    /// end of its range are the general arithmetic's.
    [[nodiscard]] MX_HOST_DEVICE bool fits() const { return fits_; }

    [[nodiscard]] MX_HOST_DEVICE Encoded encode(std::uint32_t word) const {
      const std::uint32_t x = wide_magnitude<Source>(word);
      // 1. The binade of x, no finer than the grid; adding 2^kLift times it leaves kManBits bits
      //    below its leading one, rounded to nearest, ties to even.
      const std::uint32_t own = x & 0x7F800000u;
      const std::uint32_t binade = own > grid_ ? own : grid_;
      // 2. What was added comes off again, and each binade above the grid is one exponent step.
      const std::uint32_t magnitude = steps_of(x, binade) + (binade >> kLift) - offset_;
      const std::uint32_t report = magnitude > largest_       ? kSaturated
                                   : magnitude == 0 && x != 0 ? kUnderflow
                                                              : 0u;
      return {signed_code(magnitude < largest_ ? magnitude : largest_, word), report};
    }

   private:
    /// Bits of a binary32 significand below the kept ones.
    static constexpr int kLift = 23 - kManBits;

    /// x in steps of the element format in a binade, above 2^kLift of a binary32 field.
    [[nodiscard]] MX_HOST_DEVICE static std::uint32_t steps_of(std::uint32_t x,
                                                               std::uint32_t binade) {
      if constexpr (kTies == Ties::kEven) {
        return as_bits(as_float(x) + as_float(binade + (std::uint32_t{kLift} << 23))) - binade;
      } else {
        // Half a step more, in half steps without their rest.
        const std::uint32_t lifted = binade + (std::uint32_t{kLift - 1} << 23);
        const float sum = add_toward_zero(as_float(x), as_float(lifted + 1));
        return (std::uint32_t{kLift} << 23) + ((as_bits(sum) - lifted) >> 1);
      }
    }

    [[nodiscard]] MX_HOST_DEVICE static std::uint32_t signed_code(std::uint32_t magnitude,
                                                                  std::uint32_t word) {
      constexpr int kSignPlace = 8 * static_cast<int>(sizeof(typename Source::Word)) - 1;
      if constexpr (kTwosComplement) {
        const std::uint32_t code = is_negative<Source>(word) ? 0u - magnitude : magnitude;
        return code & ((1u << kBits) - 1);
      }
      return magnitude | (word >> (kSignPlace - (kBits - 1)) & (1u << (kBits - 1)));
    }

    std::uint32_t largest_;
    std::uint32_t grid_;
    std::uint32_t offset_;
    bool fits_;
  };
};

/// A unit's codes, and what is to be reported of it.
struct EncodedUnit {
  PackedUnit packed;
  std::uint32_t report;
};

/// The packing of codes of kBits: what it cannot be costs no code.
template <int kBits>
[[nodiscard]] MX_HOST_DEVICE inline Packing narrowed(Packing packing) {
  if (kBits == 8 || packing == Packing::kBytes) return Packing::kBytes;
  return kBits == 4 ? Packing::kNibbles : kBits == 6 ? Packing::kDense6 : packing;
}

/// Random words of nobody: for encoders that draw none.
struct NoDraws {
  [[nodiscard]] MX_HOST_DEVICE FourWords operator()(int) const { return {}; }
};

/// `draws(i)` has the random words of elements i .. i + 3 of the unit, i a multiple of 4.
template <class Element, class Source, class Draws>
[[nodiscard]] MX_HOST_DEVICE inline EncodedUnit encode_each(
    const typename Element::template Encoder<Source>& encoder, const Unit<Source>& unit,
    Packing packing, const Draws& draws) {
  std::uint32_t codes[std::size_t{Unit<Source>::kWords}];
  std::uint32_t report = 0;
  FourWords random{};
  MX_UNROLL
  for (int i = 0; i < Unit<Source>::kWords; ++i) {
    Encoded encoded;
    if constexpr (Element::kDraws) {
      if (i % 4 == 0) random = draws(i);
      encoded = encoder.encode(unit.word(i), random.word[i % 4]);
    } else {
      encoded = encoder.encode(unit.word(i));
    }
    codes[i] = encoded.code;
    report |= encoded.report;
  }
  return {pack_unit(packing, codes), report};
}

/// A unit of a block beyond the short encoder: rare, and out of the way of the others.
template <class Source>
MX_HOST_DEVICE MX_NOINLINE EncodedUnit encode_rare(const Mode& mode, const BlockScale& scale,
                                                   Unit<Source> unit, Packing packing) {
  return encode_each<AnyElement>(AnyElement::Encoder<Source>(mode, scale, 0), unit, packing,
                                 NoDraws{});
}

/// The codes of a unit of a block with such a maximum.
template <class Source, class Element, class Draws = NoDraws>
[[nodiscard]] MX_HOST_DEVICE inline EncodedUnit encode_unit(
    const Mode& mode, const BlockScale& scale, std::uint32_t amax, const Unit<Source>& unit,
    Packing packing, const Draws& draws = {}) {
  packing = narrowed<Element::kBits>(packing);
  if (scale.fills) {
    const std::uint32_t fill = mode.block.nan_fill;
    std::uint32_t codes[std::size_t{Unit<Source>::kWords}];
    for (std::uint32_t& code : codes) code = fill;
    return {pack_unit(packing, codes), infinities_of(unit)};
  }
  const typename Element::template Encoder<Source> encoder(mode, scale, amax);
  if (encoder.fits()) return encode_each<Element>(encoder, unit, packing, draws);
  return encode_rare<Source>(mode, scale, unit, packing);
}

}  // namespace mx::fast::cuda
