// Block operations of P3109 v4.0, section 5 of the Interim Report: exact real functions of blocks,
// each result projected once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/element/encode.hpp"
#include "reference/p3109/operation.hpp"

namespace mx {

/// A block: a scale code and its elements' codes.
struct P3109Block {
  std::uint64_t scale = 0;
  std::span<const std::uint64_t> codes;
};

/// Why blocks of a format cannot be used ("" if they can): scale and element together have more
/// than 32 bits of precision.
[[nodiscard]] std::string_view p3109_problem(const P3109BlockFormat& format);
/// Why a projection cannot be used: stochastic rounding.
[[nodiscard]] std::string_view p3109_problem(const P3109Projection& projection);

// Every format below must satisfy p3109_problem(format).empty(), and so must projections. Results
// come with the OR of their flags, which the report does not define: those of
// spec F8.1 of the projections. `out` is as long as the operands, at least 1.

/// ConvertFromBlock: scale * element, projected to a format.
std::uint8_t convert_from_block(const P3109BlockFormat& format, const P3109Block& block,
                                const ElementFormat& result, const P3109Projection& projection,
                                std::span<std::uint64_t> out);

/// ConvertToBlock: elements for a given scale. A NaN scale makes every element NaN, a zero scale
/// makes every element that is not NaN zero, an infinite one +-1 (0 for 0).
std::uint8_t convert_to_block(const ElementFormat& source, std::span<const std::uint64_t> values,
                              const P3109BlockFormat& result, std::uint64_t scale,
                              const P3109Projection& projection, std::span<std::uint64_t> out);

/// ConvertToBlockMaxAbsFinite: the scale is the largest finite magnitude (infinite if no value is
/// finite, NaN if all are NaN), projected under `scale_projection`; spec F11.4.
struct P3109Scaled {
  std::uint64_t scale = 0;
  std::uint8_t flags = 0;
};
P3109Scaled convert_to_block_max_abs_finite(const ElementFormat& source,
                                            std::span<const std::uint64_t> values,
                                            const P3109BlockFormat& result,
                                            const P3109Projection& scale_projection,
                                            const P3109Projection& projection,
                                            std::span<std::uint64_t> out);

/// BlockReduceAdd, BlockReduceMultiply: the exact sum or product of a block's values.
[[nodiscard]] Encoded block_reduce_add(const P3109BlockFormat& format, const P3109Block& block,
                                       const ElementFormat& result,
                                       const P3109Projection& projection);
[[nodiscard]] Encoded block_reduce_multiply(const P3109BlockFormat& format, const P3109Block& block,
                                            const ElementFormat& result,
                                            const P3109Projection& projection);

/// BlockDotProduct: the exact sum of products.
[[nodiscard]] Encoded block_dot_product(const P3109BlockFormat& x_format, const P3109Block& x,
                                        const P3109BlockFormat& y_format, const P3109Block& y,
                                        const ElementFormat& result,
                                        const P3109Projection& projection);

/// One operand of an elementwise operation.
struct P3109Operand {
  P3109BlockFormat format;
  P3109Block block;
};

/// BlockOp, elementwise, for the result scale that the caller supplies. Blocks of one element and a
/// result scale of 1 make the scaled operations of section 5.5.
std::uint8_t block_operation(P3109Operation operation, std::span<const P3109Operand> operands,
                             const P3109BlockFormat& result, std::uint64_t result_scale,
                             const P3109Projection& projection, std::span<std::uint64_t> out);

}  // namespace mx
