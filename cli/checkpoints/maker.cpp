// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/checkpoints/stored_weights.hpp"
#include "cli/files/mapped_file.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

/// The object of a file beside a checkpoint; null where there is no such file.
Json object_beside(const TensorFiles& files, std::string_view name) {
  const std::filesystem::path path = files.files().front().path().parent_path() / name;
  std::error_code ignored;
  if (files.path() == "-" || !std::filesystem::is_regular_file(path, ignored)) return {};
  const MappedFile file(path);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  Json json;
  if (const auto problem = golden::parse_json(text, json)) {
    fail(Exit::kBadInput, "{}: {}", path.string(), golden::text_of(*problem, text));
  }
  return json;
}

Json member(const Json& json, std::string_view name) {
  if (!json.is_object()) return {};
  const auto found = json.find(name);
  return found == json.end() ? Json() : *found;
}

std::string text_member(const Json& json, std::string_view name) {
  const Json value = member(json, name);
  return value.is_string() ? value.get<std::string>() : "";
}

/// Names of methods as Hugging Face's configurations have them, and ours where they differ.
struct Method {
  std::string_view theirs, ours;
};
constexpr Method kMethods[] = {{"modelopt", "ModelOpt"},
                               {"mxfp4", "gpt-oss"},
                               {"quark", "Quark"},
                               {"fp8", "fp8 of Hugging Face, as DeepSeek-V3 has it"},
                               {"fbgemm_fp8", "fbgemm"}};

std::string name_of(const Json& quantization, std::string_view ending) {
  std::string name = text_member(quantization, "quant_method");
  for (const Method& method : kMethods) {
    if (name == method.theirs) name = method.ours;
  }
  const std::string how = text_member(quantization, ending);
  if (!name.empty() && !how.empty()) name += " (" + how + ")";
  return name;
}

void take_tile(const Json& sizes, CheckpointMaker& maker) {
  if (!sizes.is_array() || sizes.size() != 2) return;
  for (const Json& size : sizes) {  // anything else says nothing of a tile
    maker.tile.push_back(size.is_number_unsigned() ? golden::whole<std::uint64_t>(size) : 0);
  }
}

}  // namespace

CheckpointMaker maker_of(const TensorFiles& files) {
  CheckpointMaker maker;
  const Json configuration = object_beside(files, "config.json");
  const Json quantization = member(configuration, "quantization_config");
  maker.name = name_of(quantization, "format");
  take_tile(member(quantization, "weight_block_size"), maker);
  if (const Json mlx = member(configuration, "quantization");
      maker.name.empty() && mlx.is_object()) {
    const std::string mode = text_member(mlx, "mode");
    if (!mode.empty()) maker.name = "MLX (" + mode + ")";
  }
  const Json exported = member(object_beside(files, "hf_quant_config.json"), "quantization");
  if (exported.is_object() && (maker.name.empty() || maker.name == "ModelOpt")) {
    const std::string algorithm = text_member(exported, "quant_algo");
    maker.name = algorithm.empty() ? "ModelOpt" : "ModelOpt (" + algorithm + ")";
  }
  return maker;
}

}  // namespace mx::cli
