// Looking profiles up, and making configurations of their rows. The rows: profile_*.cpp.
#include "reference/profiles/profile.hpp"

#include <algorithm>

#include "reference/block/back.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/policy/fields.hpp"
#include "reference/profiles/data.hpp"

namespace mx {
namespace {

/// Is a format a member of the P3109 family, by its facts? A user may call any format binary_...
bool is_p3109(const ElementFormat& format) {
  return format.name.starts_with("binary") && make_format(format.name) == format;
}

/// Is `name` in a list of names separated by blanks? `p3109`: whether it is a format of that
/// family.
bool lists(std::string_view list, std::string_view name, bool p3109 = false) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    const std::string_view entry = list.substr(0, end);
    if (entry == "*" || entry == name) return true;
    if (entry == "binary*" && p3109) return true;
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

/// Writes "field=token field=token" into policies. False for anything that is no policy.
bool apply_settings(Policies& policies, std::string_view settings) {
  while (!settings.empty()) {
    const std::size_t end = settings.find(' ');
    const std::string_view entry = settings.substr(0, end);
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos ||
        set_policy(policies, entry.substr(0, equals), entry.substr(equals + 1)) !=
            FieldError::kNone) {
      return false;
    }
    settings.remove_prefix(end == std::string_view::npos ? settings.size() : end + 1);
  }
  return true;
}

/// What the variants of a name, joined by `+`, set and mask; nothing if one is unknown or sets
/// anything that is no policy.
std::optional<Masks> apply_variants(std::span<const ProfileVariant> variants, std::string_view name,
                                    Policies& policies) {
  Masks masks = 0;
  while (!name.empty()) {
    const std::size_t end = name.find('+');
    const auto found = std::find_if(
        variants.begin(), variants.end(),
        [&](const ProfileVariant& variant) { return variant.name == name.substr(0, end); });
    if (found == variants.end() || !apply_settings(policies, found->settings)) return std::nullopt;
    masks |= found->masks;
    name.remove_prefix(end == std::string_view::npos ? name.size() : end + 1);
  }
  return masks;
}

std::vector<std::string_view> names_of(std::span<const ProfileVariant> variants) {
  std::vector<std::string_view> names = {""};
  for (const ProfileVariant& variant : variants) names.push_back(variant.name);
  return names;
}

/// A format without a rule of its own has codes that come back: who quantizes is refused later.
std::optional<QuantizerConfig> checked(const QuantizerConfig& config) {
  if (!Quantizer::problem(for_way_back(config)).empty()) return std::nullopt;
  return config;
}

/// To what a mixture converts: the elements of the profile that its blocks are of.
const ElementFormat& element_of(const NamedProfile& blocks, const BlockFormat& format,
                                const ElementFormat& source) {
  const BlockRow* const row = find_row(*blocks.profile, format, source);
  return row != nullptr && row->element_format != nullptr ? *row->element_format : format.element;
}

std::optional<QuantizerConfig> mixture(const Profile& profile, const BlockFormat& format,
                                       const ElementFormat& source, std::string_view variant) {
  const VariantParts parts = parts_of(variant);
  const NamedProfile blocks = named_profile(parts.blocks_as);
  if (blocks.profile == nullptr || !parts_of(blocks.variant).blocks_as.empty()) return std::nullopt;
  std::optional<QuantizerConfig> config =
      block_config(*blocks.profile, format, source, blocks.variant);
  if (!config) return std::nullopt;
  const std::optional<ConversionConfig> element =
      element_conversion(profile, source, element_of(blocks, format, source), parts.own);
  if (!element) return std::nullopt;
  // What a conversion to e8m0 does is no business of scales: that is the block rules'.
  const E8m0Quirk quirk = config->element.e8m0_quirk;
  config->format.element = element->destination;
  config->element = element->policy;
  config->element.e8m0_quirk = quirk;
  // Elements of blocks saturate, whatever default_policy() says of single values.
  const ElementRow& row = *find_row(profile, source, element_of(blocks, format, source));
  if (row.policy_of_destination) config->element.overflow = row.policy.overflow;
  return checked(*config);
}

}  // namespace

std::span<const Profile> all_profiles() { return profile_data::profiles(); }

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : all_profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

NamedProfile named_profile(std::string_view name) {
  const std::size_t colon = name.find(':');
  return {find_profile(name.substr(0, colon)),
          colon == std::string_view::npos ? std::string_view{} : name.substr(colon + 1)};
}

VariantParts parts_of(std::string_view variant) {
  const std::size_t at = variant.starts_with(kBlocksAs) ? 0 : variant.find("+blocks-as=");
  if (at == std::string_view::npos) return {variant, {}};
  return {variant.substr(0, at), variant.substr(variant.find('=', at) + 1)};
}

std::string with_blocks_as(std::string_view name, std::string_view blocks_as) {
  std::string text(name);
  text += name.find(':') == std::string_view::npos ? ':' : '+';
  text += kBlocksAs;
  return text += blocks_as;
}

