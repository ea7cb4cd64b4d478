// What gen, check and verify-goldens share: counts, decoded answers and small files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/vectors/block_vector.hpp"
#include "golden/vectors/header.hpp"
#include "reference/format/format.hpp"

namespace mx::cli {

/// 12345 as 12,345.
[[nodiscard]] std::string grouped(std::uint64_t value);

/// Writes a small text file under a temporary name and renames it. Throws golden::VectorError.
void write_text_file(const std::string& path, std::string_view text);

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
