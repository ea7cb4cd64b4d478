// Arrays and blocks in bulk: the answers of Conversion and Quantizer, faster. Nothing that writes
// or judges an expected answer uses them (golden/, oracle/); tests/reference compares them with
// the kernel that the documents describe.
#pragma once

#include <cstdint>
#include <span>

#include "reference/block/block_elements.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"

namespace mx::bulk {

/// Converts an array: codes.size() == source.size(); `random` holds R for each element (it may be
/// empty unless the rounding is stochastic), `flags` one byte for each (or is empty). Returns the
/// OR of the flags.
std::uint8_t convert(const Conversion& conversion, std::span<const std::uint64_t> source,
                     std::span<const std::uint32_t> random, std::span<std::uint64_t> codes,
                     std::span<std::uint8_t> flags);

/// Quantizer::quantize_block.
BlockResult quantize_block(const Quantizer& quantizer, std::span<const std::uint64_t> source,
                           std::span<const std::uint32_t> random, std::span<std::uint64_t> codes);

/// mx::encode_lanes.
std::uint8_t encode_lanes(const QuantizerConfig& config, const BlockElements& lanes,
                          std::size_t first, std::span<const std::uint64_t> source,
                          std::span<const std::uint32_t> random, std::span<std::uint64_t> codes);

}  // namespace mx::bulk
