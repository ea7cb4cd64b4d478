// Comparison of two answers, word by word, and counts of what was compared and what was not.
#pragma once

#include <cstdint>
#include <string>

#include "golden/answers/answers.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// The codes of lanes that take part, by what became of them: every one is in one of these counts.
struct ElementCounts {
  std::uint64_t compared = 0;
  std::uint64_t dont_care = 0;   ///< under a NaN scale, left free by the policy
  std::uint64_t open = 0;        ///< left open by the profile
  std::uint64_t unobserved = 0;  ///< not given by the device
  std::uint64_t waived = 0;      ///< differ, as a waiver says

  ElementCounts& operator+=(const ElementCounts& other);
  bool operator==(const ElementCounts&) const = default;
  [[nodiscard]] std::uint64_t left_out() const { return dont_care + open + unobserved + waived; }
  [[nodiscard]] std::uint64_t all() const { return compared + left_out(); }
};

/// Counts of a comparison. Every word of every answer is compared, don't-care, open, unobserved or
/// waived.
struct Verdict {
  std::uint64_t vectors = 0;
  std::uint64_t mismatches = 0;  ///< vectors with a compared word that differs
  std::uint64_t unjudged = 0;    ///< vectors of which no word was compared
  ElementCounts codes;           ///< of the words of all answers, those that are codes of elements
  std::uint64_t bad_elements = 0;  ///< codes that differ; a wrong scale alone counts none
  std::uint64_t words = 0;         ///< words compared: codes, scales, flags
  std::uint64_t dont_care = 0;     ///< words under a NaN scale that the policy leaves free
  std::uint64_t open = 0;          ///< words that the profile leaves open
  std::uint64_t unobserved = 0;    ///< words of fields that the device does not give
  std::uint64_t waived = 0;        ///< words of known deviations

  Verdict& operator+=(const Verdict& other);
  bool operator==(const Verdict&) const = default;
  [[nodiscard]] std::uint64_t judged() const { return vectors - unjudged; }
  /// Nothing differs, and something was compared.
  [[nodiscard]] bool passed() const { return mismatches == 0 && judged() != 0; }
  /// "PASS 11/11", "FAIL 10/11", and "NOTHING COMPARED" where no word was.
  [[nodiscard]] std::string headline() const;
  /// "1,234 words compared, 32 don't-care, 0 open, 0 unobserved, 0 waived; 0 of 11 vectors without
  /// a compared word".
  [[nodiscard]] std::string coverage() const;
};

/// Do the words that pass through a device come out as they went in, where it gives them?
[[nodiscard]] bool passes_through(const RecordBatch& expected, const RecordBatch& actual,
                                  std::size_t i, const Observed& observed);

/// Is a word of the answer compared?
[[nodiscard]] bool is_compared(const OpenAnswer& open, Field field, std::size_t lane);

/// Is a word of the answer wrong: it is compared and differs, or it is open but for which NaN or
/// zero it is (OpenAnswer::alike) and is none?
[[nodiscard]] bool is_wrong(const OpenAnswer& open, Field field, std::size_t lane,
                            std::uint64_t right, std::uint64_t given);

/// Compares record i of two batches of one shape and counts it. True if they agree in every word
/// that is compared.
bool compare_answer(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                    const OpenAnswer& open, Verdict& verdict);

/// compare_answer() of all records at once, where nothing is open or unobserved. False, and nothing
/// is counted, where a word differs: the records are then to be compared one by one.
bool all_answers_agree(const RecordBatch& expected, const RecordBatch& actual, Verdict& verdict);

/// Do all records of two batches agree in every word of their answers?
[[nodiscard]] bool same_answers(const RecordBatch& a, const RecordBatch& b);

/// Do they agree in every word, don't-care codes included?
[[nodiscard]] bool same_answer(const RecordBatch& a, const RecordBatch& b, std::size_t i);

}  // namespace mx::golden
