#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/source.hpp"
#include "golden/configuration/text.hpp"
#include "golden/vectors/header_parse.hpp"
#include "golden/vectors/operand_check.hpp"
#include "sim/shrink/record_case.hpp"
#include "sim/shrink/replay_members.hpp"
#include "sim/shrink/stream_case.hpp"

namespace mx::sim {
namespace {

using golden::VectorError;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
/// Stalls and resets of a case: more than any segment has cycles.
constexpr std::size_t kMaxCycles = std::size_t{1} << 20;

/// Reads JSON whose shape is not trusted; the first wrong place throws.
class Reader {
 public:
  Reader(std::string path, casts::CastMaker casts) : path_(std::move(path)), casts_(casts) {}

  ReplayFile read() {
    const Json json =
        golden::read_json(path_, {kMaxBytes, "write it again with mxgold run --shrink"});
    if (!json.is_object()) refuse("the file", "a JSON object, whole");
    if (json.value("replay_schema", Json()) != kReplaySchema) {
      refuse("replay_schema", std::to_string(kReplaySchema));
    }
    ReplayFile replay;
    const std::string kind = text(json, "kind");
    if (kind != "stream" && kind != "records") refuse("kind", "\"stream\" or \"records\"");
    replay.kind = kind == "stream" ? ReplayKind::kStream : ReplayKind::kRecords;
    replay.device = text(json, "device");
    replay.observe = texts(json, "observe");
    replay.shown = text(json, "shown");
    // Files of records without the member are older than it, and were compared so.
    const bool is_old = replay.kind == ReplayKind::kRecords && !json.contains("compare");
    replay.compare = is_old ? Compare::kNormative : compare(json);
    if (replay.kind == ReplayKind::kStream) {
      read_configurations(json, replay);
      read_stream(json, replay);
    } else {
      replay.header = golden::parse_header(texts(json, "header"), path_ + ": header", casts_);
      if (const std::string problem = replay.header.problem(); !problem.empty()) {
        throw VectorError(path_ + ": header: " + problem);
      }
      replay.failure.configs = replay.header.configs;
      replay.program = program(json);
    }
    read_questions(json, replay);
    return replay;
  }

 private:
  [[noreturn]] void refuse(const std::string& place, std::string_view expected) const {
    throw VectorError(fmt::format("{}: {}: expected {}; write it again with mxgold run --shrink",
                                  path_, place, expected));
  }

  [[nodiscard]] const Json& member(const Json& json, const std::string& name,
                                   const std::string& place = "") const {
    const auto found = json.find(name);
    if (found == json.end()) refuse(place + name, "a member of that name");
    return *found;
  }
  [[nodiscard]] std::string text(const Json& json, const std::string& name,
                                 const std::string& place = "") const {
    const Json& value = member(json, name, place);
    if (!value.is_string()) refuse(place + name, "a string");
    return value.get<std::string>();
  }
  [[nodiscard]] std::vector<std::string> texts(const Json& json, const std::string& name) const {
    const Json& value = member(json, name);
    const auto is_text = [](const Json& each) { return each.is_string(); };
    if (!value.is_array() || !std::ranges::all_of(value, is_text))
      refuse(name, "a list of strings");
    return value.get<std::vector<std::string>>();
  }
  /// Messages call it `place` and the name.
  [[nodiscard]] std::uint64_t number(const Json& json, const std::string& name, std::uint64_t most,
                                     const std::string& place = "") const {
    const Json& value = member(json, name, place);
    if (!value.is_number_unsigned() || golden::whole<std::uint64_t>(value) > most) {
      refuse(place + name, fmt::format("a whole number up to {}", most));
    }
    return golden::whole<std::uint64_t>(value);
  }
  [[nodiscard]] double seconds(const Json& json, const std::string& name,
                               const std::string& place) const {
    const Json& value = member(json, name, place);
    constexpr double kDay = 86400;
    if (!value.is_number() || !(value.get<double>() > 0) || value.get<double>() > kDay) {
      refuse(place + name, "seconds, up to a day");
    }
    return value.get<double>();
  }
  [[nodiscard]] std::vector<std::uint64_t> cycles(const Json& value,
                                                  const std::string& name) const {
    const auto is_cycle = [](const Json& each) { return each.is_number_unsigned(); };
    if (!value.is_array() || value.size() > kMaxCycles || !std::ranges::all_of(value, is_cycle)) {
      refuse(name, "a word or a list of cycles");
    }
    auto list = value.get<std::vector<std::uint64_t>>();
    if (std::ranges::adjacent_find(list, std::greater_equal()) != list.end()) {
      refuse(name, "ascending cycles");
    }
    return list;
  }

