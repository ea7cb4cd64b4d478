#include "golden/bytes/json_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "golden/bytes/error.hpp"

namespace mx::golden {
namespace {

using Json = nlohmann::ordered_json;

/// Hears a text and keeps the first name that an object has a second time.
class Names {
 public:
  std::optional<std::string> repeated;

  bool start_object(std::size_t /*size*/) {
    open_.emplace_back();
    return true;
  }
  bool key(std::string& name) {
    if (!repeated && !open_.back().insert(name).second) repeated = name;
    return true;
  }
  bool end_object() {
    open_.pop_back();
    return true;
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
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const nlohmann::json::exception& /*error*/) {
    return false;
  }

 private:
  std::vector<std::unordered_set<std::string>> open_;  ///< the names so far, innermost last
};

}  // namespace

bool nests_too_deeply(std::string_view json) {
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
      if (++depth > kDeepestJson) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

std::optional<std::string> repeated_name(std::string_view json) {
  Names names;
  if (!nlohmann::json::sax_parse(json, &names)) return std::nullopt;
  return names.repeated;
}

std::string repetition(std::string_view json) {
  const std::optional<std::string> name = repeated_name(json);
  if (!name) return {};
  // As JSON writes it: in quotes, without characters that a terminal acts on.
  return fmt::format("the name {} appears twice in one object",
                     nlohmann::json(*name).dump(-1, ' ', true));
}

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string dumped(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

nlohmann::ordered_json json_of_text(std::string_view text) {
  if (nests_too_deeply(text) || repeated_name(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

nlohmann::ordered_json json_of_file(std::string_view file, std::string_view text) {
  require_single_names(file, text);
  if (nests_too_deeply(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

void require_single_names(std::string_view file, std::string_view json) {
  const std::string problem = repetition(json);
  if (!problem.empty()) throw VectorError(fmt::format("{}: {}; keep one of them", file, problem));
}

}  // namespace mx::golden
