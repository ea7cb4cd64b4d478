// What a vector file says about its records: configuration, field layout, count.
// docs/vector-format.md describes the text form line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/config_word/config_word.hpp"
#include "golden/vectors/block_vector.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::golden {

/// Version of the line format, the manifest and the field layout.
inline constexpr int kSchema = 1;

enum class RecordKind : std::uint8_t {
  kCvt,   ///< one source code to one destination code and flags
  kBlock  ///< one block of source codes to a scale, codes and status, under a tuser word
};
[[nodiscard]] std::string_view to_string(RecordKind op);

/// A field of a record: `lanes` words of `bytes` bytes each (2 * bytes hex digits in text).
struct Field {
  std::string name;
  int lanes = 1;
  int bytes = 1;
  bool operator==(const Field&) const = default;
};

/// The fields of every record of a file, operands before results.
struct RecordLayout {
  std::vector<Field> operands;
  std::vector<Field> results;

  [[nodiscard]] std::size_t operand_bytes() const;
  [[nodiscard]] std::size_t result_bytes() const;
  [[nodiscard]] std::size_t record_bytes() const { return operand_bytes() + result_bytes(); }
  /// Characters of a .tv line, its line feed included.
  [[nodiscard]] std::size_t line_chars() const;
  /// Characters of the operand part of a line, a line feed in place of the separator included.
  [[nodiscard]] std::size_t operand_chars() const;
  [[nodiscard]] std::size_t result_chars() const;
};

/// Everything that is stated once for all records. cvt files use destination and policy; block
/// files use formats, roundings, rules, overflows (the values that occur in the tuser words, so
/// that a file of another configuration is recognised) and context (what the tuser word cannot
/// hold).
struct VectorHeader {
  /// Keeps the names of formats that a reader made alive; a writer's formats are its own business.
  std::shared_ptr<FormatCatalog> catalog;
  RecordKind op = RecordKind::kBlock;
  ElementFormat source;

  ElementFormat destination;
  ElementPolicy policy;

  ConfigWordContext context;
  std::vector<std::string> formats;  ///< element format tokens
  std::vector<std::string> roundings;
  std::vector<std::string> rules;
  std::vector<std::string> overflows;

  RandomWords random_words = RandomWords::kAbsent;
  std::string suite = "dir";  ///< smoke, dir, rnd, policy; one word
  int level = 1;
  std::uint64_t seed = 0;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  std::string generator;  ///< name and version, one line; free text
  std::uint64_t count = 0;

  /// N of the random words.
  [[nodiscard]] int random_bits() const {
    return op == RecordKind::kCvt ? policy.random_bits : context.random_bits;
  }
  [[nodiscard]] RecordLayout layout() const;
  /// The header lines of a file, each starting with `prefix` ("# " or "// ") and ending in "\n".
  [[nodiscard]] std::string text(std::string_view prefix) const;
  /// The name of the set without shard, schema and extension: spec V4.3, for
  /// instance cvt.fp32-e4m3fn.ties_to_even.sat_finite.dir1.
  [[nodiscard]] std::string set_id() const;
  /// set_id, shard, schema and extension.
  [[nodiscard]] std::string file_name(std::string_view extension) const;
};

/// "" if `tuser` is a legal word that this block header announces, else the reason.
[[nodiscard]] std::string config_word_problem(const VectorHeader& header,
                                              std::uint32_t config_word);

}  // namespace mx::golden
