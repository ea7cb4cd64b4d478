// The conversions of cuda_fp8.h, cuda_fp6.h and cuda_fp4.h, which are the host's and the device's.
// Their host paths leave parameters unused.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#pragma GCC diagnostic pop

#include "reference/format/table.hpp"
#include "tests/device/conversions/kernel.cuh"

namespace mx::device {
namespace headers {

template <class To, class From>
__host__ __device__ To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}

// Sources: a word as the type that the functions take.
struct Fp16 {
  static __host__ __device__ __half_raw read(Code word) {
    return bits_as<__half_raw>(static_cast<std::uint16_t>(word));
  }
};
struct Bf16 {
  static __host__ __device__ __nv_bfloat16_raw read(Code word) {
    return bits_as<__nv_bfloat16_raw>(static_cast<std::uint16_t>(word));
  }
};
struct Fp32 {
  static __host__ __device__ float read(Code word) {
    return bits_as<float>(static_cast<std::uint32_t>(word));
  }
};
struct Fp64 {
  static __host__ __device__ double read(Code word) { return bits_as<double>(word); }
};

// Destinations: one overload for each type.
template <__nv_fp8_interpretation_t kind, __nv_saturation_t saturation>
struct Fp8 {
  static __host__ __device__ Code from(__half_raw x) {
    return __nv_cvt_halfraw_to_fp8(x, saturation, kind);
  }
  static __host__ __device__ Code from(__nv_bfloat16_raw x) {
    return __nv_cvt_bfloat16raw_to_fp8(x, saturation, kind);
  }
  static __host__ __device__ Code from(float x) {
    return __nv_cvt_float_to_fp8(x, saturation, kind);
  }
  static __host__ __device__ Code from(double x) {
    return __nv_cvt_double_to_fp8(x, saturation, kind);
  }
};
template <__nv_fp6_interpretation_t kind, cudaRoundMode rounding>
struct Fp6 {
  static __host__ __device__ Code from(__half_raw x) {
    return __nv_cvt_halfraw_to_fp6(x, kind, rounding);
  }
  static __host__ __device__ Code from(__nv_bfloat16_raw x) {
    return __nv_cvt_bfloat16raw_to_fp6(x, kind, rounding);
  }
  static __host__ __device__ Code from(float x) { return __nv_cvt_float_to_fp6(x, kind, rounding); }
  static __host__ __device__ Code from(double x) {
    return __nv_cvt_double_to_fp6(x, kind, rounding);
  }
};
template <cudaRoundMode rounding>
struct Fp4 {
  static __host__ __device__ Code from(__half_raw x) {
    return __nv_cvt_halfraw_to_fp4(x, __NV_E2M1, rounding);
  }
  static __host__ __device__ Code from(__nv_bfloat16_raw x) {
    return __nv_cvt_bfloat16raw_to_fp4(x, __NV_E2M1, rounding);
  }
  static __host__ __device__ Code from(float x) {
    return __nv_cvt_float_to_fp4(x, __NV_E2M1, rounding);
  }
  static __host__ __device__ Code from(double x) {
    return __nv_cvt_double_to_fp4(x, __NV_E2M1, rounding);
  }
};
template <cudaRoundMode rounding, __nv_saturation_t saturation>
struct E8m0 {
  static __host__ __device__ Code from(__nv_bfloat16_raw x) {
    return __nv_cvt_bfloat16raw_to_e8m0(x, saturation, rounding);
  }
  static __host__ __device__ Code from(float x) {
    return __nv_cvt_float_to_e8m0(x, saturation, rounding);
  }
  static __host__ __device__ Code from(double x) {
    return __nv_cvt_double_to_e8m0(x, saturation, rounding);
  }
};

template <class Source, class Destination>
struct Cast {
  static __host__ __device__ Code of(Code input) { return Destination::from(Source::read(input)); }
};

// The way back.
template <__nv_fp8_interpretation_t kind>
struct OfFp8 {
  static __host__ __device__ Code of(Code x) {
    return __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), kind).x;
  }
};
template <__nv_fp6_interpretation_t kind>
struct OfFp6 {
  static __host__ __device__ Code of(Code x) {
    return __nv_cvt_fp6_to_halfraw(static_cast<__nv_fp6_storage_t>(x), kind).x;
  }
};
struct OfFp4 {
  static __host__ __device__ Code of(Code x) {
    return __nv_cvt_fp4_to_halfraw(static_cast<__nv_fp4_storage_t>(x), __NV_E2M1).x;
  }
};
struct OfE8m0 {
  static __host__ __device__ Code of(Code x) {
    return __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)).x;
  }
};

