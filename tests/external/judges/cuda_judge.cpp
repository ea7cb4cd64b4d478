// mxgold against the host paths of NVIDIA's FP8, FP6, FP4, E8M0 and UE5M3 conversions: all 16-bit
// inputs, structured and random binary32 and binary64 (all 2^32 binary32 with --exhaustive), all
// codes back.
#if __has_include(<cuda_fp4.h>) && __has_include(<cuda_fp6.h>) && __has_include(<cuda_fp8.h>)
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda_runtime_api.h>
#define MX_HAVE_CUDA_HEADERS 1
#define MX_HAVE_UE5M3 (CUDART_VERSION >= 13050)
#else
#define MX_HAVE_CUDA_HEADERS 0
#endif

#include "tests/external/judges/verdict.hpp"

#if MX_HAVE_CUDA_HEADERS
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "reference/bulk/bulk.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"
#include "tests/support/made.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::external {
namespace {

using Code = std::uint64_t;

/// One conversion of the headers for each source format it takes (nullptr: none), and the variant
/// of the profile that describes it, or the policy where no profile does.
struct Target {
  std::string_view surface;
  std::string name;
  const ElementFormat* destination;
  std::string_view variant;
  Code (*from_half)(Code) = nullptr;
  Code (*from_bfloat)(Code) = nullptr;
  Code (*from_float)(Code) = nullptr;
  Code (*from_double)(Code) = nullptr;
  std::optional<ElementPolicy> policy = {};
};

__half_raw half_of(Code bits) {
  __half_raw raw;
  raw.x = static_cast<unsigned short>(bits);
  return raw;
}
__nv_bfloat16_raw bfloat_of(Code bits) {
  __nv_bfloat16_raw raw;
  raw.x = static_cast<unsigned short>(bits);
  return raw;
}
float float_of(Code bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
double double_of(Code bits) { return std::bit_cast<double>(bits); }

template <__nv_fp8_interpretation_t kind, __nv_saturation_t saturation>
Target fp8(std::string name, const ElementFormat& destination) {
  Target target{"fp8", std::move(name), &destination, saturation == __NV_NOSAT ? "nosat" : ""};
  target.from_half = [](Code x) -> Code {
    return __nv_cvt_halfraw_to_fp8(half_of(x), saturation, kind);
  };
  target.from_bfloat = [](Code x) -> Code {
    return __nv_cvt_bfloat16raw_to_fp8(bfloat_of(x), saturation, kind);
  };
  target.from_float = [](Code x) -> Code {
    return __nv_cvt_float_to_fp8(float_of(x), saturation, kind);
  };
  target.from_double = [](Code x) -> Code {
    return __nv_cvt_double_to_fp8(double_of(x), saturation, kind);
  };
  return target;
}

std::string_view variant_of(cudaRoundMode rounding) {
  return rounding == cudaRoundZero ? "toward_zero" : "";
}

template <__nv_fp6_interpretation_t kind, cudaRoundMode rounding>
Target fp6(std::string name, const ElementFormat& destination) {
  Target target{"fp6", std::move(name), &destination, variant_of(rounding)};
  target.from_half = [](Code x) -> Code {
    return __nv_cvt_halfraw_to_fp6(half_of(x), kind, rounding);
  };
  target.from_bfloat = [](Code x) -> Code {
    return __nv_cvt_bfloat16raw_to_fp6(bfloat_of(x), kind, rounding);
  };
  target.from_float = [](Code x) -> Code {
    return __nv_cvt_float_to_fp6(float_of(x), kind, rounding);
  };
  target.from_double = [](Code x) -> Code {
    return __nv_cvt_double_to_fp6(double_of(x), kind, rounding);
  };
  return target;
}

template <cudaRoundMode rounding>
Target fp4(std::string name) {
  Target target{"fp4", std::move(name), &formats::e2m1fn, variant_of(rounding)};
  target.from_half = [](Code x) -> Code {
    return __nv_cvt_halfraw_to_fp4(half_of(x), __NV_E2M1, rounding);
  };
  target.from_bfloat = [](Code x) -> Code {
    return __nv_cvt_bfloat16raw_to_fp4(bfloat_of(x), __NV_E2M1, rounding);
  };
  target.from_float = [](Code x) -> Code {
    return __nv_cvt_float_to_fp4(float_of(x), __NV_E2M1, rounding);
  };
  target.from_double = [](Code x) -> Code {
    return __nv_cvt_double_to_fp4(double_of(x), __NV_E2M1, rounding);
  };
  return target;
}

template <cudaRoundMode rounding, __nv_saturation_t saturation>
Target e8m0(std::string name) {
  constexpr bool kSaturates = saturation == __NV_SATFINITE;
  Target target{"e8m0", std::move(name), &formats::e8m0, {}};
  target.variant = rounding == cudaRoundZero ? (kSaturates ? "toward_zero" : "toward_zero+nosat")
                                             : (kSaturates ? "" : "nosat");
  target.from_bfloat = [](Code x) -> Code {
    return __nv_cvt_bfloat16raw_to_e8m0(bfloat_of(x), saturation, rounding);
  };
  target.from_float = [](Code x) -> Code {
    return __nv_cvt_float_to_e8m0(float_of(x), saturation, rounding);
  };
  target.from_double = [](Code x) -> Code {
    return __nv_cvt_double_to_e8m0(double_of(x), saturation, rounding);
  };
  return target;
}

#if MX_HAVE_UE5M3
/// The sign is dropped; then the magnitude is rounded and, unsaturated, becomes the one NaN beyond
/// FE.
template <cudaRoundMode rounding, __nv_saturation_t saturation>
Target ue5m3(std::string name, Rounding ours) {
  Target target{"ue5m3", std::move(name), &formats::ue5m3, {}};
  target.policy = ElementPolicy{};
  target.policy->rounding = ours;
  target.policy->overflow =
      saturation == __NV_SATFINITE ? Overflow::kSatFinite : Overflow::kNoneInfOrNan;
  target.policy->unsigned_negative = UnsignedNegative::kMagnitude;
  target.from_half = [](Code x) -> Code {
    return __nv_cvt_halfraw_to_ue5m3(half_of(x), saturation, rounding);
  };
  target.from_bfloat = [](Code x) -> Code {
    return __nv_cvt_bfloat16raw_to_ue5m3(bfloat_of(x), saturation, rounding);
  };
  target.from_float = [](Code x) -> Code {
    return __nv_cvt_float_to_ue5m3(float_of(x), saturation, rounding);
  };
  target.from_double = [](Code x) -> Code {
    return __nv_cvt_double_to_ue5m3(double_of(x), saturation, rounding);
  };
  return target;
}

template <__nv_saturation_t saturation>
void add_ue5m3(const std::string& name, std::vector<Target>& all) {
  all.push_back(ue5m3<cudaRoundNearest, saturation>("ue5m3 rn " + name, Rounding::kTiesToEven));
  all.push_back(ue5m3<cudaRoundZero, saturation>("ue5m3 rz " + name, Rounding::kTowardZero));
  all.push_back(ue5m3<cudaRoundPosInf, saturation>("ue5m3 rp " + name, Rounding::kTowardPositive));
  all.push_back(ue5m3<cudaRoundMinInf, saturation>("ue5m3 rm " + name, Rounding::kTowardNegative));
}
#endif

std::vector<Target> targets_of_profile() {
  return {fp8<__NV_E4M3, __NV_SATFINITE>("e4m3fn satfinite", formats::e4m3fn),
          fp8<__NV_E4M3, __NV_NOSAT>("e4m3fn nosat", formats::e4m3fn),
          fp8<__NV_E5M2, __NV_SATFINITE>("e5m2 satfinite", formats::e5m2),
          fp8<__NV_E5M2, __NV_NOSAT>("e5m2 nosat", formats::e5m2),
          fp6<__NV_E2M3, cudaRoundNearest>("e2m3fn rn", formats::e2m3fn),
          fp6<__NV_E2M3, cudaRoundZero>("e2m3fn rz", formats::e2m3fn),
          fp6<__NV_E3M2, cudaRoundNearest>("e3m2fn rn", formats::e3m2fn),
          fp6<__NV_E3M2, cudaRoundZero>("e3m2fn rz", formats::e3m2fn),
          fp4<cudaRoundNearest>("e2m1fn rn"),
          fp4<cudaRoundZero>("e2m1fn rz"),
          e8m0<cudaRoundZero, __NV_SATFINITE>("e8m0 rz satfinite"),
          e8m0<cudaRoundZero, __NV_NOSAT>("e8m0 rz nosat"),
          e8m0<cudaRoundPosInf, __NV_SATFINITE>("e8m0 rp satfinite"),
          e8m0<cudaRoundPosInf, __NV_NOSAT>("e8m0 rp nosat")};
}

std::vector<Target> targets() {
  std::vector<Target> all = targets_of_profile();
#if MX_HAVE_UE5M3
  add_ue5m3<__NV_SATFINITE>("satfinite", all);
  add_ue5m3<__NV_NOSAT>("nosat", all);
#endif
  return all;
}

/// The code of a binary64 NaN (spec F10.3): FP8 keeps the sign, e5m2 one payload bit as well.
Code double_nan_code(const Target& target, Code input, Code code) {
  if (target.surface != "fp8") return code;
  const Code sign = input >> 63 << 7;
  return target.destination->man_bits == 2 ? (sign | 0x7E | (input >> 50 & 1)) : (sign | 0x7F);
}

bool is_nan(const ElementFormat& source, Code bits) {
  return decode(source, bits).cls == ValueClass::kNan;
}

void compare(const Target& target, const ElementFormat& source, Code (*theirs)(Code), bool wrong,
             std::span<const Code> inputs, oracle::Report& report) {
  const Profile& profile = *find_profile("cuda-13.0-host");
  const auto described =
      target.policy ? std::optional(ConversionConfig{source, *target.destination, *target.policy})
                    : element_conversion(profile, source, *target.destination, target.variant);
  if (!described) {
    report.check(false, [&] { return target.name + ": the profile does not speak of it"; });
    return;
  }
  ConversionConfig conversion = *described;
  if (wrong) {
    conversion.policy.rounding = conversion.policy.rounding == Rounding::kTiesToEven
                                     ? Rounding::kTiesToAway
                                     : Rounding::kTiesToEven;
  }
  std::vector<Code> codes(inputs.size());
  bulk::convert(made(conversion), inputs, {}, codes, {});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (source.bits == 64 && is_nan(source, inputs[i])) {
      codes[i] = double_nan_code(target, inputs[i], codes[i]);
    }
    const Code want = theirs(inputs[i]);
    report.check(codes[i] == want, [&] {
      return target.name + ", input " + oracle::hex(inputs[i], source.bits / 4) + ": mxgold " +
             oracle::hex(codes[i]) + ", CUDA " + oracle::hex(want);
    });
  }
}

std::vector<Code> every_pattern(Code first, Code last) {
  std::vector<Code> patterns;
  patterns.reserve(last - first);
  for (Code x = first; x < last; ++x) patterns.push_back(x);
  return patterns;
}

std::vector<Code> structured(const ElementFormat& source, const ElementFormat& destination) {
  oracle::Stream stream(900);
  std::vector<Code> all = oracle::special_patterns(source);
  for (const auto& more :
       {oracle::exponent_patterns(source), oracle::threshold_patterns(source, destination, 4, 2),
        oracle::random_patterns(source, destination, 2'000'000, stream)}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

void judge_target(const Target& target, const Arguments& arguments, Verdict& verdict) {
  const auto part = [&](std::string_view source_name, const ElementFormat& source,
                        Code (*theirs)(Code), std::span<const Code> inputs) {
    if (theirs == nullptr) return;
    oracle::Report report;
    compare(target, source, theirs, arguments.wrong, inputs, report);
    verdict.add(std::string(source_name) + " to " + target.name, report);
  };
  const std::vector<Code> short_inputs = every_pattern(0, 0x10000);
  part("fp16", formats::fp16, target.from_half, short_inputs);
  part("bf16", formats::bf16, target.from_bfloat, short_inputs);
  part("fp32", formats::fp32, target.from_float, structured(formats::fp32, *target.destination));
  part("fp64", formats::fp64, target.from_double, structured(formats::fp64, *target.destination));
}

void judge_every_float(const Target& target, const Arguments& arguments, Verdict& verdict) {
  constexpr Code kStep = Code{1} << 20;
  oracle::Report report;
  const Code chunks = (Code{1} << 32) / kStep;
  for (Code chunk = arguments.shard; chunk < chunks; chunk += arguments.shards) {
    const Code first = chunk * kStep;
    compare(target, formats::fp32, target.from_float, arguments.wrong,
            every_pattern(first, first + kStep), report);
  }
  verdict.add("every fp32 to " + target.name, report);
}

/// A decoding of the headers.
struct Source {
  const ElementFormat* format;
  const ElementFormat* output;
  Code (*decode)(Code);
};

void judge_codes(const Arguments& arguments, Verdict& verdict) {
  const Source sources[] = {
#if MX_HAVE_UE5M3
    {&formats::ue5m3, &formats::bf16,
     [](Code x) -> Code {
       return __nv_cvt_ue5m3_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)).x;
     }},
    {&formats::ue5m3, &formats::fp16,
     [](Code x) -> Code {
       return __nv_cvt_ue5m3_to_halfraw(static_cast<__nv_fp8_storage_t>(x)).x;
     }},
#endif
    {&formats::e4m3fn, &formats::fp16,
     [](Code x) -> Code {
       return __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), __NV_E4M3).x;
     }},
    {&formats::e5m2, &formats::fp16,
     [](Code x) -> Code {
       return __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), __NV_E5M2).x;
     }},
    {&formats::e2m3fn, &formats::fp16,
     [](Code x) -> Code {
       return __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(x), __NV_E2M3).x;
     }},
    {&formats::e3m2fn, &formats::fp16,
     [](Code x) -> Code {
       return __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(x), __NV_E3M2).x;
     }},
    {&formats::e2m1fn, &formats::fp16,
     [](Code x) -> Code {
       return __nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(x), __NV_E2M1).x;
     }},
    {&formats::e8m0, &formats::bf16,
     [](Code x) -> Code { return __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)).x; }}
  };
  for (const Source& source : sources) {
    const Conversion conversion = made(
        ConversionConfig{*source.format, *source.output, {.overflow = Overflow::kNoneInfOrNan}});
    oracle::Report report;
    for (Code code = 0; code < Code{1} << source.format->bits; ++code) {
      Code ours = conversion(arguments.wrong ? code ^ 1 : code).code;
      // CUDA's NaN of the 16-bit formats is 7FFF.
      if (is_nan(*source.output, ours)) ours = 0x7FFF;
      const Code theirs = source.decode(code);
      report.check(ours == theirs, [&] {
        return std::string(source.format->name) + " code " + oracle::hex(code) + ": mxgold " +
               oracle::hex(ours, 4) + ", CUDA " + oracle::hex(theirs, 4);
      });
    }
    verdict.add(std::string(source.format->name) + " to " + std::string(source.output->name),
                report);
  }
}

int run(const Arguments& arguments) {
  if (!arguments.valid) return usage("external_cuda");
  if (arguments.surface == "ue5m3" && !MX_HAVE_UE5M3) {
    return skip("cuda headers",
                "UE5M3 comes with CUDA 13.5; install its headers with ./dev external-setup");
  }
  std::cout << "cuda headers " << CUDART_VERSION / 1000 << '.' << CUDART_VERSION % 1000 / 10
            << ", MX_TEST_SEED=" << oracle::test_seed() << '\n';
  Verdict verdict{"cuda headers", arguments.wrong};
  if (arguments.wants("codes") && !arguments.exhaustive) judge_codes(arguments, verdict);
  for (const Target& target : targets()) {
    if (!arguments.wants(target.surface)) continue;
    if (arguments.exhaustive) {
      judge_every_float(target, arguments, verdict);
    } else {
      judge_target(target, arguments, verdict);
    }
  }
  return verdict.finish();
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) { return mx::external::run(mx::external::parse(argc, argv)); }

#else

int main() {
  return mx::external::skip(
      "cuda headers",
      "built without cuda_fp8.h, cuda_fp6.h and cuda_fp4.h; install them with "
      "./dev external-setup, then build again");
}

#endif
