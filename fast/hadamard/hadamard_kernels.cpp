#include <algorithm>
#include <cstring>

#include "fast/hadamard/hadamard_kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fast/hadamard/hadamard_kernels.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.h, once for each target.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::fast::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
using DW = hn::RebindToUnsigned<DF>;
using VW = hn::Vec<DW>;

constexpr std::size_t kGroup = kHadamardGroup;
constexpr std::size_t kLanes = hn::MaxLanes(DF());
/// Vectors of a group that lies along a line.
constexpr std::size_t kVectors = kGroup / kLanes;

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE VW load_words(const std::byte* from) {
  std::uint32_t word;
  std::memcpy(&word, from, sizeof word);
  return hn::Set(DW(), word);
}
HWY_INLINE void store_values(VF values, std::byte* to) {
  const float value = hn::GetLane(values);
  std::memcpy(to, &value, sizeof value);
}
#else
HWY_INLINE VW load_words(const std::byte* from) {
  const hn::Repartition<std::uint8_t, DW> bytes;
  return hn::BitCast(DW(), hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
}
HWY_INLINE void store_values(VF values, std::byte* to) {
  const hn::Repartition<std::uint8_t, DF> bytes;
  hn::StoreU(hn::BitCast(bytes, values), bytes, reinterpret_cast<std::uint8_t*>(to));
}
#endif

/// The binary32 values of kLanes words.
template <Source kSource>
HWY_INLINE VF load_values(const std::byte* from) {
  const DW d;
  if constexpr (kSource == Source::kFp32) {
    return hn::BitCast(DF(), load_words(from));
  } else {
    const hn::Rebind<std::uint16_t, DW> half;
    alignas(64) std::uint16_t words[kLanes];
    std::memcpy(words, from, sizeof words);
    const VW word = hn::PromoteTo(d, hn::Load(half, words));
    if constexpr (kSource == Source::kBf16) {
      return hn::BitCast(DF(), hn::ShiftLeft<16>(word));
    } else {
      const VW magnitude = hn::And(word, hn::Set(d, 0x7FFF));
      const VW sign = hn::ShiftLeft<16>(hn::And(word, hn::Set(d, 0x8000)));
      const VW is_beyond = hn::VecFromMask(d, hn::Gt(magnitude, hn::Set(d, 0x7BFF)));
      // The exponent gets binary32's bias, that of infinities and NaN its largest one.
      const VW bias = hn::Add(hn::Set(d, 112U << 23), hn::And(is_beyond, hn::Set(d, 112U << 23)));
      const VW normal = hn::Add(hn::ShiftLeft<13>(magnitude), bias);
      // A subnormal number is an integer of units of 2^-24.
      const hn::RebindToSigned<DW> di;
      const VF units = hn::ConvertTo(DF(), hn::BitCast(di, magnitude));
      const VW small = hn::BitCast(d, hn::Mul(units, hn::Set(DF(), 0x1p-24F)));
      const VW number = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x400)), small, normal);
      return hn::BitCast(DF(), hn::Or(number, sign));
    }
  }
}

HWY_INLINE VF with_signs(VF values, VW signs) {
  const DW d;
  return hn::BitCast(DF(), hn::Xor(hn::BitCast(d, values), signs));
}

/// spec F25.2 steps 3 to 5.
HWY_INLINE VF finished(VF values, VW signs) {
  const DF d;
  const VF y = with_signs(hn::Mul(values, hn::Set(d, 0.25F)), signs);
  const VF nan = hn::BitCast(d, hn::Set(DW(), 0x7FC00000));
  return hn::IfThenElse(hn::IsNaN(y), nan, y);
}

/// Sums and differences of vectors that are kStride apart.
template <std::size_t kStride, std::size_t kCount>
HWY_INLINE void between(VF* v) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if ((i & kStride) != 0) continue;
    const VF a = v[i];
    const VF b = v[i + kStride];
    v[i] = hn::Add(a, b);
    v[i + kStride] = hn::Sub(a, b);
  }
}

/// Lane i gets lane i XOR kStride.
template <std::size_t kStride>
HWY_INLINE VF exchanged(VF v) {
#if HWY_TARGET == HWY_SCALAR
  return v;
#else
  const DF d;
  if constexpr (kStride == 1) return hn::Shuffle2301(v);
  if constexpr (kStride == 2) return hn::Shuffle1032(v);
  if constexpr (kStride == 8 || kLanes == 8) return hn::ConcatLowerUpper(d, v, v);
  return hn::ReverseBlocks(d, hn::ConcatLowerUpper(d, v, v));
#endif
}