/// A destination of the headers and the variant of the profile that describes it.
struct Target {
  std::string_view surface;
  std::string_view name;
  const ElementFormat* format;
  std::string_view variant;
};

template <class Source, class Destination>
Part part_of(const Target& target, const ElementFormat& source) {
  Part part{target.surface, std::string(source.name) + " to " + std::string(target.name),
            Law::of_profile("cuda-13.0-host", source, *target.format, target.variant)};
  part.forms.push_back(both_form<Cast<Source, Destination>, std::uint8_t>("header function"));
  return part;
}

template <class Destination>
void add(const Target& target, std::vector<Part>& parts) {
  if constexpr (requires(__half_raw x) { Destination::from(x); }) {
    parts.push_back(part_of<Fp16, Destination>(target, formats::fp16));
  }
  parts.push_back(part_of<Bf16, Destination>(target, formats::bf16));
  parts.push_back(part_of<Fp32, Destination>(target, formats::fp32));
  parts.push_back(part_of<Fp64, Destination>(target, formats::fp64));
}

template <class Function>
void add_back(const ElementFormat& source, const ElementFormat& output, std::vector<Part>& parts) {
  Part part{"codes", std::string(source.name) + " to " + std::string(output.name),
            Law::wide(source, output, Rounding::kTiesToEven)};
  part.forms.push_back(both_form<Function, std::uint16_t>("header function"));
  parts.push_back(std::move(part));
}

}  // namespace headers

std::vector<Part> header_parts() {
  using namespace headers;
  std::vector<Part> parts;
  add_back<OfFp8<__NV_E4M3>>(formats::e4m3fn, formats::fp16, parts);
  add_back<OfFp8<__NV_E5M2>>(formats::e5m2, formats::fp16, parts);
  add_back<OfFp6<__NV_E2M3>>(formats::e2m3fn, formats::fp16, parts);
  add_back<OfFp6<__NV_E3M2>>(formats::e3m2fn, formats::fp16, parts);
  add_back<OfFp4>(formats::e2m1fn, formats::fp16, parts);
  add_back<OfE8m0>(formats::e8m0, formats::bf16, parts);
  constexpr cudaRoundMode kRn = cudaRoundNearest;
  constexpr cudaRoundMode kRz = cudaRoundZero;
  constexpr cudaRoundMode kRp = cudaRoundPosInf;
  const ElementFormat* const e4m3 = &formats::e4m3fn;
  const ElementFormat* const e5m2 = &formats::e5m2;
  add<Fp8<__NV_E4M3, __NV_SATFINITE>>({"fp8", "e4m3fn satfinite", e4m3, ""}, parts);
  add<Fp8<__NV_E4M3, __NV_NOSAT>>({"fp8", "e4m3fn nosat", e4m3, "nosat"}, parts);
  add<Fp8<__NV_E5M2, __NV_SATFINITE>>({"fp8", "e5m2 satfinite", e5m2, ""}, parts);
  add<Fp8<__NV_E5M2, __NV_NOSAT>>({"fp8", "e5m2 nosat", e5m2, "nosat"}, parts);
  add<Fp6<__NV_E2M3, kRn>>({"fp6", "e2m3fn rn", &formats::e2m3fn, ""}, parts);
  add<Fp6<__NV_E2M3, kRz>>({"fp6", "e2m3fn rz", &formats::e2m3fn, "toward_zero"}, parts);
  add<Fp6<__NV_E3M2, kRn>>({"fp6", "e3m2fn rn", &formats::e3m2fn, ""}, parts);
  add<Fp6<__NV_E3M2, kRz>>({"fp6", "e3m2fn rz", &formats::e3m2fn, "toward_zero"}, parts);
  add<Fp4<kRn>>({"fp4", "e2m1fn rn", &formats::e2m1fn, ""}, parts);
  add<Fp4<kRz>>({"fp4", "e2m1fn rz", &formats::e2m1fn, "toward_zero"}, parts);
  const ElementFormat* const scale = &formats::e8m0;
  add<E8m0<kRz, __NV_SATFINITE>>({"e8m0", "e8m0 rz satfinite", scale, "toward_zero"}, parts);
  add<E8m0<kRz, __NV_NOSAT>>({"e8m0", "e8m0 rz nosat", scale, "toward_zero+nosat"}, parts);
  add<E8m0<kRp, __NV_SATFINITE>>({"e8m0", "e8m0 rp satfinite", scale, ""}, parts);
  add<E8m0<kRp, __NV_NOSAT>>({"e8m0", "e8m0 rp nosat", scale, "nosat"}, parts);
  return parts;
}

int headers_version() { return CUDART_VERSION; }

}  // namespace mx::device
