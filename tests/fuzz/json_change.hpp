// Changes of JSON that leave it JSON, which bytes that are changed one by one hardly ever are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mx::fuzz {

/// The input with up to three members left out, repeated, moved, or given other values, and objects
/// that hold their SHA-256 mostly sealed again; "" where it holds no JSON. JSON may end at a NUL,
/// or stand behind its length in eight bytes.
[[nodiscard]] std::string changed_json(std::string_view input, std::uint32_t seed);

}  // namespace mx::fuzz
