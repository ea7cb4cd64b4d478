// The functions of the scale rules of one kind, by the values of the enum.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "reference/policy/policy.hpp"

namespace mx {

/// `of<rule>()` for every rule of the kind, a null pointer for the others. A rule of the kind
/// without a function does not compile.
template <RuleKind kKind, typename Function, typename Of>
[[nodiscard]] consteval auto choosers(Of of) {
  std::array<Function, tokens<ScaleRule>().size()> all{};
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    const auto take = [&]<std::size_t kAt>() {
      constexpr auto kRule = static_cast<ScaleRule>(kAt);
      if constexpr (facts_of(kRule).kind == kKind) all[kAt] = of.template operator()<kRule>();
    };
    (take.template operator()<kIndex>(), ...);
  }
  (std::make_index_sequence<all.size()>{});
  return all;
}

}  // namespace mx
