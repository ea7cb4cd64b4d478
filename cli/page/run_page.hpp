// A run as one static page: verdict, what was and was not compared, scoreboard, failures bit by
// bit, coverage. No scripts, nothing from elsewhere; readable on a narrow screen and on paper.
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
};

struct PageFailure {
  std::string title;
  std::string text;  ///< lines for a person
  std::string replay;
  std::vector<PageWord> words;  ///< those that differ
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
  std::string verdict;  ///< the run's last line or lines
  bool has_passed = false;
  PageFacts facts;                  ///< device, input, seed, ...
  PageFacts counts;                 ///< words compared, don't-care, ...
  std::vector<std::string> absent;  ///< what was not offered or not compared, and why
  std::vector<std::string> causes;
  std::vector<PageCell> cells;
  std::vector<PageFailure> failures;
  std::uint64_t unshown = 0;  ///< further failures, counted
  std::string waivers;        ///< lines, "" for none
  std::vector<golden::Covergroup> coverage;
};

[[nodiscard]] std::string run_page_html(const RunPage& page);

}  // namespace mx::cli
