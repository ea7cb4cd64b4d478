// SPDX-License-Identifier: Apache-2.0
// Compares the answers of a device with what is expected, word by word.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "golden/answers/answers.hpp"
#include "sim/judge/mismatch.hpp"
#include "sim/judge/shift.hpp"
#include "sim/score/input.hpp"
#include "sim/score/right_sample.hpp"
#include "sim/score/score.hpp"

namespace mx::sim {

struct ScoreOptions {
  std::size_t keep_mismatches = 20;
  /// Whose answers the device's are compared with, beside what is expected; every one must agree
  /// with the device.
  std::vector<golden::AnswererFactory> judges;
  Judge judge = Judge::kReference;
  CertificateMaker make_certificate = make_fp32_certificate;
  Compare compare = Compare::kNormative;
  golden::Observed observed;  ///< what of the device's answers is compared
  golden::Waivers waivers;    ///< known deviations
  /// Shares the answering of a batch among threads.
  golden::ForEachPiece for_each_piece;
};

/// Not thread-safe: one for each thread.
class Scoreboard {
 public:
  /// All of them must live as long.
  Scoreboard(const golden::VectorHeader& header, const RecordInput& input,
             const ScoreOptions& options);

  /// A device starts afresh: its answers have no neighbours yet.
  void start_segment() { last_ = {}, shift_ = {}; }
  /// Takes the device's answers to records [first, first + actual.size()). `operands`: these
  /// records as the input gives them, where the caller has them; they are used up.
  void take(std::uint64_t first, const golden::RecordBatch& actual,
            golden::RecordBatch* operands = nullptr);

  /// Wrong records so far.
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
  /// Records so far.
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  /// "" or from where on the answers of this segment are those of a neighbour.
  [[nodiscard]] std::string shift_text() const {
    return shift_.text(header_.sideband == golden::Sideband::kPresent ? "block" : "record");
  }
  /// Are the wrong answers of the last batch the right ones of near neighbours, and the other way
  /// round? Then records changed places, and nothing was computed wrongly.
  [[nodiscard]] bool looks_reordered() const { return is_reordered_; }
  /// Ends it.
  [[nodiscard]] Score finish() {
    score_.right = rights_.take();
    return std::move(score_);
  }

 private:
  /// Records with the answers that are expected, that the reference gives, and that the device
  /// gave. Operands of `actual` are as they were offered, those of the others as they count.
  struct Answers {
    const golden::RecordBatch* expected = nullptr;
    const golden::RecordBatch* own = nullptr;
    const golden::RecordBatch* actual = nullptr;
  };
  /// One record with its answers, or none.
  struct LastRecord {
    golden::RecordBatch expected, own, actual;
  };

  void answer(golden::RecordBatch& batch, const golden::AnswererFactory& make) const;
  [[nodiscard]] golden::OpenAnswer open_of(const golden::RecordBatch& own, std::size_t i) const;
  /// Certificates in place of the reference where they alone say what is right.
  void take_certified(std::size_t i, golden::OpenAnswer& open);
  bool check(std::size_t i, std::uint64_t number, const golden::OpenAnswer& open);
  /// The answers of another judge that the device's contradicts; nullptr for none.
  [[nodiscard]] const golden::RecordBatch* wrong_by_others(std::size_t i, std::uint64_t number,
                                                           golden::OpenAnswer open);
  void ask_certificates(std::size_t i, std::uint64_t number, const golden::OpenAnswer& open,
                        const golden::OpenAnswer& rest);
  /// Record i with everything that a report says of it.
  [[nodiscard]] RecordMismatch noted(const golden::RecordBatch& expected, std::size_t i,
                                     std::uint64_t number, const golden::OpenAnswer& open) const;
  void keep_wrong(const golden::RecordBatch& expected, std::size_t i, std::uint64_t number,
                  const golden::OpenAnswer& open);
  void keep_right(const golden::Verdict& verdict, std::size_t i, std::uint64_t number,
                  const golden::OpenAnswer& open);
  void see_shift(std::size_t i, std::uint64_t number, const golden::OpenAnswer& open,
                 bool is_right);
  void keep_last();

  const golden::VectorHeader& header_;
  const RecordInput& input_;
  const ScoreOptions& options_;
  golden::RecordShape shape_;
  golden::ReferenceAnswerer reference_;
  std::optional<RecordCertificates> certificates_;
  Score score_;
  RightSample rights_;
  std::uint64_t wrong_ = 0, seen_ = 0;
  bool is_reordered_ = false;
  ShiftFinder shift_;
  golden::RecordBatch expected_, own_;       ///< of the batch; own_ where it differs
  Answers now_;                              ///< the batch
  std::vector<golden::RecordBatch> others_;  ///< its answers by the other judges
  LastRecord last_;                          ///< the last record of the batch before
};

/// Operands of streams as they count: no bits above a source's, +0 in lanes that are not kept.
/// Others stay as they are.
void settle_operands(const golden::VectorHeader& header, golden::RecordBatch& batch);

/// Puts 0 in place of every answer.
void clear_results(golden::RecordBatch& batch);

/// Are the wrong answers among these the right ones of near neighbours, and the other way round?
[[nodiscard]] bool looks_reordered(const golden::RecordBatch& expected,
                                   const golden::RecordBatch& actual,
                                   const golden::Observed& observed);

}  // namespace mx::sim
