// Policies that were given where nothing reads them.
#pragma once

#include "cli/options/format_book.hpp"
#include "reference/block/quantizer.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace mx::cli {

/// Error kUsage for an option of a policy that was given and that `config` does not read: policies
/// of blocks where the format has none, those that other scale rules read, and --random-bits where
/// no rounding is stochastic.
void refuse_unread_policies(const CLI::App& command, const FormatChoice& format,
                            const QuantizerConfig& config);

}  // namespace mx::cli
