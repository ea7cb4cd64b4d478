#include "tests/fuzz/json_change.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "golden/bytes/json_text.hpp"
#include "golden/bytes/sha256.hpp"

namespace mx::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLength = 8;  ///< bytes of a length before JSON
constexpr std::int64_t kNumbers[] = {0, 1, -1, 2, 7, 31, 32, 33, 64, 255, 256, 65536, 1 << 30};

/// Where JSON stands in an input; nothing of it: no JSON.
struct Region {
  std::size_t begin = 0, size = 0;
};

Region region_of(std::string_view input) {
  const auto opens = [&](std::size_t at) {
    return at < input.size() && (input[at] == '{' || input[at] == '[');
  };
  if (opens(0)) return {0, std::min(input.find('\0'), input.size())};
  if (!opens(kLength)) return {};
  std::uint64_t size = 0;
  for (std::size_t i = kLength; i > 0; --i) {
    size = size << 8 | static_cast<unsigned char>(input[i - 1]);
  }
  return size <= input.size() - kLength ? Region{kLength, size} : Region{};
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class Changer {
 public:
  Changer(Json& json, std::uint32_t seed) : json_(json), random_(seed) {}

  void change() {
    for (std::size_t turn = below(3) + 1; turn > 0; --turn) {
      std::vector<Json*> nodes;
      collect(json_, nodes);
      Json& node = *nodes[below(nodes.size())];
      const Json other = *nodes[below(nodes.size())];
      switch (below(6)) {
        case 0:
          node = other;
          break;
        case 1:
          leave_out(node);
          break;
        case 2:
          put_in(node, other);
          break;
        default:
          change_value(node);
      }
    }
    seal(json_);
  }

 private:
  /// Receipts are refused unread unless the SHA-256 of the rest is right: mostly it is made right.
  void seal(Json& node) {
    if (!node.is_structured()) return;
    for (Json& each : node) seal(each);
    if (!node.is_object() || !node.contains("sha256") || below(4) == 0) return;
    node.erase("sha256");
    node["sha256"] = golden::to_hex(golden::sha256(text_of(node)));
  }

  std::size_t below(std::size_t count) { return std::size_t{random_()} % count; }

  static void collect(Json& node, std::vector<Json*>& nodes) {
    nodes.push_back(&node);
    if (!node.is_structured()) return;
    for (Json& each : node) collect(each, nodes);
  }

  void leave_out(Json& node) {
    if (!node.is_structured() || node.empty()) return;
    const std::size_t at = below(node.size());
    node.erase(std::next(node.begin(), static_cast<std::ptrdiff_t>(at)));
  }

  void put_in(Json& node, const Json& other) {
    if (node.is_array()) {
      const std::size_t at = below(node.size() + 1);
      node.insert(node.begin() + static_cast<std::ptrdiff_t>(at), other);
    } else if (node.is_object() && !node.empty()) {
      std::vector<std::string> keys;
      for (const auto& item : node.items()) keys.push_back(item.key());
      if (other.is_object()) {
        for (const auto& item : other.items()) keys.push_back(item.key());
      }
      node[keys[below(keys.size())]] = other;
    }
  }

  void change_value(Json& node) {
    if (node.is_string()) {
      node = changed_text(node.get<std::string>());
    } else if (node.is_number_integer()) {
      const auto value = node.get<std::uint64_t>();
      const std::uint64_t steps[] = {value + 1,  value - 1, value << 1,
                                     value >> 1, ~value,    value ^ std::uint64_t{1} << below(64)};
      node = below(2) == 0 ? Json(steps[below(std::size(steps))]) : number();
    } else if (node.is_boolean()) {
      node = !node.get<bool>();
    } else if (node.is_structured() && below(4) != 0) {
      if (!node.empty())
        change_value(*std::next(node.begin(), static_cast<std::ptrdiff_t>(below(node.size()))));
    } else {
      node = scalar();
    }
  }

  Json number() { return kNumbers[below(std::size(kNumbers))]; }

  Json scalar() {
    switch (below(6)) {
      case 0:
        return nullptr;
      case 1:
        return below(2) == 0;
      case 2:
        return "";
      case 3:
        return std::numeric_limits<std::uint64_t>::max() >> below(64);
      case 4:
        return 1.5e300;
      default:
        return number();
    }
  }

  std::string changed_text(std::string text) {
    const std::size_t at = below(text.size() + 1);
    switch (below(5)) {
      case 0:
        return text.erase(at, below(4));
      case 1:
        return text.insert(at, 1, static_cast<char>(' ' + below(95)));
      case 2:
        if (at < text.size() && text[at] >= '0' && text[at] <= '9') {
          text[at] = static_cast<char>('0' + below(10));
        }
        return text;
      case 3:
        return std::to_string(kNumbers[below(std::size(kNumbers))]);
      default:
        return text.insert(at, text.substr(below(text.size() + 1), below(20)));
    }
  }

  Json& json_;
  std::minstd_rand random_;
};

}  // namespace

std::string changed_json(std::string_view input, std::uint32_t seed) {
  const Region region = region_of(input);
  Json json = golden::json_of_text(input.substr(region.begin, region.size));
  if (region.size == 0 || json.is_discarded()) return "";
  Changer(json, seed).change();
  const std::string text = text_of(json);
  std::string changed;
  for (std::size_t i = 0; i < region.begin; ++i) {
    changed += static_cast<char>(std::uint64_t{text.size()} >> 8 * i);
  }
  return changed + text + std::string(input.substr(region.begin + region.size));
}

}  // namespace mx::fuzz
