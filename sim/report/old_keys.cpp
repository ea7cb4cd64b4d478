// SPDX-License-Identifier: Apache-2.0
#include "sim/report/old_keys.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "golden/bytes/json_whole.hpp"

namespace mx::sim {
namespace {

using Json = nlohmann::ordered_json;

/// By value: a new member moves the others of its object.
void put(Json& to, const std::string& name, Json value) { to[name] = std::move(value); }

/// "words": {"open": 3} as "words_open": 3.
void add_flat(const Json& from, const std::string& counts, Json& to) {
  for (const char* name : {"compared", "dont_care", "open", "unobserved", "waived"}) {
    put(to, counts + "_" + name, from.at(counts).at(name));
  }
}

void add_to_cell(Json& cell, bool is_stream) {
  const Json counts = cell.at("counts");
  const Json& transactions = counts.at("transactions");
  add_flat(counts, "words", cell);
  if (cell.contains("first_mismatch")) {
    Json& first = cell["first_mismatch"];
    put(first, is_stream ? "block" : "record", first.at("number"));
  }
  if (!is_stream) {
    cell["records"] = transactions.at("checked");
    cell["judged"] = transactions.at("compared");
    cell["mismatches"] = transactions.at("wrong");
    return;
  }
  add_flat(counts, "elements", cell);
  cell["blocks"] = transactions.at("checked");
  cell["blocks_compared"] = transactions.at("compared");
  cell["blocks_without_compared_word"] = transactions.at("without_compared_word");
  cell["wrong_blocks"] = transactions.at("wrong");
  cell["elements"] = counts.at("elements").at("all");
  cell["wrong_elements"] = counts.at("elements").at("wrong");
  const Json& certificates = counts.at("certificates");
  cell["elements_certified"] = certificates.at("elements");
  cell["elements_without_certificate"] = certificates.at("elements_without");
  cell["scales_certified"] = certificates.at("scales");
}

/// Scale in bits 7:0, status bits above.
Json status_of(const Json& answer) {
  const auto scale = golden::whole<unsigned>(answer.at("scale").at(0));
  return scale | golden::whole<unsigned>(answer.at("flags").at(0)) << 8U;
}

Json old_mismatch(const Json& wrong) {
  const Json& operands = wrong.at("operands");
  const Json& expected = wrong.at("expected");
  const Json& given = wrong.at("given");
  const Json& source = operands.at("source");
  return {{"block", wrong.at("number")},
          {"from", wrong.at("from")},
          {"configuration", wrong.at("configuration")},
          {"source", source},
          {"random", operands.value("random", Json(std::vector<unsigned>(source.size(), 0)))},
          {"keep", operands.at("keep").at(0)},
          {"expected_status", status_of(expected)},
          {"device_status", status_of(given)},
          {"expected_codes", expected.at("code")},
          {"device_codes", given.at("code")},
          {"replay", wrong.at("replay")}};
}

void add_of_streams(Json& report) {
  Json blocks = report.at("transactions");
  report["blocks_without_compared_word"] = blocks.at("without_compared_word");
  blocks.erase("without_compared_word");
  report["blocks"] = std::move(blocks);
  put(report["elements"], "checked", report.at("elements").at("compared"));
  put(report["certificates"], "judge", report.at("judge"));
  put(report, "cycles", report.at("clock").at("cycles"));
  put(report, "resets", report.at("clock").at("resets"));
  Json mismatches = Json::array();
  for (const Json& wrong : report.at("wrong")) mismatches.push_back(old_mismatch(wrong));
  report["mismatches"] = std::move(mismatches);
  put(report, "protocol_failures", report.at("protocol").at("failures"));
}

void add_of_records(Json& report) {
  const Json transactions = report.at("transactions");
  report["records"] = transactions.at("checked");
  report["judged"] = transactions.at("compared");
  report["mismatches"] = transactions.at("wrong");
  report["declared"] = transactions.at("declared");
  add_flat(Json(report), "words", report);
  const Json protocol = report.at("protocol");
  const Json& failures = protocol.at("failures");
  report["protocol_failure"] = failures.empty() ? Json("") : failures.at(0).at("what");
  report["replay"] = failures.empty() ? Json("") : failures.at(0).at("replay");
  report["out_of_step"] = protocol.at("out_of_step");
}

}  // namespace

void add_old_keys(Json& report) {
  const std::string thing = report.at("transaction");
  const bool is_stream = thing == "block";
  const Json schedule = report.at("schedule");
  for (const auto& [name, value] : schedule.items()) report[name] = value;
  for (Json& cause : report["causes"]) {
    put(cause, thing + "s", cause.at("transactions"));
    put(cause, "first_" + thing, cause.at("first"));
  }
  for (Json& cell : report["cells"]) add_to_cell(cell, is_stream);
  is_stream ? add_of_streams(report) : add_of_records(report);
}

}  // namespace mx::sim
