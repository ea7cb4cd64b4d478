// A run as one static page: verdict, what was and was not compared, scoreboard, failures bit by
// bit, coverage. Nothing from elsewhere; its one script copies a command. Readable on a narrow
// screen, in the dark and on paper.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "golden/coverpoints/coverpoint.hpp"

namespace mx::cli {

/// A word of an answer, expected and as the device gave it.
struct PageWord {
  std::string name;  ///< "lane 3", "scale"
  std::uint64_t expected = 0;
  std::uint64_t given = 0;
  std::vector<int> fields;     ///< widths in bits from the top: sign, exponent, significand
  std::string expected_value;  ///< "" where the word is no number
  std::string given_value;
  std::string line;  ///< both on the number line of their format, as SVG; "" where there is none
};

struct PageFailure {
  std::string title;
  std::string text;  ///< lines for a person
  std::string replay;
  std::vector<PageWord> words;  ///< those that differ
};

/// What explains wrong answers.
struct PageCause {
  std::string text;
  std::uint64_t wrong = 0;   ///< wrong answers that it makes, of those looked at
  std::uint64_t looked = 0;  ///< wrong answers looked at
  /// Right answers that it leaves as they are: all that were looked at. 0: says nothing of them.
  std::uint64_t right = 0;
  std::string waiver;  ///< the member of a waiver, "" for none
};

/// A place of the scoreboard.
struct PageCell {
  std::string row;
  std::string column;
  std::uint64_t compared = 0;  ///< elements or records
  std::uint64_t left_out = 0;  ///< elements or records that were not compared
  std::uint64_t words = 0;     ///< compared: blocks have scales and status bits too
  std::uint64_t wrong = 0;     ///< blocks or records
};

using PageFacts = std::vector<std::pair<std::string, std::string>>;

struct RunPage {
  /// Three lines: the result; what was compared, and what was not; how to do it again.
  std::vector<std::string> headline;
  std::string again;    ///< the command of the third line, "" for none
  std::string verdict;  ///< the run's last line or lines
  bool has_passed = false;
  PageFacts facts;                  ///< device, input, seed, ...
  PageFacts counts;                 ///< words compared, don't-care, ...
  std::vector<std::string> absent;  ///< what was not offered or not compared, and why
  std::vector<PageCause> causes;
  std::vector<PageCell> cells;
  std::vector<PageFailure> failures;
  std::uint64_t unshown = 0;  ///< further failures, counted
  std::string waivers;        ///< lines, "" for none
  std::vector<golden::Covergroup> coverage;
};

[[nodiscard]] std::string run_page_html(const RunPage& page);

}  // namespace mx::cli
