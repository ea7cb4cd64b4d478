#include "cli/parts/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

bool is_pass_or_mismatch(int status) { return status <= 1; }

/// A part of which nothing is compared is status 3, with a report: the whole is judged by the sum.
bool is_verdict_on_words(int status) { return status <= 1 || status == 3; }

/// A damaged file and one that was not judged are status 3, a wrong answer 6.
bool is_verdict_on_goldens(int status) { return status == 0 || status == 3 || status == 6; }

/// No mutant of the part judged is status 3, one left is 5, one killed and proved equivalent 6.
bool is_verdict_on_mutants(int status) {
  return status == 0 || status == 3 || status == 5 || status == 6;
}

std::string digest_of_part(const Json& part) {
  return golden::to_hex(golden::sha256(golden::dumped(part)));
}

PartReport part_of_run(const Json& report, int status) {
  const Json& counts = report.at("transactions");
  const auto wrong = golden::whole<std::uint64_t>(counts.at("wrong"));
  Json part = {{"cases", counts.at("checked")},
               {"words", report.at("words").at("compared")},
               {"wrong", std::max<std::uint64_t>(wrong, status == 1 ? 1 : 0)},
               {"digest", report.at("digest")}};
  for (const Json& cell : report.at("cells")) {
    if (!cell.contains("first_mismatch")) continue;
    part["replay"] = cell.at("first_mismatch").at("replay");
    break;
  }
  return {std::move(part), report.at("dut").get<std::string>()};
}

/// Of one statement; its time is left out: a receipt's digest is of verdicts.
PartReport part_of_proof(const Json& report, int status) {
  const Json& statement = report.at("statements").at(0);
  const auto verdict = statement.at("verdict").get<std::string>();
  const bool is_refuted = status != 0 || (verdict != "proved" && verdict != "held");
  Json part = {{"cases", 1},
               {"words", 1},
               {"wrong", is_refuted ? 1 : 0},
               {"counts", {{verdict, 1}}},
               {"name", statement.at("name")},
               {"control", statement.value("control", "not asked")}};
  part["digest"] = digest_of_part(part);
  return {std::move(part), report.at("rtl").get<std::string>()};
}

/// Of one golden file. One that was not judged is neither right nor wrong.
PartReport part_of_goldens(const Json& report, int status) {
  const Json& file = report.at(0);
  const bool is_unjudged = file.at("verdict") == "NOT JUDGED";
  const bool is_right = is_unjudged || (status == 0 && file.at("verdict") == "PASS");
  Json part = {{"cases", file.at("count")},
               {"words", file.at("count")},
               {"wrong", is_right ? 0 : 1},
               {"counts", {{"files", 1}, {"vectors open in part", file.at("open")}}},
               {"name", file.at("file")},
               {"set_id", file.at("set_id")},
               {"detail", file.at("detail")}};
  if (is_unjudged) part["unjudged"] = file.at("detail");
  part["digest"] = digest_of_part(part);
  return {std::move(part), {}};
}

/// Of some mutants, of one build or two. Those that nothing caught and no proof excused are wrong.
PartReport part_of_mutants(const Json& report, int) {
  Json counts = Json::object();
  Json verdicts = Json::array();
  Json left = Json::array();
  std::uint64_t wrong = 0;
  for (const char* verdict : {"killed", "equivalent", "invalid", "survivor", "undecided"}) {
    std::uint64_t sum = 0;
    for (const Json& build : report.at("builds"))
      sum += golden::whole<std::uint64_t>(build.at(verdict));
    counts[verdict] = sum;
  }
  for (const Json& build : report.at("builds")) {
    wrong += golden::whole<std::uint64_t>(build.at("proved_though_killed"));
    for (const Json& mutant : build.at("mutants")) {
      const Json one = {build.at("build"), mutant.at("command"), mutant.at("verdict"),
                        mutant.value("killed_by", Json())};
      verdicts.push_back(one);
      const bool is_left =
          mutant.at("verdict") == "survivor" || mutant.at("verdict") == "undecided";
      if (is_left) left.push_back(one);
    }
  }
  Json part = {{"cases", report.at("made")},   {"words", report.at("made")},
               {"wrong", wrong + left.size()}, {"counts", std::move(counts)},
               {"left", std::move(left)},      {"digest", digest_of_part(verdicts)}};
  return {std::move(part), report.at("rtl").get<std::string>()};
}

