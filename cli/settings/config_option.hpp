// SPDX-License-Identifier: Apache-2.0
// -c FILE: options that the command line does not give.
#pragma once

#include "cli/line/root.hpp"

namespace mx::cli {

/// Adds -c,--config to the program and to every subcommand that has an option which a file may
/// give. Error kBadInput for a file that is none; kUsage for a value that an option does not take.
void add_config_option(Root& root);

}  // namespace mx::cli
