// The JSON sidecar of a vector file: spec V4.2.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "golden/files/vector_file.hpp"
#include "golden/stimulus/suite.hpp"

namespace mx::golden {

/// What a manifest says beyond the header.
struct ManifestFacts {
  std::string file_name;  ///< base name of the vector file
  FileKind kind = FileKind::kTv;
  Digest file{};        ///< SHA-256 of the file's bytes
  FileDigests content;  ///< the trailer's digests; `records` is content_sha256
  std::span<const StimulusClass> classes;
  std::uint64_t duplicates = 0;
  std::int64_t axis = -1;  ///< of the tensors that blocks were cut from
  std::string version;     ///< of the generator
  std::string commit;      ///< its git commit, "" if unknown
  std::string options;     ///< the options that make the set again
  std::string created;     ///< ISO 8601, outside everything hashed; "" leaves it out
};

/// The manifest as JSON text with a final line feed.
[[nodiscard]] std::string manifest_json(const VectorHeader& header, const ManifestFacts& facts);

/// SHA-256 of a file's bytes. Throws VectorError.
[[nodiscard]] Digest file_digest(const std::string& path);

/// Checks the vector file at `path` against the manifest file: every field that a manifest of this
/// file would have, but for the file's name, who made it with which options, and where the
/// specification stood then. Throws VectorError naming the field that differs.
void check_manifest(const std::string& manifest_path, const std::string& path,
                    casts::CastMaker casts = casts::no_casts);

}  // namespace mx::golden