/// A digest that a part has of its own content, as it was before it was numbered.
bool has_own_digest(const Json& part) {
  Json content = part;
  for (const char* added : {"part", "replay", "digest"}) content.erase(added);
  return part.at("digest") == digest_of_part(content);
}

std::string contradiction_of_proof(const Json& part) {
  const Json& counts = part.at("counts");
  if (counts.size() != 1 || part.at("cases") != 1 || part.at("words") != 1) {
    return "is not of one statement";
  }
  const std::string& verdict = counts.begin().key();
  if (verdict != "proved" && verdict != "held" && part.at("wrong") == 0) {
    return fmt::format("is {} and not counted as wrong", verdict);
  }
  return has_own_digest(part) ? "" : "field 'digest': is not that of its content";
}

std::string contradiction_of_golden(const Json& part) {
  return has_own_digest(part) ? "" : "field 'digest': is not that of its content";
}

std::string contradiction_of_mutants(const Json& part) {
  std::uint64_t all = 0;
  for (const Json& count : part.at("counts")) all += golden::whole<std::uint64_t>(count);
  const auto left = golden::whole<std::uint64_t>(part.at("counts").at("survivor")) +
                    golden::whole<std::uint64_t>(part.at("counts").at("undecided"));
  if (all != part.at("words")) return "field 'counts': does not add up to 'words'";
  if (left != part.at("left").size()) return "field 'left': is not what 'counts' says";
  return part.at("wrong") >= left ? "" : "field 'wrong': is less than what is left";
}

std::string contradiction_of_run(const Json& part) {
  const bool has_digest = !part.at("digest").get_ref<const std::string&>().empty();
  return has_digest || part.at("wrong") != 0 ? "" : "is right and has no digest";
}

constexpr std::array<std::string_view, 4> kOfWholeCampaigns = {"--gate", "--least-judged",
                                                               "--prove-killed", "--work"};

constexpr std::array<FarmedCommand, 5> kFarmed = {{
    {"sweep", "words", {}, is_verdict_on_words, nullptr, nullptr},
    {"run", "words compared", {}, is_verdict_on_words, part_of_run, contradiction_of_run},
    {"prove", "statements", {}, is_pass_or_mismatch, part_of_proof, contradiction_of_proof},
    {"verify-goldens",
     "vectors",
     {},
     is_verdict_on_goldens,
     part_of_goldens,
     contradiction_of_golden},
    {"mutate", "mutants", kOfWholeCampaigns, is_verdict_on_mutants, part_of_mutants,
     contradiction_of_mutants},
}};

}  // namespace

std::span<const FarmedCommand> farmed_commands() { return kFarmed; }

const FarmedCommand* find_farmed(std::string_view name) {
  const auto* const found = std::ranges::find(kFarmed, name, &FarmedCommand::name);
  return found == kFarmed.end() ? nullptr : found;
}

void PartTotals::add(const PartTotals& part) {
  const auto sum = [](std::uint64_t a, std::uint64_t b) {
    std::uint64_t all = 0;
    return __builtin_add_overflow(a, b, &all) ? std::numeric_limits<std::uint64_t>::max() : all;
  };
  cases = sum(cases, part.cases);
  words = sum(words, part.words);
  wrong = sum(wrong, part.wrong);
}

PartTotals totals_of_part(const Json& part) {
  return {golden::whole<std::uint64_t>(part.at("cases")),
          golden::whole<std::uint64_t>(part.at("words")),
          golden::whole<std::uint64_t>(part.at("wrong"))};
}

std::string contradiction_of_part(const FarmedCommand& command, const Json& part) {
  const auto& digest = part.at("digest").get_ref<const std::string&>();
  if (!digest.empty() && !golden::parse_digest(digest)) return "field 'digest': is no SHA-256";
  const bool is_wrong = golden::whole<std::uint64_t>(part.at("wrong")) != 0;
  if (part.contains("replay") != is_wrong) {
    return "field 'replay': is there without a wrong answer, or missing beside one";
  }
  return command.contradiction(part);
}

}  // namespace mx::cli
