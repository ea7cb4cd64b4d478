// The rows of spec U1 and U2 (docs/spec/accumulators.md).
#include <array>
#include <tuple>

#include "reference/unit/unit.hpp"

namespace mx {
namespace {

using formats::bf16, formats::fp16, formats::tf32;
using formats::e2m1fn, formats::e2m3fn, formats::e3m2fn, formats::e4m3fn, formats::e5m2;

constexpr std::array kFp16 = {fp16};
constexpr std::array kBf16 = {bf16};
constexpr std::array kSixteen = {fp16, bf16};
constexpr std::array kTf32 = {tf32};
constexpr std::array kFp8 = {e4m3fn, e5m2};
constexpr std::array kFnuz = {formats::e4m3fnuz, formats::e5m2fnuz};
constexpr std::array kNarrow = {e4m3fn, e5m2, e3m2fn, e2m3fn, e2m1fn};
constexpr std::array kFp4 = {e2m1fn};

constexpr std::array kBlocksOf32 = {UnitScale{formats::e8m0, 32}};
constexpr std::array kFp4Scales = {UnitScale{formats::e8m0, 32}, UnitScale{formats::e8m0, 16},
                                   UnitScale{formats::ue4m3, 16}};

constexpr MatrixUnit nvidia(std::string_view name, std::string_view devices,
                            std::string_view instructions, std::span<const ElementFormat> inputs,
                            int group, int fraction_bits, std::optional<int> zero_exponent32,
                            std::optional<int> zero_exponent16) {
  MatrixUnit unit{.name = name,
                  .devices = devices,
                  .instructions = instructions,
                  .source = "U1",
                  .inputs = inputs};
  unit.group = group;
  unit.fraction_bits = fraction_bits;
  unit.has_fp16 = zero_exponent16.has_value();
  unit.zero_exponent32 = zero_exponent32;
  unit.zero_exponent16 = zero_exponent16;
  return unit;
}

/// Units of FP8 and narrower formats: the two sides may differ.
constexpr MatrixUnit mixed(MatrixUnit unit, const ElementFormat& sum32 = formats::fp32) {
  unit.takes_mixed = true;
  unit.sum32 = sum32;
  return unit;
}

constexpr MatrixUnit pairs_then_c(MatrixUnit unit) {
  unit.source = "U2";
  unit.sum = UnitSum::kPairsThenC;
  return mixed(unit);
}

constexpr MatrixUnit scaled(MatrixUnit unit, UnitSum sum, std::span<const UnitScale> scales) {
  unit.sum = sum;
  unit.scales = scales;
  return unit;
}

constexpr MatrixUnit amd(std::string_view name, std::string_view devices,
                         std::string_view instructions, std::span<const ElementFormat> inputs,
                         UnitSum sum, int group) {
  MatrixUnit unit{.name = name,
                  .devices = devices,
                  .instructions = instructions,
                  .source = "U2",
                  .inputs = inputs};
  unit.sum = sum;
  unit.group = group;
  unit.nan = UnitNan::kCanonical;
  unit.open = UnitOpen::kNanAndZero;
  return unit;
}

constexpr std::array kUnits = {
    nvidia("v100_f16", "NVIDIA V100", "mma m8n8k4", kFp16, 4, 23, std::nullopt, -19),
    nvidia("t4_f16", "NVIDIA T4", "mma m16n8k8", kFp16, 8, 24, -132, -20),
    nvidia("a100_f16", "NVIDIA A100, A2, A30", "mma", kSixteen, 8, 24, -132, -20),
    nvidia("a100_tf32", "NVIDIA A100, A2, A30", "mma", kTf32, 4, 24, -132, std::nullopt),
    nvidia("ada_f16", "NVIDIA Ada, L40S", "mma", kSixteen, 8, 24, -132, -20),
    nvidia("ada_tf32", "NVIDIA Ada, L40S", "mma", kTf32, 4, 24, -132, std::nullopt),
    mixed(nvidia("ada_fp8", "NVIDIA Ada, L40S", "mma m16n8k32", kFp8, 16, 13, -132, -20), kE8M13),
    nvidia("h100_f16", "NVIDIA H100, H200", "mma, wgmma", kSixteen, 16, 25, -133, -21),
    nvidia("h100_tf32", "NVIDIA H100, H200", "mma, wgmma", kTf32, 8, 25, -133, std::nullopt),
    mixed(nvidia("h100_wgmma_fp8", "NVIDIA H100, H200", "wgmma", kFp8, 32, 13, -133, -21), kE8M13),
    pairs_then_c(nvidia("h100_mma_fp8", "NVIDIA H100, H200, B200", "mma.sync m16n8k32", kFp8, 16,
                        25, -133, -21)),
    nvidia("b200_f16", "NVIDIA B200, RTX Blackwell", "mma, tcgen05 kind::f16", kSixteen, 16, 25,
           -133, -21),
    nvidia("b200_tf32", "NVIDIA B200, RTX Blackwell", "mma, tcgen05 kind::tf32", kTf32, 8, 25, -133,
           std::nullopt),
    mixed(nvidia("b200_f8f6f4", "NVIDIA B200, RTX Blackwell",
                 "tcgen05 kind::f8f6f4; RTX: mma kind::f8f6f4", kNarrow, 32, 25, -133, -21)),
    scaled(mixed(nvidia("b200_mxf8f6f4", "NVIDIA B200", "tcgen05 kind::mxf8f6f4", kNarrow, 32, 25,
                        -133, std::nullopt)),
           UnitSum::kAligned, kBlocksOf32),
    scaled(nvidia("b200_mxf4", "NVIDIA B200", "tcgen05 kind::mxf4, kind::mxf4nvf4", kFp4, 64, 35,
                  -139, std::nullopt),
           UnitSum::kScaledGroups, kFp4Scales),
    amd("mi100_f16", "AMD MI100", "v_mfma f16", kFp16, UnitSum::kExact, 4),
    amd("mi100_bf16", "AMD MI100", "v_mfma bf16", kBf16, UnitSum::kExact, 2),
    amd("mi200_f16", "AMD MI210, MI250", "v_mfma f16, bf16_1k", kSixteen, UnitSum::kTree, 4),
    amd("mi200_bf16", "AMD MI210, MI250", "v_mfma bf16", kBf16, UnitSum::kTree, 2),
    amd("mi300_f16", "AMD MI300", "v_mfma f16, bf16", kSixteen, UnitSum::kTwoStages, 8),
    amd("mi300_xf32", "AMD MI300", "v_mfma xf32", kTf32, UnitSum::kTwoStages, 4),
    mixed(amd("mi300_fp8", "AMD MI300", "v_mfma fp8, bf8", kFnuz, UnitSum::kTwoStagesApart, 16))};

}  // namespace

std::span<const MatrixUnit> matrix_units() { return kUnits; }

bool sums_alike(const MatrixUnit& a, const MatrixUnit& b) {
  const auto fields = [](const MatrixUnit& unit) {
    return std::tie(unit.sum, unit.group, unit.fraction_bits, unit.sum32, unit.zero_exponent32,
                    unit.zero_exponent16, unit.nan, unit.open);
  };
  return fields(a) == fields(b);
}

const MatrixUnit* find_unit(std::string_view name) {
  for (const MatrixUnit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace mx
