// The coverage models of each operation: what make_collector chooses from.
#pragma once

#include <memory>

#include "golden/configuration/configuration.hpp"
#include "golden/coverpoints/collector.hpp"
#include "reference/profiles/masks.hpp"

namespace mx::golden {

[[nodiscard]] std::unique_ptr<Collector> make_conversion_collector(const ConversionConfig& config,
                                                                   Masks masks);
[[nodiscard]] std::unique_ptr<Collector> make_block_collector(const QuantizerConfig& config,
                                                              std::size_t lanes, Lengths lengths);
[[nodiscard]] std::unique_ptr<Collector> make_arithmetic_collector(const ArithmeticCase& what);
[[nodiscard]] std::unique_ptr<Collector> make_cast_collector(const CastCase& what,
                                                             std::size_t lanes);
[[nodiscard]] std::unique_ptr<Collector> make_unit_collector(const UnitCase& what,
                                                             std::size_t lanes, Lengths lengths);
[[nodiscard]] std::unique_ptr<Collector> make_dot_collector(const DotCase& what, std::size_t lanes,
                                                            Lengths lengths);
[[nodiscard]] std::unique_ptr<Collector> make_dequantize_collector(const DequantizeCase& what,
                                                                   std::size_t lanes);

}  // namespace mx::golden
