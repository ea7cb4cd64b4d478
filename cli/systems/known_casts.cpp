#include "cli/systems/known_casts.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kCasts[] = {
    "dmx:BFP[8|8]{64}(SN)",
    "dmx:BFP[4|8]{64}(SN)",
    "dmx:BFP[8|8]{128}(SN)",
    "dmx:BFP[4|8]{128}(SN)",
    "dmx:BFP[8|8]{32}(SN)",
    "dmx:BFP[8|8]{16}(SN)",
    "dmx:FP[1|5|10,15](FN)",
    "dmx:FP[1|8|7,127](FN)",
    "dmx:FP[1|5|2,15](_N)",
    "dmx:FP[1|4|3,7](_N)",
    "dmx:FP[1|2|1,1](_N)",
    "dmx:MXFP8[E4M3]{32}",
    "dmx:MXFP8[E5M2]{32}",
    "dmx:MXFP6[E2M3]{32}",
    "dmx:MXFP6[E3M2]{32}",
    "dmx:MXFP4[E2M1]{32}",
    "dmx:MXINT8{32}",
    "dmx:XP[8,0](CSN)",
    "dmx:XP[8,4](CSN)",
    "qtorch:float_quantize(exp=5,man=2,rounding=nearest)",
    "qtorch:float_quantize(exp=4,man=3,rounding=nearest)",
    "qtorch:float_quantize(exp=3,man=2,rounding=nearest)",
    "qtorch:float_quantize(exp=2,man=3,rounding=nearest)",
    "qtorch:float_quantize(exp=2,man=1,rounding=nearest)",
    "qtorch:float_quantize(exp=5,man=10,rounding=nearest)",
    "qtorch:float_quantize(exp=8,man=7,rounding=nearest)",
    "qtorch:block_quantize(wl=8,rounding=nearest)",
    "qtorch:block_quantize(wl=4,rounding=nearest)",
    "qtorch:block_quantize(wl=8,dim=0,rounding=nearest)",
    "qtorch:fixed_point_quantize(wl=8,fl=4,rounding=nearest)",
    "qtorch:fixed_point_quantize(wl=8,fl=6,rounding=nearest)",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=fp8_e4m3,axes=(-1),block_size=32)",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=fp8_e5m2,axes=(-1),block_size=32)",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=fp6_e2m3,axes=(-1),block_size=32)",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=fp6_e3m2,axes=(-1),block_size=32)",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=fp4_e2m1,axes=(-1),block_size=32)",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=int8,axes=(-1),block_size=32)"};

constexpr std::string_view kFurther[] = {
    "dmx:SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}",
    "dmx:BFP[8|8]{64}(SS)",
    "qtorch:float_quantize(exp=5,man=2,rounding=stochastic)",
    "qtorch:block_quantize(wl=8,rounding=stochastic)",
    "qtorch:fixed_point_quantize(wl=8,fl=4,rounding=stochastic)",
    "torchmx:quantize_mx(elem_dtype=float8_e4m3,block_size=32)",
    "torchmx:quantize_mx(elem_dtype=float6_e3m2,block_size=32)",
    "torchmx:quantize_mx(elem_dtype=float6_e2m3,block_size=32)",
    "torchmx:quantize_mx(elem_dtype=float4_e2m1,block_size=32)",
    "torchmx:quantize_mx(elem_dtype=int8,block_size=32)",
    "aimet:FloatQuantizeDequantize(dtype=float8_e4m3fn,shape=(1,))",
    "aimet:FloatQuantizeDequantize(dtype=float8_e5m2,shape=(1,))",
    "aimet:FloatQuantizeDequantize(dtype=float16,shape=(1,))",
    "aimet:FloatQuantizeDequantize(exponent_bits=3,mantissa_bits=2,shape=(1,))",
    "aimet:FloatQuantizeDequantize(dtype=float8_e4m3fn,shape=(8,4),block_size=(1,32))"};

}  // namespace

std::span<const std::string_view> known_casts() { return kCasts; }
std::span<const std::string_view> further_casts() { return kFurther; }

}  // namespace mx::cli
