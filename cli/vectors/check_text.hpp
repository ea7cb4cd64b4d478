// What gen, check and verify-goldens share: decoded answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/vectors/block_vector.hpp"
#include "golden/vectors/header.hpp"
#include "reference/format/format.hpp"

namespace mx::cli {

/// "3f800000 (1)": a code and its value.
[[nodiscard]] std::string code_text(const ElementFormat& format, std::uint64_t code);

/// Why two answers to a vector differ, decoded, a few lines.
[[nodiscard]] std::string difference(const golden::VectorHeader& header,
                                     const golden::CvtBatch& expected,
                                     const golden::CvtBatch& actual, std::size_t i);
[[nodiscard]] std::string difference(const golden::VectorHeader& header,
                                     const golden::BlockBatch& expected,
                                     const golden::BlockBatch& actual, std::size_t i);

}  // namespace mx::cli
