// What a run does not offer to its device: values that the device takes, and configurations.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/run/options.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace mx::cli {

/// The values of a field that the device takes and the run does not ask for, where the field was
/// left to `all`: "2 roundings of the device (ties_to_zero, ties_toward_positive)".
[[nodiscard]] std::string values_left_out(
    const RunCommand& command, std::string_view field, const sim::Configurations& configs,
    const std::function<std::string(const QuantizerConfig&)>& refusal);

/// The policies beyond rounding and rule that options give, which hold for the whole suite.
[[nodiscard]] std::vector<sim::ToldPolicy> told_policies(const ConfigOptions& options);

struct LeftOutOfSuite {
  std::vector<sim::NotOffered> not_offered;
  sim::Narrowed narrowed;
};

/// What the whole suite has more than the one that is run: refused by the device, and left out by
/// options; and what options hold every configuration to.
[[nodiscard]] LeftOutOfSuite left_out_of_suite(const RunCommand& command, sim::SuiteOptions options,
                                               const sim::SuiteSource& offered);

}  // namespace mx::cli
