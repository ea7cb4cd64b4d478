#include "cli/tensors/hadamard.hpp"

#include <fmt/ranges.h>

#include <charconv>

#include "backend/tensor/converter.hpp"
#include "backend/transform/hadamard.hpp"
#include "cli/base/command.hpp"
#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/parallel/threads.hpp"

namespace mx::cli {
namespace {

constexpr std::array<std::string_view, 2> kSigns = {"first", "last"};

/// Up to four hexadecimal digits.
std::optional<std::uint16_t> mask_of(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  std::uint16_t mask = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, mask, 16);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return mask;
}

/// Groups of 16 along the recipe's axis, or nothing if the axis is out of range.
std::optional<BlockedShape> groups_of(const Recipe& recipe, std::span<const std::uint64_t> shape) {
  return BlockedShape::make(shape, recipe.axis, kHadamardSize);
}

/// The transform of a tensor, by whoever --backend names.
backend::TensorTransform transform_of(const BackendOptions& backend, const Hadamard& hadamard,
                                      const ElementFormat& source, std::string_view name) {
  return backend.ready(backend::TensorTransform::make(hadamard, source, backend.choice()),
                       fmt::format("{} (Hadamard transform)", name),
                       fmt::format("transform of {}", source.name));
}

}  // namespace

void HadamardOptions::add_to(const Command& command) {
  command
      .add_option(
          "--hadamard", mask_,
          "Transform groups of 16 along the axis first (spec F25): the mask of the signs, "
          "up to 4 hexadecimal digits, bit i for element i; or 'drawn': at random, by --seed")
      .type_name("MASK");
  command.add_option("--hadamard-signs", signs_, "Signs: first (y = H D x / 4) | last (D H x / 4)")
      .default_str("first");
}

std::optional<Hadamard> HadamardOptions::of(const Recipe& recipe) const {
  if (mask_.empty() && !signs_.empty()) {
    fail(Exit::kUsage,
         "--hadamard-signs: goes with --hadamard; leave it out, or give the mask too");
  }
  const std::optional<HadamardSigns> signs =
      signs_.empty() ? HadamardSigns::kFirst : find_hadamard_signs(signs_);
  if (!signs) {
    throw Error(Exit::kUsage, unknown_name("value of --hadamard-signs", signs_, kSigns));
  }
  if (mask_.empty()) return std::nullopt;
  const std::optional<std::uint16_t> mask =
      mask_ == "drawn" ? drawn_hadamard_mask(recipe.seed) : mask_of(mask_);
  if (!mask) {
    fail(Exit::kUsage, "--hadamard: {} is no mask of up to 4 hexadecimal digits, and not 'drawn'",
         printable(mask_));
  }
  if (!takes_hadamard(recipe)) {
    fail(Exit::kUsage,
         "--hadamard: takes block formats whose blocks are a multiple of 16 elements along an "
         "axis (nvfp4); {} has none of {}",
         recipe.format.name, recipe.block_size);
  }
  return Hadamard{*mask, *signs};
}

bool takes_hadamard(const Recipe& recipe) {
  const BlockFormat* const block = recipe.format.block;
  return block != nullptr && block->extent == BlockExtent::kElements && block->tile_lines == 1 &&
         recipe.block_size % kHadamardSize == 0;
}

std::optional<Hadamard> hadamard_of(std::string_view file,
                                    const std::map<std::string, std::string>& metadata) {
  const auto mask = metadata.find("hadamard");
  if (mask == metadata.end()) return std::nullopt;
  const auto refuse = [&](std::string_view field, std::string_view text, std::string_view problem) {
    fail(Exit::kBadInput, "{}: header: '__metadata__', field '{}', value {}: {}", file, field,
         printable(text), problem);
  };
  const std::optional<std::uint16_t> found = mask_of(mask->second);
  if (!found) refuse("hadamard", mask->second, "no mask of up to 4 hexadecimal digits");
  const auto signs = metadata.find("hadamard_signs");
  const std::string order = signs == metadata.end() ? "" : signs->second;
  const std::optional<HadamardSigns> known = find_hadamard_signs(order);
  if (!known) refuse("hadamard_signs", order, "not first and not last");
  return Hadamard{*found, *known};
}

void add_hadamard(const Hadamard& hadamard, std::map<std::string, std::string>& metadata) {
  metadata["hadamard"] = fmt::format("{:04x}", hadamard.mask);
  metadata["hadamard_signs"] = std::string(token_of(hadamard.signs));
}

TransformedTensor::TransformedTensor(const Recipe& recipe, const TensorFile& file,
                                     const Tensor& tensor, const std::string& input,
                                     const std::string& output, const BackendOptions& backend,
                                     int threads)
    : words_(scratch_beside(output), tensor.elements * 4), tensor_(tensor) {
  const std::optional<BlockedShape> groups = groups_of(recipe, tensor.shape);
  if (!groups) {
    fail(Exit::kUsage, "{}: tensor {}: axis {} does not fit its shape [{}]; choose another --axis",
         input, printable(tensor.name), recipe.axis, fmt::join(tensor.shape, ", "));
  }
  if (const std::string problem = hadamard_problem(*tensor.format, groups->length);
      !problem.empty()) {
    fail(Exit::kUsage, "{}: tensor {}: {}; choose tensors that it fits by --tensor, one at a time",
         input, printable(tensor.name), problem);
  }
  transform_of(backend, recipe.hadamard.value(), *tensor.format, tensor.name)
      .transform(*groups, tensor.data, words_.bytes(), threads);
  file.release(tensor.data);
  tensor_.format = &formats::fp32;
  tensor_.data = words_.bytes();
}

void transform_back(const Recipe& recipe, std::span<const std::uint64_t> shape,
                    std::string_view name, std::span<std::byte> wide, const BackendOptions& backend,
                    int threads) {
  transform_of(backend, recipe.hadamard.value().inverse(), formats::fp32, name)
      .transform(groups_of(recipe, shape).value(), wide, wide, threads);
}

void round_values(const Recipe& recipe, std::span<const std::byte> wide,
                  const ElementFormat& output, std::span<std::byte> values, int threads) {
  const DequantOverflow overflow = recipe.policies.block.dequant_overflow;
  ElementPolicy policy;
  policy.overflow = overflow == DequantOverflow::kSaturate ? Overflow::kSatFiniteKeepInf
                                                           : Overflow::kNoneInfOrNan;
  const Conversion conversion = Conversion::make({formats::fp32, output, policy}).value();
  const std::size_t size = storage_bytes(output);
  share_work(values.size() / size, 1U << 17, threads, [&](std::uint64_t first, std::uint64_t last) {
    static_cast<void>(backend::convert_by_reference(conversion, wide, {}, values, first, last));
    if (overflow != DequantOverflow::kNan) return;
    for (std::uint64_t i = first; i < last; ++i) {
      const Unpacked value = decode(formats::fp32, load_word(wide.data() + i * 4, 4));
      const bool overflows = (encode(value, output, policy, 0).flags & kFlagOverflow) != 0;
      if (overflows) store_word(values.data() + i * size, size, output.canonical_nan);
    }
  });
}

}  // namespace mx::cli
