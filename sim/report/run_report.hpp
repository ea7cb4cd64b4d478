// SPDX-License-Identifier: Apache-2.0
// What JSON, JUnit and the page print of a run: one structure for every device and operation.
//
// A transaction is what a device answers at once: a block on streams, or a record of any operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/answers/answers.hpp"
#include "golden/configuration/judged_by.hpp"
#include "golden/configuration/text.hpp"
#include "golden/deviation/waiver.hpp"
#include "golden/vectors/header.hpp"
#include "reference/number/unpacked.hpp"
#include "sim/causes/causes.hpp"
#include "sim/record/run.hpp"
#include "sim/report/part.hpp"
#include "sim/score/certificates.hpp"

namespace mx::sim {

/// Configurations and blocks of the suite that the device did not get, and why.
struct NotOffered {
  std::uint64_t configurations = 0;
  std::uint64_t blocks = 0;
  std::string why;
};

/// Policies that options hold every configuration of a suite to, those that it varies by itself
/// among them.
struct Narrowed {
  std::string by;            ///< "--src-ftz keep"; "" for none
  std::uint64_t others = 0;  ///< configurations of the whole suite with other values
  std::uint64_t whole = 0;   ///< configurations of the whole suite
};

/// Counts of a run, or of one of its configurations.
struct ReportCounts {
  golden::Verdict verdict;
  std::optional<CertificateCounts> certificates;  ///< where they were asked
};

/// A word of an answer that is wrong.
struct ReportWord {
  std::string name;  ///< "lane 3", "scale"
  std::uint64_t expected = 0;
  std::uint64_t given = 0;
  int bits = 0;
  std::optional<ElementFormat> format = {};  ///< of words that are codes
  std::optional<Unpacked> exact = {};        ///< the value before rounding, where it is known
};

/// The words of a transaction, by the name of their field.
using ReportFields = std::vector<std::pair<std::string, std::vector<std::uint64_t>>>;

struct ReportMismatch {
  std::uint64_t number = 0;  ///< of the transaction in the whole run
  std::size_t configuration = 0;
  std::string from;  ///< where a block comes from: "e4m3fn ...: corner 3"; "" of records
  std::string text;  ///< what is wrong, lines for a person
  std::string replay;
  ReportFields operands, expected, given;
  std::vector<ReportWord> words;  ///< those that are wrong
};

/// The first mismatch of a configuration, as text.
struct ReportFirst {
  std::uint64_t number = 0;
  std::string text;
  std::string replay;
};

struct ReportCell {
  golden::ConfigurationFields fields;  ///< by the names of the specification
  std::string name;                    ///< in one line
  std::string row, column;             ///< its place in the scoreboard of the page
  ReportCounts counts;
  std::optional<ReportFirst> first;
};

/// "narrowed to --src-ftz keep: 390 of the suite's 1,770 configurations have other values"; "" for
/// a suite that is not narrowed.
[[nodiscard]] std::string narrowed_text(const Narrowed& narrowed);

/// What a device broke in transactions [first, last).
struct ReportFailure {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::string what;
  std::string text;  ///< the same with its replay, for a person
  std::string replay;
};

/// Of a device with a clock.
struct ReportClock {
  std::uint64_t cycles = 0;
  std::uint64_t resets = 0;
};

struct RunReport {
  std::string thing;  ///< what a transaction is called: "block" or "record"
  int exit_code = 0;
  int interrupted = 0;  ///< the signal that ended the run, 0 for none
  std::string line;     ///< the verdict in one line without its line feed
  std::string again;    ///< the command of the whole run

  std::string dut;     ///< as --dut says it
  std::string device;  ///< the device's own name
  std::string operation;
  std::string input;   ///< "suite smoke", a file name
  std::string set_id;  ///< of golden vectors; "" for none
  std::uint64_t seed = 0;
  std::uint64_t set_seed = 0;  ///< of golden vectors: another may have drawn them
  golden::JudgedBy judged_by;
  std::string judge;  ///< as --judge says it
  std::string observed;
  std::vector<std::pair<std::string, std::string>> schedule;  ///< stall and reset, by those names
  std::string held_to;  ///< what the stimulus of a module was held to; "" for nothing
  std::vector<NotOffered> not_offered;
  Narrowed narrowed;
  RunPart part;

  std::uint64_t declared = 0;
  std::uint64_t offered = 0;
  std::uint64_t collected = 0;
  ReportCounts counts;
  std::optional<ReportClock> clock;
  double seconds = 0;
  std::string digest;  ///< "" unless every transaction was checked

  std::vector<ReportCell> cells;  ///< of configurations with a transaction
  std::vector<ReportMismatch> mismatches;
  std::vector<ReportFailure> failures;
  std::string out_of_step;    ///< "" or from where on answers are those of a neighbour
  std::string disagreements;  ///< of the judges, lines for a person
  std::uint64_t disagreed = 0;
  std::vector<Cause> causes;
  golden::Waivers waivers;

  /// Not counted by mismatches: they are wrong and not shown.
  [[nodiscard]] std::uint64_t unshown() const {
    return counts.verdict.mismatches - mismatches.size();
  }
  /// "PASS", "FAIL", "NOTHING COMPARED" or "INTERRUPTED".
  [[nodiscard]] std::string_view verdict() const;
};

/// The words of one record with its right answer and a device's: operands, both answers, and those
/// words that are wrong. The rest of the mismatch is left as it is.
[[nodiscard]] ReportMismatch mismatch_words(const golden::VectorHeader& header,
                                            const golden::RecordBatch& expected,
                                            const golden::RecordBatch& actual,
                                            const golden::OpenAnswer& open);

/// What a run says of configuration `i`, without its place on the page and its first mismatch.
[[nodiscard]] ReportCell report_cell(const golden::Configuration& configuration,
                                     const RecordRun& run, std::size_t i);

/// JSON by the schema mxgold-run 2 (docs/schema/mxgold-run-2.json), with a final line feed.
[[nodiscard]] std::string report_json(const RunReport& report);
/// JUnit XML with a case for each configuration, one for each waiver and one for the protocol.
[[nodiscard]] std::string report_junit(const RunReport& report);

}  // namespace mx::sim
