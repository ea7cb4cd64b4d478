// JSON of strangers. What is read of it is copied, compared and written by recursion, which ends
// the process at the end of the stack: text that is nested without end is no JSON here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mx::golden {

/// Beyond any file of this project, and far from the end of any stack.
inline constexpr int kDeepestJson = 100;

/// Arrays and objects in each other, more than kDeepestJson; brackets inside strings count for
/// nothing.
[[nodiscard]] bool nests_too_deeply(std::string_view json);

/// A name that one object has twice: readers do not agree which of its values counts. Nothing where
/// there is none, and where the text is no JSON.
[[nodiscard]] std::optional<std::string> repeated_name(std::string_view json);
/// The same in words: "the name "x" appears twice in one object"; "" for nothing.
[[nodiscard]] std::string repetition(std::string_view json);

/// The text of a value; bytes of users' texts that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string dumped(const nlohmann::ordered_json& json, int indent = -1);
[[nodiscard]] std::string dumped(const nlohmann::json& json, int indent = -1);

/// Discarded where the text is no JSON, nests too deeply, or has a name twice.
[[nodiscard]] nlohmann::ordered_json json_of_text(std::string_view text);
/// The same of a file; throws VectorError with its name for a name that is there twice.
[[nodiscard]] nlohmann::ordered_json json_of_file(std::string_view file, std::string_view text);
/// Throws VectorError with the file's name for a name that is there twice.
void require_single_names(std::string_view file, std::string_view json);

}  // namespace mx::golden
