// SPDX-License-Identifier: Apache-2.0
// A run as JSON, by the schema mxgold-run 2.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "golden/bytes/json_text.hpp"
#include "sim/report/old_keys.hpp"
#include "sim/report/run_report.hpp"
#include "sim/report/waivers.hpp"

namespace mx::sim {
namespace {

using Json = nlohmann::ordered_json;

Json elements_json(const golden::Verdict& verdict) {
  const golden::ElementCounts& codes = verdict.codes;
  return {{"all", codes.all()},
          {"compared", codes.compared},
          {"dont_care", codes.dont_care},
          {"open", codes.open},
          {"unobserved", codes.unobserved},
          {"waived", codes.waived},
          {"wrong", verdict.bad_elements}};
}

Json words_json(const golden::Verdict& verdict) {
  return {{"compared", verdict.words},
          {"dont_care", verdict.dont_care},
          {"open", verdict.open},
          {"unobserved", verdict.unobserved},
          {"waived", verdict.waived}};
}

Json certificates_json(const ReportCounts& counts) {
  const CertificateCounts said = counts.certificates.value_or(CertificateCounts{});
  return {{"elements", said.elements}, {"scales", said.scales}, {"elements_without", said.without}};
}

Json fields_json(const ReportFields& fields) {
  Json json = Json::object();
  for (const auto& [name, words] : fields) json[name] = words;
  return json;
}

Json mismatch_json(const ReportMismatch& mismatch) {
  return {{"number", mismatch.number},
          {"from", mismatch.from},
          {"configuration", mismatch.configuration},
          {"operands", fields_json(mismatch.operands)},
          {"expected", fields_json(mismatch.expected)},
          {"given", fields_json(mismatch.given)},
          {"replay", mismatch.replay}};
}

Json cell_json(const ReportCell& cell) {
  Json json;
  for (const auto& [field, value] : cell.fields) json["configuration"][field] = value;
  const golden::Verdict& verdict = cell.counts.verdict;
  json["counts"] = {{"transactions",
                     {{"checked", verdict.vectors},
                      {"compared", verdict.judged()},
                      {"without_compared_word", verdict.unjudged},
                      {"wrong", verdict.mismatches}}},
                    {"elements", elements_json(verdict)},
                    {"words", words_json(verdict)},
                    {"certificates", certificates_json(cell.counts)}};
  if (cell.first) {
    json["first_mismatch"] = {
        {"number", cell.first->number}, {"text", cell.first->text}, {"replay", cell.first->replay}};
  }
  return json;
}

Json protocol_json(const RunReport& report) {
  Json failures = Json::array();
  for (const ReportFailure& each : report.failures) {
    failures.push_back(
        {{"first", each.first}, {"last", each.last}, {"what", each.what}, {"replay", each.replay}});
  }
  return {{"failures", std::move(failures)}, {"out_of_step", report.out_of_step}};
}

Json not_offered_json(const RunReport& report) {
  Json list = Json::array();
  for (const NotOffered& each : report.not_offered) {
    list.push_back(
        {{"configurations", each.configurations}, {"blocks", each.blocks}, {"why", each.why}});
  }
  return list;
}

Json part_json(const RunPart& part) {
  return {{"shard", fmt::format("{}/{}", part.shard, part.shards)},
          {"only", part.only},
          {"whole", part.whole},
          {"left_to_other_runs", part.left_out()}};
}

/// A member for each policy that is not its default.
Json policies_json(const golden::JudgedBy& judged_by) {
  Json json = Json::object();
  for (const auto& [name, value] : judged_by.policies) json[name] = value;
  return json;
}

/// Who was asked what, and by whom it was judged.
void add_facts(const RunReport& report, Json& json) {
  json["verdict"] = report.verdict();
  json["exit_code"] = report.exit_code;
  json["line"] = report.line;
  json["dut"] = report.dut;
  json["device"] = report.device;
  json["operation"] = report.operation;
  json["transaction"] = report.thing;
  json["input"] = report.input;
  json["set_id"] = report.set_id;
  json["seed"] = report.seed;
  json["set_seed"] = report.set_seed;
  json["profile"] = report.judged_by.profile;
  json["policies"] = policies_json(report.judged_by);
  json["judge"] = report.judge;
  json["observed"] = report.observed;
  json["schedule"] = Json::object();
  for (const auto& [name, value] : report.schedule) json["schedule"][name] = value;
  json["held_to"] = report.held_to;
  json["narrowed"] = {{"by", report.narrowed.by},
                      {"configurations_with_other_values", report.narrowed.others},
                      {"configurations_of_suite", report.narrowed.whole}};
  json["not_offered"] = not_offered_json(report);
  json["part"] = part_json(report.part);
}

void add_counts(const RunReport& report, Json& json) {
  const golden::Verdict& verdict = report.counts.verdict;
  json["transactions"] = {
      {"declared", report.declared},   {"offered", report.offered},
      {"collected", report.collected}, {"checked", verdict.vectors},
      {"compared", verdict.judged()},  {"without_compared_word", verdict.unjudged},
      {"wrong", verdict.mismatches}};
  json["elements"] = elements_json(verdict);
  json["words"] = words_json(verdict);
  json["certificates"] = certificates_json(report.counts);
  json["certificates"]["disagreements"] = report.disagreed;
  if (report.clock) {
    json["clock"] = {{"cycles", report.clock->cycles}, {"resets", report.clock->resets}};
  }
  json["seconds"] = report.seconds;
  json["digest"] = report.digest;
}

}  // namespace

std::string report_json(const RunReport& report) {
  Json json = {{"schema", "mxgold-run 2"}};
  add_facts(report, json);
  add_counts(report, json);
  json["cells"] = Json::array();
  for (const ReportCell& cell : report.cells) json["cells"].push_back(cell_json(cell));
  json["wrong"] = Json::array();
  for (const ReportMismatch& each : report.mismatches) json["wrong"].push_back(mismatch_json(each));
  json["causes"] = causes_json(report.causes);
  json["waivers"] = waivers_json(report.waivers);
  json["protocol"] = protocol_json(report);
  add_old_keys(json);
  return golden::dumped(json, 2) + "\n";
}

}  // namespace mx::sim
