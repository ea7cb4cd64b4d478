// Casts of the emulated systems that everybody uses: what pages show and what identify tries.
#pragma once

#include <span>
#include <string_view>

namespace mx::cli {

/// Texts "system:body" that need neither random words nor a scale, the systems one after another.
[[nodiscard]] std::span<const std::string_view> known_casts();

/// Others that are as usual but draw random words, take a scale as data or give scales and codes.
[[nodiscard]] std::span<const std::string_view> further_casts();

}  // namespace mx::cli
