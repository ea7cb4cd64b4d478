#include "mx/cli/tensor_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "mx/cli/command.hpp"
#include "mx/cli/error.hpp"

namespace mx::cli {
namespace {

/// A metadata value by key, with the file's name for messages.
class Metadata {
 public:
  Metadata(std::string_view file, const std::map<std::string, std::string>& values)
      : file_(file), values_(values) {}

  [[nodiscard]] const std::string& text(const std::string& key) const {
    const auto value = values_.find(key);
    if (value == values_.end()) {
      fail(Exit::kBadInput,
           "{}: header: '__metadata__', field '{}': missing; the file must come from mxgold "
           "quantize",
           file_, key);
    }
    return value->second;
  }

  [[nodiscard]] std::int64_t number(const std::string& key) const {
    const std::string& digits = text(key);
    std::int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end) refuse(key, "not a whole number");
    return value;
  }

  [[noreturn]] void refuse(const std::string& key, std::string_view problem) const {
    fail(Exit::kBadInput, "{}: header: '__metadata__', field '{}', value {}: {}", file_, key,
         printable(text(key)), problem);
  }

 private:
  std::string_view file_;
  const std::map<std::string, std::string>& values_;
};

}  // namespace

QuantizerConfig Recipe::config(const ElementFormat& source) const {
  QuantizerConfig config;
  config.source = source;
  config.format = format.block != nullptr
                      ? *format.block
                      : BlockFormat{format.name, *format.element, *find_format("e8m0"), 32};
  config.format.element = element();
  config.format.block_size = block_size;
  config.element = policies.element;
  config.block = policies.block;
  return config;
}

std::map<std::string, std::string> metadata_of(const Recipe& recipe) {
  std::map<std::string, std::string> metadata = {
      {"mxgold_version", std::string(version())},
      {"format", std::string(recipe.format.name)},
      {"profile", recipe.profile},
      {"random_bits", std::to_string(recipe.policies.element.random_bits)},
      {"seed", std::to_string(recipe.seed)}};
  if (recipe.format.block != nullptr) {
    metadata["block_size"] = std::to_string(recipe.block_size);
    metadata["axis"] = std::to_string(recipe.axis);
  }
  for (const PolicyField& field : policy_fields()) {
    metadata[std::string(field.name)] = std::string(field.get(recipe.policies));
  }
  if (!recipe.packing.empty()) metadata["packed"] = recipe.packing;
  return metadata;
}

Recipe recipe_of(std::string_view file, const std::map<std::string, std::string>& values) {
  const Metadata metadata(file, values);
  Recipe recipe;
  try {
    recipe.format = require_format(metadata.text("format"));
  } catch (const Error& error) {
    throw Error(Exit::kBadInput, error.exit() == Exit::kUsage
                                     ? fmt::format("{}: header: '__metadata__', field 'format': {}",
                                                   file, error.what())
                                     : error.what());
  }
  if (recipe.format.block != nullptr) {
    const std::int64_t block_size = metadata.number("block_size");
    if (block_size < 1 || block_size > 1024) metadata.refuse("block_size", "outside 1..1024");
    recipe.block_size = static_cast<int>(block_size);
    recipe.axis = metadata.number("axis");
  }
  // The other policies shaped the codes; only these matter on the way back.
  const PolicyField& overflow = *find_policy_field("dequant_overflow");
  if (values.contains("dequant_overflow") &&
      !overflow.set(recipe.policies, metadata.text("dequant_overflow"))) {
    metadata.refuse("dequant_overflow",
                    unknown_name("token", metadata.text("dequant_overflow"), overflow.values()));
  }
  if (values.contains("packed")) recipe.packing = metadata.text("packed");
  if (values.contains("profile") && metadata.text("profile") != recipe.profile) {
    try {
      decode_by_profile(recipe, metadata.text("profile"));
    } catch (const Error& error) {
      metadata.refuse("profile", error.what());
    }
  }
  return recipe;
}

void decode_by_profile(Recipe& recipe, std::string_view profile) {
  const ProfileChoice choice = require_profile(profile);
  // What decoding needs does not depend on the source; the first one it speaks of will do.
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16, formats::fp64}) {
    try {
      const ProfiledFormat found = profiled(choice, recipe.format, source);
      if (found.element != *recipe.format.element) recipe.profiled_element = found.element;
      recipe.policies.block.rule = found.policies.block.rule;
      recipe.profile = choice.name();
      return;
    } catch (const Error&) {
      continue;
    }
  }
  fail(Exit::kUsage, "profile {} does not speak of {}; mxgold list profiles shows the formats",
       choice.name(), recipe.format.name);
}

std::optional<BlockedShape> blocked_shape(const Recipe& recipe,
                                          std::span<const std::uint64_t> shape) {
  return BlockedShape::make(shape, recipe.axis, recipe.block_size);
}

std::vector<std::uint64_t> scale_shape(const Recipe& recipe, std::span<const std::uint64_t> shape) {
  if (shape.empty()) return {1};
  std::vector<std::uint64_t> result(shape.begin(), shape.end());
  const auto rank = static_cast<std::int64_t>(shape.size());
  const std::int64_t axis = recipe.axis < 0 ? recipe.axis + rank : recipe.axis;
  std::uint64_t& length = result.at(static_cast<std::size_t>(axis));
  const auto k = static_cast<std::uint64_t>(recipe.block_size);
  length = length / k + (length % k != 0 ? 1 : 0);
  return result;
}

std::uint64_t chunk_blocks(int block_size) {
  return std::max<std::uint64_t>(1, (1U << 17) / static_cast<std::uint64_t>(block_size));
}

std::vector<std::string_view> flag_names(std::uint16_t flags) {
  constexpr std::array<std::pair<int, std::string_view>, 12> kNames = {
      {{kFlagInexact, "inexact"},
       {kFlagOverflow, "overflow"},
       {kFlagSaturated, "saturated"},
       {kFlagUnderflow, "underflow"},
       {kFlagInvalid, "invalid"},
       {kFlagToZero, "to_zero"},
       {kBlockScaleClamped, "scale_clamped"},
       {kBlockZero, "zero_block"},
       {kBlockHasInf, "inf"},
       {kBlockHasNan, "nan"},
       {kBlockNanScale, "nan_scale"},
       {kBlockCodesMasked, "codes_masked"}}};
  std::vector<std::string_view> names;
  for (const auto& [bit, name] : kNames) {
    if ((flags & bit) != 0) names.push_back(name);
  }
  return names;
}

}  // namespace mx::cli
