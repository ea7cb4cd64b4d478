// SPDX-License-Identifier: Apache-2.0
#include "cli/checkpoints/layouts.hpp"

#include <algorithm>

#include "cli/files/tensor_header.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kModelopt = "ModelOpt";
constexpr std::string_view kCompressed = "compressed-tensors";
constexpr std::string_view kTorchao = "torchao";
constexpr std::string_view kMlx = "MLX";
constexpr std::string_view kNibbles = "nibble_low_first";
constexpr std::string_view kHalves = "split_half";
constexpr std::string_view kBytes = "U8 I8";
constexpr std::string_view kScaleBytes = "U8 I8 F8_E8M0";
constexpr std::string_view kPacked4 = "U8 I8 F4";
constexpr std::string_view kEights = "F8_E4M3 F8_E5M2 F8_E4M3FNUZ F8_E5M2FNUZ I8";
constexpr std::string_view kFloats = "F32 BF16 F16";
constexpr std::string_view kFloatsAndPowers = "F32 BF16 F16 F8_E8M0 U8";

constexpr WeightLayout kLayouts[] = {
    {kCompressed, "nvfp4", ".weight_packed", ".weight_scale", ".weight_global_scale", ".weight",
     kPacked4, "F8_E4M3", kNibbles, LevelNumber::kDivisor},
    {kCompressed, "mxfp4", ".weight_packed", ".weight_scale", "", ".weight", kPacked4, kScaleBytes,
     kNibbles},
    {kCompressed, "mxfp6_e2m3", ".weight_packed", ".weight_scale", "", ".weight", "U8 I8 F6_E2M3",
     kScaleBytes, "dense6"},
    {kModelopt, "nvfp4", ".weight", ".weight_scale", ".weight_scale_2", ".weight", kPacked4,
     "F8_E4M3", kNibbles, LevelNumber::kFactor},
    {"ModelOpt or Quark", "mxfp4", ".weight", ".weight_scale", "", ".weight", kPacked4, kScaleBytes,
     kNibbles},
    {"ModelOpt or compressed-tensors", "mxfp8_e4m3", ".weight", ".weight_scale", "", ".weight",
     "F8_E4M3", kScaleBytes, ""},
    {"ModelOpt or compressed-tensors", "mxfp8_e5m2", ".weight", ".weight_scale", "", ".weight",
     "F8_E5M2", kScaleBytes, ""},
    {"omlx", "mxfp8_e4m3", ".weight", ".weight_scale_inv", "", ".weight", "F8_E4M3", kScaleBytes,
     ""},
    {"DeepSeek-V4", "mxfp4", ".weight", ".scale", "", ".weight", kPacked4, kScaleBytes, kNibbles},
    {"DeepSeek-V4", "mxfp8_e4m3", ".weight", ".scale", "", ".weight", "F8_E4M3", kScaleBytes, ""},
    {"gpt-oss", "mxfp4", "_blocks", "_scales", "", "", kBytes, kScaleBytes, kNibbles,
     LevelNumber::kNone, CodesForm::kGroups},
    {"gpt-oss", "mxfp4", ".blocks", ".scales", "", "", kBytes, kScaleBytes, kNibbles,
     LevelNumber::kNone, CodesForm::kGroups},
    {kMlx, "mxfp4", ".weight", ".scales", "", ".weight", "U32", "U8", kNibbles, LevelNumber::kNone,
     CodesForm::kRows, "", ".biases"},
    {kMlx, "nvfp4", ".weight", ".scales", "", ".weight", "U32", "U8", kNibbles, LevelNumber::kNone,
     CodesForm::kRows, "", ".biases"},
    {kMlx, "mxfp8_e4m3", ".weight", ".scales", "", ".weight", "U32", "U8", "", LevelNumber::kNone,
     CodesForm::kRows, "", ".biases"},
    {"DeepSeek-V3, Qwen or others of Hugging Face's fp8", "", ".weight", ".weight_scale_inv", "",
     ".weight", kEights, kFloatsAndPowers, ""},
    {"compressed-tensors, ModelOpt or Quark", "", ".weight", ".weight_scale", "", ".weight",
     kEights, kFloatsAndPowers, "", LevelNumber::kNone, CodesForm::kRows, "", ".weight_zero_point"},
    {"DeepSeek", "", ".weight", ".scale", "", ".weight", kEights, kFloatsAndPowers, ""},
    // torchao saves the tensors of a weight X.P as X._P_qdata, X._P_scale in safetensors files,
    {kTorchao, "nvfp4", "_qdata", "_scale", "_per_tensor_scale", "", kPacked4, "F8_E4M3", kNibbles,
     LevelNumber::kFactor, CodesForm::kRows, "._"},
    {kTorchao, "nvfp4", "_qdata", "_scale", "", "", kPacked4, "F8_E4M3", kNibbles,
     LevelNumber::kNone, CodesForm::kRows, "._"},
    {kTorchao, "mxfp4", "_qdata", "_scale", "", "", kPacked4, "F8_E8M0", kNibbles,
     LevelNumber::kNone, CodesForm::kRows, "._"},
    {kTorchao, "mxfp8_e4m3", "_qdata", "_scale", "", "", "F8_E4M3", "F8_E8M0", "",
     LevelNumber::kNone, CodesForm::kRows, "._"},
    {kTorchao, "mxfp8_e5m2", "_qdata", "_scale", "", "", "F8_E5M2", "F8_E8M0", "",
     LevelNumber::kNone, CodesForm::kRows, "._"},
    {kTorchao, "", "_qdata", "_scale", "", "", kEights, kFloats, "", LevelNumber::kNone,
     CodesForm::kRows, "._", "_zero_point"},
    // and under the name of the weight itself in PyTorch files.
    {kTorchao, "nvfp4", ".qdata", ".scale", ".per_tensor_scale", "", kPacked4, "F8_E4M3", kNibbles,
     LevelNumber::kFactor},
    {kTorchao, "nvfp4", ".qdata", ".scale", "", "", kPacked4, "F8_E4M3", kNibbles},
    {kTorchao, "mxfp4", ".qdata", ".scale", "", "", kPacked4, "F8_E8M0", kNibbles},
    {kTorchao, "mxfp8_e4m3", ".qdata", ".scale", "", "", "F8_E4M3", "F8_E8M0", ""},
    {kTorchao, "mxfp8_e5m2", ".qdata", ".scale", "", "", "F8_E5M2", "F8_E8M0", ""},
    {kTorchao, "", ".qdata", ".scale", "", "", kEights, kFloats, "", LevelNumber::kNone,
     CodesForm::kRows, "", ".zero_point"},
    {"ggml", "mxfp4", "", "", "", "", "MXFP4", "MXFP4", kHalves, LevelNumber::kNone,
     CodesForm::kGgml},
    {"ggml", "nvfp4", "", "", "", "", "NVFP4", "NVFP4", kHalves, LevelNumber::kNone,
     CodesForm::kGgml}};

