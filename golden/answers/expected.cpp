#include "golden/answers/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "golden/config_word/table.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::golden {

void fill_expected(BlockBatch& batch, const ConfigWordContext& context, std::size_t first,
                   std::size_t last) {
  std::optional<Quantizer> quantizer;
  std::uint32_t current = 0;
  for (std::size_t i = first; i < last; ++i) {
    if (!quantizer || batch.config_word[i] != current) {
      current = batch.config_word[i];
      const auto config = config_of(current, context);
      if (!config) {
        throw std::invalid_argument(fmt::format("{:08x} is not a configuration word", current));
      }
      quantizer = Quantizer::make(*config).value();
    }
    const BlockResult result =
        quantizer->quantize_block(batch.source_of(i), batch.random_of(i), batch.codes_of(i));
    batch.status[i] = status_of(result);
  }
}

void fill_expected(BlockBatch& batch, const ConfigWordContext& context) {
  fill_expected(batch, context, 0, batch.size());
}

void fill_expected(CvtBatch& batch, const ConversionConfig& config, std::size_t first,
                   std::size_t last) {
  const Conversion conversion = Conversion::make(config).value();
  for (std::size_t i = first; i < last; ++i) {
    const Encoded encoded = conversion(batch.source[i], batch.random.empty() ? 0 : batch.random[i]);
    batch.code[i] = encoded.code;
    batch.flags[i] = encoded.flags;
  }
}

void fill_expected(CvtBatch& batch, const ConversionConfig& config) {
  fill_expected(batch, config, 0, batch.size());
}

bool codes_masked(std::uint32_t config_word, std::uint16_t status) {
  constexpr std::uint16_t kScaleNan = 0xFF;
  const bool emitted_as_nan = (config_word >> config_word_field::kNanScaleCodes.lsb & 1U) != 0;
  return (status & 0xFFU) == kScaleNan && !emitted_as_nan;
}

bool answers_agree(std::uint32_t config_word, std::uint16_t expected_status,
                   std::span<const std::uint64_t> expected_codes, std::uint16_t actual_status,
                   std::span<const std::uint64_t> actual_codes) {
  if (expected_status != actual_status) return false;
  return codes_masked(config_word, expected_status) ||
         std::ranges::equal(expected_codes, actual_codes);
}

}  // namespace mx::golden
