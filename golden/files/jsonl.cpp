#include "golden/files/jsonl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/number_text.hpp"

namespace mx::golden {
namespace {

using nlohmann::ordered_json;

/// The object that a line is, or why it is none.
struct LineObject {
  ordered_json json;
  std::string problem;  ///< "" for none

  /// `wanted`: what stands where another value does.
  LineObject(std::string_view line, std::string_view wanted) {
    const auto refusal = parse_json(line, json);
    if (refusal && refusal->at) {
      problem = fmt::format("column {}: {}", *refusal->at + 1, refusal->what);
    } else if (refusal) {
      problem = refusal->what;
    } else if (!json.is_object()) {
      problem = wanted;
    }
  }
};

std::vector<std::string> header_lines(const VectorHeader& header) {
  const std::string text = header.text("");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::pair<std::string, std::string> key_and_value(const std::string& line) {
  const std::size_t space = line.find(' ');
  return {line.substr(0, space), space == std::string::npos ? "" : line.substr(space + 1)};
}

/// "7 rounding=to_odd; rule=ceil" as an object.
ordered_json configuration_json(std::string_view value) {
  const std::size_t space = value.find(' ');
  ordered_json json;
  json["config"] = value.substr(0, space);
  std::string_view rest = space == std::string_view::npos ? "" : value.substr(space + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find("; "));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 2));
    const std::size_t equals = pair.find('=');
    json[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
  }
  return json;
}

ordered_json layout_json(const RecordShape& shape) {
  ordered_json layout = ordered_json::array();
  for (const FieldShape& each : shape.fields) {
    layout.push_back({{"name", token_of(each.field)},
                      {"words", each.lanes},
                      {"digits", 2 * each.bytes},
                      {"result", is_result(each.field)}});
  }
  return layout;
}

/// A word of exactly so many digits.
std::optional<std::uint64_t> word_of(const ordered_json& json, int bytes) {
  if (!json.is_string()) return std::nullopt;
  const std::string& text = json.get_ref<const std::string&>();
  // A wider value has the digits of its own width.
  if (text.size() != 2 * static_cast<std::size_t>(bytes)) return std::nullopt;
  const auto value = parse_hex(text);
  const bool is_plain = value && text == hex(*value, 8 * bytes);
  return is_plain ? value : std::nullopt;
}

std::string refuse_word(const FieldShape& shape, std::size_t lane) {
  const std::string place = shape.lanes == 1 ? std::string(token_of(shape.field))
                                             : fmt::format("{}[{}]", token_of(shape.field), lane);
  return fmt::format("field {}: expected a text of {} lowercase hex digits", place,
                     2 * shape.bytes);
}

}  // namespace

std::string jsonl_layout(const RecordShape& shape) { return dumped(layout_json(shape)); }

std::string jsonl_header(const VectorHeader& header) {
  ordered_json shared;
  std::string configurations;
  for (const std::string& line : header_lines(header)) {
    const auto [key, value] = key_and_value(line);
    if (key == "config") {
      configurations += dumped(configuration_json(value)) + "\n";
      continue;
    }
    if (key == "count") shared["layout"] = layout_json(header.shape());
    shared[key] = value;
  }
  return dumped(shared) + "\n" + configurations;
}

void append_jsonl(const RecordShape& shape, const RecordBatch& batch, std::size_t i,
                  std::string& out) {
  out += '{';
  for (const FieldShape& each : shape.fields) {
    if (out.back() != '{') out += ',';
    out += '"';
    out += token_of(each.field);
    out += each.lanes == 1 ? "\":" : "\":[";
    bool is_first = true;
    for (const std::uint64_t word : batch.of(each.field, i)) {
      if (!is_first) out += ',';
      is_first = false;
      out += '"';
      out += hex(word, 8 * each.bytes);
      out += '"';
    }
    if (each.lanes != 1) out += ']';
  }
  out += "}\n";
}

