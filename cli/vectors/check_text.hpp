// What gen, check and verify-goldens share: decoded answers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/answers/answers.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"
#include "reference/format/format.hpp"

namespace mx::cli {

/// "3f800000 (1)": a code and its value.
[[nodiscard]] std::string code_text(const ElementFormat& format, std::uint64_t code);

/// "; shard 1/2, seed 5": what a verdict says behind the name of a set, which has neither; "" of a
/// whole set that draws nothing.
[[nodiscard]] std::string part_text(const golden::VectorHeader& header);

/// Why two answers to record i differ, decoded, a few lines. Words that are not compared are left
/// out. `header` has the configurations that were judged by.
[[nodiscard]] std::string difference(const golden::VectorHeader& header,
                                     const golden::RecordBatch& expected,
                                     const golden::RecordBatch& actual, std::size_t i,
                                     const golden::OpenAnswer& open);

}  // namespace mx::cli
