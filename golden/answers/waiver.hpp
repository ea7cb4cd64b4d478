// Known deviations that somebody has reviewed: words that differ where a waiver says so are counted
// as waived, every other one is a mismatch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/answers/answers.hpp"
#include "golden/answers/verdict.hpp"
#include "golden/configuration/text.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// One known deviation. Everything that it names has to fit for a word to be waived.
struct Waiver {
  std::string id;
  std::string reason;
  std::string expires;                ///< YYYY-MM-DD, the last day it holds
  Operation op = Operation::kBlock;   ///< it says nothing of other operations
  ConfigurationFields configuration;  ///< fields of the configuration; empty: any
  std::vector<std::pair<std::uint64_t, std::uint64_t>> vectors;  ///< first to last; empty: any
  std::vector<Field> fields;         ///< result fields that may differ; empty: any
  std::uint64_t expected_flags = 0;  ///< bits set in the flags of the right answer
  std::uint64_t flag_bits = 0;       ///< the only bits of flags that may differ; 0: any
};

/// The flags of a record: of its right answer, and as given.
struct FlagPair {
  std::uint64_t right = 0;
  std::uint64_t given = 0;
};

/// What became of a waiver in a run.
struct WaiverUse {
  Waiver waiver;
  bool is_expired = false;  ///< and so it waived nothing
  std::uint64_t words = 0;
  std::uint64_t records = 0;
};

/// The waivers of a run.
class Waivers {
 public:
  Waivers() = default;
  /// Those of an operation, for records of these configurations. `today`: YYYY-MM-DD.
  Waivers(std::vector<Waiver> waivers, Operation op, std::span<const Configuration> configurations,
          std::string_view today);

  /// The same for other records: without those of single vectors, whose numbers mean nothing there.
  [[nodiscard]] Waivers of_others(std::span<const Configuration> configurations) const;

  /// "" or the first field that a waiver names and no configuration of the run has.
  [[nodiscard]] std::string problem() const { return problem_; }

  /// Are all words of record i that are compared and differ waived? `number`: the record's in the
  /// run.
  [[nodiscard]] bool covers(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                            const OpenAnswer& open, std::uint64_t number) const;
  /// Takes the waived words of record i, whose verdict this is, out of those compared. True if no
  /// other word differs: the record is no mismatch any more.
  bool waive(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
             const OpenAnswer& open, std::uint64_t number, Verdict& verdict);

  /// The waiver of a word that differs, an index into uses(); uses().size() for none. `config`: the
  /// number of the record's configuration.
  [[nodiscard]] std::size_t waiver_of(std::size_t config, std::uint64_t number, Field field,
                                      const FlagPair& flags) const;
  /// Adds what somebody else waived.
  void add_use(std::size_t waiver, std::uint64_t words, std::uint64_t records);

  [[nodiscard]] const std::vector<WaiverUse>& uses() const { return uses_; }
  [[nodiscard]] bool has_expired() const;
  /// A verdict's headline; where nothing but an expired waiver is wrong, "FAIL expired waivers,
  /// 11/11".
  [[nodiscard]] std::string headline(const Verdict& verdict) const;
  /// A line for each waiver: used, never used, expired. "" for none.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] std::size_t waiver_of(const RecordBatch& expected, const RecordBatch& actual,
                                      std::size_t i, std::uint64_t number, Field field) const;

  std::vector<WaiverUse> uses_;
  std::vector<std::vector<bool>> fits_;  ///< by waiver and configuration
  std::string problem_;
};

}  // namespace mx::golden
