// SPDX-License-Identifier: Apache-2.0
// Questions of the layers below, asked by a command line.
#pragma once

#include "cli/base/error.hpp"
#include "golden/names/asking.hpp"

namespace mx::cli {

/// What `ask` gives; a refusal is Error kUsage.
template <typename Ask>
decltype(auto) asked(const Ask& ask) {
  try {
    return ask();
  } catch (const golden::Refusal& refusal) {
    throw Error(Exit::kUsage, refusal.what());
  }
}

}  // namespace mx::cli
