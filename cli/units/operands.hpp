// The operands of `mxgold mma`: codes as a tensor file holds them, or a file of `mxgold quantize`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/files/result_shapes.hpp"
#include "cli/options/format_book.hpp"
#include "cli/tensors/origin.hpp"
#include "reference/unit/unit_dot.hpp"

namespace mx::cli {

/// Rows of codes along the last axis, with the scales of their blocks where there are any.
struct UnitMatrix {
  std::shared_ptr<FormatBook> book;  ///< keeps the names of the format alive
  std::string format_name;           ///< of the file or the codes
  std::optional<BlockFormat> held;   ///< of a file of `mxgold quantize`, which says its format
  Origin origin;
  Lengths leading;  ///< lengths before the last axis
  UnitSide side;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t row_scales = 0;  ///< scale codes of a row
  std::vector<std::uint64_t> scales;
  std::vector<std::uint64_t> codes;

  [[nodiscard]] DotOperand row(std::uint64_t r) const;
};

/// Reads one tensor: `tensor` names it, or is "all" where the file has only one; `option` is where
/// it is said. Files of `mxgold quantize` bring their format. Of others the type says it: F16,
/// BF16, F8_E4M3, ..., F32 for tf32, whose 13 low bits units drop; codes of U8 need `format`, an
/// element format of the book. Throws Error: kUsage, kBadInput.
[[nodiscard]] UnitMatrix load_unit_matrix(const std::string& path, const std::string& tensor,
                                          std::string_view option, const std::string& format,
                                          const std::shared_ptr<FormatBook>& book);

/// Gives a matrix of plain codes the scales of its blocks: a tensor of F8_E8M0, of F8_E4M3 for
/// ue4m3 (the sign bit is ignored), or of U8 with `format`; a row for each of the matrix's, for
/// blocks of 16 or 32. Throws Error: kUsage, kBadInput.
void load_unit_scales(const std::string& path, const std::string& format, UnitMatrix& matrix);

/// Codes of a plain tensor: C, or results to compare with.
struct UnitResults {
  std::vector<std::uint64_t> codes;
  Origin origin;
};
/// What is asked of such a tensor: `what` names it in messages, and `option` its tensor.
struct ResultTensor {
  std::string_view what;
  std::string tensor = "all";
  std::string_view option;
  const ElementFormat& format;
  std::span<const Lengths> shapes;
};
/// Throws Error: kUsage, kBadInput.
[[nodiscard]] UnitResults load_unit_results(const std::string& path, const ResultTensor& wanted);

}  // namespace mx::cli
