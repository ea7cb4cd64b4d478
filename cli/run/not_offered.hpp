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

/// What the whole suite has more than the one that is run: refused by the device, and left out by
/// options. Profiles and other policies than the suite's have suites of their own.
[[nodiscard]] std::vector<sim::NotOffered> left_out_of_suite(const RunCommand& command,
                                                             sim::SuiteOptions options,
                                                             const sim::SuiteSource& offered);

}  // namespace mx::cli
