// Which sources this program was built from.
#pragma once

#include <string_view>

namespace mx::cli {

/// 16 hexadecimal digits over name and content of every source, made by the build
/// (cli/program/source_digest.cmake). ./dev runs no program that has others than the checkout.
[[nodiscard]] std::string_view source_digest();

}  // namespace mx::cli
