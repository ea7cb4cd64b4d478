#include <algorithm>
#include <cstring>

#include "fast/packing/packing.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/packing/packing_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::uint16_t>;
using Half8 = hn::Rebind<std::uint8_t, D16>;

/// Bytes of any vector.
constexpr std::size_t kRoom = 512;

// Vectors of 16-bit lanes at places that may be unaligned.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec<D16> load_pairs(const std::uint8_t* from) {
  std::uint16_t pair;
  std::memcpy(&pair, from, sizeof pair);
  return hn::Set(D16(), pair);
}
HWY_INLINE void store_pairs(hn::Vec<D16> pairs, std::uint8_t* to) {
  const std::uint16_t pair = hn::GetLane(pairs);
  std::memcpy(to, &pair, sizeof pair);
}
#else
HWY_INLINE hn::Vec<D16> load_pairs(const std::uint8_t* from) {
  return hn::BitCast(D16(), hn::LoadU(hn::Repartition<std::uint8_t, D16>(), from));
}
HWY_INLINE void store_pairs(hn::Vec<D16> pairs, std::uint8_t* to) {
  const hn::Repartition<std::uint8_t, D16> bytes;
  hn::StoreU(hn::BitCast(bytes, pairs), bytes, to);
}
#endif

/// The OR of all bytes of a vector.
HWY_INLINE std::uint8_t bits_of(hn::Vec<D16> seen) {
  std::uint8_t lanes[kRoom];
  store_pairs(seen, lanes);
  unsigned all = 0;
  for (std::size_t k = 0; k < 2 * hn::Lanes(D16()); ++k) all |= lanes[k];
  return static_cast<std::uint8_t>(all);
}

/// Neighbours into bytes, the first of a pair low or high; the OR of all codes.
template <bool kLowFirst>
std::uint8_t pack_pairs(const std::uint8_t* codes, std::size_t count, std::uint8_t* packed) {
  const D16 d;
  const Half8 bytes;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<D16> seen = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const hn::Vec<D16> pair = load_pairs(codes + i);
    seen = hn::Or(seen, pair);
    // The first of a pair lies in the lower byte.
    const hn::Vec<D16> joined = kLowFirst ? hn::Or(pair, hn::ShiftRight<4>(pair))
                                          : hn::Or(hn::ShiftLeft<4>(pair), hn::ShiftRight<8>(pair));
    hn::StoreU(hn::TruncateTo(bytes, hn::And(joined, hn::Set(d, 0xFF))), bytes, packed + i / 2);
  }
  std::uint8_t all = bits_of(seen);
  for (; i < count; i += 2) {
    const std::uint8_t first = codes[i];
    const std::uint8_t second = i + 1 < count ? codes[i + 1] : std::uint8_t{0};
    all = static_cast<std::uint8_t>(all | first | second);
    packed[i / 2] =
        static_cast<std::uint8_t>(kLowFirst ? first | second << 4 : first << 4 | second);
  }
  return all;
}

template <bool kLowFirst>
void unpack_pairs(const std::uint8_t* packed, std::size_t count, std::uint8_t* codes) {
  const D16 d;
  const Half8 bytes;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const hn::Vec<D16> both = hn::PromoteTo(d, hn::LoadU(bytes, packed + i / 2));
    const hn::Vec<D16> apart = kLowFirst ? hn::Or(both, hn::ShiftLeft<4>(both))
                                         : hn::Or(hn::ShiftRight<4>(both), hn::ShiftLeft<8>(both));
    store_pairs(hn::And(apart, hn::Set(d, 0x0F0F)), codes + i);
  }
  for (; i < count; ++i) {
    const bool is_low = (i % 2 == 0) == kLowFirst;
    codes[i] = static_cast<std::uint8_t>(packed[i / 2] >> (is_low ? 0 : 4) & 0xF);
  }
}

/// The first half into the low nibbles, the second into the high ones.
std::uint8_t pack_halves(const std::uint8_t* codes, std::size_t count, std::uint8_t* packed) {
  const D16 pairs;
  const std::size_t half = count / 2;
  const std::size_t lanes = hn::Lanes(pairs);
  const Half8 bytes;
  std::size_t i = 0;
  hn::Vec<D16> seen = hn::Zero(pairs);
  for (; i + lanes <= half; i += lanes) {
    const hn::Vec<D16> low = hn::PromoteTo(pairs, hn::LoadU(bytes, codes + i));
    const hn::Vec<D16> high = hn::PromoteTo(pairs, hn::LoadU(bytes, codes + half + i));
    seen = hn::Or(seen, hn::Or(low, high));
    const hn::Vec<D16> joined = hn::Or(low, hn::ShiftLeft<4>(high));
    hn::StoreU(hn::TruncateTo(bytes, hn::And(joined, hn::Set(pairs, 0xFF))), bytes, packed + i);
  }
  std::uint8_t all = bits_of(seen);
  for (; i < half; ++i) {
    all = static_cast<std::uint8_t>(all | codes[i] | codes[half + i]);
    packed[i] = static_cast<std::uint8_t>(codes[i] | codes[half + i] << 4);
  }
  return all;
}

