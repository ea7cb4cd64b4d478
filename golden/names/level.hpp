// SPDX-License-Identifier: Apache-2.0
// The second level of two-level formats, as a question gives it.
#pragma once

#include <string>

#include "golden/names/asking.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::golden {

/// The arguments tensor_amax and tensor_scale, numbers as texts; "" for what is not given.
struct LevelTexts {
  std::string amax;
  std::string scale;

  /// Refusal if one is no number, does not fit the format or the rule, or both are given.
  void check(const BlockFormat* format, std::string_view name, ScaleRule rule,
             Spelling spelling) const;
  /// The level of a quantizer that has a scale of the tensor, by these texts, or by `found` where
  /// no largest magnitude is given. Refusal if the quantizer cannot use it.
  [[nodiscard]] TensorLevel level(const QuantizerConfig& config, const Unpacked& found,
                                  Spelling spelling) const;
};

}  // namespace mx::golden