bool is_one_of(std::string_view types, const Tensor* tensor) {
  if (tensor == nullptr) return false;
  while (!types.empty()) {
    const std::string_view type = types.substr(0, types.find(' '));
    if (tensor->dtype == type) return true;
    types.remove_prefix(std::min(types.size(), type.size() + 1));
  }
  return false;
}

std::string joined(std::string_view stem, std::string_view ending) {
  std::string name(stem);
  name += ending;
  return name;
}

/// Has a tensor of ggml's blocks another number that multiplies it, which its blocks do not hold?
bool has_scale_beside(const TensorFiles& files, const Tensor& tensor) {
  const std::string_view name = tensor.name;
  return files.find(joined(name.substr(0, name.rfind(".weight")), ".scale")) != nullptr;
}

}  // namespace

std::span<const WeightLayout> weight_layouts() { return kLayouts; }

std::string WeightParts::name() const {
  std::string name = joined(stem, layout->original);
  const std::string_view joint = layout->joint;
  const std::size_t at = joint.empty() ? std::string::npos : name.rfind(joint);
  if (at != std::string::npos) name.replace(at, joint.size(), ".");
  return name;
}

std::optional<WeightParts> parts_under(const WeightLayout& layout, const TensorFiles& files,
                                       const Tensor& codes) {
  if (!codes.name.ends_with(layout.codes) || !is_one_of(layout.codes_types, &codes)) return {};
  if (layout.form == CodesForm::kGgml && has_scale_beside(files, codes)) return {};
  WeightParts parts{&layout, codes.name.substr(0, codes.name.size() - layout.codes.size()), &codes};
  if (!layout.joint.empty() && parts.stem.find(layout.joint) == std::string::npos) return {};
  const auto part = [&](std::string_view ending) { return files.find(joined(parts.stem, ending)); };
  parts.scales = part(layout.scales);
  if (!is_one_of(layout.scales_types, parts.scales)) return {};
  if (!layout.level.empty()) {
    parts.level = part(layout.level);
    if (parts.level == nullptr) return {};
  }
  if (!layout.never_with.empty() && part(layout.never_with) != nullptr) return {};
  return parts;
}

bool names_a_part(std::string_view name) {
  // ".scale" alone may be of anything.
  const auto is_ending = [&](std::string_view ending) {
    return ending.starts_with(".weight_") && name.ends_with(ending);
  };
  return std::ranges::any_of(kLayouts, [&](const WeightLayout& layout) {
    return is_ending(layout.scales) || is_ending(layout.level) || is_ending(layout.codes);
  });
}

}  // namespace mx::cli
