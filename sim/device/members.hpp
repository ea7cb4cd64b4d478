// JSON whose shape is not trusted, member by member: the first wrong place throws, and so does a
// member that nobody knows.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_whole.hpp"

namespace mx::sim {

/// An object of the file: its members, each taken once, and what is left over.
class Members {
 public:
  using Json = nlohmann::ordered_json;

  /// `place`: "input.ports"; "" for the file itself.
  Members(const std::string& path, std::string place, const Json& json)
      : path_(path), place_(std::move(place)), json_(json) {
    if (!json.is_object()) refuse("", "has to be an object {...}");
  }

  [[nodiscard]] std::string place_of(std::string_view name) const {
    return place_.empty() ? std::string(name) : fmt::format("{}.{}", place_, name);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Json& json() const { return json_; }

  [[noreturn]] void refuse(std::string_view name, std::string_view what) const {
    const std::string place = name.empty() ? place_ : place_of(name);
    throw golden::VectorError(
        fmt::format("{}: {} {}", path_, place.empty() ? "the file" : place, what));
  }

  /// nullptr where there is none.
  [[nodiscard]] const Json* find(std::string_view name) {
    if (std::ranges::find(taken_, name) == taken_.end()) taken_.emplace_back(name);
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Json& need(std::string_view name, std::string_view remedy) {
    const Json* const found = find(name);
    if (found == nullptr) refuse(name, fmt::format("is missing: {}", remedy));
    return *found;
  }

  [[nodiscard]] std::string text(std::string_view name, const std::string& otherwise = "") {
    const Json* const found = find(name);
    if (found == nullptr) return otherwise;
    if (!found->is_string() || found->get<std::string>().empty()) {
      refuse(name, "has to be a text that is not empty");
    }
    return found->get<std::string>();
  }
  [[nodiscard]] std::string needed_text(std::string_view name, std::string_view remedy) {
    static_cast<void>(need(name, remedy));
    return text(name);
  }
  /// One of these words; the first where it is not given.
  [[nodiscard]] std::size_t choice(std::string_view name,
                                   const std::vector<std::string_view>& words) {
    const std::string given = text(name, std::string(words.front()));
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (given == words[i]) return i;
    }
    refuse(name, fmt::format("is '{}'; give one of {}", given, fmt::join(words, ", ")));
  }
  [[nodiscard]] bool flag(std::string_view name) {
    const Json* const found = find(name);
    if (found == nullptr) return false;
    if (!found->is_boolean()) refuse(name, "has to be true or false");
    return found->get<bool>();
  }
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view name, std::int64_t least,
                                                   std::int64_t most) {
    const Json* const found = find(name);
    if (found == nullptr) return std::nullopt;
    const bool fits = found->is_number_integer() &&
                      (!found->is_number_unsigned() || golden::whole<std::uint64_t>(*found) <=
                                                           static_cast<std::uint64_t>(INT64_MAX)) &&
                      golden::whole<std::int64_t>(*found) >= least &&
                      golden::whole<std::int64_t>(*found) <= most;
    if (!fits) refuse(name, fmt::format("has to be a whole number from {} to {}", least, most));
    return golden::whole<std::int64_t>(*found);
  }
  [[nodiscard]] std::optional<unsigned> count(std::string_view name, unsigned least,
                                              unsigned most) {
    const auto found = number(name, least, most);
    return found ? std::optional(static_cast<unsigned>(*found)) : std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) {
    const Json* const found = find(name);
    std::vector<std::string> list;
    if (found == nullptr) return list;
    if (!found->is_array()) refuse(name, "has to be a list of texts [\"...\"]");
    for (const Json& each : *found) {
      if (!each.is_string()) refuse(name, "has to be a list of texts [\"...\"]");
      list.push_back(each.get<std::string>());
    }
    return list;
  }

  /// A value of pins: a number, or a text "0x..." or "12".
  [[nodiscard]] std::uint64_t bits(std::string_view name, const Json& value) const {
    if (value.is_number_unsigned()) return golden::whole<std::uint64_t>(value);
    if (value.is_string()) {
      const std::string text = value.get<std::string>();
      const bool is_hex = text.starts_with("0x");
      const char* const first = text.data() + (is_hex ? 2 : 0);
      const char* const last = text.data() + text.size();
      std::uint64_t bits = 0;
      const auto [end, error] = std::from_chars(first, last, bits, is_hex ? 16 : 10);
      if (error == std::errc{} && end == last && first != last) return bits;
    }
    refuse(name, "has to be a number of up to 64 bits: 5, or \"0x1f\"");
  }

  /// Refuses members that nobody took.
  void end() const {
    for (const auto& [name, value] : json_.items()) {
      if (std::ranges::find(taken_, name) != taken_.end()) continue;
      refuse(name, fmt::format("is no member of a device file; here there may be {}",
                               fmt::join(taken_, ", ")));
    }
  }

 private:
  const std::string& path_;
  std::string place_;
  const Json& json_;
  std::vector<std::string> taken_;
};

}  // namespace mx::sim
