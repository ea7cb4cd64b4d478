// The lines an external device under test sees and answers (spec V13): it gets the .tv
// header and then each record without its result fields, and answers with the result fields, a
// line each, in order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/vectors/block_vector.hpp"
#include "golden/vectors/header.hpp"

namespace mx::golden {

/// The header lines as they stand in a .tv file. header.count is the number of lines to follow.
[[nodiscard]] std::string protocol_header(const VectorHeader& header);

/// Appends the operand fields of record i and a line feed.
void append_operands(const VectorHeader& header, const BlockBatch& batch, std::size_t i,
                     std::string& out);
void append_operands(const VectorHeader& header, const CvtBatch& batch, std::size_t i,
                     std::string& out);
/// Appends the result fields of record i and a line feed.
void append_results(const VectorHeader& header, const BlockBatch& batch, std::size_t i,
                    std::string& out);
void append_results(const VectorHeader& header, const CvtBatch& batch, std::size_t i,
                    std::string& out);

/// Reads a line of result fields (without its line feed) into record i: status and codes, or code
/// and flags. "" if it is one, else what is wrong, with column and field; the record is then
/// unspecified.
[[nodiscard]] std::string parse_results(const VectorHeader& header, std::string_view line,
                                        BlockBatch& batch, std::size_t i);
[[nodiscard]] std::string parse_results(const VectorHeader& header, std::string_view line,
                                        CvtBatch& batch, std::size_t i);

}  // namespace mx::golden
