#include "cli/tensors/dot_operands.hpp"
#include "cli/base/made.hpp"

#include <fmt/format.h>

#include "cli/base/error.hpp"
#include "cli/tensors/dequantize_jobs.hpp"
#include "cli/tensors/level.hpp"
#include "cli/tensors/packing.hpp"
#include "cli/tensors/plan.hpp"
#include "cli/text/names.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

std::vector<std::uint64_t> words_of(std::span<const std::byte> bytes, std::size_t size) {
  std::vector<std::uint64_t> words(bytes.size() / size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = load_word(bytes.data() + i * size, size);
  }
  return words;
}

void check_codes(const std::string& path, std::string_view what, const ElementFormat& format,
                 std::span<const std::uint64_t> codes) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (codes[i] > format.code_mask()) {
      fail(Exit::kBadInput, "{}: {} {}: code {:X} has bits above the {} of {}", path, what, i,
           codes[i], format.bits, format.name);
    }
  }
}

/// The format as a file's recipe applies it.
BlockFormat applied_format(const std::string& path, const Recipe& recipe) {
  if (recipe.format.block == nullptr) {
    fail(Exit::kUsage, "{}: format {} has no blocks; a dot product takes a block format", path,
         recipe.format.name);
  }
  BlockFormat format = recipe.block();
  if (format.tensor_scale != TensorScale::kNone) {
    fail(Exit::kUsage,
         "{}: {} has a scale for the whole tensor; products take formats of one level", path,
         recipe.format.name);
  }
  if (format.tile_lines != 1) {
    fail(Exit::kUsage, "{}: {} has tiles of several rows; products take blocks of one row", path,
         recipe.format.name);
  }
  return format;
}

void set_rows(const std::string& path, const BlockedShape& shape, DotMatrix& matrix) {
  if (shape.inner != 1) {
    fail(Exit::kUsage, "{}: blocks lie along another axis than the last; quantize with --axis -1",
         path);
  }
  if (shape.elements == 0) fail(Exit::kBadInput, "{}: the tensor is empty", path);
  matrix.rows = shape.outer * shape.lines;
  matrix.columns = shape.length;
  matrix.row_scales = shape.blocks;
}

Lengths all_but_last(const Lengths& shape) {
  return shape.empty() ? Lengths{} : Lengths(shape.begin(), shape.end() - 1);
}

DotMatrix quantized(const TensorFile& file, const std::string& path, const std::string& tensor,
                    std::string_view option) {
  const auto metadata = metadata_of_tensor(file, tensor, option);
  const Recipe recipe = recipe_of(path, metadata);
  const std::vector<DequantizeJob> jobs = dequantize_jobs(file, recipe, tensor);
  if (jobs.size() != 1) {
    fail(Exit::kUsage, "{}: {} tensors; name one with {}", path, jobs.size(), option);
  }
  const DequantizeJob& job = jobs.front();
  DotMatrix matrix;
  matrix.book = recipe.book;
  matrix.format_name = recipe.format.name;
  matrix.format = applied_format(path, recipe);
  matrix.held = *recipe.format.block;
  matrix.origin = origin_of_codes(path, recipe, metadata, job.name);
  matrix.leading = all_but_last(job.shape);
  set_rows(path, job.blocks, matrix);
  const std::size_t size = storage_bytes(matrix.format.element);
  if (job.packing.empty()) {
    matrix.codes = words_of(job.codes->data, size);
  } else {
    std::vector<std::byte> loose(job.elements);
    unpack(job.packing, job.codes->data, loose, static_cast<std::uint64_t>(recipe.block_size));
    matrix.codes = words_of(loose, 1);
  }
  if (recipe.scale_layout.empty()) {
    matrix.scales = words_of(job.scales->data, scale_bytes(matrix.format));
  } else {
    std::vector<std::byte> plane(job.blocks.scales);
    unswizzle_scales(job.blocks, job.scales->data, plane);
    matrix.scales = words_of(plane, 1);
  }
  return matrix;
}

const Tensor& only_tensor(const TensorFile& file, const std::string& path,
                          const std::string& tensor, std::string_view option) {
  const std::vector<const Tensor*> chosen = select_tensors(file, tensor);
  if (chosen.size() != 1) {
    fail(Exit::kUsage, "{}: {} tensors; name one with {}", path, chosen.size(), option);
  }
  return *chosen.front();
}

