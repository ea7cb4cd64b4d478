// AVX-512 for machines without it: SIMDe's translations, and 16 stand-ins for instructions that
// SIMDe 0.7 lacks, written from Intel's descriptions of them. intel_judge.py puts this file behind
// the compiler's <immintrin.h>.
#pragma once

#ifdef MX_AVX512
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace stand_in {

template <typename Lane, typename Vector>
using Lanes = std::array<Lane, sizeof(Vector) / sizeof(Lane)>;

template <typename Lane, typename Vector>
Lanes<Lane, Vector> lanes(const Vector& v) {
  return std::bit_cast<Lanes<Lane, Vector>>(v);
}

/// The predicates _MM_CMPINT_*: 0 EQ, 1 LT, 2 LE, 3 FALSE, 4..7 their opposites.
template <typename Mask, typename Lane, typename Vector>
Mask compare(const Vector& a, const Vector& b, int predicate) {
  const auto x = lanes<Lane>(a);
  const auto y = lanes<Lane>(b);
  Mask mask = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int kind = predicate & 3;
    const bool holds =
        (kind == 0 && x[i] == y[i]) || (kind == 1 && x[i] < y[i]) || (kind == 2 && x[i] <= y[i]);
    if (holds != (predicate >= 4)) mask = static_cast<Mask>(mask | Mask{1} << i);
  }
  return mask;
}

/// Lanes of 16 bits under a mask, shifted by `shift(value, count)`, 0 for counts from 16 on.
template <typename Shift>
__m256i shifted(const __m256i& kept, __mmask16 mask, const __m256i& a, const __m256i& count,
                Shift shift) {
  auto r = lanes<std::uint16_t>(kept);
  const auto x = lanes<std::uint16_t>(a);
  const auto n = lanes<std::uint16_t>(count);
  for (std::size_t i = 0; i < r.size(); ++i) {
    if ((mask >> i & 1) != 0) r[i] = n[i] < 16 ? static_cast<std::uint16_t>(shift(x[i], n[i])) : 0;
  }
  return std::bit_cast<__m256i>(r);
}

/// Arithmetic shift to the right of lane i by count(i), which fills with the sign from 32 on.
template <typename Count>
__m512i shifted_arithmetically(const __m512i& a, Count count) {
  auto r = lanes<std::int32_t>(a);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] >>= std::min<std::uint64_t>(count(i), 31);
  return std::bit_cast<__m512i>(r);
}

/// Each lane in another width.
template <typename From, typename To, typename Result, typename Vector>
Result converted(const Vector& a) {
  const auto x = lanes<From>(a);
  Lanes<To, Result> r{};
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = static_cast<To>(x[i]);
  return std::bit_cast<Result>(r);
}

template <typename Part, typename Vector>
Part part(const Vector& a, int i) {
  return lanes<Part>(a)[static_cast<std::size_t>(i)];
}

inline __m256i with_part(const __m256i& a, const __m128i& b, int i) {
  auto r = lanes<__m128i>(a);
  r[static_cast<std::size_t>(i)] = b;
  return std::bit_cast<__m256i>(r);
}

// Two halves by the machine's own conversion.
inline __m256i to_half(const __m512& a) {
  return std::bit_cast<__m256i>(
      std::array{_mm256_cvtps_ph(part<__m256>(a, 0), 8), _mm256_cvtps_ph(part<__m256>(a, 1), 8)});
}

inline __m512 from_half(const __m256i& a) {
  return std::bit_cast<__m512>(
      std::array{_mm256_cvtph_ps(part<__m128i>(a, 0)), _mm256_cvtph_ps(part<__m128i>(a, 1))});
}

}  // namespace stand_in

#undef _mm256_cmp_epi16_mask
#undef _mm512_cmp_epi16_mask
#undef _mm512_cmp_epi32_mask
#undef _mm256_inserti32x4
#undef _mm256_extracti32x4_epi32
#undef _mm512_extracti32x8_epi32
#undef _mm256_mask_sllv_epi16
#undef _mm256_mask_srlv_epi16
#undef _mm512_cvtepi32_epi16
#undef _mm512_cvtepu16_epi32
#undef _mm512_cvtepu8_epi16
#undef _mm512_cvtph_ps
#undef _mm512_cvtps_ph
#undef _mm512_sra_epi32
#undef _mm512_srai_epi32
#undef _mm512_srav_epi32

#define _mm256_cmp_epi16_mask(a, b, p) stand_in::compare<__mmask16, std::int16_t>(a, b, p)
#define _mm512_cmp_epi16_mask(a, b, p) stand_in::compare<__mmask32, std::int16_t>(a, b, p)
#define _mm512_cmp_epi32_mask(a, b, p) stand_in::compare<__mmask16, std::int32_t>(a, b, p)
#define _mm256_inserti32x4(a, b, i) stand_in::with_part(a, b, i)
#define _mm256_extracti32x4_epi32(a, i) stand_in::part<__m128i>(a, i)
#define _mm512_extracti32x8_epi32(a, i) stand_in::part<__m256i>(a, i)
#define _mm256_mask_sllv_epi16(kept, mask, a, n) \
  stand_in::shifted(kept, mask, a, n, [](unsigned x, unsigned by) { return x << by; })
#define _mm256_mask_srlv_epi16(kept, mask, a, n) \
  stand_in::shifted(kept, mask, a, n, [](unsigned x, unsigned by) { return x >> by; })
#define _mm512_cvtepi32_epi16(a) stand_in::converted<std::int32_t, std::int16_t, __m256i>(a)
#define _mm512_cvtepu16_epi32(a) stand_in::converted<std::uint16_t, std::uint32_t, __m512i>(a)
#define _mm512_cvtepu8_epi16(a) stand_in::converted<std::uint8_t, std::uint16_t, __m512i>(a)
#define _mm512_cvtph_ps(a) stand_in::from_half(a)
#define _mm512_cvtps_ph(a, sae) stand_in::to_half(a)
// The count of all lanes: the low 64 bits of the second operand.
#define _mm512_sra_epi32(a, n)      \
  stand_in::shifted_arithmetically( \
      a, [&](std::size_t) { return stand_in::lanes<std::uint64_t>(n)[0]; })
#define _mm512_srai_epi32(a, n) stand_in::shifted_arithmetically(a, [&](std::size_t) { return n; })
#define _mm512_srav_epi32(a, n)     \
  stand_in::shifted_arithmetically( \
      a, [&](std::size_t i) { return stand_in::lanes<std::uint32_t>(n)[i]; })

// What the toolkit asks for before it takes its vector code.
#undef __AVX512F__
#undef __AVX512BW__
#undef __AVX512DQ__
#undef __AVX512VL__
#define __AVX512F__ 1
#define __AVX512BW__ 1
#define __AVX512DQ__ 1
#define __AVX512VL__ 1
#endif  // MX_AVX512