std::string jsonl_trailer(std::uint64_t count, const FileDigests& digests) {
  return fmt::format(R"({{"end":{},"operands":"{}","records":"{}"}})"
                     "\n",
                     count, to_hex(digests.operands), to_hex(digests.records));
}

JsonlHeader parse_jsonl_header(std::string_view line) {
  JsonlHeader header;
  const LineObject object(line, "the header is no object of JSON");
  header.problem = object.problem;
  if (!header.problem.empty()) return header;
  for (const auto& [key, value] : object.json.items()) {
    if (key == "layout") {
      header.layout = dumped(value);
      continue;
    }
    if (!value.is_string() || key.find(' ') != std::string::npos) {
      header.problem = fmt::format("the member {} of the header is no text", key);
      return header;
    }
    const std::string& text = value.get_ref<const std::string&>();
    if (key == "configurations") {
      const bool is_number = !text.empty() && text.size() < 8 &&
                             std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
      header.configurations = is_number ? std::stoul(text) : 0;
    }
    header.lines.push_back(fmt::format("{} {}", key, text));
  }
  if (header.lines.empty() || !header.lines.back().starts_with("count ")) {
    header.problem = "the last member of the header is not the count";
  }
  return header;
}

std::string parse_jsonl_configuration(std::string_view line, std::size_t number,
                                      std::string& problem) {
  const std::string wanted = std::to_string(number);
  const std::string expected = fmt::format("expected the object of configuration {}", number);
  const LineObject object(line, expected);
  const ordered_json& json = object.json;
  problem = object.problem;
  if (problem.empty() && json.value("config", ordered_json()) != wanted) problem = expected;
  if (!problem.empty()) return {};
  std::string text = "config " + wanted;
  bool is_first = true;
  for (const auto& [key, value] : json.items()) {
    if (key == "config") continue;
    if (!value.is_string()) {
      problem = fmt::format("the member {} of configuration {} is no text", key, number);
      return {};
    }
    text += fmt::format("{}{}={}", is_first ? " " : "; ", key, value.get_ref<const std::string&>());
    is_first = false;
  }
  return text;
}

std::string parse_jsonl_record(std::string_view line, const RecordShape& shape, RecordBatch& batch,
                               std::size_t i) {
  const LineObject object(line, "the line is no object of JSON");
  if (!object.problem.empty()) return object.problem;
  if (object.json.size() != shape.fields.size()) {
    return fmt::format("{} fields, the header has {}", object.json.size(), shape.fields.size());
  }
  auto member = object.json.begin();
  for (const FieldShape& each : shape.fields) {
    if (member.key() != token_of(each.field)) {
      return fmt::format("field {} where {} is expected", member.key(), token_of(each.field));
    }
    const auto lanes = static_cast<std::size_t>(each.lanes);
    if (lanes != 1 && (!member->is_array() || member->size() != lanes)) {
      return fmt::format("field {}: expected a list of {} words", token_of(each.field), lanes);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto word = word_of(lanes == 1 ? *member : (*member)[lane], each.bytes);
      if (!word) return refuse_word(each, lane);
      batch.of(each.field, i)[lane] = *word;
    }
    ++member;
  }
  return {};
}

std::optional<FileDigests> parse_jsonl_trailer(std::string_view line, std::uint64_t count) {
  const ordered_json json = json_of_text(line);
  if (!json.is_object() || json.size() != 3) return std::nullopt;
  const auto text = [&](const char* name) {
    return json.contains(name) && json[name].is_string() ? json[name].get<std::string>()
                                                         : std::string();
  };
  const auto operands = parse_digest(text("operands"));
  const auto records = parse_digest(text("records"));
  const bool ends = json.contains("end") && json["end"].is_number_unsigned() &&
                    whole<std::uint64_t>(json["end"]) == count;
  if (!ends || !operands || !records) return std::nullopt;
  return FileDigests{*operands, *records};
}

}  // namespace mx::golden
