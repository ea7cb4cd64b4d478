#include "cli/tensors/origin.hpp"

#include <fmt/format.h>

#include "cli/base/error.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/text/names.hpp"
#include "reference/profiles/masks.hpp"

namespace mx::cli {
namespace {

using OriginFields = std::map<std::string, std::string>;

/// The name of the values that codes were made from, among the operands of products.
constexpr const char* kInputKey = "input";

/// The profile of a file that names none.
const std::string kNoProfile = "mxgold-default";  // NOLINT(cert-err58-cpp): a short text

/// What two operands of a product leave open, together.
void add_counts(const OriginFields& more, OriginFields& open) {
  if (more.empty()) return;
  for (const char* const key : {"open_elements", "open_scales"}) {
    const auto count = [&](const OriginFields& of) {
      const auto found = of.find(key);
      return found == of.end() ? 0 : std::stoull(found->second);
    };
    open[key] = std::to_string(count(open) + count(more));
  }
  const auto masks = [](const OriginFields& of) {
    const auto found = of.find("open_masks");
    return found == of.end() ? Masks{} : parse_block_masks(found->second).value_or(Masks{});
  };
  open["open_masks"] = mask_list(masks(open) | masks(more));
}

/// Adds up what a file says is open, of itself ("") and of what it was made from (".a").
void fold_open(const OriginFields& metadata, std::initializer_list<std::string> operands,
               Origin& origin) {
  for (const std::string& operand : operands) {
    const OriginFields open = stored_open(origin.path, metadata, operand);
    if (open.empty()) continue;
    auto found = metadata.find("open_profile" + operand);
    if (found == metadata.end()) found = metadata.find("profile" + operand);
    const std::string& name = found == metadata.end() ? kNoProfile : found->second;
    if (origin.open_profile.empty()) {
      origin.open_profile = name;
    } else if (origin.open_profile != name) {
      origin.open_profile += " and " + name;
    }
    add_counts(open, origin.open);
  }
  for (const auto& [key, value] : origin.open) origin.fields[key] = value;
  // What is made of the file may have a profile of its own.
  if (!origin.open.empty() && origin.open_profile != origin.profile) {
    origin.fields["open_profile"] = origin.open_profile;
  }
}

}  // namespace

bool holds_codes(const OriginFields& metadata) {
  return metadata.contains("mxgold_version") && !metadata.contains("dequantized_from") &&
         !metadata.contains("dot_mode") && !metadata.contains("unit");
}

OriginFields stored_open(std::string_view file, const OriginFields& metadata,
                         std::string_view operand) {
  OriginFields open;
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

Origin origin_of_codes(const std::string& path, const Recipe& recipe, const OriginFields& metadata,
                       const std::string& tensor) {
  Origin origin{path, {}, recipe.hadamard, kNoProfile, {}, {}};
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
  const auto source = metadata.find("source_dtype." + tensor);
  if (source != metadata.end()) origin.fields["source_dtype"] = source->second;
  if (const auto found = origin.fields.find("profile"); found != origin.fields.end()) {
    origin.profile = found->second;
  }
  fold_open(metadata, {"", fmt::format(".{}", kInputKey)}, origin);
  return origin;
}

Origin origin_of_values(const std::string& path, const OriginFields& metadata) {
  Origin origin{path, {}, hadamard_of(path, metadata), {}, {}, {}};
  if (origin.hadamard) add_hadamard(*origin.hadamard, origin.fields);
  // Values of dequantize have one origin, products those of their operands, casts their input's.
  fold_open(metadata, {"", ".a", ".b", ".c", fmt::format(".{}", kInputKey)}, origin);
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
      subcommand, origin.path, printable(origin.open_profile), elements, scales,
      masks == origin.open.end() ? "" : fmt::format(" ({})", printable(masks->second)));
}

std::string transform_text(const Origin& origin) {
  const std::optional<Hadamard>& hadamard = origin.hadamard;
  if (!hadamard) return "under no Hadamard transform";
  return fmt::format("under the Hadamard transform {:04x}, signs {}", hadamard->mask,
                     token_of(hadamard->signs));
}

void match_transforms(std::string_view subcommand, const Origin& a, const Origin& b) {
  if (a.hadamard != b.hadamard) {
    fail(Exit::kBadInput,
         "{} is {}, {} {}: it cancels in products only where both operands have the same; quantize "
         "both with the same --hadamard and --hadamard-signs, or both without",
         a.path, transform_text(a), b.path, transform_text(b));
  }
  if (!a.hadamard) return;
  fmt::print(stderr,
             "mxgold {}: both operands are {}; products are those of the values before it, but for "
             "what was rounded under it\n",
             subcommand, transform_text(a));
}

void refuse_transformed(const Origin& origin, std::string_view what) {
  if (!origin.hadamard) return;
  fail(Exit::kBadInput, "{} is {}; {} are taken without one: dequantize with --undo-hadamard",
       origin.path, transform_text(origin), what);
}

void add_open_input(const Origin& values, OriginFields& metadata) {
  if (values.open.empty()) return;
  Origin open{values.path, values.open, {}, {}, {}, {}};
  open.fields["open_profile"] = values.open_profile;
  add_origin(open, kInputKey, metadata);
}

void add_origin(const Origin& origin, std::string_view operand, OriginFields& metadata) {
  for (const auto& [key, value] : origin.fields) {
    metadata[fmt::format("{}.{}", key, operand)] = value;
  }
}

}  // namespace mx::cli
