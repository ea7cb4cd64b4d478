// cvt to fp16, bf16 and tf32.
#include "reference/format/table.hpp"
#include "tests/device/conversions/instructions.cuh"

namespace mx::device {
namespace ptx {

MX_FLOAT_TO_16(HalfRn, 89, "cvt.rn", ".f16.f32")
MX_FLOAT_TO_16(HalfRz, 89, "cvt.rz", ".f16.f32")
MX_FLOAT_TO_16(HalfRm, 89, "cvt.rm", ".f16.f32")
MX_FLOAT_TO_16(HalfRp, 89, "cvt.rp", ".f16.f32")
MX_FLOAT_TO_16(HalfRnSat, 89, "cvt.rn", ".satfinite.f16.f32")
MX_FLOAT_TO_16(HalfRzSat, 89, "cvt.rz", ".satfinite.f16.f32")
MX_FLOATS_TO_PAIR(HalvesRn, 89, "cvt.rn", ".f16x2.f32", std::uint32_t, "=r", 16)
MX_FLOATS_TO_PAIR(HalvesRz, 89, "cvt.rz", ".f16x2.f32", std::uint32_t, "=r", 16)
MX_FLOATS_TO_PAIR(HalvesRnSat, 89, "cvt.rn", ".satfinite.f16x2.f32", std::uint32_t, "=r", 16)
MX_FLOATS_TO_PAIR(HalvesRzSat, 89, "cvt.rz", ".satfinite.f16x2.f32", std::uint32_t, "=r", 16)

MX_FLOAT_TO_16(BfloatRn, 89, "cvt.rn", ".bf16.f32")
MX_FLOAT_TO_16(BfloatRz, 89, "cvt.rz", ".bf16.f32")
MX_FLOAT_TO_16(BfloatRm, 89, "cvt.rm", ".bf16.f32")
MX_FLOAT_TO_16(BfloatRp, 89, "cvt.rp", ".bf16.f32")
MX_FLOAT_TO_16(BfloatRnSat, 89, "cvt.rn", ".satfinite.bf16.f32")
MX_FLOAT_TO_16(BfloatRzSat, 89, "cvt.rz", ".satfinite.bf16.f32")
MX_FLOATS_TO_PAIR(BfloatsRn, 89, "cvt.rn", ".bf16x2.f32", std::uint32_t, "=r", 16)
MX_FLOATS_TO_PAIR(BfloatsRz, 89, "cvt.rz", ".bf16x2.f32", std::uint32_t, "=r", 16)
MX_FLOATS_TO_PAIR(BfloatsRnSat, 89, "cvt.rn", ".satfinite.bf16x2.f32", std::uint32_t, "=r", 16)
MX_FLOATS_TO_PAIR(BfloatsRzSat, 89, "cvt.rz", ".satfinite.bf16x2.f32", std::uint32_t, "=r", 16)

MX_FLOAT_TO_32(Tf32Rna, 89, "cvt.rna", ".tf32.f32")
MX_FLOAT_TO_32(Tf32RnaSat, 89, "cvt.rna", ".satfinite.tf32.f32")
MX_FLOAT_TO_32(Tf32Rn, 90, "cvt.rn", ".tf32.f32")
MX_FLOAT_TO_32(Tf32Rz, 90, "cvt.rz", ".tf32.f32")

MX_16_TO_16(BfloatOfHalfRn, 90, "cvt.rn", ".bf16.f16")
MX_16_TO_16(BfloatOfHalfRz, 90, "cvt.rz", ".bf16.f16")
MX_16_TO_16(BfloatOfHalfRm, 90, "cvt.rm", ".bf16.f16")
MX_16_TO_16(BfloatOfHalfRp, 90, "cvt.rp", ".bf16.f16")
MX_16_TO_16(HalfOfBfloatRn, 90, "cvt.rn", ".f16.bf16")
MX_16_TO_16(HalfOfBfloatRz, 90, "cvt.rz", ".f16.bf16")
MX_16_TO_16(HalfOfBfloatRm, 90, "cvt.rm", ".f16.bf16")
MX_16_TO_16(HalfOfBfloatRp, 90, "cvt.rp", ".f16.bf16")

/// From one number and from two, with .relu and without.
template <template <Clamp> class One, template <Clamp, Half> class Two>
Part wide(std::string_view surface, std::string name, const Law& law) {
  Part part{surface, std::move(name), law, 89};
  add_both<One, std::uint16_t>(part);
  add_pair<Two, std::uint16_t>(part);
  return part;
}

/// One form, which has no .relu.
template <template <Clamp> class One, class Word>
Part plain(std::string_view surface, std::string name, const Law& law, int architecture) {
  Part part{surface, std::move(name), law, architecture};
  add_plain<One, Word>(part);
  return part;
}

template <template <Clamp> class One>
Part tf32_with_relu(std::string name, const Law& law) {
  Part part{"tf32", std::move(name), law, 90};
  add_both<One, std::uint32_t>(part);
  return part;
}

std::vector<Part> half_parts() {
  const auto law = [](Rounding rounding, Overflow overflow) {
    return Law::wide(formats::fp32, formats::fp16, rounding, overflow);
  };
  const auto across = [](Rounding rounding) {
    return Law::wide(formats::bf16, formats::fp16, rounding);
  };
  using Word = std::uint16_t;
  constexpr Overflow kInf = Overflow::kNoneInfOrNan;
  constexpr Overflow kSat = Overflow::kSatFinite;
  return {
      plain<HalfOfBfloatRn, Word>("f16", "bf16 to fp16 rn", across(Rounding::kTiesToEven), 90),
      plain<HalfOfBfloatRz, Word>("f16", "bf16 to fp16 rz", across(Rounding::kTowardZero), 90),
      plain<HalfOfBfloatRm, Word>("f16", "bf16 to fp16 rm", across(Rounding::kTowardNegative), 90),
      plain<HalfOfBfloatRp, Word>("f16", "bf16 to fp16 rp", across(Rounding::kTowardPositive), 90),
      wide<HalfRn, HalvesRn>("f16", "fp32 to fp16 rn", law(Rounding::kTiesToEven, kInf)),
      wide<HalfRz, HalvesRz>("f16", "fp32 to fp16 rz", law(Rounding::kTowardZero, kInf)),
      wide<HalfRnSat, HalvesRnSat>("f16", "fp32 to fp16 rn satfinite",
                                   law(Rounding::kTiesToEven, kSat)),
      wide<HalfRzSat, HalvesRzSat>("f16", "fp32 to fp16 rz satfinite",
                                   law(Rounding::kTowardZero, kSat)),
      plain<HalfRm, Word>("f16", "fp32 to fp16 rm", law(Rounding::kTowardNegative, kInf), 89),
      plain<HalfRp, Word>("f16", "fp32 to fp16 rp", law(Rounding::kTowardPositive, kInf), 89)};
}

std::vector<Part> bfloat_parts() {
  const auto law = [](Rounding rounding, Overflow overflow) {
    return Law::wide(formats::fp32, formats::bf16, rounding, overflow);
  };
  const auto across = [](Rounding rounding) {
    return Law::wide(formats::fp16, formats::bf16, rounding);
  };
  using Word = std::uint16_t;
  constexpr Overflow kInf = Overflow::kNoneInfOrNan;
  constexpr Overflow kSat = Overflow::kSatFinite;
  return {
      plain<BfloatOfHalfRn, Word>("bf16", "fp16 to bf16 rn", across(Rounding::kTiesToEven), 90),
      plain<BfloatOfHalfRz, Word>("bf16", "fp16 to bf16 rz", across(Rounding::kTowardZero), 90),
      plain<BfloatOfHalfRm, Word>("bf16", "fp16 to bf16 rm", across(Rounding::kTowardNegative), 90),
      plain<BfloatOfHalfRp, Word>("bf16", "fp16 to bf16 rp", across(Rounding::kTowardPositive), 90),
      wide<BfloatRn, BfloatsRn>("bf16", "fp32 to bf16 rn", law(Rounding::kTiesToEven, kInf)),
      wide<BfloatRz, BfloatsRz>("bf16", "fp32 to bf16 rz", law(Rounding::kTowardZero, kInf)),
      wide<BfloatRnSat, BfloatsRnSat>("bf16", "fp32 to bf16 rn satfinite",
                                      law(Rounding::kTiesToEven, kSat)),
      wide<BfloatRzSat, BfloatsRzSat>("bf16", "fp32 to bf16 rz satfinite",
                                      law(Rounding::kTowardZero, kSat)),
      plain<BfloatRm, Word>("bf16", "fp32 to bf16 rm", law(Rounding::kTowardNegative, kInf), 89),
      plain<BfloatRp, Word>("bf16", "fp32 to bf16 rp", law(Rounding::kTowardPositive, kInf), 89)};
}

std::vector<Part> tf32_parts() {
  const auto law = [](Rounding rounding, Overflow overflow) {
    return Law::wide(formats::fp32, formats::tf32, rounding, overflow);
  };
  using Word = std::uint32_t;
  constexpr Overflow kInf = Overflow::kNoneInfOrNan;
  return {plain<Tf32Rna, Word>("tf32", "fp32 to tf32 rna", law(Rounding::kTiesToAway, kInf), 89),
          plain<Tf32RnaSat, Word>("tf32", "fp32 to tf32 rna satfinite",
                                  law(Rounding::kTiesToAway, Overflow::kSatFinite), 89),
          tf32_with_relu<Tf32Rn>("fp32 to tf32 rn", law(Rounding::kTiesToEven, kInf)),
          tf32_with_relu<Tf32Rz>("fp32 to tf32 rz", law(Rounding::kTowardZero, kInf))};
}

}  // namespace ptx

std::vector<Part> ptx_wide_parts() {
  std::vector<Part> all = ptx::half_parts();
  for (const auto& more : {ptx::bfloat_parts(), ptx::tf32_parts()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace mx::device
