// The operands of `mxgold mma`: codes as a tensor file holds them, or a file of `mxgold quantize`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/options/format_book.hpp"
#include "reference/unit/unit_dot.hpp"

namespace mx::cli {

/// Rows of codes along the last axis, with the scales of their blocks where there are any.
struct UnitMatrix {
  std::shared_ptr<FormatBook> book;  ///< keeps the names of the format alive
  UnitSide side;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t row_scales = 0;  ///< scale codes of a row
  std::vector<std::uint64_t> scales;
  std::vector<std::uint64_t> codes;

  [[nodiscard]] DotOperand row(std::uint64_t r) const;
};

/// Reads one tensor: `tensor` names it, or is "all" where the file has only one. Files of `mxgold
/// quantize` bring their format. Of others the type says it: F16, BF16, F8_E4M3, ..., F32 for tf32,
/// whose 13 low bits units drop; codes of U8 need `format`, an element format of the book. Throws
/// Error: kUsage, kBadInput.
[[nodiscard]] UnitMatrix load_unit_matrix(const std::string& path, const std::string& tensor,
                                          const std::string& format,
                                          const std::shared_ptr<FormatBook>& book);

/// Gives a matrix of plain codes the scales of its blocks: a tensor of F8_E8M0, of F8_E4M3 for
/// ue4m3 (the sign bit is ignored), or of U8 with `format`; a row for each of the matrix's, for
/// blocks of 16 or 32. Throws Error: kUsage, kBadInput.
void load_unit_scales(const std::string& path, const std::string& format, UnitMatrix& matrix);

/// Codes of a plain tensor of `format`, as many as `count`; `what` names them in messages. Throws
/// Error: kUsage, kBadInput.
[[nodiscard]] std::vector<std::uint64_t> load_result_codes(const std::string& path,
                                                           std::string_view what,
                                                           const ElementFormat& format,
                                                           std::uint64_t count);

}  // namespace mx::cli
