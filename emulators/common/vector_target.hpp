// Loops of lanes, compiled for wider vectors than the baseline's and run by the processor's widest.
// They are integers without a branch, so every target gives the same bits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace mx::emulators {

/// What a loop is compiled for. Processors other than x86-64 have the baseline only.
enum class VectorTarget : std::uint8_t { kBaseline, kAvx2, kAvx512 };

/// "baseline", "avx2", "avx512".
[[nodiscard]] std::string_view name_of(VectorTarget target);

/// Those that this processor runs, the baseline first and the widest last.
[[nodiscard]] std::vector<VectorTarget> supported_targets();

/// The widest that the processor runs; the environment's MXGOLD_VECTORS, if it is the name of a
/// narrower one, instead of it. Settled by the first call.
[[nodiscard]] VectorTarget vector_target();

#if defined(__x86_64__)
#if defined(__clang__)
#define MX_VECTOR_WIDTH
#else
#define MX_VECTOR_WIDTH ",prefer-vector-width=512"
#endif
#define MX_VECTORS_AVX2 __attribute__((target("avx2,bmi2"), flatten))
#define MX_VECTORS_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi2" MX_VECTOR_WIDTH), flatten))

// Copies of the loop, so that no store can be taken to change what it captured by value.
template <typename Loop>
MX_VECTORS_AVX2 auto run_avx2(const Loop& loop) {
  const Loop own = loop;
  return own();
}

template <typename Loop>
MX_VECTORS_AVX512 auto run_avx512(const Loop& loop) {
  const Loop own = loop;
  return own();
}
#endif

/// loop(), as compiled for a target: everything that it calls is compiled into it, as far as its
/// source is seen.
template <typename Loop>
auto on_vectors(VectorTarget target, const Loop& loop) {
#if defined(__x86_64__)
  if (target == VectorTarget::kAvx512) return run_avx512(loop);
  if (target == VectorTarget::kAvx2) return run_avx2(loop);
#endif
  (void)target;
  const Loop own = loop;
  return own();
}

}  // namespace mx::emulators
