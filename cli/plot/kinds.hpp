// SPDX-License-Identifier: Apache-2.0
// The pictures of `mxgold plot`, one function each. All values come from the reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "reference/policy/policy.hpp"

namespace mx::cli {

/// What a picture was asked for. Empty lists stand for the kind's defaults.
struct PlotRequest {
  std::vector<std::string> inputs;
  Names formats;
  Names profiles;
  std::string source = "fp32";
  std::optional<ScaleRule> rule;
  std::optional<Rounding> rounding;
  FormatBook* book = nullptr;
};

/// The values of formats on a line, with ties, subnormals and the largest value. inputs: formats.
[[nodiscard]] std::string plot_numberline(const PlotRequest& request);
/// A block: inputs, shared scale, codes, values, errors. inputs: numbers.
[[nodiscard]] std::string plot_block(const PlotRequest& request);
/// Scale over the largest magnitude of a block. inputs: scale rules or profiles.
[[nodiscard]] std::string plot_scales(const PlotRequest& request);
/// How often each code occurs. inputs: tensor files.
[[nodiscard]] std::string plot_histogram(const PlotRequest& request);
/// The largest relative error over the magnitude.
[[nodiscard]] std::string plot_errors(const PlotRequest& request);
/// The share of equal answers of every two profiles. inputs: tensor files.
[[nodiscard]] std::string plot_agreement(const PlotRequest& request);
/// The stages of rtl/mx_quantizer.sv, and a stall of the receiver, cycle by cycle.
[[nodiscard]] std::string plot_pipeline(const PlotRequest& request);
/// Where mxgold sits in a bench.
[[nodiscard]] std::string plot_bench(const PlotRequest& request);

}  // namespace mx::cli
