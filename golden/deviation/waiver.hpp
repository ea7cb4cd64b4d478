// Known deviations that somebody has reviewed: words that differ where a waiver says so are counted
// as waived, every other one is a mismatch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/answers/answers.hpp"
#include "golden/answers/verdict.hpp"
#include "golden/configuration/text.hpp"
#include "golden/deviation/deviation.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// First and last.
using CodeRange = std::pair<std::uint64_t, std::uint64_t>;

/// Inputs by what they hold. Everything that is named has to be there.
struct InputPredicate {
  std::vector<std::string> has;             ///< kinds of values and of blocks (spec V10)
  std::optional<CodeRange> scale;           ///< codes of the operand's scale
  std::optional<CodeRange> expected_scale;  ///< codes of the right answer's scale

  [[nodiscard]] bool is_empty() const { return has.empty() && !scale && !expected_scale; }
};

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
  InputPredicate where;              ///< what the operands hold
  /// The cause: the whole answer has to be that of a device which deviates so. Empty: any.
  std::vector<Deviation> as;
};

/// An answer as waivers are asked about it: record i of two batches.
struct AnswerAt {
  const RecordBatch& expected;  ///< operands and the right answer
  const RecordBatch& actual;
  std::size_t i = 0;
  const OpenAnswer& open;
  std::uint64_t number = 0;  ///< the record's, in the run
};

/// Answers what waivers ask of values. One judge serves one thread.
class WaiverJudge {
 public:
  WaiverJudge() = default;
  WaiverJudge(const WaiverJudge&) = delete;
  WaiverJudge& operator=(const WaiverJudge&) = delete;
  virtual ~WaiverJudge() = default;

  /// Does the record hold what the waiver's `where` names?
  [[nodiscard]] virtual bool has_input(std::size_t waiver, const AnswerAt& at) = 0;
  /// Is the answer, as far as it is compared, that of the waiver's `as`?
  [[nodiscard]] virtual bool is_cause(std::size_t waiver, const AnswerAt& at) = 0;
};
/// Makes one for records of a header, which lives as long; the numbers of waivers are those of the
/// list. golden/deviation/waiver_judge.hpp has it.
using WaiverJudgeMaker = std::function<std::unique_ptr<WaiverJudge>(
    const VectorHeader& header, const std::vector<Waiver>& waivers)>;

/// What became of a waiver in a run.
struct WaiverUse {
  Waiver waiver;
  bool is_expired = false;  ///< and so it waived nothing
  std::uint64_t words = 0;
  std::uint64_t records = 0;
  std::uint64_t right = 0;          ///< right answers that it concerns, where it has a cause
  std::uint64_t against = 0;        ///< of those, the ones that the cause would have made wrong
  std::uint64_t first_against = 0;  ///< the number of the first of them

  /// A cause that waived words, and right answers that it would have made wrong: it is not what the
  /// device does.
  [[nodiscard]] bool is_contradicted() const { return words != 0 && against != 0; }
};

/// The waivers of a run.
class Waivers {
 public:
  Waivers() = default;
  /// Those of records of this header. `today`: YYYY-MM-DD. `make_judge` is needed where a waiver
  /// has `where` or `as`.
  Waivers(std::vector<Waiver> waivers, const VectorHeader& header, std::string_view today,
          WaiverJudgeMaker make_judge);
  /// A copy has a judge of its own.
  Waivers(const Waivers& other);
  Waivers& operator=(const Waivers& other);
  Waivers(Waivers&&) = default;
  Waivers& operator=(Waivers&&) = default;
  ~Waivers() = default;

  /// The same for other records: without those of single vectors, whose numbers mean nothing there.
  [[nodiscard]] Waivers of_others(const VectorHeader& header) const;

  /// "" or the first field that a waiver names and no configuration of the run has.
  [[nodiscard]] std::string problem() const { return problem_; }

  /// Are all words of an answer that are compared and differ waived?
  [[nodiscard]] bool covers(const AnswerAt& at);
  /// Takes the waived words of a wrong answer, whose verdict this is, out of those compared, and
  /// adds them to `rest`, which says what is not compared. True if no other word differs: the
  /// record is no mismatch any more.
  bool waive(const AnswerAt& at, Verdict& verdict, OpenAnswer& rest);
  /// Could no answer of record `number` be wrong, since waivers without a cause cover every word of
  /// it that is compared? Such a record is not judged, whatever its answer is.
  [[nodiscard]] bool covers_whole(const AnswerAt& at);
  /// Cheap: false where covers_whole() is false for every answer of that record.
  [[nodiscard]] bool may_cover_whole(std::size_t config, std::uint64_t number) const;
  /// Takes the words of a record that is covered whole, whose verdict this is, out of those
  /// compared. Was it?
  bool take_unjudged(const AnswerAt& at, Verdict& verdict);
  /// Holds the causes against a right answer.
  void see_right(const AnswerAt& at);

  /// The waivers that an answer as a whole fits, as indices into uses().
  [[nodiscard]] std::vector<std::size_t> fitting(const AnswerAt& at);
  /// The first of them that waives a word of a field; uses().size() for none.
  [[nodiscard]] std::size_t waiver_of(std::span<const std::size_t> fitting, const AnswerAt& at,
                                      Field field) const;
  /// Adds what somebody else counted.
  void add_use(const WaiverUse& use, std::size_t waiver);

  [[nodiscard]] const std::vector<WaiverUse>& uses() const { return uses_; }
  /// Has one a cause, so that right answers have something to say?
  [[nodiscard]] bool has_causes() const { return has_causes_; }
  /// Does one make the run fail whatever the device does?
  [[nodiscard]] bool has_failed() const;
  /// A verdict's headline; where nothing but a waiver is wrong, "FAIL expired waivers, 11/11".
  [[nodiscard]] std::string headline(const Verdict& verdict) const;
  /// What of waivers is wrong: "expired waivers", "contradicted waivers", "".
  [[nodiscard]] std::string_view failure() const;
  /// A line for each waiver: used, never used, contradicted, expired. "" for none.
  [[nodiscard]] std::string text() const;

 private:
  [[nodiscard]] bool concerns(std::size_t waiver, const AnswerAt& at);
  /// Do the configuration and the number of a record fit?
  [[nodiscard]] bool names_record(std::size_t waiver, std::size_t config,
                                  std::uint64_t number) const;
  [[nodiscard]] WaiverJudge& judge();

  std::vector<WaiverUse> uses_;
  std::vector<std::vector<bool>> fits_;  ///< by waiver and configuration
  bool has_causes_ = false;
  std::string problem_;
  std::shared_ptr<const VectorHeader> header_;
  WaiverJudgeMaker make_judge_;
  std::unique_ptr<WaiverJudge> judge_;  ///< made when it is first asked
};

}  // namespace mx::golden
