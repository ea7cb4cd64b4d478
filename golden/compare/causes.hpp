// Which settings make the difference: the search for a smallest set of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "golden/compare/difference.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {

/// The settings in which two subjects differ, each as a change that turns A's into B's.
template <typename Subject>
struct SettingChange {
  Cause cause;
  std::function<void(Subject&)> apply;
};

[[nodiscard]] std::vector<SettingChange<ConversionConfig>> changes(const ConversionConfig& a,
                                                                   const ConversionConfig& b);
[[nodiscard]] std::vector<SettingChange<QuantizerConfig>> changes(const QuantizerConfig& a,
                                                                  const QuantizerConfig& b);

/// Are there no changes? Requires normalized configurations for an answer about behaviour.
[[nodiscard]] bool same_settings(const ConversionConfig& a, const ConversionConfig& b);
[[nodiscard]] bool same_settings(const QuantizerConfig& a, const QuantizerConfig& b);

/// A smallest set of changes to `a` under which `answers_as_b` holds: a single one where there is
/// one (the first in the order of the policies), else all of them less those that can be left out.
/// Requires that all of them together satisfy it.
template <typename Subject>
[[nodiscard]] std::vector<Cause> find_causes(
    const Subject& a, const std::vector<SettingChange<Subject>>& all,
    const std::function<bool(const Subject&)>& answers_as_b) {
  for (const SettingChange<Subject>& each : all) {
    Subject changed = a;
    each.apply(changed);
    if (answers_as_b(changed)) return {each.cause};
  }
  std::vector<bool> kept(all.size(), true);
  const auto with_kept = [&] {
    Subject changed = a;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (kept[i]) all[i].apply(changed);
    }
    return changed;
  };
  std::vector<Cause> causes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    kept[i] = false;
    if (!answers_as_b(with_kept())) kept[i] = true;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept[i]) causes.push_back(all[i].cause);
  }
  return causes;
}

}  // namespace mx::golden