  [[nodiscard]] StallPlan stalls(const Json& json, const std::string& name) const {
    const Json& value = member(json, name);
    StallPlan plan;
    if (!value.is_string()) {
      plan.kind = Stall::kAt;
      plan.cycles = cycles(value, name);
      return plan;
    }
    const auto kind = parse_stall(value.get<std::string>());
    if (!kind) refuse(name, "none, light, heavy, random or a list of cycles");
    return *kind;
  }
  [[nodiscard]] ResetPlan resets(const Json& json) const {
    const Json& value = member(json, "reset");
    if (!value.is_string()) return {ResetPlan::Kind::kAt, cycles(value, "reset")};
    const auto plan = ResetPlan::parse(value.get<std::string>());
    if (!plan) refuse("reset", "none, sweep, random or a list of cycles");
    return *plan;
  }

  void read_configurations(const Json& json, ReplayFile& replay) const {
    const Json& list = member(json, "configurations");
    if (!list.is_array() || list.empty() || list.size() > golden::kMaxConfigurations) {
      refuse("configurations", fmt::format("a list of 1 to {}", golden::kMaxConfigurations));
    }
    replay.catalog = std::make_shared<FormatCatalog>();
    for (const Json& each : list) {
      const std::string place = fmt::format("configurations[{}]", replay.failure.configs.size());
      if (!each.is_object()) refuse(place, "an object");
      std::map<std::string, std::string> fields;
      for (const auto& [field, value] : each.items()) {
        if (!value.is_string()) refuse(fmt::format("{}.{}", place, field), "a string");
        fields[field] = value.get<std::string>();
      }
      golden::Configuration configuration;
      if (const auto wrong = golden::parse_fields(golden::Operation::kBlock, fields,
                                                  *replay.catalog, configuration)) {
        throw VectorError(fmt::format("{}: {}: {} {}", path_, place, wrong->field, wrong->what));
      }
      if (const std::string problem = golden::problem_of(configuration); !problem.empty()) {
        throw VectorError(fmt::format("{}: {}: {}", path_, place, problem));
      }
      replay.failure.configs.push_back(std::move(configuration));
    }
  }

  [[nodiscard]] Compare compare(const Json& json) const {
    const std::string word = text(json, "compare");
    if (word != "strict" && word != "normative") refuse("compare", "strict or normative");
    return word == "strict" ? Compare::kStrict : Compare::kNormative;
  }

  void read_stream(const Json& json, ReplayFile& replay) const {
    replay.seed = number(json, "seed", ~std::uint64_t{0});
    replay.segment = static_cast<std::uint32_t>(number(json, "segment", 0xFFFFFFFF));
    replay.failure.input_stall = stalls(json, "input_stall");
    replay.failure.output_stall = stalls(json, "output_stall");
    replay.failure.reset = resets(json);
  }

