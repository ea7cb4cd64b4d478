#include "golden/names/aliases.hpp"

#include <algorithm>

namespace mx::golden {
namespace {

constexpr Alias kAliases[] = {
    // Roundings: IEEE 754, RISC-V, CUDA, SoftFloat, LLVM.
    {"rne", "ties_to_even"},
    {"rn", "ties_to_even"},
    {"nearest", "ties_to_even"},
    {"nearesteven", "ties_to_even"},
    {"roundtonearesteven", "ties_to_even"},
    {"roundtiestoeven", "ties_to_even"},
    {"rna", "ties_to_away"},
    {"rmm", "ties_to_away"},
    {"nearestaway", "ties_to_away"},
    {"roundtiestoaway", "ties_to_away"},
    {"rtz", "toward_zero"},
    {"rz", "toward_zero"},
    {"trunc", "toward_zero"},
    {"truncate", "toward_zero"},
    {"roundtowardzero", "toward_zero"},
    {"rtp", "toward_positive"},
    {"rup", "toward_positive"},
    {"ru", "toward_positive"},
    {"rp", "toward_positive"},
    {"rtn", "toward_negative"},
    {"rdn", "toward_negative"},
    {"rd", "toward_negative"},
    {"rm", "toward_negative"},
    {"raz", "away_from_zero"},
    {"rod", "to_odd"},
    {"odd", "to_odd"},
    {"sr", "stochastic_a"},
    {"rs", "stochastic_a"},
    {"stochastic", "stochastic_a"},
    // Overflow.
    {"sat", "sat_finite"},
    {"saturate", "sat_finite"},
    {"clamp", "sat_finite"},
    // Formats: NumPy, PyTorch, ml_dtypes, CUDA, safetensors.
    {"f64", "fp64"},
    {"float64", "fp64"},
    {"double", "fp64"},
    {"f32", "fp32"},
    {"float32", "fp32"},
    {"float", "fp32"},
    {"f16", "fp16"},
    {"float16", "fp16"},
    {"half", "fp16"},
    {"bfloat16", "bf16"},
    {"fp8", "e4m3fn"},
    {"fp8e4m3", "e4m3fn"},
    {"f8e4m3", "e4m3fn"},
    {"float8e4m3fn", "e4m3fn"},
    {"fp8e5m2", "e5m2"},
    {"f8e5m2", "e5m2"},
    {"float8e5m2", "e5m2"},
    {"float8e4m3fnuz", "e4m3fnuz"},
    {"float8e5m2fnuz", "e5m2fnuz"},
    {"fp6e2m3", "e2m3fn"},
    {"float6e2m3fn", "e2m3fn"},
    {"fp6e3m2", "e3m2fn"},
    {"float6e3m2fn", "e3m2fn"},
    {"fp4", "e2m1fn"},
    {"fp4e2m1", "e2m1fn"},
    {"float4e2m1fn", "e2m1fn"},
    {"ue8m0", "e8m0"},
    {"float8e8m0fnu", "e8m0"},
    {"mxfp8", "mxfp8_e4m3"},
    {"mxfp8e4m3fn", "mxfp8_e4m3"},
    {"mxfp6", "mxfp6_e2m3"},
    {"mxfp4e2m1", "mxfp4"},
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

}  // namespace

std::span<const Alias> aliases() { return kAliases; }

std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '_' || c == '-') continue;
    text += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

std::string_view name_here(std::string_view name) {
  const std::string wanted = folded(name);
  const auto* const alias = std::ranges::find(kAliases, wanted, &Alias::elsewhere);
  return alias == std::ranges::end(kAliases) ? std::string_view{} : alias->here;
}

}  // namespace mx::golden
