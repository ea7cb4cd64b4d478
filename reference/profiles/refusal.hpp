// SPDX-License-Identifier: Apache-2.0
// Why a profile answers nothing, for people: what it has instead, and how to ask for a mixture.
// spec F23.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/profiles/profile.hpp"

namespace mx {

/// What rows speak of and model: names of destinations, block formats or sources, each once, in
/// their order; "*" is every one, "binary*" the P3109 family.
[[nodiscard]] std::vector<std::string_view> destinations_of(const Profile& profile);
[[nodiscard]] std::vector<std::string_view> block_formats_of(const Profile& profile);
[[nodiscard]] std::vector<std::string_view> sources_of(std::span<const ElementRow> rows,
                                                       std::string_view destination);
[[nodiscard]] std::vector<std::string_view> sources_of(std::span<const BlockRow> rows,
                                                       std::string_view format);

/// Why element_conversion() gives nothing, which it does; block_config() likewise. `ask` spells the
/// remedy where the caller reads it: "--blocks-as mxgold-default".
[[nodiscard]] std::string refusal_of(const Profile& profile, const ElementFormat& source,
                                     const ElementFormat& destination, std::string_view variant);
[[nodiscard]] std::string refusal_of(const Profile& profile, const BlockFormat& format,
                                     const ElementFormat& source, std::string_view variant,
                                     std::string_view ask);

/// Why a variant's part "blocks-as=PROFILE" makes no mixture, whatever the format; "" if it makes
/// one, or if there is no such part.
[[nodiscard]] std::string mixture_problem(std::string_view variant);

}  // namespace mx