  [[nodiscard]] ReplayProgram program(const Json& json) const {
    const Json& value = member(json, "program");
    if (!value.is_object()) refuse("program", "an object");
    ReplayProgram program;
    const std::string place = "program.";
    program.pipe = text(value, "pipe", place);
    if (program.pipe != "stdio" && program.pipe != "fifo") refuse("program.pipe", "stdio or fifo");
    program.answer_prefix = text(value, "answer_prefix", place);
    program.judge = text(value, "judge", place);
    if (program.judge != "reference" && program.judge != "both") {
      refuse("program.judge", "reference or both");
    }
    program.time_out = seconds(value, "time_out", place);
    program.start_time_out = seconds(value, "start_time_out", place);
    if (value.contains("stall")) program.stall = text(value, "stall", place);
    if (value.contains("reset")) program.reset = text(value, "reset", place);
    if (value.contains("seed")) program.seed = number(value, "seed", ~std::uint64_t{0}, place);
    const bool has_stall = program.stall == "mix" || parse_stall(program.stall);
    const bool has_reset = program.reset == "mix" || ResetPlan::parse(program.reset);
    if (!has_stall || !has_reset) refuse("program.stall and program.reset", "those of mxgold run");
    return program;
  }

  void read_questions(const Json& json, ReplayFile& replay) const {
    const Json& list = member(json, "questions");
    if (!list.is_array() || list.empty()) refuse("questions", "a list with at least one");
    const std::vector<Member> members = members_of(replay);
    for (const Json& each : list) {
      const std::string place = fmt::format("questions[{}]", replay.failure.questions.size());
      if (!each.is_object()) refuse(place, "an object");
      Question question;
      question.config = static_cast<std::uint32_t>(
          number(each, "config", replay.failure.configs.size() - 1, place + "."));
      for (const Member& member : members) add_words(each, place, member, question.words);
      replay.failure.questions.push_back(std::move(question));
    }
    check_operands(replay);
  }

  void add_words(const Json& json, const std::string& place, const Member& member,
                 std::vector<std::uint64_t>& words) const {
    const std::string line = text(json, member.name, place + ".");
    const auto digits = static_cast<std::size_t>(member.digits);
    const bool is_long = line.size() == member.words * (digits + 1) - 1;
    const std::string expected =
        fmt::format("{} words of {} hex digits, a space between", member.words, digits);
    if (!is_long) refuse(place + "." + member.name, expected);
    for (std::size_t i = 0; i < member.words; ++i) {
      const char* const at = line.data() + i * (digits + 1);
      std::uint64_t word = 0;
      const auto [end, problem] = std::from_chars(at, at + digits, word, 16);
      const bool is_apart = i == 0 || at[-1] == ' ';
      if (problem != std::errc() || end != at + digits || !is_apart) {
        refuse(place + "." + member.name, expected);
      }
      words.push_back(word);
    }
  }

  /// Words that a run could not have.
  void check_operands(const ReplayFile& replay) const {
    if (replay.kind == ReplayKind::kRecords) {
      golden::VectorHeader header = replay.header;
      const golden::RecordBatch records = records_of(replay.failure, header);
      const auto problem = golden::OperandCheck(header).find(records, 0, records.size());
      if (problem) {
        throw VectorError(
            fmt::format("{}: questions[{}]: {}", path_, problem->record, problem->what));
      }
      return;
    }
    for (std::size_t i = 0; i < replay.failure.questions.size(); ++i) {
      const Question& question = replay.failure.questions[i];
      const std::vector<Slot> slots = stream_slots(replay.failure.configs[question.config]);
      for (std::size_t w = 0; w < slots.size(); ++w) {
        // Bits beside a source code may be on the bus.
        if (slots[w].format == nullptr && (question.words[w] & ~slots[w].mask) != 0) {
          refuse(fmt::format("questions[{}]", i), fmt::format("words within {:x}", slots[w].mask));
        }
      }
    }
  }

  std::string path_;
  casts::CastMaker casts_;
};

}  // namespace

ReplayFile read_replay(const std::string& path, casts::CastMaker casts) {
  return Reader(path, casts).read();
}

}  // namespace mx::sim
