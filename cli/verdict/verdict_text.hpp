// A verdict as people read it: three lines.
#pragma once

#include <string>
#include <vector>

#include "golden/answers/verdict.hpp"

namespace mx::cli {

struct VerdictText {
  std::string result;                 ///< "PASS 11/11 records, suite smoke, dut reference"
  std::string authority = "source";   ///< who is silent on words that are open: "certificate"
  golden::Verdict counts;             ///< of words
  std::string things;                 ///< what was judged: "blocks", "records"
  std::string what;                   ///< of the words is compared, "their codes"; "" for all
  std::vector<std::string> left_out;  ///< what else was not compared, and why
  std::string again;                  ///< the command that repeats it
  std::string digest;                 ///< of the answers, "" for none
};

/// The result; what was compared and what was not, and why, without counts of zero; how to repeat
/// it. With a line feed each.
[[nodiscard]] std::string three_lines(const VerdictText& verdict);

/// A line without its line feed.
[[nodiscard]] std::string whole_line(const std::string& line);

/// What a long verdict begins with, up to its first semicolon: "FAIL 10/11 records".
[[nodiscard]] std::string first_clause(const std::string& line);

}  // namespace mx::cli
