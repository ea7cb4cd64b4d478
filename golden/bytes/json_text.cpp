#include "golden/bytes/json_text.hpp"

#include <nlohmann/json.hpp>

namespace mx::golden {

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

nlohmann::ordered_json json_of_text(std::string_view text) {
  using Json = nlohmann::ordered_json;
  if (nests_too_deeply(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace mx::golden
