// A cast shared by threads: pieces of the tensor, each cast alone, their results joined.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "reference/casts/cast.hpp"

namespace mx::casts {

/// A piece has at least about so many elements.
inline constexpr std::size_t kLeastPiece = std::size_t{1} << 16;

/// The axis along which a tensor is cut: the first that is longer than 1, so that pieces are
/// stretches of memory. Nothing where there is none.
[[nodiscard]] std::optional<std::size_t> cut_axis(const Shape& shape);

/// Entries of the cut axis that make a piece; 0: the tensor stays whole.
[[nodiscard]] std::size_t piece_length(const Cast& cast, const CastInput& input,
                                       std::size_t least = kLeastPiece);

/// What cast.apply(input) gives, from up to input.threads threads.
[[nodiscard]] Checked<std::vector<Tensor>> apply_on_threads(const Cast& cast,
                                                            const CastInput& input,
                                                            std::size_t least = kLeastPiece);

}  // namespace mx::casts
