// Answers: what the reference says a batch of stimulus becomes, and how answers are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "golden/config_word/config_word.hpp"
#include "golden/vectors/block_vector.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

/// Fills status and codes of blocks [first, last) by mx::Quantizer. Every tuser word must be legal
/// in `context` (else std::invalid_argument). Element codes under a masked NaN scale are 0.
void fill_expected(BlockBatch& batch, const ConfigWordContext& context, std::size_t first,
                   std::size_t last);
void fill_expected(BlockBatch& batch, const ConfigWordContext& context);

/// Fills code and flags of vectors [first, last) by mx::Conversion.
void fill_expected(CvtBatch& batch, const ConversionConfig& config, std::size_t first,
                   std::size_t last);
void fill_expected(CvtBatch& batch, const ConversionConfig& config);

/// True where the element codes of a block are don't-care: NaN scale with codes declared so.
/// Status is always compared in full.
[[nodiscard]] bool codes_masked(std::uint32_t config_word, std::uint16_t status);

/// Do two answers to one block agree, don't-care codes aside?
[[nodiscard]] bool answers_agree(std::uint32_t config_word, std::uint16_t expected_status,
                                 std::span<const std::uint64_t> expected_codes,
                                 std::uint16_t actual_status,
                                 std::span<const std::uint64_t> actual_codes);

}  // namespace mx::golden
