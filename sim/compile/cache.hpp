// The folder that keeps what was compiled: the user's own, and nobody else writes into it.
#pragma once

#include <filesystem>
#include <string>

#include "golden/bytes/error.hpp"

namespace mx::sim {

/// What lies in the cache is not the user's alone: programs end with exit code 3.
class CacheError : public golden::VectorError {
 public:
  using golden::VectorError::VectorError;
};

/// A folder of the cache, made with mode 0700 where it is missing. The cache is MXGOLD_CACHE, else
/// mxgold below XDG_CACHE_HOME or ~/.cache, else mxgold-UID below the folder for temporary files.
/// Throws CacheError where either is a link, another user's, or open to the writing of others.
[[nodiscard]] std::filesystem::path own_cache(const std::string& folder);

/// Throws CacheError unless a file, or a folder with all that is in it, is the user's, no link, and
/// closed to the writing of others: what a program loads or starts.
void require_own(const std::filesystem::path& path);

/// Takes the right to write from all others, of a folder and all that is in it.
void close_to_others(const std::filesystem::path& path);

}  // namespace mx::sim
