// The suites of each operation: what make_suite chooses from.
#pragma once

#include <memory>

#include "golden/stimulus/suite.hpp"

namespace mx::golden {

[[nodiscard]] std::unique_ptr<const Suite> make_cvt_suite(const ConversionConfig& conversion,
                                                          const SuiteOptions& options);

[[nodiscard]] std::unique_ptr<const Suite> make_mx_block_suite(const QuantizerConfig& config,
                                                               const SuiteOptions& options);
/// Any block format under any rule: maxima and elements next to where scales and codes change.
[[nodiscard]] std::unique_ptr<const Suite> make_block_suite(const QuantizerConfig& config,
                                                            const SuiteOptions& options);

[[nodiscard]] std::unique_ptr<const Suite> make_dot_suite(const DotCase& what,
                                                          const SuiteOptions& options);
[[nodiscard]] std::unique_ptr<const Suite> make_unit_suite(const UnitCase& what,
                                                           const SuiteOptions& options);
[[nodiscard]] std::unique_ptr<const Suite> make_arithmetic_suite(const ArithmeticCase& what,
                                                                 const SuiteOptions& options);
/// Of from_integer: integers next to powers of two and next to where they are rounded.
[[nodiscard]] std::unique_ptr<const Suite> make_from_integer_suite(const ArithmeticCase& what,
                                                                   const SuiteOptions& options);
[[nodiscard]] std::unique_ptr<const Suite> make_cast_suite(const CastCase& what,
                                                           const SuiteOptions& options);
[[nodiscard]] std::unique_ptr<const Suite> make_dequantize_suite(const DequantizeCase& what,
                                                                 const SuiteOptions& options);

}  // namespace mx::golden