DotMatrix quantized_here(const TensorFile& file, const std::string& path, const std::string& tensor,
                         std::string_view option, const std::string& block_format,
                         const std::shared_ptr<FormatBook>& book) {
  if (block_format.empty()) {
    fail(Exit::kUsage, "{}: not a file of mxgold quantize; give --format", path);
  }
  const Tensor& source = only_tensor(file, path, tensor, option);
  Recipe recipe;
  recipe.book = book;
  recipe.format = book->require(block_format);
  if (recipe.format.block != nullptr) {
    recipe.block_size = recipe.format.block->block_size;
    recipe.policies.block.rule = recipe.format.block->rule;
  }
  DotMatrix matrix;
  matrix.book = recipe.book;
  matrix.format_name = recipe.format.name;
  matrix.format = applied_format(path, recipe);
  matrix.origin = origin_of_values(path, file.metadata());
  for (const auto& [key, value] : metadata_of(recipe)) {
    if (key != "mxgold_version") matrix.origin.fields.emplace(key, value);
  }
  matrix.origin.fields["source_dtype"] = source.dtype;
  matrix.leading = all_but_last(source.shape);
  const QuantizerConfig config = recipe.config(*source.format);
  if (const std::string_view problem = Quantizer::problem(config); !problem.empty()) {
    fail(Exit::kUsage, "{}: {}", recipe.format.name, problem);
  }
  const auto shape = BlockedShape::make(source.shape, -1, matrix.format);
  if (!shape) fail(Exit::kBadInput, "{}: the tensor is too large", path);
  set_rows(path, *shape, matrix);
  std::vector<std::byte> codes(shape->elements * storage_bytes(matrix.format.element));
  std::vector<std::byte> scales(shape->scales * scale_bytes(matrix.format));
  const Checked<TensorSummary> quantized = quantize_tensor(
      made(Quantizer::make(config)), *shape, Tail::kShort, source.data, {}, codes, scales);
  if (!quantized) fail(Exit::kBadInput, "{}: {}", path, quantized.problem());
  matrix.codes = words_of(codes, storage_bytes(matrix.format.element));
  matrix.scales = words_of(scales, scale_bytes(matrix.format));
  return matrix;
}

}  // namespace

DotOperand DotMatrix::row(std::uint64_t r) const {
  return {std::span(scales).subspan(r * row_scales, row_scales),
          std::span(codes).subspan(r * columns, columns)};
}

DotMatrix load_dot_matrix(const std::string& path, const std::string& tensor,
                          std::string_view option, const std::string& block_format,
                          const std::shared_ptr<FormatBook>& book) {
  const TensorFile file = TensorFile::open(path);
  DotMatrix matrix = holds_codes(file.metadata())
                         ? quantized(file, path, tensor, option)
                         : quantized_here(file, path, tensor, option, block_format, book);
  check_codes(path, "element", matrix.format.element, matrix.codes);
  for (std::size_t i = 0; i < matrix.scales.size(); ++i) {
    if (matrix.format.takes_scale(matrix.scales[i])) continue;
    fail(Exit::kBadInput, "{}: scale {}: code {:X} has bits above the {} of {}", path, i,
         matrix.scales[i], matrix.format.scale_bits(), matrix.format_name);
  }
  return matrix;
}

void require_results(std::uint64_t rows, std::uint64_t columns) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 28;
  if (columns == 0 || rows <= kMost / columns) return;
  fail(Exit::kUsage, "{} rows by {} are more than {} results; give fewer rows at a time", rows,
       columns, kMost);
}

namespace {

/// A format that was given for an operand must be the one that its file says.
void require_held(const HeldFormat& held, const std::string& format, FormatBook& book) {
  if (!held.format || format.empty()) return;
  const FormatChoice given = book.require(format);
  const bool is_named = given.name == held.name;
  if (is_named && given.block != nullptr && *given.block == *held.format) return;
  fail(Exit::kUsage, "--format {}: {} holds {}{}; leave the format out", printable(format),
       held.path, held.name, is_named ? " by another definition, its own" : "");
}

}  // namespace

void check_held_formats(const Names& formats, const HeldFormat& a, const HeldFormat& b,
                        FormatBook& book) {
  if (formats.empty()) return;
  // One format beside a plain operand is that operand's.
  if (formats.size() == 1 && !(a.format && b.format)) return;
  require_held(a, formats.front(), book);
  require_held(b, formats.back(), book);
}

DotAddends load_addends(const std::string& path, const std::string& tensor,
                        std::span<const Lengths> shapes) {
  const TensorFile file = TensorFile::open(path);
  const Tensor& addends = only_tensor(file, path, tensor, "--tensor-c");
  require_shape(path, addends, "addends", shapes);
  Origin origin = origin_of_values(path, file.metadata());
  refuse_transformed(origin, "addends");
  origin.fields["format"] = std::string(addends.format->name);
  return {addends.format, words_of(addends.data, storage_bytes(*addends.format)),
          std::move(origin)};
}

}  // namespace mx::cli