void unpack_halves(const std::uint8_t* packed, std::size_t count, std::uint8_t* codes) {
  const D16 pairs;
  const Half8 bytes;
  const std::size_t half = count / 2;
  const std::size_t lanes = hn::Lanes(pairs);
  std::size_t i = 0;
  for (; i + lanes <= half; i += lanes) {
    const hn::Vec<D16> both = hn::PromoteTo(pairs, hn::LoadU(bytes, packed + i));
    hn::StoreU(hn::TruncateTo(bytes, hn::And(both, hn::Set(pairs, 0xF))), bytes, codes + i);
    hn::StoreU(hn::TruncateTo(bytes, hn::ShiftRight<4>(both)), bytes, codes + half + i);
  }
  for (; i < half; ++i) {
    codes[i] = packed[i] & 0xF;
    codes[half + i] = static_cast<std::uint8_t>(packed[i] >> 4);
  }
}

std::uint8_t run_pack(CodePacking packing, const std::uint8_t* codes, std::size_t count,
                      std::uint8_t* packed) {
  if (packing == CodePacking::kNibbleLowFirst) return pack_pairs<true>(codes, count, packed);
  if (packing == CodePacking::kNibbleHighFirst) return pack_pairs<false>(codes, count, packed);
  return pack_halves(codes, count, packed);
}

void run_unpack(CodePacking packing, const std::uint8_t* packed, std::size_t count,
                std::uint8_t* codes) {
  if (packing == CodePacking::kNibbleLowFirst) return unpack_pairs<true>(packed, count, codes);
  if (packing == CodePacking::kNibbleHighFirst) return unpack_pairs<false>(packed, count, codes);
  unpack_halves(packed, count, codes);
}

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::cpu {
namespace {

HWY_EXPORT(run_pack);
HWY_EXPORT(run_unpack);

/// Eight codes of 6 bits, one a byte, to the 48 low bits, and back.
std::uint64_t join_eight(std::uint64_t codes) {
  codes = (codes & 0x003F003F003F003F) | (codes >> 2 & 0x0FC00FC00FC00FC0);
  codes = (codes & 0x00000FFF00000FFF) | (codes >> 4 & 0x00FFF00000FFF000);
  return (codes & 0xFFFFFF) | (codes >> 8 & 0xFFFFFF000000);
}

std::uint64_t part_eight(std::uint64_t bits) {
  bits = (bits & 0xFFFFFF) | (bits & 0xFFFFFF000000) << 8;
  bits = (bits & 0x00000FFF00000FFF) | (bits & 0x00FFF00000FFF000) << 4;
  return (bits & 0x003F003F003F003F) | (bits & 0x0FC00FC00FC00FC0) << 2;
}

std::uint64_t pack_six(const std::uint8_t* codes, std::size_t count, std::uint8_t* packed) {
  std::uint64_t seen = 0;
  std::uint64_t word = 0;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::memcpy(&word, codes + i, 8);
    seen |= word;
    const std::uint64_t bits = join_eight(word);
    std::memcpy(packed + i / 8 * 6, &bits, 6);
  }
  if (i < count) {
    const std::size_t some = count - i;
    word = 0;
    std::memcpy(&word, codes + i, some);
    seen |= word;
    const std::uint64_t bits = join_eight(word);
    std::memcpy(packed + i / 8 * 6, &bits, (some * 6 + 7) / 8);
  }
  return seen;
}

void unpack_six(const std::uint8_t* packed, std::size_t count, std::uint8_t* codes) {
  std::uint64_t bits = 0;
  std::size_t i = 0;
  // Two bytes beyond those of eight codes are read and left out: 16 codes have them.
  for (; i + 16 <= count; i += 8) {
    std::memcpy(&bits, packed + i / 8 * 6, 8);
    const std::uint64_t word = part_eight(bits);
    std::memcpy(codes + i, &word, 8);
  }
  for (; i < count; i += 8) {
    const std::size_t some = std::min<std::size_t>(8, count - i);
    bits = 0;
    std::memcpy(&bits, packed + i / 8 * 6, (some * 6 + 7) / 8);
    const std::uint64_t word = part_eight(bits);
    std::memcpy(codes + i, &word, some);
  }
}

}  // namespace
}  // namespace mx::fast::cpu

namespace mx::fast {

std::size_t packed_size(CodePacking packing, std::size_t count) {
  if (packing == CodePacking::kDense6) return (count * 6 + 7) / 8;
  return packing == CodePacking::kSplitHalf && count % 2 != 0 ? 0 : (count + 1) / 2;
}

bool pack_codes(CodePacking packing, std::span<const std::byte> codes,
                std::span<std::byte> packed) {
  using namespace cpu;
  const std::size_t size = packed_size(packing, codes.size());
  if (packed.size() != size || (size == 0 && !codes.empty())) return false;
  const auto* const from = reinterpret_cast<const std::uint8_t*>(codes.data());
  auto* const to = reinterpret_cast<std::uint8_t*>(packed.data());
  if (packing == CodePacking::kDense6) {
    return (pack_six(from, codes.size(), to) & 0xC0C0C0C0C0C0C0C0) == 0;
  }
  return (HWY_DYNAMIC_DISPATCH(run_pack)(packing, from, codes.size(), to) & 0xF0) == 0;
}

bool unpack_codes(CodePacking packing, std::span<const std::byte> packed,
                  std::span<std::byte> codes) {
  using namespace cpu;
  const std::size_t size = packed_size(packing, codes.size());
  if (packed.size() != size || (size == 0 && !codes.empty())) return false;
  const auto* const from = reinterpret_cast<const std::uint8_t*>(packed.data());
  auto* const to = reinterpret_cast<std::uint8_t*>(codes.data());
  if (packing == CodePacking::kDense6) {
    unpack_six(from, codes.size(), to);
  } else {
    HWY_DYNAMIC_DISPATCH(run_unpack)(packing, from, codes.size(), to);
  }
  return true;
}

}  // namespace mx::fast
#endif
