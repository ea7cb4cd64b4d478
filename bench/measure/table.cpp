#include "bench/measure/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace mx::goals {

namespace {

/// `value` in so many digits behind the point.
std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string rate(double items_per_second) { return fixed(items_per_second / 1e6, 1) + " M/s"; }

/// Why a line without a verdict has none, or "".
std::string reason(const Outcome& outcome) {
  if (outcome.verdict != Verdict::kUnsteady || !outcome.ratio) return "";
  if (outcome.ratio->is_steady()) return "fewer rounds than " + std::to_string(kLeastRounds);
  return "p25 to p75 is " + fixed(100 * outcome.ratio->width(), 0) + " % of the median";
}

/// Three digits where a goal is decided by the third.
std::string ratio_words(double ratio) { return fixed(ratio, ratio < 2 ? 3 : 2); }

std::string others(const Outcome& outcome) {
  std::string words;
  for (const Rate& each : outcome.others) {
    words += (words.empty() ? "" : ", ") + each.name + " " + rate(each.rate);
  }
  return words.empty() ? "" : "slower: " + words;
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

int count_of(std::span<const Outcome> outcomes, Verdict verdict) {
  return static_cast<int>(std::ranges::count(outcomes, verdict, &Outcome::verdict));
}

}  // namespace

std::string table_head() {
  return "| row | work | ours | peer or limit | ratio (p25 .. p75) | goal | verdict | note |\n"
         "|---|---|---|---|---|---|---|---|\n";
}

std::string table_line(const Outcome& outcome) {
  std::string line = "| " + outcome.id + " | " + outcome.what + " | ";
  if (outcome.ratio) {
    const Spread& r = *outcome.ratio;
    line += rate(outcome.our_rate) + " | " + rate(outcome.peer_rate) + ", " + outcome.peer + " | " +
            ratio_words(r.median) + " (" + ratio_words(r.low) + " .. " + ratio_words(r.high) +
            ") | ";
  } else {
    line += "- | - | - | ";
  }
  line += (outcome.goal > 0 ? fixed(outcome.goal, 2) : std::string("-")) + " | ";
  line += std::string(word_of(outcome.verdict)) + " | ";
  return line + joined(joined(reason(outcome), outcome.note), others(outcome)) + " |\n";
}

std::string summary(std::span<const Outcome> outcomes) {
  std::string words;
  for (const Verdict verdict : {Verdict::kMet, Verdict::kNotMet, Verdict::kReported,
                                Verdict::kUnsteady, Verdict::kMismatch, Verdict::kSkipped}) {
    words += (words.empty() ? "" : ", ") + std::to_string(count_of(outcomes, verdict)) + " " +
             std::string(word_of(verdict));
  }
  return words;
}

int exit_status(std::span<const Outcome> outcomes, bool is_strict) {
  if (count_of(outcomes, Verdict::kMismatch) != 0) return 1;
  const bool is_measured =
      std::ranges::any_of(outcomes, [](const Outcome& each) { return each.ratio.has_value(); });
  if (!is_measured) return 77;
  const int short_of_it = count_of(outcomes, Verdict::kNotMet) +
                          count_of(outcomes, Verdict::kUnsteady) +
                          count_of(outcomes, Verdict::kSkipped);
  return is_strict && short_of_it != 0 ? 1 : 0;
}

}  // namespace mx::goals
