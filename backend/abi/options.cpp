#include "backend/abi/options.hpp"

#include <algorithm>
#include <charconv>

#include "reference/catalog/definitions.hpp"
#include "reference/profiles/refusal.hpp"

namespace mx::abi {
namespace {

constexpr std::string_view kBlockSize = "block_size";

bool parse_block_size(std::string_view text, int& block_size) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), block_size);
  return error == std::errc{} && end == text.data() + text.size() && block_size >= 1 &&
         block_size <= 1024;
}

bool parse_backend(std::string_view text, backend::Choice& choice) {
  for (std::size_t i = 0; i < std::size(backend::kChoiceNames); ++i) {
    if (backend::kChoiceNames[i] != text) continue;
    choice = static_cast<backend::Choice>(i);
    return true;
  }
  return false;
}

/// Adds whose block rules are taken to the variant, as the name of a mixture has them.
mxgold_status add_blocks_as(Start& start, std::string_view blocks_as, Message& message) {
  if (!start.variant.empty()) start.variant += '+';
  start.variant.append(kBlocksAs).append(blocks_as);
  const std::string problem = mixture_problem(start.variant);
  if (problem.empty()) return MXGOLD_OK;
  message.write({problem});
  return MXGOLD_BAD_VALUE;
}

}  // namespace

void Message::write(std::initializer_list<std::string_view> parts) {
  if (size_ == 0) return;
  std::size_t used = 0;
  // copy(), not memcpy(): an empty part may have no address at all.
  for (const std::string_view part : parts) used += part.copy(text_ + used, size_ - 1 - used);
  text_[used] = '\0';
}

mxgold_status unknown_format(std::string_view kind, std::string_view name, Message& message) {
  if (is_definition(name)) {
    const std::string problem = definition_problem(name);
    const std::string_view other =
        defines_blocks(name) ? "a format of blocks" : "a format of single values";
    message.write({kind, " '", name, "': ", problem.empty() ? other : problem});
    return MXGOLD_UNKNOWN_FORMAT;
  }
  const auto named = std::ranges::find(named_only_formats(), name, &NamedOnlyFormat::name);
  if (named == named_only_formats().end()) {
    message.write({"unknown ", kind, " '", name, "'"});
  } else {
    message.write({"format '", name, "' is known by name only (", named->what, "; from ",
                   named->source, "): no text defines its bits, so nothing here computes it"});
  }
  return MXGOLD_UNKNOWN_FORMAT;
}

mxgold_status find_start(const mxgold_option* options, std::size_t count, Start& start,
                         Message& message) {
  std::string_view blocks_as;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, value] = options[i];
    if (name == nullptr || value == nullptr) return MXGOLD_NULL_ARGUMENT;
    if (std::string_view(name) == "blocks_as") blocks_as = value;
    if (std::string_view(name) == "variant") start.variant = value;
    if (std::string_view(name) == "backend" && !parse_backend(value, start.backend)) {
      message.write({"option 'backend' does not take the value '", value, "'"});
      return MXGOLD_BAD_VALUE;
    }
    if (std::string_view(name) != "profile") continue;
    start.profile = find_profile(value);
    if (start.profile == nullptr) {
      message.write({"unknown profile '", value, "'"});
      return MXGOLD_BAD_VALUE;
    }
  }
  if (start.profile == nullptr && !(start.variant.empty() && blocks_as.empty())) {
    message.write({blocks_as.empty() ? "a variant" : "blocks_as", " needs a profile"});
    return MXGOLD_BAD_VALUE;
  }
  return blocks_as.empty() ? MXGOLD_OK : add_blocks_as(start, blocks_as, message);
}

mxgold_status set_block_size(const mxgold_option* options, std::size_t count, BlockFormat& format,
                             Message& message) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, value] = options[i];
    if (std::string_view(name) != kBlockSize) continue;
    if (format.extent != BlockExtent::kElements) {
      message.write({"option 'block_size': a block of ", format.name,
                     " is the whole axis or tensor; leave it out"});
      return MXGOLD_BAD_VALUE;
    }
    if (!parse_block_size(value, format.block_size)) {
      message.write({"block_size '", value, "' is not a number in 1..1024"});
      return MXGOLD_BAD_VALUE;
    }
  }
  return MXGOLD_OK;
}

mxgold_status start_conversion(Start& start, const char* source, const char* destination,
                               ConversionConfig& conversion, Message& message) {
  if (start.profile == nullptr) return MXGOLD_OK;
  ElementFormat from = conversion.source;
  ElementFormat to = conversion.destination;
  from.name = source;
  to.name = destination;
  const auto found = element_conversion(*start.profile, from, to, start.variant);
  if (!found) {
    message.write({refusal_of(*start.profile, from, to, start.variant)});
    return MXGOLD_BAD_VALUE;
  }
  start.masks = element_masks(*start.profile, from, to, start.variant);
  const std::string_view names[] = {conversion.source.name, conversion.destination.name};
  conversion = *found;
  conversion.source.name = names[0];
  conversion.destination.name = names[1];
  return MXGOLD_OK;
}

mxgold_status start_quantizer(Start& start, const char* source, QuantizerConfig& config,
                              Message& message) {
  if (start.profile == nullptr) return MXGOLD_OK;
  ElementFormat from = config.source;
  from.name = source;
  const auto found = block_config(*start.profile, config.format, from, start.variant);
  if (!found) {
    message.write({refusal_of(*start.profile, config.format, from, start.variant,
                              "blocks_as=mxgold-default")});
    return MXGOLD_BAD_VALUE;
  }
  start.masks = block_masks(*start.profile, config.format, from, start.variant);
  const std::string_view name = config.source.name;
  config = *found;
  config.source.name = name;
  return MXGOLD_OK;
}

mxgold_status apply(const mxgold_option* options, std::size_t count, FieldScope scope,
                    Policies& policies, Message& message) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [name, value] = options[i];
    const bool has_blocks = scope == FieldScope::kBlock;
    if (Start::is_one(name) || (has_blocks && std::string_view(name) == kBlockSize)) continue;
    const PolicyField* const field = find_policy_field(name);
    if (!has_blocks && field != nullptr && field->scope == FieldScope::kBlock) {
      message.write({"option '", name, "' goes with formats of blocks"});
      return MXGOLD_BAD_VALUE;
    }
    switch (set_policy(policies, name, value)) {
      case FieldError::kNone:
        break;
      case FieldError::kUnknownField:
        message.write({"unknown option '", name, "'"});
        return MXGOLD_UNKNOWN_OPTION;
      case FieldError::kUnknownValue:
        message.write({"option '", name, "' does not take the value '", value, "'"});
        return MXGOLD_BAD_VALUE;
    }
  }
  return MXGOLD_OK;
}

}  // namespace mx::abi
