// The operands of `mxgold dot`: rows of blocks from a tensor file, quantized already or here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/files/tensor_file.hpp"
#include "cli/options/format_book.hpp"
#include "reference/dot/dot.hpp"

namespace mx::cli {

/// Rows whose blocks lie along the last axis.
struct DotMatrix {
  std::shared_ptr<FormatBook> book;  ///< keeps the names of the format alive
  std::string format_name;
  bool is_from_codes = false;  ///< a file of `mxgold quantize`, which says its format
  BlockFormat format;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t row_scales = 0;       ///< scale codes of a row
  std::vector<std::uint64_t> scales;  ///< row after row
  std::vector<std::uint64_t> codes;

  [[nodiscard]] DotOperand row(std::uint64_t r) const;
};

/// Reads one tensor. A file of `mxgold quantize` brings its format and codes; the tensors of any
/// other are quantized to `block_format`, a name of the book, under mxgold-default. `tensor` names
/// one, or is "all" where the file has only one. Throws Error: kUsage, kBadInput.
[[nodiscard]] DotMatrix load_dot_matrix(const std::string& path, const std::string& tensor,
                                        const std::string& block_format,
                                        const std::shared_ptr<FormatBook>& book);

/// Error kUsage where rows * columns results are more than memory should hold.
void require_results(std::uint64_t rows, std::uint64_t columns);

/// Codes of a plain tensor: the addends.
struct DotAddends {
  const ElementFormat* format = nullptr;
  std::vector<std::uint64_t> codes;
};
[[nodiscard]] DotAddends load_addends(const std::string& path, std::uint64_t count);

}  // namespace mx::cli
