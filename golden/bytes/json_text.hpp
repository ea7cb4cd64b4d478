// JSON of strangers, read in one place: whatever file, line or answer it stands in. What is read of
// it is copied, compared and written by recursion, which ends the process at the end of the stack:
// text that is nested without end is no JSON here. Neither is text with anything behind its value,
// a byte 00 first of all, where the library of JSON stops reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "golden/bytes/source.hpp"

namespace mx::golden {

/// Beyond any file of this project, and far from the end of any stack.
inline constexpr int kDeepestJson = 100;

/// Why a text is no JSON.
struct JsonProblem {
  enum class Kind : std::uint8_t {
    kNul,       ///< a byte 00
    kNested,    ///< arrays and objects in each other, more than allowed
    kRepeated,  ///< a name that one object has twice: readers do not agree which value counts
    kSyntax,
    kNumber,  ///< one that no number of the machine holds
  };
  Kind kind = Kind::kSyntax;
  std::optional<std::size_t> at;  ///< the byte, from 0; a repeated name has no place
  std::string name;               ///< the repeated one
  std::string what;               ///< "is no JSON: unexpected '}'; expected ..."
};

/// Reads a whole text. The problem, or nothing and the value in `json`.
[[nodiscard]] std::optional<JsonProblem> parse_json(std::string_view text,
                                                    nlohmann::ordered_json& json,
                                                    int deepest = kDeepestJson);
/// The same for objects of very many members, whose names it sorts.
[[nodiscard]] std::optional<JsonProblem> parse_json(std::string_view text, nlohmann::json& json,
                                                    int deepest = kDeepestJson);

/// "line 3, column 7" of a byte of a text, both from 1.
[[nodiscard]] std::string place_in(std::string_view text, std::size_t at);
/// A problem with its place: "line 3, column 7: is no JSON: ...".
[[nodiscard]] std::string text_of(const JsonProblem& problem, std::string_view text);

/// The value, discarded where there is a problem.
[[nodiscard]] nlohmann::ordered_json json_of_text(std::string_view text);
/// The value. Throws VectorError with the file's name, place and problem.
[[nodiscard]] nlohmann::ordered_json json_of_file(std::string_view file, std::string_view text);
/// The same of a file by name, which whole_text() reads.
[[nodiscard]] nlohmann::ordered_json read_json(const std::string& path, const TextLimits& limits);

/// The text of a value; bytes of users' texts that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string dumped(const nlohmann::ordered_json& json, int indent = -1);
[[nodiscard]] std::string dumped(const nlohmann::json& json, int indent = -1);

}  // namespace mx::golden
