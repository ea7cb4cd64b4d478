// Several profiles side by side.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "cli/explain/model.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::cli {

/// A format under one profile.
struct ProfiledCase {
  std::string profile;      ///< as typed: "torchao-0.18:rceil"
  std::string_view format;  ///< as typed
  bool is_block = false;    ///< otherwise only source, format.element and the element policy count
  QuantizerConfig config;
  Masks masks = 0;

  [[nodiscard]] ConversionConfig conversion() const {
    return {config.source, config.format.element, config.element};
  }
};

/// A row for each case: scale, codes, values, flags, and the policy at which it parts from the
/// first. For element formats a table for each input.
[[nodiscard]] nlohmann::ordered_json compare_profiles(std::span<const ProfiledCase> cases,
                                                      std::span<const ExplainInput> inputs);

/// The same for people, on standard output.
void print_comparison(const nlohmann::ordered_json& comparison);

}  // namespace mx::cli
