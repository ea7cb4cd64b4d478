#include "sim/shrink/replay_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "golden/bytes/json_text.hpp"
#include "golden/configuration/text.hpp"
#include "sim/shrink/record_case.hpp"
#include "sim/shrink/replay_members.hpp"

namespace mx::sim {
namespace {

using Json = nlohmann::ordered_json;

Json plan_json(const StallPlan& plan) {
  if (plan.kind == Stall::kAt) return plan.cycles;
  return token_of(plan.kind);
}

Json plan_json(const ResetPlan& plan) {
  if (plan.kind == ResetPlan::Kind::kAt) return plan.cycles;
  return plan.text();
}

Json question_json(const Question& question, const std::vector<Member>& members) {
  Json json{{"config", question.config}};
  auto word = question.words.begin();
  for (const Member& member : members) {
    std::string text;
    for (std::size_t i = 0; i < member.words; ++i) {
      text += fmt::format("{}{:0{}x}", i == 0 ? "" : " ", *word++, member.digits);
    }
    json[member.name] = text;
  }
  return json;
}

/// Blocks on streams may differ in the width of their sources, which vector files may not.
Json configurations_json(const Configurations& configs) {
  Json list = Json::array();
  for (const golden::Configuration& each : configs) {
    Json fields = Json::object();
    for (const auto& [field, value] : golden::fields_of(each)) fields[field] = value;
    list.push_back(std::move(fields));
  }
  return list;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<Member> members_of(const ReplayFile& replay) {
  if (replay.kind == ReplayKind::kStream) {
    return {{"source", kLanes, 8}, {"random", kLanes, 8}, {"keep", 1, 8}, {"last", 1, 1}};
  }
  std::vector<Member> members;
  const golden::RecordShape shape = replay.header.shape();
  for (const golden::FieldShape& each : shape.fields) {
    if (!is_put(each.field)) continue;
    members.push_back(
        {std::string(token_of(each.field)), static_cast<std::size_t>(each.lanes), 2 * each.bytes});
  }
  return members;
}

std::string replay_json(const ReplayFile& replay) {
  golden::VectorHeader header = replay.header;
  header.configs = replay.failure.configs;
  header.count = replay.failure.questions.size();
  Json json{{"replay_schema", kReplaySchema},
            {"generator", "mxgold " MXGOLD_VERSION},
            {"kind", replay.kind == ReplayKind::kStream ? "stream" : "records"},
            {"device", replay.device},
            {"observe", replay.observe},
            {"shown", replay.shown},
            {"compare", replay.compare == Compare::kStrict ? "strict" : "normative"}};
  if (replay.kind == ReplayKind::kStream) {
    json["seed"] = replay.seed;
    json["segment"] = replay.segment;
    json["input_stall"] = plan_json(replay.failure.input_stall);
    json["output_stall"] = plan_json(replay.failure.output_stall);
    json["reset"] = plan_json(replay.failure.reset);
  } else {
    const ReplayProgram& program = replay.program;
    json["program"] = {{"pipe", program.pipe},
                       {"answer_prefix", program.answer_prefix},
                       {"judge", program.judge},
                       {"time_out", program.time_out},
                       {"start_time_out", program.start_time_out}};
    const ReplayProgram standard;
    if (program.stall != standard.stall) json["program"]["stall"] = program.stall;
    if (program.reset != standard.reset) json["program"]["reset"] = program.reset;
    if (program.seed != standard.seed) json["program"]["seed"] = program.seed;
  }
  if (replay.kind == ReplayKind::kStream) {
    json["configurations"] = configurations_json(replay.failure.configs);
  } else {
    json["header"] = lines_of(header.text(""));
  }
  json["questions"] = Json::array();
  ReplayFile shaped = replay;
  shaped.header = header;
  const std::vector<Member> members = members_of(shaped);
  for (const Question& question : replay.failure.questions) {
    json["questions"].push_back(question_json(question, members));
  }
  return golden::dumped(json, 1) + "\n";
}

}  // namespace mx::sim
