// JSON of strangers. What is read of it is copied, compared and written by recursion, which ends
// the process at the end of the stack: text that is nested without end is no JSON here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace mx::golden {

/// Beyond any file of this project, and far from the end of any stack.
inline constexpr int kDeepestJson = 100;

/// Arrays and objects in each other, more than kDeepestJson; brackets inside strings count for
/// nothing.
[[nodiscard]] bool nests_too_deeply(std::string_view json);

/// Discarded where the text is no JSON, or nests too deeply.
[[nodiscard]] nlohmann::ordered_json json_of_text(std::string_view text);

}  // namespace mx::golden
