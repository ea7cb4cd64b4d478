// The scoreboard of a bench: answers that were expected, in order, against those that came. It
// counts what it compared, and passes only if that was something and nothing is left over.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/bus/handle.hpp"

namespace mx::bridge {

/// One answer as a device gives it: value and unknown bits (X or Z) of each field. Words beyond the
/// end of a value count as unknown; fields that the device has not are masked.
struct Observed {
  struct Field {
    BusIn value;
    BusIn unknown;
  };
  std::array<Field, 3> fields;  ///< scale, code, flags
};

/// What became of the records and of their words.
struct ScoreCounts {
  std::uint64_t expected = 0;    ///< records
  std::uint64_t observed = 0;    ///< records
  std::uint64_t wrong = 0;       ///< records that differ, have unknown bits or were never asked for
  std::uint64_t unknown = 0;     ///< of these, records with unknown bits in what is compared
  std::uint64_t compared = 0;    ///< words
  std::uint64_t open = 0;        ///< words, not compared
  std::uint64_t unobserved = 0;  ///< words, not compared: the device does not give them
};

class Score {
 public:
  /// A scoreboard of a text of words: name=TEXT (mxgold); nan=exact or nan=any, where any NaN code
  /// stands for another; errors=N, how many mismatches have a message (10). Never nullptr: error()
  /// says what is wrong with the text, and the verdict then fails.
  [[nodiscard]] static std::unique_ptr<Score> open(std::string_view text);

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const ScoreCounts& counts() const { return counts_; }

  /// A count of the verdict by its name, "compared", "wrong", ...; 0 for another name.
  [[nodiscard]] std::uint64_t count(std::string_view what) const;

  /// Which bits of each word of a result field ("scale", "code", "flags") the device gives; all of
  /// them at first. False and error() for another field.
  bool set_mask(std::string_view field, std::uint64_t mask);
  /// Keeps in error() why a call did nothing; the verdict then fails. Returns false.
  bool refuse(std::string why);

  /// Queues the last answer of a handle. `context` is said of it when it is not met. Fails where
  /// the handle has not answered, or is nullptr; that record then counts as wrong.
  bool expect(Handle* handle, std::string_view context);
  /// Compares what came with what is expected next. True where they agree.
  bool observe(const Observed& seen);
  /// What observe() or expect() said last: "" for nothing, or beyond `errors`.
  [[nodiscard]] const std::string& message() const { return message_; }

  /// Looks for answers that never came. True for a pass.
  bool finish();
  /// One line that begins with PASS or FAIL.
  [[nodiscard]] const std::string& verdict() const { return verdict_; }

 private:
  /// A word of a result, with what of it is compared.
  struct Word {
    std::uint64_t value = 0;
    std::uint64_t open = 0;
    bool is_nan = false;
  };
  struct Expected {
    std::uint64_t record = 0;
    std::array<std::vector<Word>, 3> fields;
    std::array<int, 3> lane_bits{};
    std::array<ElementFormat, 3> formats;  ///< bits == 0: no format
    std::string operands;
    std::string context;
    std::string model;
  };
  struct Difference {
    std::string text;  ///< "" where they agree
    bool is_unknown = false;
  };
  [[nodiscard]] Difference compare(const Expected& wanted, const Observed& seen,
                                   ScoreCounts& counts) const;
  [[nodiscard]] Difference compare_word(const Expected& wanted, std::size_t field, std::size_t word,
                                        const Observed::Field& seen, ScoreCounts& counts) const;
  bool tell(std::string text);

  std::string name_ = "mxgold";
  bool any_nan_ = false;
  std::uint64_t errors_ = 10;
  std::array<std::uint64_t, 3> masks_ = {~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  std::deque<Expected> queue_;
  ScoreCounts counts_;
  std::uint64_t told_ = 0;
  std::string error_;
  std::string message_;
  std::string first_;  ///< the first thing that was wrong
  std::string verdict_;
};

}  // namespace mx::bridge
