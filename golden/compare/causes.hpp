// Which settings make the difference between two configurations.
#pragma once

#include <span>
#include <vector>

#include "golden/deviation/deviation.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {

/// The settings that `b` has differently from `a`: policies, and facts of a format
/// (`canonical_nan`, `parity`, `block_format`).
[[nodiscard]] std::vector<Deviation> deviations(const ConversionConfig& a,
                                                const ConversionConfig& b);
[[nodiscard]] std::vector<Deviation> deviations(const QuantizerConfig& a, const QuantizerConfig& b);

/// `a` with some of those settings as `b` has them.
[[nodiscard]] ConversionConfig with(std::span<const Deviation> deviations, ConversionConfig a,
                                    const ConversionConfig& b);
[[nodiscard]] QuantizerConfig with(std::span<const Deviation> deviations, QuantizerConfig a,
                                   const QuantizerConfig& b);

/// Are there no deviations? Requires normalized configurations for an answer about behaviour.
[[nodiscard]] bool same_settings(const ConversionConfig& a, const ConversionConfig& b);
[[nodiscard]] bool same_settings(const QuantizerConfig& a, const QuantizerConfig& b);

}  // namespace mx::golden
