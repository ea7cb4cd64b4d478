#include "emulators/torchmx/configuration.hpp"

#include <utility>

namespace mx::emulators::torchmx {

Checked<MXConfig> MXConfig::make(std::string elem_dtype_name, std::int64_t block_size) {
  if (find_elem_dtype(elem_dtype_name) == nullptr) {
    std::string names;
    for (const DType& each : kSupportedElemDtypes) {
      names += (names.empty() ? "'" : ", '") + std::string(each.name) + "'";
    }
    return Problem{"ValueError: Unsupported element dtype name: " + elem_dtype_name +
                   ". Supported names are: (" + names + ")"};
  }
  if (block_size < 1) {
    return Problem{"ValueError: Block size must be at least 1, got " + std::to_string(block_size)};
  }
  MXConfig config;
  config.elem_dtype_name = std::move(elem_dtype_name);
  config.block_size = block_size;
  return config;
}

std::string MXConfig::to_dict() const {
  return "{'elem_dtype_name': '" + elem_dtype_name +
         "', 'block_size': " + std::to_string(block_size) + "}";
}

std::string QLinearConfig::to_dict() const {
  return "{'weights_config': " + weights_config.to_dict() +
         ", 'activations_config': " + activations_config.to_dict() + "}";
}

Checked<QAttentionConfig> QAttentionConfig::make(QAttentionConfig config, Mode mode) {
  const bool is_partial = config.count() != 0 && config.count() != 4;
  if (is_partial && mode == Mode::kStrict) {
    return Problem{
        "AssertionError: Either all or none of the q,k,v and attention_weights config must be "
        "provided"};
  }
  return config;
}

int QAttentionConfig::count() const {
  return (query_config ? 1 : 0) + (key_config ? 1 : 0) + (value_config ? 1 : 0) +
         (attention_weights_config ? 1 : 0);
}

bool QAttentionConfig::is_qkv_quantization_enabled() const { return count() == 4; }

Checked<std::string> QAttentionConfig::to_dict() const {
  std::string text = "{'projection_config': " + projection_config.to_dict();
  if (count() == 0) return text + "}";
  if (count() != 4) return Problem{"AttributeError: 'NoneType' object has no attribute 'to_dict'"};
  return text + ", 'query_config': " + query_config->to_dict() +
         ", 'key_config': " + key_config->to_dict() +
         ", 'value_config': " + value_config->to_dict() +
         ", 'attention_weights_config': " + attention_weights_config->to_dict() + "}";
}

}  // namespace mx::emulators::torchmx
