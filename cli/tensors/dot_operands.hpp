// The operands of `mxgold dot`: rows of blocks from a tensor file, quantized already or here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/files/result_shapes.hpp"
#include "cli/files/tensor_file.hpp"
#include "cli/options/format_book.hpp"
#include "cli/tensors/origin.hpp"
#include "reference/dot/dot.hpp"

namespace mx::cli {

/// Rows whose blocks lie along the last axis.
struct DotMatrix {
  std::shared_ptr<FormatBook> book;  ///< keeps the names of the format alive
  std::string format_name;
  std::optional<BlockFormat> held;  ///< of a file of `mxgold quantize`, which says its format
  Origin origin;
  Lengths leading;  ///< lengths before the last axis
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
/// one, or is "all" where the file has only one; `option` is where it is said. Throws Error:
/// kUsage, kBadInput.
[[nodiscard]] DotMatrix load_dot_matrix(const std::string& path, const std::string& tensor,
                                        std::string_view option, const std::string& block_format,
                                        const std::shared_ptr<FormatBook>& book);

/// Error kUsage where rows * columns results are more than memory should hold.
void require_results(std::uint64_t rows, std::uint64_t columns);

/// The format of an operand as its file says it.
struct HeldFormat {
  const std::string& path;
  const std::string& name;
  const std::optional<BlockFormat>& format;  ///< nothing for a plain tensor
};
/// Error kUsage where --format contradicts a file; one format beside a plain tensor is that
/// tensor's.
void check_held_formats(const Names& formats, const HeldFormat& a, const HeldFormat& b,
                        FormatBook& book);

/// Codes of a plain tensor: the addends.
struct DotAddends {
  const ElementFormat* format = nullptr;
  std::vector<std::uint64_t> codes;
  Origin origin;
};
[[nodiscard]] DotAddends load_addends(const std::string& path, const std::string& tensor,
                                      std::span<const Lengths> shapes);

}  // namespace mx::cli
