#include "cli/verdict/verdict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/bytes/number_text.hpp"

namespace mx::cli {
namespace {

std::vector<std::string> reasons_of(const VerdictText& verdict) {
  std::vector<std::string> list;
  const auto add = [&](std::uint64_t count, const std::string& why) {
    if (count != 0) list.push_back(fmt::format("{} {}", golden::with_commas(count), why));
  };
  const golden::Verdict& counts = verdict.counts;
  add(counts.dont_care, "don't-care (codes under a NaN scale)");
  add(counts.open, fmt::format("open (no {} says which bits are right)", verdict.authority));
  add(counts.unobserved, "unobserved (the device does not give them)");
  add(counts.waived, "waived (known deviations)");
  add(counts.unjudged, fmt::format("{} without a compared word", verdict.things));
  for (const std::string& each : verdict.left_out) {
    if (!each.empty()) list.push_back(each);
  }
  return list;
}

}  // namespace

std::string three_lines(const VerdictText& verdict) {
  const std::vector<std::string> reasons = reasons_of(verdict);
  std::string compared =
      fmt::format("{} words compared{}", golden::with_commas(verdict.counts.words),
                  verdict.what.empty() ? "" : " (" + verdict.what + ")");
  if (!reasons.empty()) compared += fmt::format("; not compared: {}", fmt::join(reasons, "; "));
  const std::string digest = verdict.digest.empty() ? "" : " # sha256:" + verdict.digest;
  return fmt::format("{}\n  {}\n  repeat: {}{}\n", verdict.result, compared, verdict.again, digest);
}

std::string whole_line(const std::string& line) { return line.substr(0, line.find('\n')); }

std::string first_clause(const std::string& line) {
  return line.substr(0, line.find_first_of(";\n"));
}

}  // namespace mx::cli
