// What torchmx.config describes layers by, and what it accepts. spec S6.6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emulators/torchmx/dtypes.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::torchmx {

struct MXConfig {
  std::string elem_dtype_name;
  std::int64_t block_size = 32;

  /// ValueError for an unknown element type or a block size below 1.
  [[nodiscard]] static Checked<MXConfig> make(std::string elem_dtype_name,
                                              std::int64_t block_size = 32);
  /// nullptr where the name is none.
  [[nodiscard]] const DType* elem_dtype() const { return find_elem_dtype(elem_dtype_name); }
  /// As Python prints the dictionary.
  [[nodiscard]] std::string to_dict() const;
  bool operator==(const MXConfig&) const = default;
};

struct QLinearConfig {
  MXConfig weights_config;
  MXConfig activations_config;

  [[nodiscard]] std::string to_dict() const;
  bool operator==(const QLinearConfig&) const = default;
};

struct QAttentionConfig {
  QLinearConfig projection_config;
  std::optional<MXConfig> query_config = {};
  std::optional<MXConfig> key_config = {};
  std::optional<MXConfig> value_config = {};
  std::optional<MXConfig> attention_weights_config = {};

  /// strict: AssertionError unless all or none of q, k, v and attention_weights are there. compat
  /// accepts every combination.
  [[nodiscard]] static Checked<QAttentionConfig> make(QAttentionConfig config, Mode mode);
  /// All four are there.
  [[nodiscard]] bool is_qkv_quantization_enabled() const;
  /// AttributeError where some of the four are there.
  [[nodiscard]] Checked<std::string> to_dict() const;
  bool operator==(const QAttentionConfig&) const = default;

 private:
  [[nodiscard]] int count() const;
};

}  // namespace mx::emulators::torchmx
