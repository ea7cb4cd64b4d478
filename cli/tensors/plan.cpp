#include "cli/tensors/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "cli/base/command.hpp"
#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/tensors/origin.hpp"
#include "cli/tensors/packing.hpp"
#include "reference/tensor/scale_layout.hpp"

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

  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }

  template <class Integer = std::int64_t>
  [[nodiscard]] Integer number(const std::string& key) const {
    const std::string& digits = text(key);
    Integer value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end) refuse(key, "not a whole number");
    return value;
  }

  /// What `require` makes of a text; its Error becomes one that names the key.
  template <typename Require>
  [[nodiscard]] std::string checked(const std::string& key, const Require& require) const {
    try {
      return require(text(key));
    } catch (const Error& error) {
      refuse(key, error.what());
    }
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

BlockFormat Recipe::block() const {
  BlockFormat block = format.block != nullptr
                          ? *format.block
                          : BlockFormat{format.name, *format.element, formats::e8m0, 32};
  block.element = element();
  block.block_size = block_size;
  return block;
}

QuantizerConfig Recipe::config(const ElementFormat& source, const TensorLevel& tensor) const {
  QuantizerConfig config{source, block(), policies.element, policies.block, tensor};
  if (format.block == nullptr) {
    config.block = {};
    config.block.dequant_overflow = policies.block.dequant_overflow;
  }
  return config;
}

std::string_view scale_dtype(const BlockFormat& format) {
  if (const std::string_view type = float_dtype(format.scale); !type.empty()) return type;
  constexpr std::array<std::string_view, 4> kWords = {"U8", "U16", "U32", "U64"};
  return kWords.at(static_cast<std::size_t>(std::countr_zero(scale_bytes(format))));
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
  for (const PolicyOption& field : policy_options()) {
    metadata[std::string(field.name)] = std::string(field.get(recipe.policies));
  }
  if (!recipe.packing.empty()) metadata["packed"] = recipe.packing;
  if (!recipe.scale_layout.empty()) metadata["scale_layout"] = recipe.scale_layout;
  if (recipe.hadamard) add_hadamard(*recipe.hadamard, metadata);
  const std::string definitions =
      recipe.book == nullptr ? "" : recipe.book->definitions_of(recipe.format);
  if (!definitions.empty()) metadata["definitions"] = definitions;
  return metadata;
}

namespace {

/// What is not codes and scales, though the program wrote it.
void refuse_values(std::string_view file, const std::map<std::string, std::string>& values) {
  if (const auto cast = values.find("mxgold.cast"); cast != values.end()) {
    fail(Exit::kBadInput,
         "{}: written by the cast {} of mxgold quantize: its tensors T.values are values already, "
         "use them as they are; T.scale and T.data, where it has them, are the system's own",
         file, printable(cast->second));
  }
  for (const auto& [key, command] :
       {std::pair{"dequantized_from", "dequantize"}, {"dot_mode", "dot"}, {"unit", "mma"}}) {
    if (!values.contains("mxgold_version") || !values.contains(key)) continue;
    fail(Exit::kBadInput,
         "{}: written by mxgold {}: its tensors are values already, use them as they are", file,
         command);
  }
}

/// The policies that matter on the way back. The others, which shaped the codes, are checked alone.
void take_policies(const Metadata& metadata, Policies& policies) {
  Policies others;
  for (const PolicyOption& field : policy_options()) {
    const std::string name(field.name);
    const bool matters = name == "rule" || name == "dequant_overflow";
    if (metadata.has(name) && !field.set(matters ? policies : others, metadata.text(name))) {
      metadata.refuse(name, unknown_name("token", metadata.text(name), field.values()));
    }
  }
  if (metadata.has("random_bits")) {
    const std::uint64_t bits = metadata.number<std::uint64_t>("random_bits");
    if (bits < 1 || bits > 32) metadata.refuse("random_bits", "outside 1..32");
  }
  if (metadata.has("seed")) (void)metadata.number<std::uint64_t>("seed");
}

/// As dequantize_by_profile(). Files were once made of a side that the profile does not have: by
/// mxgold-default, whose elements are the format's own.
void take_profile_of_file(Recipe& recipe, const std::string& name) {
  if (recipe.format.block != nullptr) return dequantize_by_profile(recipe, name_in_files(name));
  const ProfileChoice choice = require_profile(name);
  if (!choice.profile->elements.empty()) return dequantize_by_profile(recipe, name);
  recipe.profile = choice.name();
}

}  // namespace

std::map<std::string, std::string> metadata_of_tensor(const TensorFile& file,
                                                      const std::string& tensor,
                                                      std::string_view option) {
  std::map<std::string, std::string> metadata = file.metadata();
  if (!holds_codes(metadata)) return metadata;
  const auto is_of_one = [](const auto& field) { return field.first.starts_with("format."); };
  if (!metadata.contains("format") && std::ranges::any_of(metadata, is_of_one) &&
      !metadata.contains("format." + tensor)) {
    fail(Exit::kUsage, "{}: its tensors were made in several ways; name one with {}",
         file.path().string(), option);
  }
  const std::string ending = "." + tensor;
  for (const auto& [key, value] : file.metadata()) {
    // Others are of one tensor alone, and read by their whole names.
    if (!key.ends_with(ending) || key.starts_with("source_dtype.") || key.starts_with("shape.")) {
      continue;
    }
    metadata[key.substr(0, key.size() - ending.size())] = value;
  }
  return metadata;
}

Recipe recipe_of(std::string_view file, const std::map<std::string, std::string>& values) {
  refuse_values(file, values);
  if (!values.contains("mxgold_version")) {
    fail(Exit::kBadInput, "{}: not written by mxgold quantize: no mxgold_version in its metadata",
         file);
  }
  const Metadata metadata(file, values);
  Recipe recipe;
  recipe.book = std::make_shared<FormatBook>();
  if (values.contains("definitions")) {
    recipe.book->define(fmt::format("{}: header: '__metadata__', field 'definitions'", file),
                        metadata.text("definitions"), Exit::kBadInput);
  }
  try {
    recipe.format = recipe.book->require(metadata.text("format"));
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
    recipe.policies.block.rule = recipe.format.block->rule;
  }
  if (values.contains("profile") && metadata.text("profile") != recipe.profile) {
    try {
      take_profile_of_file(recipe, metadata.text("profile"));
    } catch (const Error& error) {
      metadata.refuse("profile", error.what());
    }
  }
  take_policies(metadata, recipe.policies);
  for (const auto& [key, type] : values) {
    if (key.starts_with("source_dtype.") && find_dtype(type) == nullptr) {
      metadata.refuse(key, "no type of a tensor");
    }
  }
  recipe.hadamard = hadamard_of(file, values);
  if (values.contains("packed")) {
    recipe.packing = metadata.checked(
        "packed", [&](const auto& name) { return require_packing(name, *recipe.format.element); });
  }
  if (values.contains("scale_layout")) {
    recipe.scale_layout = metadata.checked("scale_layout", [&](const auto& name) {
      return require_scale_layout(name, recipe.format);
    });
  }
  const std::string_view problem = Quantizer::problem(recipe.config(formats::fp32));
  if (!problem.empty())
    metadata.refuse(recipe.format.block != nullptr ? "rule" : "format", problem);
  return recipe;
}

void dequantize_by_profile(Recipe& recipe, std::string_view profile) {
  const ProfileChoice choice = require_profile(profile);
  // What decoding needs does not depend on the source; the first one it speaks of will do.
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16, formats::fp64}) {
    try {
      const ProfiledFormat found = profiled(choice, recipe.format, source);
      if (found.element != *recipe.format.element) recipe.profiled_element = found.element;
      recipe.policies.block.rule = found.policies.block.rule;
      recipe.policies.block.dequant_overflow = found.policies.block.dequant_overflow;
      recipe.profile = choice.name();
      return;
    } catch (const Error&) {
      continue;
    }
  }
  (void)profiled(choice, recipe.format, formats::fp32);  // says what the profile has
}

