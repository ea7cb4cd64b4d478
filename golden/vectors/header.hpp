// What a vector file says about its records: configurations, layout, origin, count.
// docs/vector-format.md describes the text form line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "golden/configuration/configuration.hpp"
#include "golden/vectors/record.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::golden {

/// Version of the line format, the manifest and the field layout.
inline constexpr int kSchema = 2;
/// Configurations one file may have.
inline constexpr std::size_t kMaxConfigurations = 65536;
/// Lanes a record may have.
inline constexpr int kMaxLanes = 1 << 20;

/// Everything that is stated once for all records. The shape of the records follows from it, and
/// every configuration gives the same.
struct VectorHeader {
  /// Keeps the names of formats that a reader made alive; a writer's formats are its own business.
  std::shared_ptr<FormatCatalog> catalog;
  Operation op = Operation::kBlock;
  std::vector<Configuration> configs;  ///< at least one, all of `op`
  int lanes = 1;                       ///< elements a record has room for
  Lengths lengths = Lengths::kFull;
  RandomWords random_words = RandomWords::kAbsent;
  Sideband sideband = Sideband::kAbsent;  ///< kPresent: at most 64 lanes, and never in a file

  std::string suite = "dir";  ///< smoke, dir, rnd, policy, tensor; one word
  int level = 1;
  std::uint64_t seed = 0;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  std::uint64_t drawn = 0;  ///< vectors drawn: rnd for each configuration, policy in all
  std::string generator;    ///< name and version, one line; free text
  std::uint64_t count = 0;

  /// N of the random words: the largest of all configurations.
  [[nodiscard]] int random_bits() const;
  /// "" if configurations, lanes and lengths fit together, else why not.
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] RecordShape shape() const;
  /// The word of configuration i for the RTL; meaningful where the records have a field tuser.
  [[nodiscard]] std::vector<std::uint32_t> config_words() const;

  /// The header lines of a file, each starting with `prefix` ("# " or "// ") and ending in "\n".
  [[nodiscard]] std::string text(std::string_view prefix) const;
  /// The name of the set without shard, schema and extension: spec V4.3, for
  /// instance cvt.fp32-e4m3fn.ties_to_even.sat_finite.dir1.
  [[nodiscard]] std::string set_id() const;
  /// set_id, shard, schema and extension.
  [[nodiscard]] std::string file_name(std::string_view extension) const;
};

/// "source:8 | code:2 flags:2": names, lanes and digits of the fields.
[[nodiscard]] std::string layout_text(const RecordShape& shape);

}  // namespace mx::golden