std::string name_in_files(std::string_view name) {
  const NamedProfile named = named_profile(name);
  const bool is_whole = named.profile == nullptr || !named.profile->blocks.empty() ||
                        !parts_of(named.variant).blocks_as.empty();
  return is_whole ? std::string(name) : with_blocks_as(name, "mxgold-default");
}

const ElementRow* find_row(const Profile& profile, const ElementFormat& source,
                           const ElementFormat& destination) {
  const bool p3109 = is_p3109(destination);
  for (const ElementRow& row : profile.elements) {
    const bool speaks = lists(row.destinations, destination.name, p3109);
    if (speaks && lists(row.sources, source.name)) return &row;
  }
  return nullptr;
}

const BlockRow* find_row(const Profile& profile, const BlockFormat& format,
                         const ElementFormat& source) {
  const bool p3109 = format.name.starts_with("binary") && is_p3109(format.element);
  for (const BlockRow& row : profile.blocks) {
    const bool fits =
        format.extent != BlockExtent::kElements || format.elements() >= row.least_block;
    const bool speaks = fits && lists(row.formats, format.name, p3109);
    if (speaks && lists(row.sources, source.name)) return &row;
  }
  return nullptr;
}

std::optional<ConversionConfig> element_conversion(const Profile& profile,
                                                   const ElementFormat& source,
                                                   const ElementFormat& destination,
                                                   std::string_view variant) {
  ConversionConfig conversion{source, destination, {}};
  const ElementRow* row = find_row(profile, source, destination);
  if (row == nullptr || (row->masks & kMaskAll) != 0) return std::nullopt;
  Policies policies{row->policy_of_destination ? default_policy(destination) : row->policy, {}};
  if (!apply_variants(row->variants, variant, policies)) return std::nullopt;
  conversion.policy = policies.element;
  if (row->canonical_nan) conversion.destination.canonical_nan = *row->canonical_nan;
  if (destination.kind == FormatKind::kFloat && destination.man_bits == 0) {
    conversion.destination.parity = row->parity.value_or(destination.parity);
  }
  return conversion;
}

std::optional<QuantizerConfig> block_config(const Profile& profile, const BlockFormat& format,
                                            const ElementFormat& source, std::string_view variant) {
  if (!parts_of(variant).blocks_as.empty()) return mixture(profile, format, source, variant);
  QuantizerConfig config{source, format, {}, {.rule = format.rule}};
  const BlockRow* row = find_row(profile, format, source);
  if (row == nullptr || (row->masks & kMaskAllBlocks) != 0) return std::nullopt;
  Policies policies{row->element, row->block};
  if (row->rule_of_format) policies.block.rule = format.rule;
  if (!apply_variants(row->variants, variant, policies)) return std::nullopt;
  config.element = policies.element;
  config.block = policies.block;
  if (row->element_format != nullptr) config.format.element = *row->element_format;
  if (row->canonical_nan) config.format.element.canonical_nan = *row->canonical_nan;
  return checked(config);
}

std::vector<std::string_view> element_variants(const Profile& profile, const ElementFormat& source,
                                               const ElementFormat& destination) {
  const ElementRow* row = find_row(profile, source, destination);
  const bool is_modelled = row != nullptr && (row->masks & kMaskAll) == 0;
  return is_modelled ? names_of(row->variants) : std::vector<std::string_view>{};
}

std::vector<std::string_view> block_variants(const Profile& profile, const BlockFormat& format,
                                             const ElementFormat& source) {
  const BlockRow* row = find_row(profile, format, source);
  if (row == nullptr) return {};
  std::vector<std::string_view> names = names_of(row->variants);
  std::erase_if(
      names, [&](std::string_view name) { return !block_config(profile, format, source, name); });
  return names;
}

Masks element_masks(const Profile& profile, const ElementFormat& source,
                    const ElementFormat& destination, std::string_view variant) {
  const ElementRow* row = find_row(profile, source, destination);
  if (row == nullptr) return 0;
  Policies unused;
  return row->masks | apply_variants(row->variants, variant, unused).value_or(0);
}

Masks block_masks(const Profile& profile, const BlockFormat& format, const ElementFormat& source,
                  std::string_view variant) {
  if (const VariantParts parts = parts_of(variant); !parts.blocks_as.empty()) {
    const NamedProfile blocks = named_profile(parts.blocks_as);
    if (blocks.profile == nullptr) return 0;
    return element_masks(profile, source, element_of(blocks, format, source), parts.own) |
           block_masks(*blocks.profile, format, source, blocks.variant);
  }
  const BlockRow* row = find_row(profile, format, source);
  if (row == nullptr) return 0;
  Policies unused;
  return row->masks | apply_variants(row->variants, variant, unused).value_or(0);
}

}  // namespace mx
