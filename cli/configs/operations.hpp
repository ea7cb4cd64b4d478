// The configurations that options describe, operation by operation. Error kUsage for one that
// cannot be, naming what is in the way.
#pragma once

#include <vector>

#include "cli/configs/options.hpp"
#include "golden/configuration/configuration.hpp"

namespace mx::cli {

void add_conversions(const ConfigOptions& options, const ElementFormat& source,
                     std::vector<golden::Configuration>& list);
void add_blocks(const ConfigOptions& options, const ElementFormat& source,
                std::vector<golden::Configuration>& list);
/// Under the block policies that a profile has for the format; whatever else it says is of blocks.
void add_dequantizing(const ConfigOptions& options, std::vector<golden::Configuration>& list);
void add_dots(const ConfigOptions& options, std::vector<golden::Configuration>& list);
/// A unit with its operands and result.
void add_mma(const ConfigOptions& options, std::vector<golden::Configuration>& list);
void add_arithmetic(const ConfigOptions& options, std::vector<golden::Configuration>& list);
void add_casts(const ConfigOptions& options, const ElementFormat& source,
               std::vector<golden::Configuration>& list);

/// The level of two-level formats in place of the one that a configuration has; those of other
/// formats stay as they are.
void set_tensor_amax(golden::Configuration& configuration, const Unpacked& amax);

}  // namespace mx::cli
