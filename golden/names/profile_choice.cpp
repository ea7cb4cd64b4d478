// SPDX-License-Identifier: Apache-2.0
#include "golden/names/profile_choice.hpp"

#include <algorithm>

#include "golden/text/filled.hpp"
#include "reference/profiles/refusal.hpp"

namespace mx::golden {
namespace {

/// Does any row of the profile have the variants of a name?
bool has_variant(const Profile& profile, std::string_view variant) {
  variant = parts_of(variant).own;
  if (variant.empty()) return true;
  const auto in = [](std::span<const ProfileVariant> variants, std::string_view names) {
    while (!names.empty()) {
      const std::size_t end = names.find('+');
      if (std::ranges::find(variants, names.substr(0, end), &ProfileVariant::name) ==
          variants.end()) {
        return false;
      }
      names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
    return true;
  };
  return std::ranges::any_of(profile.elements,
                             [&](const ElementRow& row) { return in(row.variants, variant); }) ||
         std::ranges::any_of(profile.blocks,
                             [&](const BlockRow& row) { return in(row.variants, variant); });
}

std::vector<std::string_view> variants_of(const Profile& profile) {
  std::vector<std::string_view> names;
  const auto add = [&](std::span<const ProfileVariant> variants) {
    for (const ProfileVariant& variant : variants) {
      if (std::ranges::find(names, variant.name) == names.end()) names.push_back(variant.name);
    }
  };
  for (const ElementRow& row : profile.elements) add(row.variants);
  for (const BlockRow& row : profile.blocks) add(row.variants);
  return names;
}

/// The format in blocks of `block_size` elements; 0: its own.
BlockFormat sized(BlockFormat format, int block_size) {
  if (block_size != 0) format.block_size = block_size;
  return format;
}

/// A problem of a mixture begins with the argument that asks for it.
std::string spelled_mixture(const std::string& problem, Spelling spelling) {
  constexpr std::string_view kArgument = "blocks-as";
  return spelled(spelling, "blocks_as") + problem.substr(kArgument.size());
}

}  // namespace

std::string ProfileChoice::name() const {
  return std::string(profile->name) + (variant.empty() ? "" : ":" + variant);
}

ProfileChoice choose_profile(std::string_view name, Spelling spelling) {
  const std::size_t colon = name.find(':');
  const Profile* const profile = find_profile(name.substr(0, colon));
  if (profile == nullptr) {
    std::vector<std::string_view> known;
    for (const Profile& each : all_profiles()) known.push_back(each.name);
    throw Refusal(filled("{}{}", unknown_name("profile", name.substr(0, colon), known),
                         hint(spelling, "; mxgold list profiles shows all")));
  }
  const std::string_view variant =
      colon == std::string_view::npos ? std::string_view{} : name.substr(colon + 1);
  if (!has_variant(*profile, variant)) {
    const std::vector<std::string_view> known = variants_of(*profile);
    throw Refusal(known.empty() ? filled("profile {} has no variants", profile->name)
                                : unknown_name(filled("variant of profile {}", profile->name),
                                               parts_of(variant).own, known));
  }
  if (const std::string problem = mixture_problem(variant); !problem.empty()) {
    throw Refusal(spelled_mixture(problem, spelling));
  }
  if (const NamedProfile blocks = named_profile(parts_of(variant).blocks_as);
      blocks.profile != nullptr && !has_variant(*blocks.profile, blocks.variant)) {
    (void)choose_profile(parts_of(variant).blocks_as, spelling);  // says which variants there are
  }
  return {profile, std::string(variant)};
}

ProfiledFormat under_profile(const ProfileChoice& profile, const FormatChoice& format,
                             const ElementFormat& source, int block_size, Spelling spelling) {
  const Profile& from = *profile.profile;
  std::string why;
  if (format.block != nullptr) {
    const BlockFormat block = sized(*format.block, block_size);
    if (const auto config = block_config(from, block, source, profile.variant)) {
      return {{config->element, config->block}, config->format.element};
    }
    why = refusal_of(from, block, source, profile.variant,
                     spelled(spelling, "blocks_as", "mxgold-default"));
  } else {
    if (const auto conversion =
            element_conversion(from, source, *format.element, profile.variant)) {
      return {{conversion->policy, {}}, conversion->destination};
    }
    why = refusal_of(from, source, *format.element, profile.variant);
  }
  throw Refusal(
      filled("{}{}", why, hint(spelling, "; mxgold list profiles NAME shows all it has")));
}

std::vector<ProfileChoice> profiles_of(const FormatChoice& format, const ElementFormat& source) {
  std::vector<ProfileChoice> chosen;
  for (const Profile& profile : all_profiles()) {
    const std::vector<std::string_view> variants =
        format.block != nullptr ? block_variants(profile, *format.block, source)
                                : element_variants(profile, source, *format.element);
    for (const std::string_view variant : variants) {
      chosen.push_back({&profile, std::string(variant)});
    }
  }
  return chosen;
}

}  // namespace mx::golden
