// Blocks under any rule, compared with the oracle of oracle_rules.hpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "oracle/block/rules.hpp"
#include "reference/block/quantizer.hpp"
#include "tests/reference/judgement/block_sweep.hpp"

namespace mx::oracle {

/// What is judged. The configuration holds the tensor level that belongs to the case.
using RulesImplementation = std::function<BlockOutcome(
    const QuantizerConfig&, std::span<const std::uint64_t>, std::span<const std::uint32_t>)>;

[[nodiscard]] RulesImplementation reference_rules();

/// The configuration of a case; the tensor level is the reference's for the case's maximum.
[[nodiscard]] QuantizerConfig config_of(const RulesCase& what);

/// A case whose tensor scale is the oracle's for a maximum.
[[nodiscard]] RulesCase rules_case(const BlockCase& block, const Rational& tensor_amax = 0);

/// Compares one block: codes, scale, flags and, where the scale is a number, dequantized values.
void check_rules(const RulesCase& what, std::span<const std::uint64_t> source,
                 std::span<const std::uint32_t> random, const RulesImplementation& implementation,
                 Report& report);

/// The default policies of a block format, its own rule included.
[[nodiscard]] BlockCase default_case(const ElementFormat& source, std::string_view block_format);

/// Maxima whose ratio to the largest element lies next to the lowest scales: max_elem * 2^k for k =
/// -129 .. -125 with neighbours, and halfway between.
[[nodiscard]] std::vector<std::uint64_t> lowest_ratios(const ElementFormat& source,
                                                       const ElementFormat& element);

/// A random block with magnitudes within a few binades of `amax` and the maximum in some lane.
[[nodiscard]] std::vector<std::uint64_t> random_block(const ElementFormat& source,
                                                      std::uint64_t amax, std::size_t lanes,
                                                      Stream& stream);

}  // namespace mx::oracle