std::optional<BlockedShape> blocked_shape(const Recipe& recipe,
                                          std::span<const std::uint64_t> shape) {
  return BlockedShape::make(shape, recipe.axis, recipe.block());
}

std::vector<std::uint64_t> scale_shape(const Recipe& recipe, std::span<const std::uint64_t> shape) {
  const BlockFormat block = recipe.block();
  if (shape.empty()) return {1};
  if (block.extent == BlockExtent::kTensor) {
    return {std::ranges::count(shape, std::uint64_t{0}) == 0 ? 1U : 0U};
  }
  std::vector<std::uint64_t> result(shape.begin(), shape.end());
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto axis = static_cast<std::size_t>(recipe.axis < 0 ? recipe.axis + rank : recipe.axis);
  const auto divide = [](std::uint64_t& length, int by) {
    const auto k = static_cast<std::uint64_t>(by);
    length = length / k + (length % k != 0 ? 1 : 0);
  };
  if (block.extent == BlockExtent::kAxis) {
    result.at(axis) = result.at(axis) == 0 ? 0 : 1;
    return result;
  }
  divide(result.at(axis), block.block_size);
  if (axis > 0) divide(result[axis - 1], block.tile_lines);
  return result;
}

ThreadShare share_threads(std::uint64_t block_size, int threads) {
  constexpr std::uint64_t kLong = 1U << 17;
  return block_size > kLong ? ThreadShare{1, threads} : ThreadShare{threads, 1};
}

std::uint64_t chunk_blocks(std::uint64_t block_size) {
  return std::max<std::uint64_t>(1, (1U << 17) / std::max<std::uint64_t>(block_size, 1));
}

std::string require_scale_layout(std::string_view name, const FormatChoice& format) {
  if (name.empty()) return "";
  const auto layout = parse_scale_layout(name);
  if (!layout) {
    std::vector<std::string_view> known;
    for (const ScaleLayoutRow& row : scale_layouts()) known.push_back(row.name);
    throw Error(Exit::kUsage, unknown_name("layout", name, known));
  }
  if (*layout == ScaleLayout::kPlane) return "";
  if (format.block == nullptr) {
    fail(Exit::kUsage, "layout {} holds scales of blocks; {} has none", name, format.name);
  }
  if (const std::string problem = scale_layout_problem(*layout, *format.block); !problem.empty()) {
    throw Error(Exit::kUsage, problem);
  }
  return std::string(name);
}

}  // namespace mx::cli
