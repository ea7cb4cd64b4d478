// Arguments that microxcaling's calls share.
#pragma once

#include <optional>
#include <string>

#include "emulators/common/call.hpp"
#include "emulators/microxcaling/kernels/formats.hpp"

namespace mx::emulators::microxcaling {

/// A policy by its token; a problem of the call, worded by `objection`, where it is none.
template <typename E>
[[nodiscard]] E take_token(Call& call, std::string_view key, E fallback,
                           std::string_view objection) {
  const std::string text = call.word(key, token_of(fallback));
  if (const auto found = parse_token<E>(text)) return *found;
  call.refuse(key, std::string(objection) + " '" + text + "'");
  return fallback;
}

[[nodiscard]] inline RoundingMode take_round(Call& call) {
  return take_token(call, "round", RoundingMode::kNearest,
                    "is one of nearest, floor, even, dither, not");
}

[[nodiscard]] inline Path take_path(Call& call) {
  return take_token(call, "path", Path::kPython, "is one of python, cpp, cuda, not");
}

/// Nothing for None.
[[nodiscard]] inline std::optional<ElemFormat> take_elem_format(Call& call) {
  const std::string text = call.word("elem_format", "None");
  if (text == "None") return std::nullopt;
  const auto found = elem_format_from_str(text);
  if (found) return *found;
  call.refuse("elem_format", "is no element format: '" + text + "'");
  return std::nullopt;
}

[[nodiscard]] inline std::string spelt(bool value) { return value ? "True" : "False"; }

}  // namespace mx::emulators::microxcaling
