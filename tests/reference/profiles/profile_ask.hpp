// Questions to profiles, for tests: codes and scales by name.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/catalog/catalog.hpp"
#include "reference/profiles/profile.hpp"
#include "tests/support/made.hpp"

namespace mx {

/// The profiles a test asks: all_profiles(), or a copy that a negative control has changed.
class ProfileDesk {
 public:
  ProfileDesk() {
    const std::span<const Profile> all = all_profiles();
    profiles_.assign(all.begin(), all.end());
  }

  [[nodiscard]] Profile& profile(std::string_view name) {
    for (Profile& profile : profiles_) {
      if (profile.name == name) return profile;
    }
    throw std::invalid_argument("no profile " + std::string(name));
  }

  [[nodiscard]] const ElementFormat& format(std::string_view name) {
    const ElementFormat* const found = catalog_.find(name);
    if (found == nullptr) throw std::invalid_argument("no format " + std::string(name));
    return *found;
  }

  [[nodiscard]] ConversionConfig conversion(std::string_view name, std::string_view destination,
                                            std::string_view source = "fp32",
                                            std::string_view variant = "") {
    const auto found =
        element_conversion(profile(name), format(source), format(destination), variant);
    if (!found) throw std::invalid_argument(std::string(name) + ": no " + std::string(destination));
    return *found;
  }

  /// The code of a source pattern.
  [[nodiscard]] std::uint64_t code(std::string_view name, std::string_view destination,
                                   std::uint64_t bits, std::string_view variant = "",
                                   std::string_view source = "fp32", std::uint32_t random = 0) {
    return made(conversion(name, destination, source, variant))(bits, random).code;
  }

  [[nodiscard]] bool masked(std::string_view name, std::string_view destination, std::uint64_t bits,
                            std::string_view variant = "", std::string_view source = "fp32") {
    const ConversionConfig c = conversion(name, destination, source, variant);
    return is_masked(element_masks(profile(name), c.source, format(destination), variant), c, bits);
  }

  [[nodiscard]] QuantizerConfig config(std::string_view name, std::string_view block,
                                       std::string_view variant = "",
                                       std::string_view source = "fp32") {
    const BlockFormat* const found = find_block_format(block);
    if (found == nullptr) throw std::invalid_argument("no block format " + std::string(block));
    const auto config = block_config(profile(name), *found, format(source), variant);
    if (!config) throw std::invalid_argument(std::string(name) + ": no " + std::string(block));
    return *config;
  }

  struct Block {
    std::uint64_t scale = 0;
    std::vector<std::uint64_t> codes;
    std::vector<std::uint64_t> values;  ///< fp32 patterns
    MaskedBlock masked;
    bool operator==(const Block& other) const {
      return scale == other.scale && codes == other.codes;
    }
  };

  [[nodiscard]] Block block(std::string_view name, std::string_view format_name,
                            const std::vector<std::uint64_t>& source, std::string_view variant = "",
                            std::string_view source_format = "fp32", TensorLevel tensor = {}) {
    QuantizerConfig c = config(name, format_name, variant, source_format);
    c.tensor = tensor;
    Block result{0,
                 std::vector<std::uint64_t>(source.size()),
                 std::vector<std::uint64_t>(source.size()),
                 {}};
    const std::vector<std::uint32_t> random(source.size(), 0);
    const Quantizer quantizer = made(c);
    const BlockResult outcome = quantizer.quantize_block(source, random, result.codes);
    result.scale = outcome.scale_code;
    quantizer.dequantize_block(result.scale, result.codes, formats::fp32, result.values);
    const Masks masks =
        block_masks(profile(name), *find_block_format(format_name), format(source_format), variant);
    result.masked = masked_block(masks, c, source, outcome);
    return result;
  }

  [[nodiscard]] std::uint64_t scale(std::string_view name, std::string_view format_name,
                                    std::uint64_t amax, std::string_view variant = "",
                                    std::string_view source = "fp32") {
    return block(name, format_name, {amax}, variant, source).scale;
  }

 private:
  std::vector<Profile> profiles_;
  FormatCatalog catalog_;
};

/// The fp32 pattern of a value that fp32 holds exactly.
[[nodiscard]] inline std::uint64_t f32(double value) {
  const auto narrow = static_cast<float>(value);
  if (static_cast<double>(narrow) != value) throw std::invalid_argument("not a binary32 number");
  return std::bit_cast<std::uint32_t>(narrow);
}

[[nodiscard]] inline std::uint64_t f64(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace mx
