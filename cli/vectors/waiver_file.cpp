#include "cli/vectors/waiver_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/source.hpp"
#include "golden/deviation/input.hpp"
#include "golden/deviation/names.hpp"
#include "golden/deviation/waiver_judge.hpp"
#include "golden/names/asking.hpp"
#include "sim/record/offer.hpp"

namespace mx::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;

std::string date_text(std::chrono::year_month_day date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string today() {
  return date_text(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
}

/// One waiver of a file, member by member.
class Parser {
 public:
  Parser(const std::string& path, std::size_t number) : path_(path), number_(number) {}

  golden::Waiver parse(const Json& json) {
    require(json.is_object(), "is no object");
    require_members(json, "", kMembers);
    golden::Waiver waiver;
    waiver.id = text(json, "id");
    waiver.reason = text(json, "reason");
    waiver.expires = date(text(json, "expires"));
    waiver.op = token<golden::Operation>("op", text(json, "op"));
    if (json.contains("configuration"))
      waiver.configuration = configuration(json["configuration"], waiver.op);
    if (json.contains("vectors")) waiver.vectors = ranges(json["vectors"]);
    if (json.contains("fields")) waiver.fields = fields(json["fields"]);
    waiver.expected_flags = flags(json, "expected_flags");
    waiver.flag_bits = flags(json, "flag_bits");
    if (json.contains("where")) waiver.where = where(json["where"], waiver.op);
    if (json.contains("as")) waiver.as = deviations(json["as"], waiver.op);
    const bool says_which = !waiver.vectors.empty() || names_some(waiver) ||
                            waiver.expected_flags != 0 || !waiver.where.is_empty() ||
                            !waiver.as.empty();
    require(says_which,
            "waives every answer; say which vectors, fields or expected_flags, where or as");
    return waiver;
  }

 private:
  /// Are some result fields, or bits of them, held to the right answer?
  static bool names_some(const golden::Waiver& waiver) {
    const auto has = [&](golden::Field field) {
      return std::ranges::find(waiver.fields, field) != waiver.fields.end();
    };
    if (waiver.fields.empty()) return false;
    switch (waiver.op) {
      case golden::Operation::kBlock:
        return !has(golden::Field::kScale) || !has(golden::Field::kCode) ||
               !has(golden::Field::kFlags) || waiver.flag_bits != 0;
      case golden::Operation::kCast:
        return !has(golden::Field::kScale) || !has(golden::Field::kCode);
      case golden::Operation::kDequantize:
      case golden::Operation::kMma:
        return !has(golden::Field::kCode);
      case golden::Operation::kCvt:
      case golden::Operation::kDot:
      case golden::Operation::kArith:
        break;
    }
    return !has(golden::Field::kCode) || !has(golden::Field::kFlags) || waiver.flag_bits != 0;
  }

  static constexpr std::array<std::string_view, 11> kMembers = {
      "id",      "reason", "expires",        "op",        "configuration",
      "vectors", "fields", "expected_flags", "flag_bits", "where",
      "as"};

  void require_members(const Json& json, std::string_view of,
                       std::span<const std::string_view> known) const {
    for (const auto& [name, value] : json.items()) {
      require(std::ranges::find(known, name) != known.end(),
              fmt::format("has a member '{}{}'; known: {}", of, name, fmt::join(known, ", ")));
    }
  }

  void require(bool is_right, const std::string& what) const {
    if (!is_right) fail(Exit::kBadInput, "{}: waiver {} {}", path_, number_, what);
  }

  std::string text(const Json& json, const char* name) const {
    require(json.contains(name) && json[name].is_string() && !json[name].get<std::string>().empty(),
            fmt::format("lacks the text '{}'", name));
    return json[name];
  }

  std::string date(const std::string& text) const {
    int year = 0;
    unsigned month = 0;
    unsigned day = 0;
    const char* const at = text.data();
    std::from_chars(at, at + std::min<std::size_t>(4, text.size()), year);
    if (text.size() == 10) {
      std::from_chars(at + 5, at + 7, month);
      std::from_chars(at + 8, at + 10, day);
    }
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                           std::chrono::day(day)};
    require(date.ok() && date_text(date) == text,
            fmt::format("expires '{}', which is no day YYYY-MM-DD", text));
    return text;
  }

  template <typename E>
  E token(std::string_view what, const std::string& text) const {
    const std::optional<E> value = parse_token<E>(text);
    require(value.has_value(), fmt::format("has {} '{}'", what, text));
    return *value;
  }

  /// A value in any spelling that is known, as records spell it.
  std::string meant(golden::Operation op, const std::string& field,
                    const std::string& value) const {
    try {
      return sim::known_word(op, field, value);
    } catch (const golden::Refusal& refusal) {
      fail(Exit::kBadInput, "{}: waiver {}: {}", path_, number_, refusal.what());
    }
  }

  golden::ConfigurationFields configuration(const Json& json, golden::Operation op) const {
    require(json.is_object() && !json.empty(), "has no fields in 'configuration'");
    golden::ConfigurationFields fields;
    for (const auto& [name, value] : json.items()) {
      require(value.is_string(),
              fmt::format("has a configuration with '{}' that is no text", name));
      fields.emplace_back(name, meant(op, name, value.get<std::string>()));
    }
    return fields;
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges(const Json& json) const {
    require(json.is_array() && !json.empty(), "has no numbers in 'vectors'");
    std::vector<std::pair<std::uint64_t, std::uint64_t>> list;
    for (const Json& each : json) {
      const bool is_pair = each.is_array() && each.size() == 2 && each[0].is_number_unsigned() &&
                           each[1].is_number_unsigned();
      require(each.is_number_unsigned() || is_pair,
              "has 'vectors' that are neither numbers nor pairs [first, last]");
      const std::uint64_t first = is_pair ? each[0] : each;
      const std::uint64_t last = is_pair ? each[1] : each;
      require(first <= last, fmt::format("has an empty range [{}, {}]", first, last));
      list.emplace_back(first, last);
    }
    return list;
  }

  std::vector<golden::Field> fields(const Json& json) const {
    require(json.is_array() && !json.empty(), "has no names in 'fields'");
    std::vector<golden::Field> list;
    for (const Json& each : json) {
      require(each.is_string(), "has 'fields' that are no names");
      const auto field = token<golden::Field>("field", each.get<std::string>());
      require(golden::is_result(field),
              fmt::format("has field {}, which is no result", golden::dumped(each)));
      list.push_back(field);
    }
    return list;
  }

  /// 0 where they are absent.
  std::uint64_t flags(const Json& json, const char* name) const {
    if (!json.contains(name)) return 0;
    const std::string digits = text(json, name);
    std::uint64_t bits = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, bits, 16);
    require(error == std::errc{} && stop == end && bits != 0,
            fmt::format("has {} '{}', which are no hexadecimal bits", name, digits));
    return bits;
  }

  golden::InputPredicate where(const Json& json, golden::Operation op) const {
    require(json.is_object() && !json.empty(), "has nothing in 'where'");
    constexpr std::array<std::string_view, 3> kKnown = {"has", "scale", "expected_scale"};
    require_members(json, "where.", kKnown);
    golden::InputPredicate predicate;
    if (json.contains("has")) {
      const Json& words = json["has"];
      const bool is_list = words.is_array() && !words.empty() &&
                           std::ranges::all_of(words, [](const Json& w) { return w.is_string(); });
      require(is_list, "has a 'where.has' that is no list of words");
      for (const Json& word : words) predicate.has.push_back(word.get<std::string>());
    }
    predicate.scale = codes(json, "scale");
    predicate.expected_scale = codes(json, "expected_scale");
    const std::string problem = golden::problem_of(predicate, op);
    require(problem.empty(), "has " + problem);
    return predicate;
  }

  /// A code, or the first and the last one.
  std::optional<golden::CodeRange> codes(const Json& json, const char* name) const {
    if (!json.contains(name)) return {};
    const Json& range = json[name];
    const auto code = [&](const Json& each) {
      const std::string digits = each.is_string() ? each.get<std::string>() : "";
      std::uint64_t value = 0;
      const char* const end = digits.data() + digits.size();
      const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
      require(error == std::errc{} && stop == end,
              fmt::format("has where.{} {}: give a hexadecimal code as text, \"7F\", or the first "
                          "and the last of a range, [\"00\", \"0F\"]",
                          name, golden::dumped(range)));
      return value;
    };
    const bool is_pair = range.is_array() && range.size() == 2;
    const golden::CodeRange parsed = {code(is_pair ? range[0] : range),
                                      code(is_pair ? range[1] : range)};
    require(parsed.first <= parsed.second,
            fmt::format("has an empty range where.{} {}", name, golden::dumped(range)));
    return parsed;
  }

  std::vector<golden::Deviation> deviations(const Json& json, golden::Operation op) const {
    require(json.is_object() && !json.empty(), "has nothing in 'as'");
    std::vector<golden::Deviation> list;
    const auto add = [&](const std::string& name, const std::string& from, const Json& to) {
      require(to.is_string() || to.is_number_integer(),
              fmt::format("has as.{} {}: give a text or an integer", name, golden::dumped(to)));
      const std::string value = to.is_string() ? to.get<std::string>() : golden::dumped(to);
      list.push_back({name, from.empty() ? from : meant(op, name, from), meant(op, name, value)});
      const std::string problem = golden::problem_of(list.back(), op);
      require(problem.empty(), "has " + problem);
    };
    for (const auto& [name, value] : json.items()) {
      require(!value.is_object() || !value.empty(), fmt::format("has nothing in as.{}", name));
      if (!value.is_object()) add(name, "", value);
      if (!value.is_object()) continue;
      for (const auto& [from, to] : value.items()) add(name, from, to);
    }
    return list;
  }

  const std::string& path_;
  std::size_t number_;
};

}  // namespace

golden::Waivers read_waivers(const std::string& path, const golden::VectorHeader& header) {
  if (path.empty()) return {};
  const Json json =
      golden::read_json(path, {kMostBytes, "--waivers takes a JSON file (docs/waivers.md)"});
  const bool is_list = json.is_object() && json.size() == 2 && json.value("schema", Json()) == 1 &&
                       json.contains("waivers") && json["waivers"].is_array();
  if (!is_list) {
    fail(Exit::kBadInput, R"({}: is not {{"schema": 1, "waivers": [...]}})", path);
  }
  std::vector<golden::Waiver> list;
  for (const Json& each : json["waivers"]) list.push_back(Parser(path, list.size()).parse(each));
  golden::Waivers waivers(std::move(list), header, today(), golden::waiver_judge());
  if (!waivers.problem().empty()) fail(Exit::kBadInput, "{}: {}", path, waivers.problem());
  return waivers;
}

}  // namespace mx::cli
