// Coverage in files: JSON that runs and shards write and `mxgold cover` merges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"

namespace mx::golden {

/// Does a file's text begin as a coverage file does?
[[nodiscard]] bool looks_like_coverage(std::string_view text);

/// {"coverage_schema": 2, "generator", "groups": [{"name", "configuration", "samples", "points":
/// [{"name", "meaning", "bins": [[name, hits] or [name, hits, "unreachable"]]}]}], "sha256"}: the
/// last is of everything before it.
[[nodiscard]] std::string coverage_json(const std::vector<Covergroup>& groups);

/// Reads what coverage_json() wrote. Throws VectorError that names the file, the place and what is
/// wrong there. Whether the bins are those of the configuration is the caller's question.
[[nodiscard]] std::vector<Covergroup> read_coverage(const std::string& path);

}  // namespace mx::golden
