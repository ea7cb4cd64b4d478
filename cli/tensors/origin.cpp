#include "cli/tensors/origin.hpp"

#include <fmt/format.h>

#include "cli/base/error.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/text/names.hpp"
#include "reference/profiles/masks.hpp"

namespace mx::cli {
namespace {

using Fields = std::map<std::string, std::string>;

std::string text_of(const std::optional<Hadamard>& hadamard) {
  if (!hadamard) return "under no Hadamard transform";
  return fmt::format("under the Hadamard transform {:04x}, signs {}", hadamard->mask,
                     token_of(hadamard->signs));
}

/// What two operands of a product leave open, together.
void add_counts(const Fields& more, Fields& open) {
  if (more.empty()) return;
  for (const char* const key : {"open_elements", "open_scales"}) {
    const auto count = [&](const Fields& of) {
      const auto found = of.find(key);
      return found == of.end() ? 0 : std::stoull(found->second);
    };
    open[key] = std::to_string(count(open) + count(more));
  }
  const auto masks = [](const Fields& of) {
    const auto found = of.find("open_masks");
    return found == of.end() ? Masks{} : parse_block_masks(found->second).value_or(Masks{});
  };
  open["open_masks"] = mask_list(masks(open) | masks(more));
}

}  // namespace

bool holds_codes(const Fields& metadata) {
  return metadata.contains("mxgold_version") && !metadata.contains("dequantized_from") &&
         !metadata.contains("dot_mode") && !metadata.contains("unit");
}

Fields stored_open(std::string_view file, const Fields& metadata, std::string_view operand) {
  Fields open;
  for (const char* const name : {"open_elements", "open_scales", "open_masks"}) {
    const std::string key = fmt::format("{}{}", name, operand);
    const auto found = metadata.find(key);
    if (found == metadata.end()) continue;
    const std::string& text = found->second;
    const auto refuse = [&](std::string_view problem) {
      fail(Exit::kBadInput, "{}: header: '__metadata__', field '{}', value {}: {}", file, key,
           printable(text), problem);
    };
    if (std::string_view(name) == "open_masks") {
      if (!parse_block_masks(text)) refuse("not a list of what profiles leave open");
    } else if (!check_unsigned(text).empty()) {
      refuse("not a whole number of 0 or more");
    }
    open[name] = text;
  }
  return open;
}

Origin origin_of_codes(const std::string& path, const Recipe& recipe, const Fields& metadata,
                       const std::string& tensor) {
  Origin origin{path, {}, recipe.hadamard, "mxgold-default", recipe.open};
  const auto keep = [&](const std::string& key) {
    if (const auto found = metadata.find(key); found != metadata.end())
      origin.fields.insert(*found);
  };
  for (const char* const key :
       {"format", "profile", "block_size", "axis", "random_bits", "seed", "definitions"}) {
    keep(key);
  }
  for (const PolicyOption& policy : policy_options()) keep(std::string(policy.name));
  if (recipe.hadamard) add_hadamard(*recipe.hadamard, origin.fields);
  origin.fields.insert(recipe.open.begin(), recipe.open.end());
  const auto source = metadata.find("source_dtype." + tensor);
  if (source != metadata.end()) origin.fields["source_dtype"] = source->second;
  if (const auto found = origin.fields.find("profile"); found != origin.fields.end()) {
    origin.profile = found->second;
  }
  return origin;
}

Origin origin_of_values(const std::string& path, const Fields& metadata) {
  Origin origin{path, {}, hadamard_of(path, metadata), {}, {}};
  // Values of dequantize have one origin, products those of their operands.
  for (const std::string operand : {"", ".a", ".b", ".c"}) {
    const Fields open = stored_open(path, metadata, operand);
    if (open.empty()) continue;
    auto profile = metadata.find("open_profile" + operand);
    if (profile == metadata.end()) profile = metadata.find("profile" + operand);
    const std::string name = profile == metadata.end() ? "mxgold-default" : profile->second;
    if (origin.profile.empty()) {
      origin.profile = name;
    } else if (origin.profile != name) {
      origin.profile += " and " + name;
    }
    add_counts(open, origin.open);
  }
  if (origin.hadamard) add_hadamard(*origin.hadamard, origin.fields);
  origin.fields.insert(origin.open.begin(), origin.open.end());
  // The profile that quantizes these values is not the one that left them open.
  if (!origin.open.empty()) origin.fields["open_profile"] = origin.profile;
  return origin;
}

std::uint64_t open_count(const Origin& origin, const std::string& key) {
  const auto count = origin.open.find(key);
  return count == origin.open.end() ? 0 : std::stoull(count->second);
}

void tell_open(std::string_view subcommand, const Origin& origin) {
  const std::uint64_t elements = open_count(origin, "open_elements");
  const std::uint64_t scales = open_count(origin, "open_scales");
  if (elements == 0 && scales == 0) return;
  const auto masks = origin.open.find("open_masks");
  fmt::print(
      stderr,
      "mxgold {}: of all of {} profile {} leaves open {} values and {} scales{}; what was made of "
      "them is one choice of several\n",
      subcommand, origin.path, printable(origin.profile), elements, scales,
      masks == origin.open.end() ? "" : fmt::format(" ({})", printable(masks->second)));
}

void match_transforms(std::string_view subcommand, const Origin& a, const Origin& b) {
  if (a.hadamard != b.hadamard) {
    fail(Exit::kBadInput,
         "{} is {}, {} {}: it cancels in products only where both operands have the same; quantize "
         "both with the same --hadamard and --hadamard-signs, or both without",
         a.path, text_of(a.hadamard), b.path, text_of(b.hadamard));
  }
  if (!a.hadamard) return;
  fmt::print(stderr,
             "mxgold {}: both operands are {}; products are those of the values before it, but for "
             "what was rounded under it\n",
             subcommand, text_of(a.hadamard));
}

void refuse_transformed(const Origin& origin, std::string_view what) {
  if (!origin.hadamard) return;
  fail(Exit::kBadInput, "{} is {}; {} are taken without one: dequantize with --undo-hadamard",
       origin.path, text_of(origin.hadamard), what);
}

void add_origin(const Origin& origin, std::string_view operand, Fields& metadata) {
  for (const auto& [key, value] : origin.fields) {
    metadata[fmt::format("{}.{}", key, operand)] = value;
  }
}

}  // namespace mx::cli
