#include "golden/coverage/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/bytes/sha256.hpp"
#include "golden/bytes/source.hpp"

namespace mx::golden {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 2;
constexpr std::string_view kUnreachable = "unreachable";
constexpr std::size_t kMaxBytes = std::size_t{1} << 28;

constexpr const char* kSeal = "sha256";

/// SHA-256 of everything but the seal.
std::string seal_of(const Json& unsealed) { return to_hex(sha256(dumped(unsealed))); }

Json json_of(const Bin& bin) {
  Json row = Json::array({bin.name, bin.hits});
  if (bin.reach == Reach::kUnreachable) row.push_back(kUnreachable);
  return row;
}

Json json_of(const Coverpoint& point) {
  Json bins = Json::array();
  for (const Bin& bin : point.bins) bins.push_back(json_of(bin));
  return {{"name", point.name}, {"meaning", point.meaning}, {"bins", std::move(bins)}};
}

Json json_of(const Covergroup& group) {
  Json points = Json::array();
  for (const Coverpoint& point : group.points) points.push_back(json_of(point));
  return {{"name", group.name},
          {"configuration", group.configuration},
          {"samples", group.samples},
          {"points", std::move(points)}};
}

/// Reads JSON whose shape is not trusted; the first wrong place throws.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& place, std::string_view expected) const {
    throw VectorError(fmt::format("{}: {}: expected {}; measure it again", path_, place, expected));
  }

  [[nodiscard]] std::string text(const Json& parent, const std::string& place,
                                 const char* field) const {
    const auto found = parent.find(field);
    if (found == parent.end() || !found->is_string()) refuse(place + "." + field, "a string");
    return found->get<std::string>();
  }
  [[nodiscard]] const Json& list(const Json& parent, const std::string& place,
                                 const char* field) const {
    const auto found = parent.find(field);
    if (found == parent.end() || !found->is_array()) refuse(place + "." + field, "an array");
    return *found;
  }

  [[nodiscard]] Bin bin(const Json& json, const std::string& place) const {
    const bool has_shape = json.is_array() && (json.size() == 2 || json.size() == 3) &&
                           json[0].is_string() && json[1].is_number_unsigned();
    if (!has_shape || (json.size() == 3 && json[2] != kUnreachable)) {
      refuse(place, "[name, hits] or [name, hits, \"unreachable\"]");
    }
    return {json[0].get<std::string>(), whole<std::uint64_t>(json[1]),
            json.size() == 3 ? Reach::kUnreachable : Reach::kOpen};
  }

  [[nodiscard]] Coverpoint point(const Json& json, const std::string& place) const {
    Coverpoint point(text(json, place, "name"), text(json, place, "meaning"));
    for (const Json& each : list(json, place, "bins")) {
      point.bins.push_back(bin(each, fmt::format("{}.bins[{}]", place, point.bins.size())));
    }
    return point;
  }

  [[nodiscard]] Covergroup group(const Json& json, const std::string& place) const {
    Covergroup group;
    group.name = text(json, place, "name");
    group.configuration = text(json, place, "configuration");
    const auto samples = json.find("samples");
    if (samples == json.end() || !samples->is_number_unsigned()) {
      refuse(place + ".samples", "a number");
    }
    group.samples = whole<std::uint64_t>(*samples);
    for (const Json& each : list(json, place, "points")) {
      group.points.push_back(point(each, fmt::format("{}.points[{}]", place, group.points.size())));
    }
    return group;
  }

 private:
  std::string path_;
};

}  // namespace

bool looks_like_coverage(std::string_view text) {
  const std::size_t brace = text.find_first_not_of(" \t\r\n");
  return brace != std::string_view::npos && text[brace] == '{';
}

std::string coverage_json(const std::vector<Covergroup>& groups) {
  Json list = Json::array();
  for (const Covergroup& group : groups) list.push_back(json_of(group));
  Json json{{"coverage_schema", kSchema},
            {"generator", "mxgold " MXGOLD_VERSION},
            {"groups", std::move(list)}};
  json[kSeal] = seal_of(json);
  return dumped(json) + "\n";
}

std::vector<Covergroup> read_coverage(const std::string& path) {
  const Reader reader(path);
  Json json = read_json(path, {kMaxBytes, "merge coverage in smaller parts"});
  if (!json.is_object()) reader.refuse("the file", "a JSON object, whole");
  if (json.value("coverage_schema", Json()) != kSchema) {
    reader.refuse("coverage_schema", std::to_string(kSchema));
  }
  std::vector<Covergroup> groups;
  for (const Json& each : reader.list(json, "the file", "groups")) {
    groups.push_back(reader.group(each, fmt::format("groups[{}]", groups.size())));
  }
  const std::string seal = reader.text(json, "the file", kSeal);
  json.erase(kSeal);
  if (seal_of(json) != seal) {
    reader.refuse(kSeal, "the SHA-256 of the content: the file was changed or damaged");
  }
  return groups;
}

}  // namespace mx::golden
