#include "emulators/common/vector_target.hpp"

#include <cstdlib>

namespace mx::emulators {
namespace {

VectorTarget widest_allowed() {
  const char* const wanted = std::getenv("MXGOLD_VECTORS");
  const std::vector<VectorTarget> targets = supported_targets();
  for (const VectorTarget target : targets) {
    if (wanted != nullptr && wanted == name_of(target)) return target;
  }
  return targets.back();
}

}  // namespace

std::string_view name_of(VectorTarget target) {
  if (target == VectorTarget::kAvx2) return "avx2";
  return target == VectorTarget::kAvx512 ? "avx512" : "baseline";
}

std::vector<VectorTarget> supported_targets() {
  std::vector<VectorTarget> targets = {VectorTarget::kBaseline};
#if defined(__x86_64__)
  // In an initialiser of a static object the processor may not have been asked yet.
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx2) targets.push_back(VectorTarget::kAvx2);
  if (has_avx2 && has_avx512) targets.push_back(VectorTarget::kAvx512);
#endif
  return targets;
}

VectorTarget vector_target() {
  static const VectorTarget target = widest_allowed();
  return target;
}

}  // namespace mx::emulators
