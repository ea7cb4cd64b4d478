// mxgold gen --op thr: threshold certificates.
#pragma once

#include <string>

#include "cli/vectors/gen_plan.hpp"

namespace mx::cli {

/// Writes the certificates of every listed source and destination into a folder; with `all` for
/// both, the index and the scale certificates too. Throws Error.
void gen_certificates(const GenOptions& options, const std::string& folder);

}  // namespace mx::cli
