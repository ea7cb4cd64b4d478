// SPDX-License-Identifier: Apache-2.0
// The command that repeats what was just done.
#pragma once

#include <string>

#include "cli/line/command.hpp"

namespace mx::cli {

/// The command line as it was read: "mxgold check answers.tv --errors 5", as a shell takes it.
/// What a configuration file gave stands there as options, so that it says the same without the
/// file. --log is left out: it changes nothing but where the verdict goes.
[[nodiscard]] std::string typed_again(const Command& command);

}  // namespace mx::cli
