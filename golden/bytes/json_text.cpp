#include "golden/bytes/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

using Kind = JsonProblem::Kind;

/// The library's words for an error behind the place, which it counts otherwise; ASCII alone.
std::string reason_of(std::string_view words) {
  const std::size_t dash = words.find(" - ");
  std::string reason(dash == std::string_view::npos ? words : words.substr(dash + 3));
  const auto is_foreign = [](unsigned char c) { return c < ' ' || c > '~'; };
  std::ranges::replace_if(reason, is_foreign, '?');
  return reason;
}

/// Hears a text and keeps its first problem: a name that an object has a second time, or where the
/// text stops being JSON.
class Listener {
 public:
  std::optional<JsonProblem> problem;

  bool start_object(std::size_t /*size*/) {
    open_.emplace_back();
    return true;
  }
  bool key(std::string& name) {
    if (!problem && !open_.back().insert(name).second) {
      // As JSON writes it: in quotes, without characters that a terminal acts on.
      problem = {Kind::kRepeated, std::nullopt, name,
                 fmt::format("the name {} appears twice in one object; keep one of them",
                             nlohmann::json(name).dump(-1, ' ', true))};
    }
    return true;
  }
  bool end_object() {
    open_.pop_back();
    return true;
  }
  bool parse_error(std::size_t read, const std::string& /*token*/,
                   const nlohmann::json::exception& error) {
    const bool is_number = dynamic_cast<const nlohmann::json::out_of_range*>(&error) != nullptr;
    const std::size_t at = read == 0 ? 0 : read - 1;
    problem = {is_number ? Kind::kNumber : Kind::kSyntax, at, "",
               is_number ? "a number that is too large for any reader; give a smaller one"
                         : fmt::format("is no JSON: {}", reason_of(error.what()))};
    return false;
  }

  // What has no names of its own.
  bool null() { return true; }
  bool boolean(bool /*value*/) { return true; }
  bool number_integer(std::int64_t /*value*/) { return true; }
  bool number_unsigned(std::uint64_t /*value*/) { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) { return true; }
  bool string(std::string& /*value*/) { return true; }
  bool binary(nlohmann::json::binary_t& /*value*/) { return true; }
  bool start_array(std::size_t /*size*/) { return true; }
  bool end_array() { return true; }

 private:
  std::vector<std::unordered_set<std::string>> open_;  ///< the names so far, innermost last
};

/// Where arrays and objects in each other become more than `deepest`; brackets inside strings count
/// for nothing.
std::optional<std::size_t> too_deep_at(std::string_view json, int deepest) {
  int depth = 0;
  bool is_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_string) {
      if (c == '\\') ++i;
      is_string = c != '"';
    } else if (c == '"') {
      is_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

std::optional<JsonProblem> problem_of(std::string_view text, int deepest) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return JsonProblem{Kind::kNul, nul, "",
                       fmt::format("is no JSON: byte {} is 00; what stands there and behind it "
                                   "would not be read",
                                   nul)};
  }
  if (const auto at = too_deep_at(text, deepest)) {
    return JsonProblem{Kind::kNested, at, "",
                       fmt::format("nested too deeply: more than {} in each other", deepest)};
  }
  Listener listener;
  static_cast<void>(nlohmann::json::sax_parse(text, &listener));
  return listener.problem;
}

template <typename Json>
std::optional<JsonProblem> parse(std::string_view text, Json& json, int deepest) {
  std::optional<JsonProblem> problem = problem_of(text, deepest);
  if (!problem) json = Json::parse(text);
  return problem;
}

}  // namespace

std::optional<JsonProblem> parse_json(std::string_view text, nlohmann::ordered_json& json,
                                      int deepest) {
  return parse(text, json, deepest);
}

std::optional<JsonProblem> parse_json(std::string_view text, nlohmann::json& json, int deepest) {
  return parse(text, json, deepest);
}

std::string place_in(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t end = before.rfind('\n');
  const std::size_t start = end == std::string_view::npos ? 0 : end + 1;
  return fmt::format("line {}, column {}", line, before.size() - start + 1);
}

std::string text_of(const JsonProblem& problem, std::string_view text) {
  if (!problem.at) return problem.what;
  return fmt::format("{}: {}", place_in(text, *problem.at), problem.what);
}

nlohmann::ordered_json json_of_text(std::string_view text) {
  nlohmann::ordered_json json;
  if (parse_json(text, json)) return nlohmann::ordered_json::value_t::discarded;
  return json;
}

nlohmann::ordered_json json_of_file(std::string_view file, std::string_view text) {
  nlohmann::ordered_json json;
  if (const auto problem = parse_json(text, json)) {
    throw VectorError(fmt::format("{}: {}", file, text_of(*problem, text)));
  }
  return json;
}

nlohmann::ordered_json read_json(const std::string& path, const TextLimits& limits) {
  return json_of_file(path == "-" ? "standard input" : path, whole_text(path, limits));
}

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string dumped(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace mx::golden
