// SPDX-License-Identifier: Apache-2.0
#include "reference/profiles/refusal.hpp"

#include <algorithm>
#include <optional>

#include "reference/format/table.hpp"

namespace mx {
namespace {

using Names = std::vector<std::string_view>;

/// Appends the names of a list separated by blanks, each once.
void append(std::string_view list, Names& names) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    const std::string_view name = list.substr(0, end);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
}

bool has(std::string_view list, std::string_view name) {
  Names names;
  append(list, names);
  return std::ranges::find(names, name) != names.end();
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string joined_variants(std::span<const ProfileVariant> variants) {
  Names names;
  for (const ProfileVariant& each : variants) names.push_back(each.name);
  return joined(names);
}

std::string text_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string name_of(const Profile& profile) { return text_of({"profile ", profile.name}); }

/// "profile onnx-ref (ONNX Cast, the reference code, 1.23.2)"
std::string title_of(const Profile& profile) {
  return text_of({"profile ", profile.name, " (", profile.system, ", ", profile.version, ")"});
}

/// What it has besides, for a side that it does not have.
std::string elements_text(const Profile& profile) {
  const Names names = destinations_of(profile);
  if (names.empty()) return "it has no conversions of single values";
  return text_of({"it has conversions to ", joined(names)});
}

std::string blocks_text(const Profile& profile) {
  const Names names = block_formats_of(profile);
  if (names.empty()) return "it has no block formats";
  return text_of({"it has the block formats ", joined(names)});
}

/// "mxint8", in blocks of another size than its own "mxint8 in blocks of 1".
std::string sized_name(const BlockFormat& format) {
  std::string text(format.name);
  const BlockFormat* const own = find_block_format(format.name);
  if (own != nullptr && own->block_size != format.block_size) {
    text += " in blocks of " + std::to_string(format.block_size);
  }
  return text;
}

/// A row that speaks of it, and yet nothing comes of it: the variant, or what the quantizer says.
std::string variant_text(const Profile& profile, std::string_view variant, std::string_view what,
                         std::span<const ProfileVariant> variants) {
  const std::string name = name_of(profile);
  if (variants.empty()) {
    return text_of({name, " has no variants of ", what, ", so not \"", variant, "\""});
  }
  return text_of({name, " has no variant \"", variant, "\" of ", what, " that can be computed; of ",
                  what, " it has ", joined_variants(variants)});
}

std::string mixture_text(const Profile& profile, const BlockFormat& format,
                         const ElementFormat& source, const VariantParts& parts,
                         std::string_view ask) {
  const NamedProfile blocks = named_profile(parts.blocks_as);
  if (const std::string problem = mixture_problem(text_of({kBlocksAs, parts.blocks_as}));
      !problem.empty()) {
    return problem;
  }
  if (!block_config(*blocks.profile, format, source, blocks.variant)) {
    return refusal_of(*blocks.profile, format, source, blocks.variant, ask);
  }
  const BlockRow* const row = find_row(*blocks.profile, format, source);
  const ElementFormat& element =
      row != nullptr && row->element_format != nullptr ? *row->element_format : format.element;
  if (!element_conversion(profile, source, element, parts.own)) {
    return refusal_of(profile, source, element, parts.own);
  }
  return text_of({name_of(profile), " and blocks as ", parts.blocks_as, " make no quantizer of ",
                  format.name, " from ", source.name});
}

}  // namespace

std::vector<std::string_view> destinations_of(const Profile& profile) {
  Names names;
  for (const ElementRow& row : profile.elements) {
    if ((row.masks & kMaskAll) == 0) append(row.destinations, names);
  }
  return names;
}

std::vector<std::string_view> block_formats_of(const Profile& profile) {
  Names names;
  for (const BlockRow& row : profile.blocks) {
    if ((row.masks & kMaskAllBlocks) == 0) append(row.formats, names);
  }
  return names;
}

std::vector<std::string_view> sources_of(std::span<const ElementRow> rows,
                                         std::string_view destination) {
  Names names;
  for (const ElementRow& row : rows) {
    if ((row.masks & kMaskAll) == 0 && has(row.destinations, destination)) {
      append(row.sources, names);
    }
  }
  return names;
}

std::vector<std::string_view> sources_of(std::span<const BlockRow> rows, std::string_view format) {
  Names names;
  for (const BlockRow& row : rows) {
    if ((row.masks & kMaskAllBlocks) == 0 && has(row.formats, format)) append(row.sources, names);
  }
  return names;
}

std::string mixture_problem(std::string_view variant) {
  const std::string_view name = parts_of(variant).blocks_as;
  if (name.empty()) return {};
  const NamedProfile blocks = named_profile(name);
  if (blocks.profile == nullptr) {
    return text_of({"blocks-as ", name, ": no profile is called that"});
  }
  if (!parts_of(blocks.variant).blocks_as.empty()) {
    return text_of({"blocks-as ", name, ": a mixture has no block rules of its own"});
  }
  if (block_formats_of(*blocks.profile).empty()) {
    return text_of({"blocks-as ", name, ": ", title_of(*blocks.profile), " has no block formats; ",
                    elements_text(*blocks.profile)});
  }
  return {};
}

std::string refusal_of(const Profile& profile, const ElementFormat& source,
                       const ElementFormat& destination, std::string_view variant) {
  const std::string_view to = destination.name;
  if (const VariantParts parts = parts_of(variant); !parts.blocks_as.empty()) {
    return text_of({"blocks-as ", parts.blocks_as, ": says nothing of single values, such as ",
                    source.name, " to ", to, "; leave it out"});
  }
  const ElementRow* const row = find_row(profile, source, destination);
  if (row != nullptr && (row->masks & kMaskAll) == 0) {
    return variant_text(profile, variant, to, row->variants);
  }
  const std::string name = name_of(profile);
  const bool has_none = destinations_of(profile).empty();
  if (row != nullptr) {
    return text_of({name, " does not model ", to, " from ", source.name, ": ", profile.description,
                    "; ", has_none ? blocks_text(profile) : elements_text(profile)});
  }
  if (has_none) {
    return text_of(
        {title_of(profile), " has no conversions of single values; ", blocks_text(profile)});
  }
  const Names sources = sources_of(profile.elements, to);
  if (!sources.empty()) {
    return text_of({name, " defines ", to, " from ", joined(sources), ": not from ", source.name});
  }
  return text_of(
      {name, " defines conversions to ", joined(destinations_of(profile)), ": not to ", to});
}

std::string refusal_of(const Profile& profile, const BlockFormat& format,
                       const ElementFormat& source, std::string_view variant,
                       std::string_view ask) {
  if (const VariantParts parts = parts_of(variant); !parts.blocks_as.empty()) {
    return mixture_text(profile, format, source, parts, ask);
  }
  const BlockRow* const row = find_row(profile, format, source);
  if (row != nullptr && (row->masks & kMaskAllBlocks) == 0) {
    return variant_text(profile, variant, format.name, row->variants);
  }
  const std::string name = name_of(profile);
  std::string text;
  if (row != nullptr) {
    text = text_of(
        {name, " does not model ", sized_name(format), " from ", source.name, ": ",
         profile.description, "; ",
         block_formats_of(profile).empty() ? elements_text(profile) : blocks_text(profile)});
  } else if (block_formats_of(profile).empty()) {
    text = text_of({title_of(profile), " has no block formats; ", elements_text(profile)});
  } else if (const Names sources = sources_of(profile.blocks, format.name); sources.empty()) {
    text = text_of(
        {name, " defines ", joined(block_formats_of(profile)), ": not ", sized_name(format)});
  } else if (std::ranges::find(sources, source.name) == sources.end()) {
    text = text_of(
        {name, " defines ", format.name, " from ", joined(sources), ": not from ", source.name});
  } else {
    text = text_of({name, " defines ", format.name, " from ", source.name,
                    " in larger blocks: not in blocks of ", std::to_string(format.block_size)});
  }
  if (element_conversion(profile, source, format.element, variant)) {
    text += text_of({"; for its casts under mxgold's own block rules add ", ask});
  }
  return text;
}

}  // namespace mx