/// One stage of spec F25.2 step 2 on a group along a line. Lane i gets a + b, or where i AND
/// kStride is not 0, a + (-b), of which it holds b.
template <std::size_t kStride>
HWY_INLINE void stage(VF* v) {
  if constexpr (kStride >= kLanes) {
    between<kStride / kLanes, kVectors>(v);
  } else {
    alignas(64) std::uint32_t negated[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) negated[i] = (i & kStride) != 0 ? 0x80000000U : 0;
    const VW signs = hn::Load(DW(), negated);
    for (std::size_t k = 0; k < kVectors; ++k) {
      v[k] = hn::Add(exchanged<kStride>(v[k]), with_signs(v[k], signs));
    }
  }
}

template <Source kSource>
void lines_of(const HadamardPlan::Constants& c, const HadamardRun& run, std::size_t elements) {
  VW first[kVectors];
  VW last[kVectors];
  for (std::size_t k = 0; k < kVectors; ++k) {
    first[k] = hn::LoadU(DW(), c.first.data() + k * kLanes);
    last[k] = hn::LoadU(DW(), c.last.data() + k * kLanes);
  }
  for (std::size_t i = 0; i < elements; i += kGroup) {
    VF v[kVectors];
    for (std::size_t k = 0; k < kVectors; ++k) {
      const std::byte* const from = run.words + (i + k * kLanes) * word_bytes(kSource);
      v[k] = with_signs(load_values<kSource>(from), first[k]);
    }
    stage<1>(v);
    stage<2>(v);
    stage<4>(v);
    stage<8>(v);
    for (std::size_t k = 0; k < kVectors; ++k) {
      store_values(finished(v[k], last[k]), run.values + (i + k * kLanes) * sizeof(float));
    }
  }
}

/// A vector of columns: words and values of a row stand `stride` elements behind those of the one
/// before.
template <Source kSource>
HWY_INLINE void column_vector(const HadamardPlan::Constants& c, const std::byte* words,
                              std::byte* values, std::size_t stride) {
  VF v[kGroup];
  for (std::size_t i = 0; i < kGroup; ++i) {
    v[i] = with_signs(load_values<kSource>(words + i * stride * word_bytes(kSource)),
                      hn::Set(DW(), c.first[i]));
  }
  between<1, kGroup>(v);
  between<2, kGroup>(v);
  between<4, kGroup>(v);
  between<8, kGroup>(v);
  for (std::size_t i = 0; i < kGroup; ++i) {
    store_values(finished(v[i], hn::Set(DW(), c.last[i])), values + i * stride * sizeof(float));
  }
}

template <Source kSource>
void columns_of(const HadamardPlan::Constants& c, const HadamardRun& run, std::size_t columns) {
  constexpr std::size_t kBytes = word_bytes(kSource);
  std::size_t done = 0;
  for (; done + kLanes <= columns; done += kLanes) {
    column_vector<kSource>(c, run.words + done * kBytes, run.values + done * sizeof(float),
                           columns);
  }
  const std::size_t rest = columns - done;
  if (rest == 0) return;
  std::byte words[kGroup * kLanes * kBytes] = {};
  std::byte values[kGroup * kLanes * sizeof(float)];
  for (std::size_t i = 0; i < kGroup; ++i) {
    std::memcpy(words + i * kLanes * kBytes, run.words + (i * columns + done) * kBytes,
                rest * kBytes);
  }
  column_vector<kSource>(c, words, values, kLanes);
  for (std::size_t i = 0; i < kGroup; ++i) {
    std::memcpy(run.values + (i * columns + done) * sizeof(float),
                values + i * kLanes * sizeof(float), rest * sizeof(float));
  }
}

void run_hadamard_lines(const HadamardPlan::Constants& c, const HadamardRun& run,
                        std::size_t elements) {
  if (c.source == Source::kFp32) return lines_of<Source::kFp32>(c, run, elements);
  if (c.source == Source::kBf16) return lines_of<Source::kBf16>(c, run, elements);
  lines_of<Source::kFp16>(c, run, elements);
}

void run_hadamard_columns(const HadamardPlan::Constants& c, const HadamardRun& run,
                          std::size_t columns) {
  if (c.source == Source::kFp32) return columns_of<Source::kFp32>(c, run, columns);
  if (c.source == Source::kBf16) return columns_of<Source::kBf16>(c, run, columns);
  columns_of<Source::kFp16>(c, run, columns);
}

}  // namespace mx::fast::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx::fast::cpu {

HWY_EXPORT(run_hadamard_lines);
HWY_EXPORT(run_hadamard_columns);

void transform_lines(const HadamardPlan::Constants& c, const HadamardRun& run,
                     std::size_t elements) {
  HWY_DYNAMIC_DISPATCH(run_hadamard_lines)(c, run, elements);
}

void transform_columns(const HadamardPlan::Constants& c, const HadamardRun& run,
                       std::size_t columns) {
  HWY_DYNAMIC_DISPATCH(run_hadamard_columns)(c, run, columns);
}

}  // namespace mx::fast::cpu
#endif
